/* An operation under construction, used by the generated builders and accessors (bindings/<dialect>.c).
 *
 *   nereid_build_t b;
 *   nereid_build_begin(&b, builder, "tt.load");
 *   nereid_build_operand(&b, "ptr", ptr);                   and so on, in the order of the declaration
 *   return nereid_build_end(&b, flags);
 *
 * The first problem emits one error; later calls are ignored and nereid_build_end returns null. Not public. */
#ifndef NEREID_COMPILE_BUILD_H
#define NEREID_COMPILE_BUILD_H

#include "nereid/builder.h"

enum {
  NEREID_BUILD_PROPERTIES = 8, /* properties that are not attributes; ods-bindgen rejects more */
  NEREID_BUILD_GROUPS = 48,    /* operand groups of one operation; ods-bindgen rejects more */
  NEREID_BUILD_CHECKS = 80,    /* attributes passed as handles; ods-bindgen rejects more */
};

typedef struct nereid_build {
  const nereid_builder_t *builder;
  MlirContext context;
  MlirOperationState state;
  int32_t operand_segments[NEREID_BUILD_GROUPS], result_segments[NEREID_BUILD_GROUPS];
  int operand_groups, result_groups;
  MlirNamedAttribute given[NEREID_BUILD_CHECKS]; /* the caller's handles, checked again in the created operation */
  int given_count, property_count;
  struct {
    const char *name;
    MlirAttribute value;
  } properties[NEREID_BUILD_PROPERTIES]; /* set after the operation is created */
  bool failed;
} nereid_build_t;

enum {
  NEREID_BUILD_OPERAND_SEGMENTS = 1, /* set operandSegmentSizes */
  NEREID_BUILD_RESULT_SEGMENTS = 2,  /* set resultSegmentSizes */
  NEREID_BUILD_INFER = 4,            /* infer the result types */
};

/* Tests the kind of an attribute; null: any kind that the operation accepts. */
typedef bool (*nereid_build_kind_t)(MlirAttribute attribute);

void nereid_build_begin(nereid_build_t *build, const nereid_builder_t *builder, const char *name);

/* One result type; null is an error unless `optional`. */
void nereid_build_result(nereid_build_t *build, const char *name, MlirType type, bool optional);
void nereid_build_results(nereid_build_t *build, const char *name, intptr_t n, const MlirType *types);
/* One result of the same type as `value`. */
void nereid_build_result_like(nereid_build_t *build, MlirValue value);

void nereid_build_operand(nereid_build_t *build, const char *name, MlirValue value);
void nereid_build_optional(nereid_build_t *build, MlirValue value);
void nereid_build_operands(nereid_build_t *build, const char *name, intptr_t n, const MlirValue *values);

/* Adds an attribute created by the builder; null (an enum without that value) is an error. */
void nereid_build_made(nereid_build_t *build, const char *name, MlirAttribute attribute);
/* Adds an attribute from the caller. `kind` must accept it, `expected` describes the kind; null is an error when
 * required. */
void nereid_build_given(nereid_build_t *build, const char *name, MlirAttribute attribute, bool required,
                        nereid_build_kind_t kind, const char *expected);
/* Simple attributes. */
void nereid_build_unit(nereid_build_t *build, const char *name, bool value);
void nereid_build_bool(nereid_build_t *build, const char *name, bool value);
void nereid_build_integer(nereid_build_t *build, const char *name, unsigned bits, int64_t value);
void nereid_build_index(nereid_build_t *build, const char *name, int64_t value);
void nereid_build_string(nereid_build_t *build, const char *name, MlirStringRef value);
void nereid_build_symbol(nereid_build_t *build, const char *name, MlirStringRef value);
void nereid_build_i32_array(nereid_build_t *build, const char *name, intptr_t n, const int32_t *values);
void nereid_build_i64_array(nereid_build_t *build, const char *name, intptr_t n, const int64_t *values);

/* Adds a property that is not an attribute, in its attribute form; null: the default. */
void nereid_build_property(nereid_build_t *build, const char *name, MlirAttribute attribute);
void nereid_build_property_integer(nereid_build_t *build, const char *name, unsigned bits, int64_t value,
                                   int64_t default_value);

void nereid_build_regions(nereid_build_t *build, intptr_t n);
void nereid_build_successor(nereid_build_t *build, const char *name, MlirBlock block);
void nereid_build_successors(nereid_build_t *build, const char *name, intptr_t n, const MlirBlock *blocks);

/* Creates and inserts the operation; null after an error. */
MlirOperation nereid_build_end(nereid_build_t *build, int flags);

/* --- accessors --- */

/* Returns the inherent attribute `name`; null when absent. */
MlirAttribute nereid_build_get(MlirOperation op, const char *name);
/* Returns the property `name` in its attribute form; null when absent. */
MlirAttribute nereid_build_get_property(MlirOperation op, const char *name);
/* Returns the first position and the size of group `group` in `segments` (operandSegmentSizes or
 * resultSegmentSizes). */
intptr_t nereid_build_segment(MlirOperation op, const char *segments, int group, intptr_t *out_size);
/* Values of simple attributes; 0, empty or false when the attribute is null. */
int64_t nereid_build_get_integer(MlirAttribute attribute);
bool nereid_build_get_bool(MlirAttribute attribute);
MlirStringRef nereid_build_get_string(MlirAttribute attribute);
MlirStringRef nereid_build_get_symbol(MlirAttribute attribute);
MlirType nereid_build_get_type(MlirAttribute attribute);

#endif

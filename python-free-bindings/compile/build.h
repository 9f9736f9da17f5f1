/* What the generated builders and accessors (bindings/<dialect>.c) call: an operation under construction.
 *
 *   nereid_build_t b;
 *   nereid_build_begin(&b, builder, "tt.load");
 *   nereid_build_operand(&b, "ptr", ptr);                   and so on, in the order of the declaration
 *   return nereid_build_end(&b, flags);
 *
 * The first fault emits one error; from then on everything is skipped and the end answers null. Not public. */
#ifndef NEREID_COMPILE_BUILD_H
#define NEREID_COMPILE_BUILD_H

#include "nereid/builder.h"

enum {
  NEREID_BUILD_PROPERTIES = 8, /* properties that are no attributes; ods-bindgen refuses more */
  NEREID_BUILD_GROUPS = 48,    /* operand groups of one operation; ods-bindgen refuses more */
  NEREID_BUILD_CHECKS = 80,    /* attributes given as handles; ods-bindgen refuses more */
};

typedef struct nereid_build {
  const nereid_builder_t *builder;
  MlirContext context;
  MlirOperationState state;
  int32_t operand_segments[NEREID_BUILD_GROUPS], result_segments[NEREID_BUILD_GROUPS];
  int operand_groups, result_groups;
  MlirNamedAttribute given[NEREID_BUILD_CHECKS]; /* handles from the caller: looked up again in the made operation */
  int given_count, property_count;
  struct {
    const char *name;
    MlirAttribute value;
  } properties[NEREID_BUILD_PROPERTIES]; /* set once the operation is there */
  bool failed;
} nereid_build_t;

enum {
  NEREID_BUILD_OPERAND_SEGMENTS = 1, /* set operandSegmentSizes */
  NEREID_BUILD_RESULT_SEGMENTS = 2,  /* set resultSegmentSizes */
  NEREID_BUILD_INFER = 4,            /* ask the operation for its result types */
};

/* A test of an attribute's kind; null: any kind that the operation keeps. */
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

/* An attribute made by the builder; null, an enum without that number, is an error. */
void nereid_build_made(nereid_build_t *build, const char *name, MlirAttribute attribute);
/* An attribute from the caller: `kind` must accept it, `expected` says what that is; null is an error when required. */
void nereid_build_given(nereid_build_t *build, const char *name, MlirAttribute attribute, bool required,
                        nereid_build_kind_t kind, const char *expected);
/* Kinds of simple attribute. */
void nereid_build_unit(nereid_build_t *build, const char *name, bool value);
void nereid_build_bool(nereid_build_t *build, const char *name, bool value);
void nereid_build_integer(nereid_build_t *build, const char *name, unsigned bits, int64_t value);
void nereid_build_index(nereid_build_t *build, const char *name, int64_t value);
void nereid_build_string(nereid_build_t *build, const char *name, MlirStringRef value);
void nereid_build_symbol(nereid_build_t *build, const char *name, MlirStringRef value);
void nereid_build_i32_array(nereid_build_t *build, const char *name, intptr_t n, const int32_t *values);
void nereid_build_i64_array(nereid_build_t *build, const char *name, intptr_t n, const int64_t *values);

/* A property that is no attribute, in its attribute form; null leaves the default. */
void nereid_build_property(nereid_build_t *build, const char *name, MlirAttribute attribute);
void nereid_build_property_integer(nereid_build_t *build, const char *name, unsigned bits, int64_t value,
                                   int64_t default_value);

void nereid_build_regions(nereid_build_t *build, intptr_t n);
void nereid_build_successor(nereid_build_t *build, const char *name, MlirBlock block);
void nereid_build_successors(nereid_build_t *build, const char *name, intptr_t n, const MlirBlock *blocks);

/* Makes and inserts the operation; null after an error. */
MlirOperation nereid_build_end(nereid_build_t *build, int flags);

/* --- accessors --- */

/* The inherent attribute `name`; null when absent. */
MlirAttribute nereid_build_get(MlirOperation op, const char *name);
/* The property `name` in its attribute form; null when absent. */
MlirAttribute nereid_build_get_property(MlirOperation op, const char *name);
/* First position and size of group `group` in `segments` (operandSegmentSizes or resultSegmentSizes). */
intptr_t nereid_build_segment(MlirOperation op, const char *segments, int group, intptr_t *out_size);
/* Values of simple attributes; 0, empty or false when the attribute is null. */
int64_t nereid_build_get_integer(MlirAttribute attribute);
bool nereid_build_get_bool(MlirAttribute attribute);
MlirStringRef nereid_build_get_string(MlirAttribute attribute);
MlirStringRef nereid_build_get_symbol(MlirAttribute attribute);
MlirType nereid_build_get_type(MlirAttribute attribute);

#endif

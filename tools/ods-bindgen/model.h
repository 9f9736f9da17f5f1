/* The model of a dialect: the record dump of its .td file in terms of C.
 *
 *   def TT_LoadOp : TT_Op<"load"> { let arguments = (ins TT_PtrLike:$ptr, TT_CacheAttr:$cache); }
 *   op_t{ .name = "load", .c_name = "nereid_tt_load", .arguments = { operand ptr, attribute cache : FORM_ENUM } }
 *
 * Strings have process lifetime. */
#ifndef NEREID_TOOLS_ODS_BINDGEN_MODEL_H
#define NEREID_TOOLS_ODS_BINDGEN_MODEL_H

#include <stdbool.h>
#include <stddef.h>

/* The C form of an attribute or parameter. */
typedef enum form {
  FORM_ATTRIBUTE,  /* MlirAttribute */
  FORM_UNIT,       /* bool, presence */
  FORM_BOOL,       /* bool */
  FORM_INTEGER,    /* intN_t, bits */
  FORM_INDEX,      /* int64_t */
  FORM_STRING,     /* MlirStringRef */
  FORM_SYMBOL,     /* MlirStringRef, FlatSymbolRefAttr */
  FORM_ENUM,       /* a C enum stored in an IntegerAttr, bits */
  FORM_ENUM_CLASS, /* a C enum stored in an attribute class of its dialect */
  FORM_I32_ARRAY,  /* intptr_t n, const int32_t * */
  FORM_I64_ARRAY,  /* intptr_t n, const int64_t * */
  FORM_TYPE_ATTR,  /* MlirAttribute; read as MlirType */
  FORM_TYPE,       /* MlirType (parameters) */
  FORM_UNSIGNED,   /* unsigned (parameters) */
  FORM_INT,        /* int (parameters) */
} form_t;

typedef struct enum_case {
  const char *symbol;   /* NONE */
  const char *spelling; /* none */
  long long value;
} enum_case_t;

typedef struct enumeration {
  const char *cpp_type;   /* ::nereid::tt::CacheModifier */
  const char *class_name; /* CacheModifier */
  const char *cpp_namespace;
  const char *owner;  /* dialect */
  const char *c_name; /* nereid_tt_cache_modifier; the type is that and _t */
  const char *summary;
  bool bits; /* a set of flags */
  size_t case_count;
  enum_case_t *cases;
} enumeration_t;

typedef struct parameter {
  const char *name;   /* sizePerThread */
  const char *c_name; /* size_per_thread */
  const char *cpp_type;
  const char *getter; /* getSizePerThread */
  form_t form;
  bool optional; /* null is a value */
  const enumeration_t *enumeration;
  const char *summary;
} parameter_t;

/* A type or attribute class of a dialect. */
typedef struct definition {
  const char *record, *mnemonic, *cpp_type;
  const char *owner;
  const char *c_name; /* nereid_tt_ptr_type, nereid_ttg_blocked_attr */
  bool is_type, has_verifier, has_create;
  size_t parameter_count;
  parameter_t *parameters;
  const char *summary, *description;
} definition_t;

typedef enum argument_kind { ARGUMENT_OPERAND, ARGUMENT_ATTRIBUTE, ARGUMENT_PROPERTY } argument_kind_t;

typedef struct argument {
  argument_kind_t kind;
  const char *name, *c_name;
  bool optional, variadic; /* operands; optional: attributes too (null is absent) */
  bool defaulted;          /* attributes: the operation has a default for an absent one */
  form_t form;
  unsigned bits;
  const enumeration_t *enumeration;
  const definition_t *definition; /* class of the attribute, if its dialect has bindings */
  const char *storage;            /* C++ class of the attribute: ::mlir::ArrayAttr */
  const char *expected;           /* for messages and documentation: "32-bit signless integer attribute" */
  const char *default_value;      /* as a C++ expression; null when there is none */
} argument_t;

typedef struct result {
  const char *name, *c_name, *expected;
  bool optional, variadic;
} result_t;

typedef struct piece { /* a region or successor */
  const char *name, *c_name;
  bool variadic;
} piece_t;

typedef enum inference {
  INFER_NONE,      /* result types are parameters */
  INFER_OPERAND,   /* all results have the type of argument `infer_from` */
  INFER_INTERFACE, /* by InferTypeOpInterface */
} inference_t;

typedef struct op {
  const char *record, *name, *full_name; /* load, tt.load */
  const char *c_name, *kind;             /* nereid_tt_load, NEREID_OP_TT_LOAD */
  const char *cpp_class;                 /* nereid::tt::LoadOp */
  const char *summary, *description, *assembly;
  size_t argument_count, result_count, region_count, successor_count, trait_count;
  argument_t *arguments;
  result_t *results;
  piece_t *regions, *successors;
  const char **traits; /* for the documentation */
  bool operand_segments, result_segments, same_variadic_size;
  inference_t inference;
  size_t infer_from;
  bool has_verifier, has_region_verifier, has_folder, has_canonicalize;
  bool infers_types, checks_compatible, has_effects, uses_symbols, has_speculatability; /* declared methods */
  bool has_properties;
} op_t;

typedef struct dialect {
  const char *name; /* tt */
  const char *cpp_namespace;
  const char *cpp_class; /* nereid::tt::TTDialect */
  bool own;
  bool verifies_operation_attributes, verifies_argument_attributes; /* declared methods of the class */
  const char *summary, *description;
  size_t op_count, enum_count, definition_count;
  op_t *ops;
  enumeration_t **enums;      /* that belong to the dialect */
  definition_t **definitions; /* likewise */
  bool *needs;                /* per dialect of the model: its header is included */
} dialect_t;

typedef struct model {
  size_t dialect_count;
  dialect_t *dialects;
  size_t enum_count, definition_count;
  enumeration_t **enums; /* enums of all dialects */
  definition_t **definitions;
} model_t;

/* Reads one record dump into the dialect `name`; called in the order of the command line, own dialects first.
 * A dialect may be read from several files. Exits with a message on unsupported records. */
void model_add_dialect(model_t *model, const char *name, bool own);
void model_read(model_t *model, const char *name, const char *path);

dialect_t *model_dialect(const model_t *model, const char *name);

#endif

/* Builders: a C function per operation.
 *
 *   MlirOperation nereid_tt_splat_build(const nereid_builder_t *builder, MlirType result_type, MlirValue src) {
 *     nereid_build_t build_;
 *     nereid_build_begin(&build_, builder, "tt.splat");
 *     nereid_build_result(&build_, "result", result_type, false);
 *     nereid_build_operand(&build_, "src", src);
 *     return nereid_build_end(&build_, 0);
 *   }
 *
 * python-free-bindings/compile/build.c implements the calls. */
#include "tools/ods-bindgen/generate.h"

/* nereid_build_t's arrays. */
enum { MAX_GROUPS = 48, MAX_GIVEN = 80, MAX_PROPERTIES = 8 };

static const char *without_underscore(const char *c_name) {
  size_t size = strlen(c_name);
  return size && c_name[size - 1] == '_' ? format("%.*s", (int)size - 1, c_name) : c_name;
}

/* --- the signature --- */

static void add_results(text_t *text, const op_t *op) {
  if (op->inference != INFER_NONE)
    return;
  for (size_t i = 0; i < op->result_count; i++) {
    const char *name = without_underscore(op->results[i].c_name);
    if (op->results[i].variadic)
      add(text, ", intptr_t n_%s_types, const MlirType *%s_types", name, name);
    else
      add(text, ", MlirType %s_type", name);
  }
}

static void add_operands(text_t *text, const op_t *op) {
  for (size_t i = 0; i < op->argument_count; i++) {
    const argument_t *argument = &op->arguments[i];
    if (argument->kind != ARGUMENT_OPERAND)
      continue;
    if (argument->variadic)
      add(text, ", intptr_t n_%s, const MlirValue *%s", without_underscore(argument->c_name), argument->c_name);
    else
      add(text, ", MlirValue %s", argument->c_name);
  }
}

static void add_attributes(text_t *text, const op_t *op) {
  for (size_t i = 0; i < op->argument_count; i++) {
    const argument_t *argument = &op->arguments[i];
    if (argument->kind == ARGUMENT_OPERAND)
      continue;
    add(text, ", ");
    if (is_natural(argument))
      add_form(text, argument->form, argument->bits, argument->enumeration, argument->c_name);
    else
      add(text, "MlirAttribute %s", argument->c_name);
  }
}

static void add_pieces(text_t *text, const op_t *op) {
  for (size_t i = 0; i < op->region_count; i++)
    if (op->regions[i].variadic)
      add(text, ", intptr_t n_%s", without_underscore(op->regions[i].c_name));
  for (size_t i = 0; i < op->successor_count; i++) {
    const char *name = op->successors[i].c_name;
    if (op->successors[i].variadic)
      add(text, ", intptr_t n_%s, const MlirBlock *%s", without_underscore(name), name);
    else
      add(text, ", MlirBlock %s", name);
  }
}

static void add_signature(text_t *text, const op_t *op) {
  add(text, "MlirOperation %s_build(const nereid_builder_t *builder", op->c_name);
  add_results(text, op);
  add_operands(text, op);
  add_attributes(text, op);
  add_pieces(text, op);
  add(text, ")");
}

/* --- the body --- */

static void add_result_calls(text_t *text, const op_t *op) {
  for (size_t i = 0; i < op->result_count; i++) {
    const result_t *result = &op->results[i];
    const char *name = without_underscore(result->c_name);
    if (op->inference == INFER_OPERAND)
      add(text, "  nereid_build_result_like(&build_, %s);\n", op->arguments[op->infer_from].c_name);
    else if (op->inference == INFER_NONE && result->variadic)
      add(text, "  nereid_build_results(&build_, \"%s\", n_%s_types, %s_types);\n", result->name, name, name);
    else if (op->inference == INFER_NONE)
      add(text, "  nereid_build_result(&build_, \"%s\", %s_type, %s);\n", result->name, name,
          result->optional ? "true" : "false");
  }
}

static void add_operand_call(text_t *text, const argument_t *argument) {
  if (argument->variadic)
    add(text, "  nereid_build_operands(&build_, \"%s\", n_%s, %s);\n", argument->name,
        without_underscore(argument->c_name), argument->c_name);
  else if (argument->optional)
    add(text, "  nereid_build_optional(&build_, %s);\n", argument->c_name);
  else
    add(text, "  nereid_build_operand(&build_, \"%s\", %s);\n", argument->name, argument->c_name);
}

/* The isa function of an attribute class: that of mlir-c for a builtin class, else the generated one. */
static const char *kind_test(const argument_t *argument) {
  static const char *const builtin[][2] = {
      {"mlir::ArrayAttr", "mlirAttributeIsAArray"},
      {"mlir::DictionaryAttr", "mlirAttributeIsADictionary"},
      {"mlir::StringAttr", "mlirAttributeIsAString"},
      {"mlir::IntegerAttr", "mlirAttributeIsAInteger"},
      {"mlir::FloatAttr", "mlirAttributeIsAFloat"},
      {"mlir::TypeAttr", "mlirAttributeIsAType"},
      {"mlir::BoolAttr", "mlirAttributeIsABool"},
      {"mlir::UnitAttr", "mlirAttributeIsAUnit"},
      {"mlir::SymbolRefAttr", "mlirAttributeIsASymbolRef"},
      {"mlir::FlatSymbolRefAttr", "mlirAttributeIsAFlatSymbolRef"},
      {"mlir::AffineMapAttr", "mlirAttributeIsAAffineMap"},
      {"mlir::IntegerSetAttr", "mlirAttributeIsAIntegerSet"},
      {"mlir::ElementsAttr", "mlirAttributeIsAElements"},
      {"mlir::DenseElementsAttr", "mlirAttributeIsADenseElements"},
      {"mlir::DenseIntElementsAttr", "mlirAttributeIsADenseIntElements"},
      {"mlir::DenseFPElementsAttr", "mlirAttributeIsADenseFPElements"},
      {"mlir::DenseBoolArrayAttr", "mlirAttributeIsADenseBoolArray"},
      {"mlir::DenseI8ArrayAttr", "mlirAttributeIsADenseI8Array"},
      {"mlir::DenseI16ArrayAttr", "mlirAttributeIsADenseI16Array"},
      {"mlir::DenseI32ArrayAttr", "mlirAttributeIsADenseI32Array"},
      {"mlir::DenseI64ArrayAttr", "mlirAttributeIsADenseI64Array"},
      {"mlir::DenseF32ArrayAttr", "mlirAttributeIsADenseF32Array"},
      {"mlir::DenseF64ArrayAttr", "mlirAttributeIsADenseF64Array"},
  };
  if (argument->definition)
    return format("%s_isa", argument->definition->c_name);
  if (argument->form == FORM_ENUM)
    return "mlirAttributeIsAInteger";
  for (size_t i = 0; i < sizeof builtin / sizeof *builtin; i++)
    if (strcmp(argument->storage, builtin[i][0]) == 0)
      return builtin[i][1];
  return "NULL";
}

/* Escapes the text for a C string literal. */
static const char *quoted(const char *words) {
  text_t text = {0};
  for (; words && *words; words++)
    add(&text, *words == '\n' ? " " : *words == '"' || *words == '\\' ? "\\%c" : "%c", *words);
  return text.data ? text.data : "an attribute";
}

static void add_given_call(text_t *text, const argument_t *argument) {
  bool required = !argument->optional && !argument->defaulted;
  add(text, "  nereid_build_given(&build_, \"%s\", %s, %s, %s,\n                     \"%s\");\n", argument->name,
      argument->c_name, required ? "true" : "false", kind_test(argument), quoted(argument->expected));
}

/* The index of the case that a default such as "::mlir::LLVM::GEPNoWrapFlags::none" names; -1 when it names none. */
static long long default_case(const argument_t *argument) {
  const char *name = argument->default_value ? strrchr(argument->default_value, ':') : NULL;
  for (size_t i = 0; name && i < argument->enumeration->case_count; i++)
    if (strcmp(argument->enumeration->cases[i].symbol, name + 1) == 0)
      return argument->enumeration->cases[i].value;
  return -1;
}

static void add_property_call(text_t *text, const argument_t *argument) {
  if (argument->enumeration)
    add(text, "  nereid_build_property_integer(&build_, \"%s\", %u, (int64_t)%s, %lld);\n", argument->name,
        argument->bits, argument->c_name, default_case(argument));
  else
    add(text, "  nereid_build_property(&build_, \"%s\", %s);\n", argument->name, argument->c_name);
}

static void add_attribute_call(text_t *text, const argument_t *argument) {
  const char *name = argument->name, *value = argument->c_name;
  if (argument->kind == ARGUMENT_PROPERTY) {
    add_property_call(text, argument);
    return;
  }
  if (!is_natural(argument)) {
    add_given_call(text, argument);
    return;
  }
  switch (argument->form) {
  case FORM_UNIT:
    add(text, "  nereid_build_unit(&build_, \"%s\", %s);\n", name, value);
    break;
  case FORM_BOOL:
    add(text, "  nereid_build_bool(&build_, \"%s\", %s);\n", name, value);
    break;
  case FORM_INTEGER:
  case FORM_ENUM:
    add(text, "  nereid_build_integer(&build_, \"%s\", %u, %s%s);\n", name, argument->bits,
        argument->form == FORM_ENUM ? "(int64_t)" : "", value);
    break;
  case FORM_INDEX:
    add(text, "  nereid_build_index(&build_, \"%s\", %s);\n", name, value);
    break;
  case FORM_STRING:
  case FORM_SYMBOL:
    add(text, "  nereid_build_%s(&build_, \"%s\", %s);\n", argument->form == FORM_STRING ? "string" : "symbol", name,
        value);
    break;
  case FORM_ENUM_CLASS:
    add(text, "  nereid_build_made(&build_, \"%s\", %s_create(build_.context, %s));\n", name,
        argument->definition->c_name, value);
    break;
  default: /* the arrays */
    add(text, "  nereid_build_%s_array(&build_, \"%s\", n_%s, %s);\n", argument->form == FORM_I32_ARRAY ? "i32" : "i64",
        name, without_underscore(value), value);
  }
}

static void add_piece_calls(text_t *text, const op_t *op) {
  for (size_t i = 0; i < op->region_count; i++) {
    if (op->regions[i].variadic)
      add(text, "  nereid_build_regions(&build_, n_%s);\n", without_underscore(op->regions[i].c_name));
    else
      add(text, "  nereid_build_regions(&build_, 1);\n");
  }
  for (size_t i = 0; i < op->successor_count; i++) {
    const piece_t *each = &op->successors[i];
    if (each->variadic)
      add(text, "  nereid_build_successors(&build_, \"%s\", n_%s, %s);\n", each->name, without_underscore(each->c_name),
          each->c_name);
    else
      add(text, "  nereid_build_successor(&build_, \"%s\", %s);\n", each->name, each->c_name);
  }
}

static const char *end_flags(const op_t *op) {
  const char *flags = format("%s%s%s", op->operand_segments ? " | NEREID_BUILD_OPERAND_SEGMENTS" : "",
                             op->result_segments ? " | NEREID_BUILD_RESULT_SEGMENTS" : "",
                             op->inference == INFER_INTERFACE ? " | NEREID_BUILD_INFER" : "");
  return *flags ? flags + 3 : "0";
}

static void check_sizes(const op_t *op) {
  size_t operands = 0, properties = 0;
  for (size_t i = 0; i < op->argument_count; i++) {
    operands += op->arguments[i].kind == ARGUMENT_OPERAND;
    properties += op->arguments[i].kind == ARGUMENT_PROPERTY;
  }
  if (operands > MAX_GROUPS || op->result_count > MAX_GROUPS)
    fail("%s has more than %d operands or results", op->full_name, MAX_GROUPS);
  if (op->argument_count - operands > MAX_GIVEN)
    fail("%s has more than %d attributes", op->full_name, MAX_GIVEN);
  if (properties > MAX_PROPERTIES)
    fail("%s has more than %d properties", op->full_name, MAX_PROPERTIES);
}

void generate_builder(text_t *header, text_t *source, const op_t *op) {
  check_sizes(op);
  text_t signature = {0};
  add_signature(&signature, op);
  add_op_comment(header, op);
  add_declaration(header, signature.data);
  add(header, ";\n");
  add(source, "\n");
  add_declaration(source, signature.data);
  text_free(&signature);
  add(source, " {\n  nereid_build_t build_;\n  nereid_build_begin(&build_, builder, \"%s\");\n", op->full_name);
  for (size_t i = 0; i < op->argument_count; i++)
    if (op->arguments[i].kind == ARGUMENT_OPERAND)
      add_operand_call(source, &op->arguments[i]);
  add_result_calls(source, op);
  for (size_t i = 0; i < op->argument_count; i++)
    if (op->arguments[i].kind != ARGUMENT_OPERAND)
      add_attribute_call(source, &op->arguments[i]);
  add_piece_calls(source, op);
  add(source, "  return nereid_build_end(&build_, %s);\n}\n", end_flags(op));
}

/* Types and attributes of a dialect: C functions to test, create and read them, defined by C++ thunks.
 *
 *   bool nereid_ttg_slice_attr_isa(MlirAttribute attribute);
 *   MlirAttribute nereid_ttg_slice_attr_create(MlirContext context, unsigned dim, MlirAttribute parent);
 *   unsigned nereid_ttg_slice_attr_get_dim(MlirAttribute attribute);
 *
 * A creator verifies its parameters: a parameter of the wrong kind or a verifier failure emits an error at the unknown
 * location and returns null. */
#include "tools/ods-bindgen/generate.h"

static const char *handle(const definition_t *definition) {
  return definition->is_type ? "MlirType" : "MlirAttribute";
}

static const char *noun(const definition_t *definition) {
  return definition->is_type ? "type" : "attribute";
}

/* A parameter class other than Type and Attribute requires a cast. */
static bool needs_cast(const parameter_t *parameter) {
  const char *type = parameter->cpp_type;
  type += strncmp(type, "::", 2) == 0 ? 2 : 0;
  type += strncmp(type, "mlir::", 6) == 0 ? 6 : 0;
  bool handle_form = parameter->form == FORM_TYPE || parameter->form == FORM_ATTRIBUTE;
  return handle_form && strcmp(type, "Type") != 0 && strcmp(type, "Attribute") != 0;
}

/* DenseI32ArrayAttr -> ::mlir::DenseI32ArrayAttr: a class without a namespace is MLIR's or in the dialect's
 * namespace. */
static const char *qualified(const definition_t *definition, const parameter_t *parameter) {
  if (strstr(parameter->cpp_type, "::"))
    return parameter->cpp_type;
  return format("std::decay_t<decltype(std::declval<%s>().%s())>", definition->cpp_type, parameter->getter);
}

static void add_create_signature(text_t *text, const definition_t *definition) {
  add(text, "%s %s_create(MlirContext context", handle(definition), definition->c_name);
  for (size_t i = 0; i < definition->parameter_count; i++) {
    const parameter_t *each = &definition->parameters[i];
    add(text, ", ");
    add_form(text, each->form, 32, each->enumeration, each->c_name);
  }
  add(text, ")");
}

static void add_refusal(text_t *glue, const definition_t *definition, const char *condition, const char *parameter) {
  add(glue, "  if (%s) {\n", condition);
  add(glue, "    ::mlir::emitError(unknown) << \"%c%s.%s: parameter '%s' is missing or of the wrong kind\";\n",
      definition->is_type ? '!' : '#', definition->owner, definition->mnemonic, parameter);
  add(glue, "    return {nullptr};\n  }\n");
}

/* A C expression that is true when a value is not a case of the enum, or not a union of its flags. */
static const char *unknown_case(const parameter_t *parameter) {
  const enumeration_t *enumeration = parameter->enumeration;
  text_t text = {0};
  long long all = 0;
  for (size_t i = 0; i < enumeration->case_count; i++) {
    all |= enumeration->cases[i].value;
    if (!enumeration->bits)
      add(&text, "%s%s != %lld", i ? " && " : "", parameter->c_name, enumeration->cases[i].value);
  }
  return enumeration->bits || !text.data ? format("%s & ~%lld", parameter->c_name, all) : text.data;
}

static void add_check(text_t *glue, const definition_t *definition, const parameter_t *parameter) {
  if (parameter->enumeration)
    add_refusal(glue, definition, unknown_case(parameter), parameter->name);
  if (parameter->form != FORM_TYPE && parameter->form != FORM_ATTRIBUTE)
    return;
  const char *missing = parameter->optional ? "" : format("!%s.ptr", parameter->c_name);
  if (needs_cast(parameter)) {
    add(glue, "  %s cast_%s;\n", qualified(definition, parameter), parameter->name);
    add_refusal(glue, definition,
                format("%s%s!nereid_cast_parameter(cast_%s, %s)", missing, *missing ? " || " : "", parameter->name,
                       parameter->c_name),
                parameter->name);
  } else if (*missing) {
    add_refusal(glue, definition, missing, parameter->name);
  }
}

static const char *to_cpp(const parameter_t *parameter) {
  if (needs_cast(parameter))
    return format("cast_%s", parameter->name);
  switch (parameter->form) {
  case FORM_TYPE:
  case FORM_ATTRIBUTE:
    return format("unwrap(%s)", parameter->c_name);
  case FORM_ENUM:
    return format("static_cast<%s>(%s)", parameter->enumeration->cpp_type, parameter->c_name);
  default:
    return parameter->c_name;
  }
}

static void generate_create(text_t *header, text_t *glue, const definition_t *definition) {
  text_t signature = {0};
  add_create_signature(&signature, definition);
  add_declaration(header, signature.data);
  add(header, ";\n");
  add(glue, "extern \"C\" %s {\n", signature.data);
  add(glue, "  ::mlir::Location unknown = ::mlir::UnknownLoc::get(unwrap(context));\n  (void)unknown;\n");
  text_free(&signature);
  for (size_t i = 0; i < definition->parameter_count; i++)
    add_check(glue, definition, &definition->parameters[i]);
  if (definition->has_verifier)
    add(glue, "  return wrap(%s::getChecked([&] { return ::mlir::emitError(unknown); }, unwrap(context)",
        definition->cpp_type);
  else
    add(glue, "  return wrap(%s::get(unwrap(context)", definition->cpp_type);
  for (size_t i = 0; i < definition->parameter_count; i++)
    add(glue, ", %s", to_cpp(&definition->parameters[i]));
  add(glue, "));\n}\n");
}

static void generate_getter(text_t *header, text_t *glue, const definition_t *definition,
                            const parameter_t *parameter) {
  const char *signature = format("%s %s_get_%s(%s %s)", value_type(parameter->form, 32, parameter->enumeration),
                                 definition->c_name, snake_case(parameter->name), handle(definition), noun(definition));
  const char *got =
      format("::llvm::cast<%s>(unwrap(%s)).%s()", definition->cpp_type, noun(definition), parameter->getter);
  add(header, "%s;\n", signature);
  add(glue, "extern \"C\" %s {\n  return ", signature);
  if (parameter->form == FORM_TYPE || parameter->form == FORM_ATTRIBUTE)
    add(glue, "wrap(%s);\n}\n", got);
  else if (parameter->form == FORM_ENUM)
    add(glue, "static_cast<%s_t>(%s);\n}\n", parameter->enumeration->c_name, got);
  else
    add(glue, "%s;\n}\n", got);
}

void generate_definition(text_t *header, text_t *glue, const definition_t *definition) {
  add(header, "\n/* %c%s.%s%s%s */\n", definition->is_type ? '!' : '#', definition->owner, definition->mnemonic,
      definition->summary ? ": " : "", definition->summary ? definition->summary : "");
  const char *isa = format("bool %s_isa(%s %s)", definition->c_name, handle(definition), noun(definition));
  add(header, "%s;\n", isa);
  add(glue, "extern \"C\" %s {\n  return ::llvm::isa_and_present<%s>(unwrap(%s));\n}\n", isa, definition->cpp_type,
      noun(definition));
  if (definition->has_create)
    generate_create(header, glue, definition);
  for (size_t i = 0; i < definition->parameter_count; i++)
    generate_getter(header, glue, definition, &definition->parameters[i]);
}

/* Hooks: C prototypes of the functions that a dialect must define, and the C++ member functions that call them; the
 * initialization of the dialect's class.
 *
 *   let hasVerifier = 1;  ->  MlirLogicalResult nereid_tt_load_verify(MlirOperation op);
 *                             ::llvm::LogicalResult nereid::tt::LoadOp::verify() {
 *                               return unwrap(nereid_tt_load_verify(wrap(getOperation())));
 *                             }
 *
 * The signatures are those that mlir-tblgen of LLVM 22 declares. The C++ only converts and calls. */
#include "tools/ods-bindgen/generate.h"

static void hook(text_t *header, const char *type, const op_t *op, const char *suffix, const char *parameters) {
  add_declaration(header, format("%s %s_%s(%s)", type, op->c_name, suffix, parameters));
  add(header, ";\n");
}

static void generate_result_hook(text_t *header, text_t *thunks, const op_t *op, const char *member,
                                 const char *parameters, const char *suffix) {
  hook(header, "MlirLogicalResult", op, suffix, "MlirOperation op");
  add(thunks, "::llvm::LogicalResult %s::%s(%s) {\n", op->cpp_class, member, parameters);
  add(thunks, "  return unwrap(%s_%s(wrap(getOperation())));\n}\n", op->c_name, suffix);
}

static void generate_fold(text_t *header, text_t *thunks, const op_t *op) {
  hook(header, "nereid_fold_t", op, "fold",
       "MlirOperation op, intptr_t n_operands, const MlirAttribute *operands, nereid_fold_result_t *results");
  bool one = op->result_count == 1 && !op->results[0].variadic && !op->results[0].optional;
  add(thunks,
      one ? "::mlir::OpFoldResult %s::fold(FoldAdaptor adaptor) {\n"
          : "::llvm::LogicalResult %s::fold(FoldAdaptor adaptor,\n"
            "    ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &folded) {\n",
      op->cpp_class);
  add(thunks,
      "  ::llvm::SmallVector<nereid_fold_result_t, 2> results(getOperation()->getNumResults());\n"
      "  switch (nereid_fold_call(%s_fold, getOperation(), adaptor.getOperands(), results.data())) {\n"
      "  case NEREID_FOLD_NONE:\n    return %s;\n",
      op->c_name, one ? "{}" : "::mlir::failure()");
  add(thunks, "  case NEREID_FOLD_IN_PLACE:\n    return %s;\n", one ? "getResult()" : "::mlir::success()");
  add(thunks, "  case NEREID_FOLD_REPLACED:\n    break;\n  }\n");
  add(thunks, one ? "  return nereid_fold_unwrap(results[0]);\n}\n"
                  : "  for (nereid_fold_result_t result : results)\n"
                    "    folded.push_back(nereid_fold_unwrap(result));\n  return ::mlir::success();\n}\n");
}

static void generate_canonicalize(text_t *header, text_t *thunks, const op_t *op) {
  hook(header, "MlirLogicalResult", op, "canonicalize", "MlirOperation op, MlirRewriterBase rewriter");
  const char *last = strrchr(op->cpp_class, ':');
  add(thunks, "::llvm::LogicalResult %s::canonicalize(%s op, ::mlir::PatternRewriter &rewriter) {\n", op->cpp_class,
      last ? last + 1 : op->cpp_class);
  add(thunks,
      "  return unwrap(%s_canonicalize(wrap(op.getOperation()),\n"
      "      wrap(static_cast<::mlir::RewriterBase *>(&rewriter))));\n}\n",
      op->c_name);
}

static void generate_inference(text_t *header, text_t *thunks, const op_t *op) {
  hook(
      header, "MlirLogicalResult", op, "infer_types",
      "MlirContext context, MlirLocation location, intptr_t n_operands, MlirValue *operands, "
      "MlirAttribute attributes, intptr_t n_regions, MlirRegion *regions, MlirTypesCallback callback, void *user_data");
  add(thunks,
      "::llvm::LogicalResult %s::inferReturnTypes(::mlir::MLIRContext *context,\n"
      "    ::std::optional<::mlir::Location> location, ::mlir::ValueRange operands, ::mlir::DictionaryAttr "
      "attributes,\n"
      "    ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,\n"
      "    ::llvm::SmallVectorImpl<::mlir::Type> &inferredReturnTypes) {\n",
      op->cpp_class);
  add(thunks, "  ::mlir::Attribute inherent;\n");
  if (op->has_properties)
    add(thunks, "  if (properties)\n    inherent = getPropertiesAsAttr(context, *properties.as<Properties *>());\n");
  else
    add(thunks, "  (void)properties;\n");
  add(thunks,
      "  return nereid_infer_call(%s_infer_types, context, location, operands, attributes, inherent, regions,\n"
      "                           inferredReturnTypes);\n}\n",
      op->c_name);
  if (!op->checks_compatible)
    return;
  hook(header, "bool", op, "compatible_types",
       "intptr_t n_inferred, const MlirType *inferred, intptr_t n_actual, const MlirType *actual");
  add(thunks, "bool %s::isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange actual) {\n",
      op->cpp_class);
  add(thunks, "  return nereid_compatible_call(%s_compatible_types, inferred, actual);\n}\n", op->c_name);
}

static void generate_symbols(text_t *header, text_t *thunks, const op_t *op) {
  hook(header, "MlirLogicalResult", op, "verify_symbols", "MlirOperation op, nereid_symbols_t symbols");
  add(thunks, "::llvm::LogicalResult %s::verifySymbolUses(::mlir::SymbolTableCollection &symbols) {\n", op->cpp_class);
  add(thunks, "  return unwrap(%s_verify_symbols(wrap(getOperation()), nereid_symbols_t{&symbols}));\n}\n", op->c_name);
}

static void generate_effects(text_t *header, text_t *thunks, const op_t *op) {
  hook(header, "void", op, "effects", "MlirOperation op, nereid_effects_t effects");
  add(thunks,
      "void %s::getEffects(::llvm::SmallVectorImpl<\n"
      "    ::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {\n",
      op->cpp_class);
  add(thunks, "  %s_effects(wrap(getOperation()), nereid_effects_t{&effects});\n}\n", op->c_name);
}

static void generate_speculatability(text_t *header, text_t *thunks, const op_t *op) {
  hook(header, "bool", op, "speculatable", "MlirOperation op");
  add(thunks, "::mlir::Speculation::Speculatability %s::getSpeculatability() {\n", op->cpp_class);
  add(thunks,
      "  return %s_speculatable(wrap(getOperation())) ? ::mlir::Speculation::Speculatable\n"
      "      : ::mlir::Speculation::NotSpeculatable;\n}\n",
      op->c_name);
}

static void generate_op_hooks(text_t *header, text_t *thunks, const op_t *op) {
  if (op->has_verifier)
    generate_result_hook(header, thunks, op, "verify", "", "verify");
  if (op->has_region_verifier)
    generate_result_hook(header, thunks, op, "verifyRegions", "", "verify_regions");
  if (op->uses_symbols)
    generate_symbols(header, thunks, op);
  if (op->has_folder)
    generate_fold(header, thunks, op);
  if (op->has_canonicalize)
    generate_canonicalize(header, thunks, op);
  if (op->infers_types)
    generate_inference(header, thunks, op);
  if (op->has_effects)
    generate_effects(header, thunks, op);
  if (op->has_speculatability)
    generate_speculatability(header, thunks, op);
}

/* --- verifiers of types and attributes --- */

static const char *to_c(const parameter_t *parameter) {
  switch (parameter->form) {
  case FORM_TYPE:
  case FORM_ATTRIBUTE:
    return format("wrap(%s)", parameter->c_name);
  case FORM_ENUM:
    return format("static_cast<%s_t>(%s)", parameter->enumeration->c_name, parameter->c_name);
  default:
    return parameter->c_name;
  }
}

static void generate_definition_hook(text_t *header, text_t *thunks, const definition_t *definition) {
  if (!definition->has_verifier)
    return;
  text_t prototype = {0};
  const char *cpp = definition->cpp_type + (strncmp(definition->cpp_type, "::", 2) == 0 ? 2 : 0);
  add(&prototype, "MlirLogicalResult %s_verify(nereid_error_sink_t sink", definition->c_name);
  add(thunks, "::llvm::LogicalResult %s::verify(\n    ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError",
      cpp);
  for (size_t i = 0; i < definition->parameter_count; i++) {
    const parameter_t *each = &definition->parameters[i];
    add(&prototype, ", ");
    add_form(&prototype, each->form, 32, each->enumeration, each->c_name);
    add(thunks, ", %s %s", each->cpp_type, each->c_name);
  }
  add(&prototype, ");\n");
  add_declaration(header, prototype.data);
  text_free(&prototype);
  add(thunks, ") {\n  return unwrap(%s_verify(nereid_error_sink_t{emitError ? &emitError : nullptr}",
      definition->c_name);
  for (size_t i = 0; i < definition->parameter_count; i++)
    add(thunks, ", %s", to_c(&definition->parameters[i]));
  add(thunks, "));\n}\n");
}

/* --- members of the dialect's class --- */

static void add_registration(text_t *thunks, const dialect_t *dialect, const char *method, const char *macro,
                             const char *file) {
  add(thunks, "  %s<\n#define %s\n#include \"dialects/%s/%s.cpp.inc\"\n      >();\n", method, macro, dialect->name,
      file);
}

/* initialize() registers attributes, types and operations. `addOwnInterfaces`, a member by hand, adds the dialect's
 * interfaces. */
static void generate_initialize(text_t *thunks, const dialect_t *dialect) {
  bool types = false, attributes = false;
  for (size_t i = 0; i < dialect->definition_count; i++)
    *(dialect->definitions[i]->is_type ? &types : &attributes) = true;
  add(thunks, "void %s::initialize() {\n", dialect->cpp_class);
  if (attributes)
    add_registration(thunks, dialect, "addAttributes", "GET_ATTRDEF_LIST", "attrs");
  if (types)
    add_registration(thunks, dialect, "addTypes", "GET_TYPEDEF_LIST", "types");
  if (dialect->op_count)
    add_registration(thunks, dialect, "addOperations", "GET_OP_LIST", "ops");
  add(thunks, "  addOwnInterfaces();\n}\n");
}

static void generate_attribute_hooks(text_t *header, text_t *thunks, const dialect_t *dialect) {
  const char *name = snake_case(dialect->name);
  const char *named = "{wrap(attribute.getName()), wrap(attribute.getValue())}";
  if (dialect->verifies_operation_attributes) {
    add_declaration(header, format("MlirLogicalResult nereid_%s_operation_attribute_verify(MlirOperation op, "
                                   "MlirNamedAttribute attribute);\n",
                                   name));
    add(thunks,
        "::llvm::LogicalResult %s::verifyOperationAttribute(::mlir::Operation *op,\n"
        "    ::mlir::NamedAttribute attribute) {\n"
        "  return unwrap(nereid_%s_operation_attribute_verify(wrap(op), %s));\n}\n",
        dialect->cpp_class, name, named);
  }
  if (dialect->verifies_argument_attributes) {
    add_declaration(header, format("MlirLogicalResult nereid_%s_argument_attribute_verify(MlirOperation op, "
                                   "unsigned region, unsigned argument, MlirNamedAttribute attribute);\n",
                                   name));
    add(thunks,
        "::llvm::LogicalResult %s::verifyRegionArgAttribute(::mlir::Operation *op, unsigned region,\n"
        "    unsigned argument, ::mlir::NamedAttribute attribute) {\n"
        "  return unwrap(nereid_%s_argument_attribute_verify(wrap(op), region, argument,\n      %s));\n}\n",
        dialect->cpp_class, name, named);
  }
}

/* Helpers of all thunks; written to each file with include guards, because one translation unit may include several of
 * the files. */
static const char shared[] =
    "#ifndef NEREID_BINDINGS_THUNKS_SHARED\n"
    "#define NEREID_BINDINGS_THUNKS_SHARED\n"
    "template <typename Hook>\n"
    "static nereid_fold_t nereid_fold_call(Hook hook, ::mlir::Operation *op, ::llvm::ArrayRef<::mlir::Attribute> "
    "operands,\n"
    "                                      nereid_fold_result_t *results) {\n"
    "  ::llvm::SmallVector<MlirAttribute, 4> constants;\n"
    "  for (::mlir::Attribute operand : operands)\n"
    "    constants.push_back(wrap(operand));\n"
    "  return hook(wrap(op), static_cast<intptr_t>(constants.size()), constants.data(), results);\n"
    "}\n"
    "static inline ::mlir::OpFoldResult nereid_fold_unwrap(nereid_fold_result_t result) {\n"
    "  if (!mlirAttributeIsNull(result.attribute))\n"
    "    return unwrap(result.attribute);\n"
    "  return unwrap(result.value);\n"
    "}\n"
    "template <typename Hook>\n"
    "static ::llvm::LogicalResult nereid_infer_call(Hook hook, ::mlir::MLIRContext *context,\n"
    "    ::std::optional<::mlir::Location> location, ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,\n"
    "    ::mlir::Attribute inherent, ::mlir::RegionRange regions, ::llvm::SmallVectorImpl<::mlir::Type> &types) {\n"
    "  ::mlir::NamedAttrList all(attributes);\n"
    "  if (auto dictionary = ::llvm::dyn_cast_if_present<::mlir::DictionaryAttr>(inherent))\n"
    "    for (::mlir::NamedAttribute each : dictionary)\n"
    "      all.set(each.getName(), each.getValue());\n"
    "  ::llvm::SmallVector<MlirValue, 4> values;\n"
    "  for (::mlir::Value value : operands)\n"
    "    values.push_back(wrap(value));\n"
    "  ::llvm::SmallVector<MlirRegion, 2> bodies;\n"
    "  for (::mlir::Region *region : regions)\n"
    "    bodies.push_back(wrap(region));\n"
    "  MlirTypesCallback callback = [](intptr_t n, MlirType *found, void *data) {\n"
    "    for (intptr_t i = 0; i < n; i++)\n"
    "      static_cast<::llvm::SmallVectorImpl<::mlir::Type> *>(data)->push_back(unwrap(found[i]));\n"
    "  };\n"
    "  return unwrap(hook(wrap(context), location ? wrap(*location) : MlirLocation{nullptr},\n"
    "                     static_cast<intptr_t>(values.size()), values.data(), wrap(all.getDictionary(context)),\n"
    "                     static_cast<intptr_t>(bodies.size()), bodies.data(), callback, &types));\n"
    "}\n"
    "template <typename Hook>\n"
    "static bool nereid_compatible_call(Hook hook, ::mlir::TypeRange inferred, ::mlir::TypeRange actual) {\n"
    "  ::llvm::SmallVector<MlirType, 4> a, b;\n"
    "  for (::mlir::Type type : inferred)\n"
    "    a.push_back(wrap(type));\n"
    "  for (::mlir::Type type : actual)\n"
    "    b.push_back(wrap(type));\n"
    "  return hook(static_cast<intptr_t>(a.size()), a.data(), static_cast<intptr_t>(b.size()), b.data());\n"
    "}\n"
    "template <typename Class, typename Raw> static bool nereid_cast_parameter(Class &out, Raw raw) {\n"
    "  out = ::llvm::dyn_cast_if_present<Class>(unwrap(raw));\n"
    "  return out || !unwrap(raw);\n"
    "}\n"
    "#endif\n\n";

void generate_hooks(text_t *header, text_t *thunks, const dialect_t *dialect) {
  add(thunks, "%s", shared);
  generate_initialize(thunks, dialect);
  generate_attribute_hooks(header, thunks, dialect);
  for (size_t i = 0; i < dialect->definition_count; i++)
    generate_definition_hook(header, thunks, dialect->definitions[i]);
  for (size_t i = 0; i < dialect->op_count; i++)
    generate_op_hooks(header, thunks, &dialect->ops[i]);
}

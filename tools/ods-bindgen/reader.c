/* Reads the record dump of a .td file (llvm-tblgen --dump-json) to the model: dialects and operations.
 *
 *   "TT_LoadOp": { "!superclasses": ["Op", ...], "opDialect": {"def": "TT_Dialect"}, "opName": "load",
 *                  "arguments": { "args": [[{"def": "TT_PtrLike"}, "ptr"], ...] }, "traits": [...] }
 *
 * Records are found by their superclasses; the text of fields that hold C++ is only compared, never interpreted. */
#include "tools/ods-bindgen/reader.h"

#include "tools/ods-bindgen/c_names.h"
#include "tools/ods-bindgen/text.h"

/* --- arguments --- */

static void read_operand(const cJSON *constraint, argument_t *argument) {
  argument->kind = ARGUMENT_OPERAND;
  argument->optional = is_a(constraint, "Optional");
  argument->variadic = is_a(constraint, "Variadic");
  argument->expected = trimmed(string_field(constraint, "summary"));
}

static void read_property(const model_t *model, const source_t *source, const cJSON *property, argument_t *argument) {
  argument->kind = ARGUMENT_PROPERTY;
  argument->optional = true;
  argument->expected = trimmed(string_field(property, "summary"));
  argument->default_value = trimmed(string_field(property, "defaultValue"));
  argument->storage = trimmed(string_field(property, "interfaceType"));
  const cJSON *enumeration = record_field(source, property, "enum");
  argument->enumeration = enumeration ? read_enum(model, source, enumeration) : NULL;
  if (!argument->enumeration)
    return;
  const cJSON *bits = field(enumeration, "bitwidth");
  argument->bits = cJSON_IsNumber(bits) ? (unsigned)bits->valuedouble : 32;
  argument->form = FORM_ENUM;
  argument->optional = false;
}

static argument_t read_argument(const model_t *model, const source_t *source, const cJSON *entry, size_t number) {
  const cJSON *constraint = follow(source, cJSON_GetArrayItem(entry, 0));
  const char *name = cJSON_GetStringValue(cJSON_GetArrayItem(entry, 1));
  argument_t argument = {.name = name ? name : format("argument%zu", number)};
  argument.c_name = c_identifier(argument.name);
  if (constraint && is_a(constraint, "OpVariable"))
    constraint = record_field(source, constraint, "constraint");
  if (!constraint)
    fail("%s: argument '%s' has no constraint", source->path, argument.name);
  if (is_a(constraint, "TypeConstraint"))
    read_operand(constraint, &argument);
  else if (is_a(constraint, "Property"))
    read_property(model, source, constraint, &argument);
  else
    read_attribute(model, source, constraint, &argument);
  return argument;
}

static result_t read_result(const source_t *source, const cJSON *entry, size_t number, bool alone) {
  const cJSON *constraint = follow(source, cJSON_GetArrayItem(entry, 0));
  const char *name = cJSON_GetStringValue(cJSON_GetArrayItem(entry, 1));
  if (constraint && is_a(constraint, "OpVariable"))
    constraint = record_field(source, constraint, "constraint");
  if (!constraint)
    fail("%s: result %zu has no constraint", source->path, number);
  name = name ? name : alone ? "result" : format("result%zu", number);
  return (result_t){.name = name,
                    .c_name = c_identifier(name),
                    .expected = trimmed(string_field(constraint, "summary")),
                    .optional = is_a(constraint, "Optional"),
                    .variadic = is_a(constraint, "Variadic")};
}

static piece_t read_piece(const source_t *source, const cJSON *entry, const char *fallback, const char *variadic) {
  const cJSON *constraint = follow(source, cJSON_GetArrayItem(entry, 0));
  const char *name = cJSON_GetStringValue(cJSON_GetArrayItem(entry, 1));
  name = name ? name : fallback;
  return (piece_t){.name = name, .c_name = c_identifier(name), .variadic = constraint && is_a(constraint, variadic)};
}

static void read_shape(const model_t *model, const source_t *source, const cJSON *record, op_t *op) {
  const cJSON *arguments = dag(record, "arguments"), *results = dag(record, "results"), *entry;
  op->arguments = allocate((size_t)cJSON_GetArraySize(arguments), sizeof *op->arguments);
  cJSON_ArrayForEach(entry, arguments) {
    const cJSON *constraint = follow(source, cJSON_GetArrayItem(entry, 0));
    if (constraint && is_a(constraint, "DerivedAttr")) /* computed from operands: not a parameter */
      continue;
    op->arguments[op->argument_count] = read_argument(model, source, entry, op->argument_count);
    op->has_properties |= op->arguments[op->argument_count].kind != ARGUMENT_OPERAND;
    op->argument_count++;
  }
  op->results = allocate((size_t)cJSON_GetArraySize(results), sizeof *op->results);
  cJSON_ArrayForEach(entry, results) {
    op->results[op->result_count] = read_result(source, entry, op->result_count, cJSON_GetArraySize(results) == 1);
    op->result_count++;
  }
  const cJSON *regions = dag(record, "regions"), *successors = dag(record, "successors");
  op->regions = allocate((size_t)cJSON_GetArraySize(regions), sizeof *op->regions);
  cJSON_ArrayForEach(entry, regions) op->regions[op->region_count++] =
      read_piece(source, entry, "region", "VariadicRegion");
  op->successors = allocate((size_t)cJSON_GetArraySize(successors), sizeof *op->successors);
  cJSON_ArrayForEach(entry, successors) op->successors[op->successor_count++] =
      read_piece(source, entry, "successor", "VariadicSuccessor");
}

/* --- traits --- */

typedef void (*trait_visitor_t)(const source_t *source, const cJSON *trait, void *data);

/* Visits the traits in `list` and in its nested trait lists. */
static void visit_traits(const source_t *source, const cJSON *list, trait_visitor_t visit, void *data) {
  const cJSON *reference;
  cJSON_ArrayForEach(reference, list) {
    const cJSON *trait = follow(source, reference);
    if (!trait)
      continue;
    if (is_a(trait, "TraitList"))
      visit_traits(source, field(trait, "traits"), visit, data);
    else
      visit(source, trait, data);
  }
}

static bool declares(const cJSON *trait, const char *interface) {
  const char *name = string_field(trait, "cppInterfaceName");
  return is_a(trait, "DeclareInterfaceMethods") && name && strcmp(name, interface) == 0;
}

static bool overrides(const cJSON *trait, const char *method) {
  const cJSON *name;
  cJSON_ArrayForEach(name, field(trait, "alwaysOverriddenMethods")) {
    if (strcmp(cJSON_GetStringValue(name), method) == 0)
      return true;
  }
  return false;
}

static const char *trait_name(const cJSON *trait) {
  const char *name = string_field(trait, "cppInterfaceName");
  return name ? name : string_field(trait, "trait");
}

static void read_trait(const source_t *source, const cJSON *trait, void *data) {
  (void)source;
  op_t *op = data;
  const char *name = trait_name(trait);
  if (!name)
    return;
  op->traits[op->trait_count++] = name;
  op->operand_segments |= strcmp(name, "AttrSizedOperandSegments") == 0;
  op->result_segments |= strcmp(name, "AttrSizedResultSegments") == 0;
  op->same_variadic_size |= strstr(name, "SameVariadicOperandSize") || strstr(name, "SameVariadicResultSize");
  if (declares(trait, "InferTypeOpInterface")) {
    op->infers_types = true;
    op->checks_compatible |= overrides(trait, "isCompatibleReturnTypes");
  }
  op->has_effects |= declares(trait, "MemoryEffectOpInterface");
  op->uses_symbols |= declares(trait, "SymbolUserOpInterface");
  op->has_speculatability |= declares(trait, "ConditionallySpeculatable");
}

static void count_trait(const source_t *source, const cJSON *trait, void *data) {
  (void)source, (void)trait;
  ++*(size_t *)data;
}

static void read_traits(const source_t *source, const cJSON *record, op_t *op) {
  size_t count = 0;
  visit_traits(source, field(record, "traits"), count_trait, &count);
  op->traits = allocate(count, sizeof *op->traits);
  visit_traits(source, field(record, "traits"), read_trait, op);
  op->has_properties |= op->operand_segments || op->result_segments;
}

/* --- inferred result types --- */

/* mlir-tblgen adds InferTypeOpInterface to an operation when traits determine every result type or it is fixed. The
 * same rule is implemented here, since a builder that uses the interface requires it. `known` is per result. */
typedef struct knowledge {
  const op_t *op;
  bool *known;
  bool changed, manual, same_type;
} knowledge_t;

static bool is_known(const knowledge_t *knowledge, const char *name) {
  const op_t *op = knowledge->op;
  for (size_t i = 0; i < op->result_count; i++)
    if (strcmp(op->results[i].name, name) == 0)
      return knowledge->known[i];
  for (size_t i = 0; i < op->argument_count; i++)
    if (strcmp(op->arguments[i].name, name) == 0)
      return true;
  return false;
}

static void learn(knowledge_t *knowledge, const char *name) {
  for (size_t i = 0; i < knowledge->op->result_count; i++) {
    if (strcmp(knowledge->op->results[i].name, name) == 0 && !knowledge->known[i])
      knowledge->known[i] = knowledge->changed = true;
  }
}

static void learn_from_trait(const source_t *source, const cJSON *trait, void *data) {
  (void)source;
  knowledge_t *knowledge = data;
  const char *interface = string_field(trait, "cppInterfaceName"), *name = string_field(trait, "trait");
  knowledge->manual |= interface && strcmp(interface, "InferTypeOpInterface") == 0;
  knowledge->same_type |= name && strcmp(name, "SameOperandsAndResultType") == 0;
  if (is_a(trait, "TypesMatchWith") && is_known(knowledge, string_field(trait, "lhs")))
    learn(knowledge, string_field(trait, "rhs"));
  if (!is_a(trait, "AllTypesMatch"))
    return;
  const cJSON *value;
  bool any = false;
  cJSON_ArrayForEach(value, field(trait, "values")) any |= is_known(knowledge, cJSON_GetStringValue(value));
  if (any)
    cJSON_ArrayForEach(value, field(trait, "values")) learn(knowledge, cJSON_GetStringValue(value));
}

static bool has_fixed_type(const source_t *source, const cJSON *entry) {
  const cJSON *constraint = follow(source, cJSON_GetArrayItem(entry, 0));
  if (constraint && is_a(constraint, "OpVariable"))
    constraint = record_field(source, constraint, "constraint");
  return constraint && string_field(constraint, "builderCall");
}

static bool all_known(const knowledge_t *knowledge) {
  for (size_t i = 0; i < knowledge->op->result_count; i++)
    if (!knowledge->known[i])
      return false;
  return true;
}

static void infer_from_same_type(op_t *op) {
  for (size_t i = 0; i < op->argument_count; i++) {
    const argument_t *argument = &op->arguments[i];
    if (argument->kind != ARGUMENT_OPERAND || argument->optional || argument->variadic)
      continue;
    op->inference = INFER_OPERAND;
    op->infer_from = i;
    return;
  }
}

static void read_inference(const source_t *source, const cJSON *record, op_t *op) {
  op->inference = INFER_NONE;
  if (!op->result_count)
    return;
  bool variable = false;
  for (size_t i = 0; i < op->result_count; i++)
    variable |= op->results[i].variadic || op->results[i].optional;
  knowledge_t knowledge = {.op = op, .known = allocate(op->result_count, sizeof(bool))};
  size_t i = 0;
  const cJSON *entry;
  cJSON_ArrayForEach(entry, dag(record, "results")) knowledge.known[i++] = has_fixed_type(source, entry);
  do {
    knowledge.changed = false;
    visit_traits(source, field(record, "traits"), learn_from_trait, &knowledge);
  } while (knowledge.changed);
  bool can_infer = field(source->root, "InferTypeOpInterface") && !variable;
  if (knowledge.manual || (can_infer && !knowledge.same_type && all_known(&knowledge)))
    op->inference = INFER_INTERFACE;
  else if (can_infer && knowledge.same_type)
    infer_from_same_type(op);
}

/* --- operations --- */

/* Arith_AddIOp -> arith::AddIOp: the part before the first underscore names the dialect. */
static const char *cpp_class(const cJSON *record, const char *fallback_namespace) {
  const char *name = string_field(record, "!name"), *underscore = strchr(name, '_');
  const char *space = string_field(record, "cppNamespace");
  space = space ? space : fallback_namespace;
  space += strncmp(space, "::", 2) == 0 ? 2 : 0;
  return format("%s::%s", space, underscore && underscore != name ? underscore + 1 : name);
}

static void read_op(const model_t *model, const source_t *source, dialect_t *dialect, const cJSON *record, op_t *op) {
  op->record = string_field(record, "!name");
  op->name = string_field(record, "opName");
  op->full_name = format("%s.%s", dialect->name, op->name);
  op->c_name = format("nereid_%s_%s", snake_case(dialect->name), snake_case(op->name));
  op->kind = format("NEREID_OP_%s_%s", upper_case(dialect->name), upper_case(op->name));
  op->cpp_class = cpp_class(record, dialect->cpp_namespace);
  op->summary = trimmed(string_field(record, "summary"));
  op->description = string_field(record, "description");
  op->assembly = trimmed(string_field(record, "assemblyFormat"));
  op->has_verifier = flag_field(record, "hasVerifier");
  op->has_region_verifier = flag_field(record, "hasRegionVerifier");
  op->has_folder = flag_field(record, "hasFolder");
  op->has_canonicalize = flag_field(record, "hasCanonicalizeMethod");
  read_shape(model, source, record, op);
  read_traits(source, record, op);
  read_inference(source, record, op);
}

static bool has_op(const dialect_t *dialect, const char *record) {
  for (size_t i = 0; i < dialect->op_count; i++)
    if (strcmp(dialect->ops[i].record, record) == 0)
      return true;
  return false;
}

static void read_ops(model_t *model, const source_t *source, dialect_t *dialect) {
  const cJSON *all = instances(source, "Op"), *name;
  op_t *ops = allocate(dialect->op_count + (size_t)cJSON_GetArraySize(all), sizeof *ops);
  for (size_t i = 0; i < dialect->op_count; i++)
    ops[i] = dialect->ops[i];
  dialect->ops = ops;
  cJSON_ArrayForEach(name, all) {
    const cJSON *record = field(source->root, cJSON_GetStringValue(name));
    const cJSON *owner = record_field(source, record, "opDialect");
    const char *owner_name = owner ? string_field(owner, "name") : NULL;
    if (!owner_name || strcmp(owner_name, dialect->name) != 0 || has_op(dialect, cJSON_GetStringValue(name)))
      continue;
    read_op(model, source, dialect, record, &dialect->ops[dialect->op_count]);
    dialect->op_count++;
  }
}

/* --- dialects --- */

static const cJSON *dialect_record(const source_t *source, const char *dialect) {
  const cJSON *name;
  cJSON_ArrayForEach(name, instances(source, "Dialect")) {
    const cJSON *record = field(source->root, cJSON_GetStringValue(name));
    const char *found = string_field(record, "name");
    if (found && strcmp(found, dialect) == 0)
      return record;
  }
  fail("%s: there is no dialect '%s' in it", source->path, dialect);
}

/* TT_Dialect -> nereid::tt::TTDialect: the record's name without underscores, as mlir-tblgen names the class. */
static const char *dialect_class(const dialect_t *dialect, const cJSON *record) {
  char *name = format("%s", string_field(record, "!name")), *to = name;
  for (const char *from = name; *from; from++)
    if (*from != '_')
      *to++ = *from;
  *to = 0;
  const char *space = dialect->cpp_namespace;
  return format("%s::%s", space + (strncmp(space, "::", 2) == 0 ? 2 : 0), name);
}

static void read_dialect(dialect_t *dialect, const cJSON *record) {
  const char *space = string_field(record, "cppNamespace");
  dialect->cpp_namespace = space ? space : dialect->name;
  dialect->cpp_class = dialect_class(dialect, record);
  dialect->verifies_operation_attributes = flag_field(record, "hasOperationAttrVerify");
  dialect->verifies_argument_attributes = flag_field(record, "hasRegionArgAttrVerify");
  dialect->summary = trimmed(string_field(record, "summary"));
  dialect->description = string_field(record, "description");
}

void model_read(model_t *model, const char *name, const char *path) {
  source_t source = {.path = path, .root = cJSON_Parse(read_file(path))};
  if (!source.root)
    fail("%s: not JSON, near '%.40s'", path, cJSON_GetErrorPtr() ? cJSON_GetErrorPtr() : "");
  if (!field(source.root, "!instanceof"))
    fail("%s: not a record dump of llvm-tblgen --dump-json", path);
  dialect_t *dialect = model_dialect(model, name);
  read_dialect(dialect, dialect_record(&source, name));
  read_enums(model, &source);
  read_definitions(model, &source);
  read_ops(model, &source, dialect);
}

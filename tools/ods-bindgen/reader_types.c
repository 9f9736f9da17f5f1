/* Reads enums, types and attributes of the record dump to the model, and determines the C form of an operation's
 * attributes.
 *
 *   DefaultValuedAttr<TT_CacheModifierAttr, "...">  ->  FORM_ENUM, 32 bits, nereid_tt_cache_modifier, has a default
 *
 * Decorators (optional, default, confined) are removed down to the attribute that determines the storage. */
#include "tools/ods-bindgen/c_names.h"
#include "tools/ods-bindgen/reader.h"
#include "tools/ods-bindgen/text.h"

/* "::mlir::arith" and "mlir::arith" are the same namespace. */
static const char *unrooted(const char *cpp) {
  cpp = trimmed(cpp);
  return cpp && strncmp(cpp, "::", 2) == 0 ? cpp + 2 : cpp;
}

static bool same_cpp(const char *a, const char *b) {
  return a && b && strcmp(unrooted(a), unrooted(b)) == 0;
}

static const char *last_component(const char *cpp) {
  const char *last = cpp;
  for (const char *at = strstr(cpp, "::"); at; at = strstr(at + 2, "::"))
    last = at + 2;
  return last;
}

/* The name of the dialect whose namespace contains `space`; null when it is not part of the model. */
static const char *owner_of(const model_t *model, const source_t *source, const char *space) {
  const char *best = NULL;
  size_t best_size = 0;
  const cJSON *name;
  space = space ? unrooted(space) : NULL;
  cJSON_ArrayForEach(name, instances(source, "Dialect")) {
    const cJSON *record = field(source->root, cJSON_GetStringValue(name));
    const char *prefix = string_field(record, "cppNamespace");
    prefix = unrooted(prefix ? prefix : string_field(record, "name"));
    size_t size = strlen(prefix);
    if (!space || strncmp(space, prefix, size) != 0 || (space[size] && space[size] != ':') || size < best_size)
      continue;
    const dialect_t *dialect = model_dialect(model, string_field(record, "name"));
    best = dialect ? dialect->name : NULL;
    best_size = size;
  }
  return best;
}

/* --- enums --- */

static const enumeration_t *find_enum(const model_t *model, const char *cpp_type, const char *owner) {
  for (size_t i = 0; i < model->enum_count; i++)
    if (same_cpp(model->enums[i]->cpp_type, cpp_type))
      return model->enums[i];
  for (size_t i = 0; owner && i < model->enum_count; i++)
    if (strcmp(model->enums[i]->owner, owner) == 0 &&
        strcmp(model->enums[i]->class_name, last_component(unrooted(cpp_type))) == 0)
      return model->enums[i];
  return NULL;
}

static const char *enum_type(const cJSON *record) {
  const char *type = string_field(record, "cppType");
  return type ? type : format("%s::%s", string_field(record, "cppNamespace"), string_field(record, "className"));
}

const enumeration_t *read_enum(const model_t *model, const source_t *source, const cJSON *record) {
  const char *owner = owner_of(model, source, string_field(record, "cppNamespace"));
  return owner ? find_enum(model, enum_type(record), NULL) : NULL;
}

static void read_cases(const source_t *source, const cJSON *record, enumeration_t *enumeration) {
  const cJSON *cases = field(record, "enumerants"), *reference;
  enumeration->cases = allocate((size_t)cJSON_GetArraySize(cases), sizeof *enumeration->cases);
  cJSON_ArrayForEach(reference, cases) {
    const cJSON *each = follow(source, reference), *value = field(each, "value");
    if (!cJSON_IsNumber(value))
      fail("%s: a case of enum %s has no value", source->path, enumeration->class_name);
    enumeration->cases[enumeration->case_count++] = (enum_case_t){
        .symbol = string_field(each, "symbol"),
        .spelling = string_field(each, "str") ? string_field(each, "str") : "",
        .value = (long long)value->valuedouble,
    };
  }
}

void read_enums(model_t *model, const source_t *source) {
  const cJSON *all = instances(source, "EnumInfo"), *name;
  enumeration_t **enums = allocate(model->enum_count + (size_t)cJSON_GetArraySize(all), sizeof *enums);
  if (model->enum_count)
    memcpy(enums, model->enums, model->enum_count * sizeof *enums);
  model->enums = enums;
  cJSON_ArrayForEach(name, all) {
    const cJSON *record = field(source->root, cJSON_GetStringValue(name));
    const char *owner = owner_of(model, source, string_field(record, "cppNamespace"));
    if (!owner || find_enum(model, enum_type(record), NULL))
      continue;
    enumeration_t *made = allocate(1, sizeof *made);
    *made = (enumeration_t){.cpp_type = enum_type(record),
                            .class_name = string_field(record, "className"),
                            .cpp_namespace = string_field(record, "cppNamespace"),
                            .owner = owner,
                            .summary = trimmed(string_field(record, "summary")),
                            .bits = is_a(record, "BitEnumBase")};
    made->c_name = format("nereid_%s_%s", snake_case(owner), snake_case(made->class_name));
    read_cases(source, record, made);
    model->enums[model->enum_count++] = made;
  }
}

/* --- types and attributes --- */

static bool ends_with(const char *text, const char *end) {
  size_t size = strlen(text), end_size = strlen(end);
  return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

/* False when the C++ type of the parameter has no form in C. */
static bool parameter_form(const model_t *model, const char *owner, parameter_t *parameter) {
  const char *type = unrooted(parameter->cpp_type);
  const char *bare = strncmp(type, "mlir::", 6) == 0 ? type + 6 : type;
  static const struct {
    const char *name;
    form_t form;
  } simple[] = {
      {"Type", FORM_TYPE},         {"Attribute", FORM_ATTRIBUTE}, {"bool", FORM_BOOL},
      {"unsigned", FORM_UNSIGNED}, {"uint32_t", FORM_UNSIGNED},   {"int", FORM_INT},
      {"int32_t", FORM_INT},       {"int64_t", FORM_INDEX},
  };
  for (size_t i = 0; i < sizeof simple / sizeof *simple; i++) {
    parameter->form = simple[i].form;
    if (strcmp(bare, simple[i].name) == 0)
      return true;
  }
  parameter->enumeration = find_enum(model, type, owner);
  parameter->form = parameter->enumeration ? FORM_ENUM : ends_with(type, "Type") ? FORM_TYPE : FORM_ATTRIBUTE;
  return parameter->enumeration || ends_with(type, "Type") || ends_with(type, "Attr");
}

static bool read_parameter(const model_t *model, const source_t *source, const char *owner, const cJSON *entry,
                           parameter_t *parameter) {
  const cJSON *what = cJSON_GetArrayItem(entry, 0), *record = follow(source, what);
  parameter->name = cJSON_GetStringValue(cJSON_GetArrayItem(entry, 1));
  if (!parameter->name)
    return false;
  parameter->c_name = c_identifier(parameter->name);
  parameter->getter = format("get%s", camel_case(parameter->name));
  parameter->cpp_type = trimmed(record ? string_field(record, "cppType") : cJSON_GetStringValue(what));
  parameter->optional = record && is_a(record, "OptionalParameter");
  parameter->summary = record && is_a(record, "AttrOrTypeParameter") ? trimmed(string_field(record, "summary")) : NULL;
  return parameter->cpp_type && parameter_form(model, owner, parameter);
}

static const definition_t *find_definition(const model_t *model, const char *record) {
  for (size_t i = 0; i < model->definition_count; i++)
    if (strcmp(model->definitions[i]->record, record) == 0)
      return model->definitions[i];
  return NULL;
}

/* Null when the class has no C form: an upstream class other than an enum. */
static definition_t *read_definition(const model_t *model, const source_t *source, const cJSON *record, bool is_type) {
  const cJSON *dialect_record = record_field(source, record, "dialect"), *entry;
  const dialect_t *dialect = dialect_record ? model_dialect(model, string_field(dialect_record, "name")) : NULL;
  const cJSON *parameters = dag(record, "parameters");
  const char *mnemonic = string_field(record, "mnemonic");
  if (!dialect || !mnemonic || (!dialect->own && (is_type || cJSON_GetArraySize(parameters) != 1)))
    return NULL;
  definition_t *made = allocate(1, sizeof *made);
  *made = (definition_t){.record = string_field(record, "!name"),
                         .mnemonic = mnemonic,
                         .cpp_type = string_field(record, "cppType"),
                         .owner = dialect->name,
                         .is_type = is_type,
                         .has_verifier = flag_field(record, "genVerifyDecl"),
                         .has_create = !flag_field(record, "skipDefaultBuilders"),
                         .summary = trimmed(string_field(record, "summary")),
                         .description = string_field(record, "description")};
  made->c_name = format("nereid_%s_%s_%s", snake_case(dialect->name), snake_case(mnemonic), is_type ? "type" : "attr");
  made->parameters = allocate((size_t)cJSON_GetArraySize(parameters), sizeof *made->parameters);
  cJSON_ArrayForEach(entry, parameters) {
    parameter_t *parameter = &made->parameters[made->parameter_count++];
    bool understood = read_parameter(model, source, dialect->name, entry, parameter);
    if (!understood && dialect->own)
      fail("%s: parameter '%s' of %s has the C++ type '%s', which has no form in C; use Type, an attribute class, "
           "bool, unsigned, int, int64_t or an enum",
           source->path, parameter->name ? parameter->name : "?", made->record,
           parameter->cpp_type ? parameter->cpp_type : "?");
    if (!dialect->own && (!understood || !parameter->enumeration))
      return NULL;
  }
  return made;
}

static void read_kind(model_t *model, const source_t *source, const char *superclass, bool is_type) {
  const cJSON *all = instances(source, superclass), *name;
  definition_t **made = allocate(model->definition_count + (size_t)cJSON_GetArraySize(all), sizeof *made);
  if (model->definition_count)
    memcpy(made, model->definitions, model->definition_count * sizeof *made);
  model->definitions = made;
  cJSON_ArrayForEach(name, all) {
    if (find_definition(model, cJSON_GetStringValue(name)))
      continue;
    definition_t *definition = read_definition(model, source, field(source->root, cJSON_GetStringValue(name)), is_type);
    if (definition)
      model->definitions[model->definition_count++] = definition;
  }
}

void read_definitions(model_t *model, const source_t *source) {
  read_kind(model, source, "TypeDef", true);
  read_kind(model, source, "AttrDef", false);
}

/* --- attributes of operations --- */

static void integer_form(const source_t *source, const cJSON *core, argument_t *argument) {
  const cJSON *type = record_field(source, core, "valueType");
  const cJSON *bits = type ? field(type, "bitwidth") : NULL;
  argument->form = FORM_ATTRIBUTE;
  if (type && strcmp(string_field(type, "!name"), "Index") == 0)
    argument->form = FORM_INDEX;
  if (!bits || !cJSON_IsNumber(bits) || !is_a(core, "TypedSignlessIntegerAttrBase"))
    return;
  argument->bits = (unsigned)bits->valuedouble;
  if (argument->bits == 1)
    argument->form = FORM_BOOL;
  else if (argument->bits == 8 || argument->bits == 16 || argument->bits == 32 || argument->bits == 64)
    argument->form = FORM_INTEGER;
}

/* An attribute class with one parameter, an enum. */
static bool enum_class_form(const model_t *model, const cJSON *core, argument_t *argument) {
  argument->definition = is_a(core, "AttrDef") ? find_definition(model, string_field(core, "!name")) : NULL;
  if (!argument->definition || argument->definition->parameter_count != 1)
    return false;
  argument->enumeration = argument->definition->parameters[0].enumeration;
  argument->form = FORM_ENUM_CLASS;
  return argument->enumeration != NULL;
}

static void builtin_form(const source_t *source, const cJSON *core, argument_t *argument) {
  static const struct {
    const char *storage;
    form_t form;
  } forms[] = {
      {"mlir::UnitAttr", FORM_UNIT},
      {"mlir::BoolAttr", FORM_BOOL},
      {"mlir::StringAttr", FORM_STRING},
      {"mlir::FlatSymbolRefAttr", FORM_SYMBOL},
      {"mlir::DenseI32ArrayAttr", FORM_I32_ARRAY},
      {"mlir::DenseI64ArrayAttr", FORM_I64_ARRAY},
      {"mlir::TypeAttr", FORM_TYPE_ATTR},
  };
  argument->form = FORM_ATTRIBUTE;
  if (strcmp(argument->storage, "mlir::IntegerAttr") == 0)
    integer_form(source, core, argument);
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (strcmp(argument->storage, forms[i].storage) == 0)
      argument->form = forms[i].form;
}

void read_attribute(const model_t *model, const source_t *source, const cJSON *constraint, argument_t *argument) {
  const cJSON *core = constraint;
  for (const cJSON *base = constraint; base; base = record_field(source, base, "baseAttr"))
    core = base;
  argument->kind = ARGUMENT_ATTRIBUTE;
  const char *storage = string_field(core, "storageType");
  argument->storage = storage ? unrooted(storage) : "mlir::Attribute";
  argument->optional = flag_field(constraint, "isOptional");
  argument->default_value = trimmed(string_field(constraint, "defaultValue"));
  argument->expected = trimmed(string_field(core, "summary"));
  if (is_a(core, "EnumAttrInfo") || (is_a(core, "EnumInfo") && is_a(core, "Attr"))) {
    const cJSON *bits = field(core, "bitwidth");
    argument->enumeration = read_enum(model, source, core);
    argument->bits = cJSON_IsNumber(bits) ? (unsigned)bits->valuedouble : 32;
    argument->form = argument->enumeration ? FORM_ENUM : FORM_ATTRIBUTE;
  } else if (!enum_class_form(model, core, argument)) {
    builtin_form(source, core, argument);
  }
  if (argument->form == FORM_UNIT)
    argument->optional = false;
  argument->defaulted = argument->default_value && argument->form != FORM_UNIT;
}

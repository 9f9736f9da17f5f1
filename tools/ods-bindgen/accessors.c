/* Accessors: operands, attributes, results and regions of an operation by name.
 *
 *   MlirValue nereid_tt_load_get_mask(MlirOperation op)      null when absent
 *   intptr_t nereid_scf_for_get_init_args_count(MlirOperation op), MlirValue nereid_scf_for_get_init_args(op, i)
 *   nereid_tt_cache_modifier_t nereid_tt_load_get_cache(MlirOperation op), MlirAttribute ..._get_cache_attr(op)
 *
 * The position of an operand follows from the number of operands if only one group is variadic, else from the segment
 * sizes. */
#include "tools/ods-bindgen/generate.h"

/* One operand or result with its position among the others. */
typedef struct group {
  const char *name;
  bool optional, variadic;
} group_t;

typedef struct groups {
  size_t count;
  group_t *all;
  const char *noun, *segments; /* Operand, operandSegmentSizes or null */
} groups_t;

static bool varies(const group_t *group) {
  return group->optional || group->variadic;
}

/* Adds "start" and "size" of group `which` as local variables. */
static void add_place(text_t *source, const groups_t *groups, size_t which) {
  size_t fixed = 0, varying = 0, fixed_before = 0, varying_before = 0;
  for (size_t i = 0; i < groups->count; i++) {
    bool here = varies(&groups->all[i]);
    fixed += !here;
    varying += here;
    fixed_before += i < which && !here;
    varying_before += i < which && here;
  }
  if (groups->segments) {
    add(source, "  intptr_t size, start = nereid_build_segment(op, \"%s\", %zu, &size);\n", groups->segments, which);
    return;
  }
  add(source, "  intptr_t size = mlirOperationGetNum%ss(op) - %zu", groups->noun, fixed);
  add(source, varying > 1 ? ", each = size / %zu;\n" : ";\n", varying);
  const char *each = varying > 1 ? "each" : "size";
  add(source, varying_before ? "  intptr_t start = %zu + %zu * %s;\n" : "  intptr_t start = %zu;\n", fixed_before,
      varying_before, each);
  if (varying > 1)
    add(source, "  size = each;\n");
}

static bool has_fixed_place(const groups_t *groups, size_t which) {
  for (size_t i = 0; i <= which; i++)
    if (varies(&groups->all[i]))
      return false;
  return true;
}

static void add_function(text_t *header, text_t *source, const char *signature) {
  add_declaration(header, signature);
  add(header, ";\n");
  add(source, "\n");
  add_declaration(source, signature);
  add(source, " {\n");
}

static void generate_value(text_t *header, text_t *source, const op_t *op, const groups_t *groups, size_t which) {
  const group_t *group = &groups->all[which];
  const char *name = snake_case(group->name), *noun = groups->noun;
  if (group->variadic) {
    add_function(header, source, format("intptr_t %s_get_%s_count(MlirOperation op)", op->c_name, name));
    add_place(source, groups, which);
    add(source, "  (void)start;\n  return size;\n}\n");
    add_function(header, source, format("MlirValue %s_get_%s(MlirOperation op, intptr_t i)", op->c_name, name));
    add_place(source, groups, which);
    add(source, "  (void)size;\n  return mlirOperationGet%s(op, start + i);\n}\n", noun);
    return;
  }
  add_function(header, source, format("MlirValue %s_get_%s(MlirOperation op)", op->c_name, name));
  if (has_fixed_place(groups, which)) {
    add(source, "  return mlirOperationGet%s(op, %zu);\n}\n", noun, which);
    return;
  }
  add_place(source, groups, which);
  if (group->optional)
    add(source, "  return size ? mlirOperationGet%s(op, start) : (MlirValue){NULL};\n}\n", noun);
  else
    add(source, "  (void)size;\n  return mlirOperationGet%s(op, start);\n}\n", noun);
}

static void generate_operands(text_t *header, text_t *source, const op_t *op) {
  groups_t groups = {.all = allocate(op->argument_count, sizeof(group_t)),
                     .noun = "Operand",
                     .segments = op->operand_segments ? "operandSegmentSizes" : NULL};
  for (size_t i = 0; i < op->argument_count; i++) {
    const argument_t *each = &op->arguments[i];
    if (each->kind == ARGUMENT_OPERAND)
      groups.all[groups.count++] = (group_t){each->name, each->optional, each->variadic};
  }
  for (size_t i = 0; i < groups.count; i++)
    generate_value(header, source, op, &groups, i);
}

static void generate_results(text_t *header, text_t *source, const op_t *op) {
  groups_t groups = {.all = allocate(op->result_count, sizeof(group_t)),
                     .noun = "Result",
                     .segments = op->result_segments ? "resultSegmentSizes" : NULL};
  for (size_t i = 0; i < op->result_count; i++)
    groups.all[groups.count++] = (group_t){op->results[i].name, op->results[i].optional, op->results[i].variadic};
  for (size_t i = 0; i < groups.count; i++)
    generate_value(header, source, op, &groups, i);
}

static const char *reader(const argument_t *argument) {
  switch (argument->form) {
  case FORM_BOOL:
    return "nereid_build_get_bool";
  case FORM_INTEGER:
  case FORM_INDEX:
  case FORM_ENUM:
    return "nereid_build_get_integer";
  case FORM_STRING:
    return "nereid_build_get_string";
  case FORM_SYMBOL:
    return "nereid_build_get_symbol";
  case FORM_TYPE_ATTR:
    return "nereid_build_get_type";
  default:
    return NULL;
  }
}

static void generate_array(text_t *header, text_t *source, const op_t *op, const argument_t *argument) {
  int bits = argument->form == FORM_I32_ARRAY ? 32 : 64;
  const char *name = snake_case(argument->name);
  add_function(header, source, format("intptr_t %s_get_%s_count(MlirOperation op)", op->c_name, name));
  add(source, "  MlirAttribute value = nereid_build_get(op, \"%s\");\n", argument->name);
  add(source, "  return mlirAttributeIsNull(value) ? 0 : mlirDenseArrayGetNumElements(value);\n}\n");
  add_function(header, source, format("int%d_t %s_get_%s(MlirOperation op, intptr_t i)", bits, op->c_name, name));
  add(source, "  return mlirDenseI%dArrayGetElement(nereid_build_get(op, \"%s\"), i);\n}\n", bits, argument->name);
}

static void generate_value_of(text_t *source, const argument_t *argument, const char *type) {
  bool converts = argument->form == FORM_INTEGER || argument->form == FORM_ENUM;
  const char *get = argument->kind == ARGUMENT_PROPERTY ? "nereid_build_get_property" : "nereid_build_get";
  if (argument->form == FORM_UNIT)
    add(source, "  return !mlirAttributeIsNull(%s(op, \"%s\"));\n}\n", get, argument->name);
  else if (argument->form == FORM_ENUM_CLASS)
    add(source,
        "  MlirAttribute value = %s(op, \"%s\");\n"
        "  return mlirAttributeIsNull(value) ? (%s)0 : %s_get_%s(value);\n}\n",
        get, argument->name, type, argument->definition->c_name, snake_case(argument->definition->parameters[0].name));
  else
    add(source, "  return %s%s(%s(op, \"%s\"));\n}\n", converts ? format("(%s)", type) : "", reader(argument), get,
        argument->name);
}

static void generate_attribute(text_t *header, text_t *source, const op_t *op, const argument_t *argument) {
  const char *name = snake_case(argument->name);
  add_function(header, source, format("MlirAttribute %s_get_%s_attr(MlirOperation op)", op->c_name, name));
  add(source, "  return %s(op, \"%s\");\n}\n",
      argument->kind == ARGUMENT_PROPERTY ? "nereid_build_get_property" : "nereid_build_get", argument->name);
  if (argument->form == FORM_I32_ARRAY || argument->form == FORM_I64_ARRAY) {
    generate_array(header, source, op, argument);
    return;
  }
  if (argument->form == FORM_ATTRIBUTE)
    return;
  const char *type = value_type(argument->form, argument->bits, argument->enumeration);
  add_function(header, source, format("%s %s_get_%s(MlirOperation op)", type, op->c_name, name));
  generate_value_of(source, argument, type);
}

static void generate_regions(text_t *header, text_t *source, const op_t *op) {
  for (size_t i = 0; i < op->region_count; i++) {
    const char *name = snake_case(op->regions[i].name);
    if (op->regions[i].variadic) {
      add_function(header, source, format("intptr_t %s_get_%s_count(MlirOperation op)", op->c_name, name));
      add(source, "  return mlirOperationGetNumRegions(op) - %zu;\n}\n", i);
      add_function(header, source, format("MlirRegion %s_get_%s(MlirOperation op, intptr_t i)", op->c_name, name));
      add(source, "  return mlirOperationGetRegion(op, %zu + i);\n}\n", i);
    } else {
      add_function(header, source, format("MlirRegion %s_get_%s(MlirOperation op)", op->c_name, name));
      add(source, "  return mlirOperationGetRegion(op, %zu);\n}\n", i);
    }
  }
}

static void generate_successors(text_t *header, text_t *source, const op_t *op) {
  for (size_t i = 0; i < op->successor_count; i++) {
    const char *name = snake_case(op->successors[i].name);
    if (op->successors[i].variadic) {
      add_function(header, source, format("intptr_t %s_get_%s_count(MlirOperation op)", op->c_name, name));
      add(source, "  return mlirOperationGetNumSuccessors(op) - %zu;\n}\n", i);
      add_function(header, source, format("MlirBlock %s_get_%s(MlirOperation op, intptr_t i)", op->c_name, name));
      add(source, "  return mlirOperationGetSuccessor(op, %zu + i);\n}\n", i);
    } else {
      add_function(header, source, format("MlirBlock %s_get_%s(MlirOperation op)", op->c_name, name));
      add(source, "  return mlirOperationGetSuccessor(op, %zu);\n}\n", i);
    }
  }
}

void generate_accessors(text_t *header, text_t *source, const op_t *op) {
  generate_operands(header, source, op);
  for (size_t i = 0; i < op->argument_count; i++)
    if (op->arguments[i].kind != ARGUMENT_OPERAND)
      generate_attribute(header, source, op, &op->arguments[i]);
  generate_results(header, source, op);
  generate_regions(header, source, op);
  generate_successors(header, source, op);
}

/* Writes the reference page of a dialect, in Markdown: a section per type, attribute, enum and operation.
 *
 *   ### `tt.splat`: one value in every element
 *
 *   | operand | |            operands, attributes, results, regions as tables, then the description and the builder
 *   |---|---|
 *   | `src` | any scalar |
 *
 * The text is the summary and description of the .td files. */
#include "tools/ods-bindgen/generate.h"

/* The common indentation, in columns, of the lines that are not empty. */
static size_t common_indent(const char *words) {
  size_t least = (size_t)-1;
  while (*words) {
    size_t indent = strspn(words, " "), length = strcspn(words, "\n");
    if (indent < length && indent < least)
      least = indent;
    words += length + (words[length] == '\n');
  }
  return least == (size_t)-1 ? 0 : least;
}

/* A description without its indentation in the .td file and without leading and trailing empty lines. */
static void add_description(text_t *page, const char *words) {
  size_t indent = words ? common_indent(words) : 0, blank_lines = 1;
  bool started = false;
  while (words && *words) {
    size_t length = strcspn(words, "\n"), cut = length < indent ? length : indent;
    bool blank = strspn(words, " ") >= length;
    for (; !blank && blank_lines; blank_lines--)
      add(page, "\n");
    blank_lines += blank && started;
    started |= !blank;
    if (!blank)
      add(page, "%.*s\n", (int)(length - cut), words + cut);
    words += length + (words[length] == '\n');
  }
}

/* Text of a table cell: line ends are replaced, bars are escaped. */
static const char *cell(const char *words) {
  text_t text = {0};
  for (; words && *words; words++)
    add(&text, *words == '\n' ? " " : *words == '|' ? "\\|" : "%c", *words);
  return text.data ? text.data : "";
}

static void add_heading(text_t *page, const char *name, const char *summary) {
  add(page, "\n### `%s`", name);
  if (summary)
    add(page, ": %s", summary);
  add(page, "\n");
}

static void add_row(text_t *page, bool *started, const char *head, const char *name, const char *what) {
  if (!*started)
    add(page, "\n| %s | |\n|---|---|\n", head);
  *started = true;
  add(page, "| `%s` | %s |\n", name, cell(what));
}

static const char *with_count(const char *what, bool optional, bool variadic) {
  return format("%s%s", what ? what : "", optional && !variadic ? ", optional" : "");
}

/* "::nereid::tt::CacheModifier::NONE" -> none; other texts are unchanged. */
static const char *default_text(const argument_t *argument) {
  const char *name = argument->enumeration ? strrchr(argument->default_value, ':') : NULL;
  for (size_t i = 0; name && i < argument->enumeration->case_count; i++)
    if (strcmp(argument->enumeration->cases[i].symbol, name + 1) == 0)
      return argument->enumeration->cases[i].spelling;
  bool empty_array = strcmp(argument->default_value, "{}") == 0 || strstr(argument->default_value, ">{}");
  return empty_array ? "[]" : argument->default_value;
}

const char *attribute_text(const argument_t *argument) {
  const char *what = argument->expected ? argument->expected : argument->storage;
  if (argument->kind == ARGUMENT_ATTRIBUTE && argument->optional)
    return format("%s, optional", what);
  if (argument->defaulted || (argument->kind == ARGUMENT_PROPERTY && argument->default_value))
    return format("%s, default `%s`", what, default_text(argument));
  return what;
}

static void add_arguments(text_t *page, const op_t *op) {
  bool operands = false, attributes = false;
  for (size_t i = 0; i < op->argument_count; i++) {
    const argument_t *each = &op->arguments[i];
    if (each->kind == ARGUMENT_OPERAND)
      add_row(page, &operands, "operand", each->name, with_count(each->expected, each->optional, each->variadic));
  }
  for (size_t i = 0; i < op->argument_count; i++)
    if (op->arguments[i].kind != ARGUMENT_OPERAND)
      add_row(page, &attributes, "attribute", op->arguments[i].name, attribute_text(&op->arguments[i]));
}

static void add_outcomes(text_t *page, const op_t *op) {
  bool results = false, regions = false, successors = false;
  for (size_t i = 0; i < op->result_count; i++)
    add_row(page, &results, "result", op->results[i].name,
            with_count(op->results[i].expected, op->results[i].optional, op->results[i].variadic));
  for (size_t i = 0; i < op->region_count; i++)
    add_row(page, &regions, "region", op->regions[i].name, op->regions[i].variadic ? "any number" : "");
  for (size_t i = 0; i < op->successor_count; i++)
    add_row(page, &successors, "successor", op->successors[i].name, op->successors[i].variadic ? "any number" : "");
}

/* "::mlir::OpTrait::SameOperandsShape", "CallOpInterface::Trait" -> their names. */
static const char *trait_text(const char *trait) {
  const char *prefix = "::mlir::OpTrait::", *suffix = strstr(trait, "::Trait");
  if (strncmp(trait, prefix, strlen(prefix)) == 0)
    return trait + strlen(prefix);
  return suffix ? format("%.*s", (int)(suffix - trait), trait) : trait;
}

void add_op_details(text_t *page, const op_t *op) {
  add_description(page, op->description);
  add_arguments(page, op);
  add_outcomes(page, op);
}

static void add_op(text_t *page, const op_t *op) {
  add_heading(page, op->full_name, op->summary);
  add_op_details(page, op);
  add(page, "\nC: `%s_build`.", op->c_name);
  for (size_t i = 0; i < op->trait_count; i++)
    add(page, "%s`%s`", i ? ", " : " Traits and interfaces: ", trait_text(op->traits[i]));
  add(page, op->trait_count ? ".\n" : "\n");
}

const char *definition_name(const definition_t *definition) {
  return format("%c%s.%s", definition->is_type ? '!' : '#', definition->owner, definition->mnemonic);
}

void add_definition_details(text_t *page, const definition_t *definition) {
  add_description(page, definition->description);
  bool parameters = false;
  for (size_t i = 0; i < definition->parameter_count; i++) {
    const parameter_t *each = &definition->parameters[i];
    const char *type = each->enumeration ? each->enumeration->class_name : each->cpp_type;
    add_row(page, &parameters, "parameter", each->name,
            format("%s%s%s%s", type, each->summary ? ": " : "", each->summary ? each->summary : "",
                   each->optional ? ", optional" : ""));
  }
}

static void add_definition(text_t *page, const definition_t *definition) {
  add_heading(page, definition_name(definition), definition->summary);
  add_definition_details(page, definition);
  add(page, "\nC: `%s_isa`, `%s_create`.\n", definition->c_name, definition->c_name);
}

static void add_definitions(text_t *page, const dialect_t *dialect, bool types) {
  bool started = false;
  for (size_t i = 0; i < dialect->definition_count; i++) {
    if (dialect->definitions[i]->is_type != types)
      continue;
    if (!started)
      add(page, types ? "\n## Types\n" : "\n## Attributes\n");
    started = true;
    add_definition(page, dialect->definitions[i]);
  }
}

static void add_enum(text_t *page, const enumeration_t *each) {
  add_heading(page, each->class_name, each->summary);
  add(page, "\nC: `%s_t`.\n\n| spelling | value |\n|---|---|\n", each->c_name);
  for (size_t i = 0; i < each->case_count; i++)
    add(page, "| `%s` | %lld |\n", each->cases[i].spelling, each->cases[i].value);
}

void generate_page(text_t *page, const dialect_t *dialect) {
  add(page, "# The `%s` dialect\n\nGenerated from `dialects/%s/*.td` by ods-bindgen: do not edit.\n", dialect->name,
      dialect->name);
  if (dialect->summary)
    add(page, "\n%s.\n", dialect->summary);
  add_description(page, dialect->description);
  add_definitions(page, dialect, true);
  add_definitions(page, dialect, false);
  if (dialect->enum_count)
    add(page, "\n## Enums\n");
  for (size_t i = 0; i < dialect->enum_count; i++)
    add_enum(page, dialect->enums[i]);
  if (dialect->op_count)
    add(page, "\n## Operations\n");
  for (size_t i = 0; i < dialect->op_count; i++)
    add_op(page, &dialect->ops[i]);
}

/* ods-bindgen: C builders, accessors and hooks from the record dumps of dialects.
 *
 *   ods-bindgen --out DIR [--docs DIR] --own tt=tt.json ... --upstream arith=arith.json ...
 *
 *   DIR/nereid/dialects/ops.h, <dialect>.h   public headers: kinds of operation, builders, accessors, types, attributes
 *   DIR/bindings/ops.c, <dialect>.c          their definitions
 *   DIR/bindings/documentation.h, .c         summaries and descriptions as a table, for the language server
 *   DIR/bindings/<dialect>_hooks.h           functions that a Nereid dialect implements in C
 *   DIR/bindings/<dialect>_thunks.inc        C++ of a Nereid dialect: calls the hooks, defines types and attributes
 *   DIR/bindings/upstream_thunks.inc         C++ of the enum attributes of upstream dialects
 *
 * Exit status: 0 done, 2 wrong arguments or input. */
#include "tools/ods-bindgen/generate.h"

#include <stdio.h>

static const char usage[] =
    "usage: ods-bindgen --out DIR [--docs DIR] [--own NAME=JSON ...] [--upstream NAME=JSON ...]\n"
    "Writes C bindings for the dialects whose record dumps (llvm-tblgen --dump-json) are given.\n"
    "  --out DIR            where nereid/dialects/*.h and bindings/* go\n"
    "  --docs DIR           where a reference page per own dialect goes, <dialect>.md\n"
    "  --own NAME=JSON      a dialect of ours: hooks too\n"
    "  --upstream NAME=JSON a dialect of MLIR: builders and accessors; the same NAME may come more than once\n";

typedef struct input {
  const char *name, *path;
  bool own;
} input_t;

typedef struct arguments {
  const char *out, *docs;
  input_t *inputs;
  size_t input_count;
} arguments_t;

static input_t split_input(const char *argument, bool own) {
  const char *equals = strchr(argument, '=');
  if (!equals || equals == argument || !equals[1])
    fail("'%s' is not NAME=JSON", argument);
  return (input_t){format("%.*s", (int)(equals - argument), argument), equals + 1, own};
}

static arguments_t read_arguments(int argc, char **argv) {
  arguments_t arguments = {.inputs = allocate((size_t)argc, sizeof(input_t))};
  enum { NOTHING, OWN, UPSTREAM } list = NOTHING;
  for (int i = 1; i < argc; i++) {
    const char *argument = argv[i];
    bool folder = strcmp(argument, "--out") == 0 || strcmp(argument, "--docs") == 0;
    if (folder && i + 1 == argc)
      fail("%s needs a folder", argument);
    if (folder)
      *(argument[2] == 'o' ? &arguments.out : &arguments.docs) = argv[++i];
    else if (strcmp(argument, "--own") == 0)
      list = OWN;
    else if (strcmp(argument, "--upstream") == 0)
      list = UPSTREAM;
    else if (argument[0] == '-')
      fail("unknown option '%s'\n%s", argument, usage);
    else if (list == NOTHING)
      fail("'%s' must come after --own or --upstream\n%s", argument, usage);
    else
      arguments.inputs[arguments.input_count++] = split_input(argument, list == OWN);
  }
  if (!arguments.out || !arguments.input_count)
    fail("--out and at least one dialect are needed\n%s", usage);
  return arguments;
}

/* Assigns enums and definitions to their dialects, and records the headers that a dialect requires. */
static void distribute(model_t *model) {
  for (size_t d = 0; d < model->dialect_count; d++) {
    dialect_t *dialect = &model->dialects[d];
    dialect->enums = allocate(model->enum_count, sizeof *dialect->enums);
    dialect->definitions = allocate(model->definition_count, sizeof *dialect->definitions);
    for (size_t i = 0; i < model->enum_count; i++)
      if (strcmp(model->enums[i]->owner, dialect->name) == 0)
        dialect->enums[dialect->enum_count++] = model->enums[i];
    for (size_t i = 0; i < model->definition_count; i++)
      if (strcmp(model->definitions[i]->owner, dialect->name) == 0)
        dialect->definitions[dialect->definition_count++] = model->definitions[i];
  }
}

static void need(const model_t *model, bool *needs, const char *owner) {
  for (size_t d = 0; d < model->dialect_count; d++)
    needs[d] |= strcmp(model->dialects[d].name, owner) == 0;
}

static void add_includes(const model_t *model, text_t *header, const dialect_t *dialect) {
  bool *needs = allocate(model->dialect_count, sizeof *needs);
  for (size_t i = 0; i < dialect->op_count; i++)
    for (size_t k = 0; k < dialect->ops[i].argument_count; k++) {
      const argument_t *argument = &dialect->ops[i].arguments[k];
      if (argument->enumeration)
        need(model, needs, argument->enumeration->owner);
      if (argument->definition)
        need(model, needs, argument->definition->owner);
    }
  for (size_t i = 0; i < dialect->definition_count; i++)
    for (size_t k = 0; k < dialect->definitions[i]->parameter_count; k++)
      if (dialect->definitions[i]->parameters[k].enumeration)
        need(model, needs, dialect->definitions[i]->parameters[k].enumeration->owner);
  for (size_t d = 0; d < model->dialect_count; d++)
    if (needs[d] && &model->dialects[d] != dialect)
      add(header, "#include \"nereid/dialects/%s.h\"\n", model->dialects[d].name);
}

static void generate_dialect(const model_t *model, const char *out, const dialect_t *dialect, text_t *glue) {
  text_t header = {0}, source = {0};
  const char *guard = upper_case(dialect->name);
  add(&header,
      "/* Operations, types and attributes of the %s dialect. Generated by ods-bindgen: do not edit.\n"
      " * nereid/builder.h says how builders and accessors behave. */\n"
      "#ifndef NEREID_DIALECTS_%s_H\n#define NEREID_DIALECTS_%s_H\n\n#include \"nereid/builder.h\"\n",
      dialect->name, guard, guard);
  add_includes(model, &header, dialect);
  add(&header, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n#pragma GCC visibility push(default)\n");
  add(&source,
      "/* Builders and accessors of the %s dialect. Generated by ods-bindgen: do not edit. */\n"
      "#include \"nereid/dialects/%s.h\"\n\n#include \"python-free-bindings/compile/build.h\"\n\n"
      "#include <mlir-c/BuiltinAttributes.h>\n",
      dialect->name, dialect->name);
  generate_enums(&header, dialect);
  for (size_t i = 0; i < dialect->definition_count; i++)
    generate_definition(&header, glue, dialect->definitions[i]);
  for (size_t i = 0; i < dialect->op_count; i++) {
    generate_builder(&header, &source, &dialect->ops[i]);
    generate_accessors(&header, &source, &dialect->ops[i]);
  }
  add(&header, "\n#pragma GCC visibility pop\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
  write_file(out, format("nereid/dialects/%s.h", dialect->name), &header);
  write_file(out, format("bindings/%s.c", dialect->name), &source);
  text_free(&header);
  text_free(&source);
}

static void add_glue_head(text_t *thunks, const dialect_t *dialect) {
  add(thunks,
      "// Hooks, types and attributes of the %s dialect. Generated by ods-bindgen: do not edit.\n"
      "#include \"bindings/%s_hooks.h\"\n\n"
      "#include \"mlir/CAPI/IR.h\"\n#include \"mlir/CAPI/Rewrite.h\"\n#include \"mlir/CAPI/Support.h\"\n"
      "#include \"mlir/IR/Diagnostics.h\"\n#include \"mlir/IR/PatternMatch.h\"\n\n",
      dialect->name, dialect->name);
}

static void generate_own(const char *out, const dialect_t *dialect, const text_t *glue) {
  text_t header = {0}, thunks = {0};
  const char *guard = upper_case(dialect->name);
  add(&header,
      "/* What the %s dialect implements in C; seam/hooks.h says how. Generated by ods-bindgen: do not edit. */\n"
      "#ifndef NEREID_BINDINGS_%s_HOOKS_H\n#define NEREID_BINDINGS_%s_HOOKS_H\n\n"
      "#include \"nereid/dialects/%s.h\"\n#include \"seam/hooks.h\"\n\n"
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
      dialect->name, guard, guard, dialect->name);
  add_glue_head(&thunks, dialect);
  generate_hooks(&header, &thunks, dialect);
  add(&thunks, "\n");
  add_text(&thunks, glue);
  add(&header, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
  write_file(out, format("bindings/%s_hooks.h", dialect->name), &header);
  write_file(out, format("bindings/%s_thunks.inc", dialect->name), &thunks);
  text_free(&header);
  text_free(&thunks);
}

static void generate_all(model_t *model, const char *out, const char *docs) {
  text_t kinds_header = {0}, kinds_source = {0}, upstream = {0}, table_header = {0}, table = {0};
  generate_kinds(model, &kinds_header, &kinds_source);
  write_file(out, "nereid/dialects/ops.h", &kinds_header);
  write_file(out, "bindings/ops.c", &kinds_source);
  generate_documentation(model, &table_header, &table);
  write_file(out, "bindings/documentation.h", &table_header);
  write_file(out, "bindings/documentation.c", &table);
  add(&upstream, "// Enum attributes of upstream dialects. Generated by ods-bindgen: do not edit.\n");
  for (size_t d = 0; d < model->dialect_count; d++) {
    const dialect_t *dialect = &model->dialects[d];
    text_t glue = {0};
    generate_dialect(model, out, dialect, &glue);
    if (dialect->own)
      generate_own(out, dialect, &glue);
    else
      add(&upstream, "#include \"nereid/dialects/%s.h\"\n", dialect->name), add_text(&upstream, &glue);
    text_free(&glue);
    if (docs && dialect->own) {
      text_t page = {0};
      generate_page(&page, dialect);
      write_file(docs, format("%s.md", dialect->name), &page);
      text_free(&page);
    }
  }
  write_file(out, "bindings/upstream_thunks.inc", &upstream);
}

int main(int argc, char **argv) {
  arguments_t arguments = read_arguments(argc, argv);
  model_t model = {0};
  for (size_t i = 0; i < arguments.input_count; i++)
    model_add_dialect(&model, arguments.inputs[i].name, arguments.inputs[i].own);
  for (size_t i = 0; i < arguments.input_count; i++)
    model_read(&model, arguments.inputs[i].name, arguments.inputs[i].path);
  distribute(&model);
  generate_all(&model, arguments.out, arguments.docs);
  return 0;
}

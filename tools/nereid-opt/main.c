/* nereid-opt: MLIR's optimiser driver with the dialects and passes of Nereid.
 *
 *   nereid-opt kernel.ttir --pass-pipeline='builtin.module(canonicalize,convert-triton-to-tritongpu{num-warps=8})'
 *
 * Everything that mlir-opt offers works here, with our passes too: printing, timing, reproducers, diagnostics checks,
 * bytecode. --help lists the passes, --print-pass-docs prints ours as a page; `nereid compile` runs them in the order
 * that makes machine code. */
#include "base/view.h"
#include "passes/pass.h"
#include "python-free-bindings/compile/scan.h"
#include "seam/context.h"
#include "seam/opt_main.h"
#include "tools/nereid-opt/statistics.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* The default as the command line would say it. */
static void print_default(const NereidMlirPassOption *option) {
  if (option->kind == NereidMlirPassOptionString)
    printf("`\"%s\"`", option->stringDefault);
  else if (option->kind == NereidMlirPassOptionBool)
    printf("`%s`", option->intDefault ? "true" : "false");
  else
    printf("`%lld`", (long long)option->intDefault);
}

static void print_properties(const char *verb, uint32_t set) {
  if (!set)
    return;
  const bool most = __builtin_popcount(set) > NEREID_PROPERTY_COUNT / 2;
  const uint32_t listed = most ? NEREID_IR_ALL & ~set : set;
  printf("\n%s%s", verb, !most ? "" : listed ? " all properties but" : " all properties");
  for (int i = 0, n = 0; i < NEREID_PROPERTY_COUNT; i++)
    if (listed >> i & 1)
      printf("%s `%s`", n++ ? "," : "", nereid_property_name((nereid_property_index_t)i));
  puts(".");
}

static void print_property_table(void) {
  puts(
      "\n## Properties\n\nWhat passes require before them, establish, and preserve where it held before. Builds with "
      "assertions check it\naround each pass and report an error that names pass and property.\n\n| property | meaning "
      "|\n|---|---|");
  for (int i = 0; i < NEREID_PROPERTY_COUNT; i++)
    printf("| `%s` | %s |\n", nereid_property_name((nereid_property_index_t)i),
           nereid_property_meaning((nereid_property_index_t)i));
}

static int print_pass_docs(void) {
  puts("# Passes\n\nWritten by `nereid-opt --print-pass-docs`: do not edit. Passes of MLIR itself are in `nereid-opt "
       "--help`.");
  print_property_table();
  for (size_t i = 0; i < nereid_passes_count(); i++) {
    const NereidMlirPassInfo *info = nereid_passes_get(i);
    printf("\n## `%s`\n\n%s Runs on `%s`.\n", info->argument, info->summary, *info->anchor ? info->anchor : "any op");
    const nereid_contract_t *contract = nereid_passes_contract(i);
    print_properties("Requires", contract->requires);
    print_properties("Establishes", contract->establishes);
    print_properties("Preserves", contract->preserves);
    for (const NereidMlirPassOption *option = info->options; option->name; option++) {
      printf("%s- `%s`: %s; default ", option == info->options ? "\n" : "", option->name, option->description);
      print_default(option);
      puts(".");
    }
  }
  return ferror(stdout) ? 2 : 0;
}

/* Removes --debug and --debug-only=TYPES, which MLIR's driver has only where LLVM was built with assertions. They print
 * nothing in other builds, so scripts that give them to triton-opt work here. Returns the new count. */
static int remove_debug_options(int argc, char **argv) {
  int kept = 0;
  for (int i = 0; i < argc; i++) {
    const char *name = argv[i][0] == '-' ? argv[i] + 1 + (argv[i][1] == '-') : "";
    if (strcmp(name, "debug") != 0 && strncmp(name, "debug-only=", strlen("debug-only=")) != 0)
      argv[kept++] = argv[i];
  }
  argv[kept] = NULL;
  return kept;
}

/* What `nereid compile` examines, too. A byte order mark is skipped; bytecode has no text. */
static intptr_t check_input(MlirStringRef text, MlirStringRef name) {
  static const char mark[] = "\xEF\xBB\xBF";
  const nereid_view_t input = nereid_view_of(text.data, text.length);
  const intptr_t skipped = nereid_view_starts_with(input, nereid_view(mark)) ? (intptr_t)sizeof mark - 1 : 0;
  unsigned line, column;
  if (nereid_view_starts_with(input, nereid_view("ML\xEFR")))
    return 0;
  const char *why =
      nereid_scan_find(nereid_view_of(text.data + skipped, text.length - (size_t)skipped), false, &line, &column);
  if (!why)
    return skipped;
  fprintf(stderr, "%.*s:%u:%u: error: %s\n", (int)name.length, name.data, line, column, why);
  return -1;
}

/* A reader that goes away is an error that LLVM reports, and no signal. */
int main(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN);
  if (argc == 2 && !strcmp(argv[1], "--print-pass-docs"))
    return print_pass_docs();
  argc = remove_debug_options(argc, argv);
  const bool has_statistics = nereid_opt_statistics_begin(&argc, argv);
  nereid_passes_register();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  nereidMlirRegisterDialects(registry);
  int status =
      nereidMlirOptMain(argc, argv, mlirStringRefCreateFromCString("Nereid optimiser driver\n"), registry, check_input);
  if (has_statistics)
    nereid_opt_statistics_print();
  mlirDialectRegistryDestroy(registry);
  return status;
}

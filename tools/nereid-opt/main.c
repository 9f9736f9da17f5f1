/* nereid-opt: MLIR's optimizer driver with the dialects and passes of Nereid.
 *
 *   nereid-opt kernel.ttir --pass-pipeline='builtin.module(canonicalize,convert-triton-to-tritongpu{num-warps=8})'
 *
 * All options of mlir-opt work with Nereid's passes: printing, timing, reproducers, --verify-diagnostics, bytecode.
 * --help lists the passes, --print-pass-docs prints Nereid's as Markdown; `nereid compile` runs the pipelines to
 * machine code. */
#include "base/view.h"
#include "passes/pass.h"
#include "python-free-bindings/compile/scan.h"
#include "seam/context.h"
#include "seam/tools.h"
#include "tools/nereid-opt/statistics.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The default value as command-line text. */
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
  puts("\n## Properties\n\nPasses require, establish and preserve these properties of the module. Builds with "
       "assertions check them\naround each pass and report an error that names pass and property.\n\n"
       "| property | meaning | established by |\n|---|---|---|");
  for (int i = 0; i < NEREID_PROPERTY_COUNT; i++)
    printf("| `%s` | %s | %s |\n", nereid_property_name((nereid_property_index_t)i),
           nereid_property_meaning((nereid_property_index_t)i),
           nereid_property_establishers((nereid_property_index_t)i));
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

/* Removes --debug and --debug-only=TYPES, which MLIR's driver supports only if LLVM is built with assertions. Scripts
 * for triton-opt that use them work without their output. Returns the new count. */
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

enum { MAX_PIPELINE = 1 << 16 };

/* Appends nereid-respell for `version` to the passes of the command line: at the end of a --pass-pipeline, in `text`,
 * else as a separate option. Returns the new count; -1 when the pipeline is too long. */
static int add_respelling(int argc, char **argv, const char *version, char *text) {
  for (int i = 1; i < argc; i++) {
    const char *name = strstr(argv[i], "pass-pipeline=");
    const char *last = name ? strrchr(argv[i], ')') : NULL;
    if (!last || name - argv[i] > 2)
      continue;
    const bool empty = last[-1] == '(';
    const int size = snprintf(text, MAX_PIPELINE, "%.*s%snereid-respell{version=%s})", (int)(last - argv[i]), argv[i],
                              empty ? "" : ",", version);
    argv[i] = text;
    return size < MAX_PIPELINE ? argc : -1;
  }
  snprintf(text, MAX_PIPELINE, "--nereid-respell=version=%s", version);
  argv[argc++] = text;
  argv[argc] = NULL;
  return argc;
}

/* Removes --print-triton-version, which is not an option of MLIR's driver, from the command line; null without it. */
static const char *take_version(int *argc, char **argv) {
  static const char option[] = "print-triton-version";
  const char *version = NULL;
  int kept = 0;
  for (int i = 0; i < *argc; i++) {
    const size_t dashes = strspn(argv[i], "-");
    const bool is_option = (dashes == 1 || dashes == 2) && strncmp(argv[i] + dashes, option, sizeof option - 1) == 0;
    const char *rest = is_option ? argv[i] + dashes + sizeof option - 1 : NULL;
    if (rest && *rest == '=')
      version = rest + 1;
    else if (rest && *rest == '\0' && i + 1 < *argc)
      version = argv[++i];
    else
      argv[kept++] = argv[i];
  }
  argv[kept] = NULL;
  *argc = kept;
  return version;
}

/* The text limits of `nereid compile`. A byte order mark is skipped; bytecode is not checked. */
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

/* A closed output pipe is an error that LLVM reports, not a signal. */
int main(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN);
  if (argc == 2 && !strcmp(argv[1], "--print-pass-docs"))
    return print_pass_docs();
  argc = remove_debug_options(argc, argv);
  static char text[MAX_PIPELINE];
  char **words = calloc((size_t)argc + 2, sizeof *words);
  if (!words)
    return 2;
  memcpy(words, argv, (size_t)argc * sizeof *words);
  const char *version = take_version(&argc, words);
  argc = version ? add_respelling(argc, words, version, text) : argc;
  if (argc < 0) {
    fputs("nereid-opt: the pass pipeline is too long for --print-triton-version\n", stderr);
    free((void *)words);
    return 2;
  }
  const bool has_statistics = nereid_opt_statistics_begin(&argc, words);
  nereid_passes_register();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  nereidMlirRegisterDialects(registry);
  int status = nereidMlirOptMain(argc, words, mlirStringRefCreateFromCString("Nereid optimizer driver\n"), registry,
                                 check_input);
  if (has_statistics)
    nereid_opt_statistics_print();
  mlirDialectRegistryDestroy(registry);
  free((void *)words);
  return status;
}

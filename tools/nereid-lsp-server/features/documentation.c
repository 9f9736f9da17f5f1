#include "tools/nereid-lsp-server/features/documentation.h"

#include "passes/pass.h"

#include <inttypes.h>

const lsp_upstream_pass_t lsp_upstream_passes[] = {
    {"canonicalize", "Folds operations and applies the canonicalization patterns of all dialects."},
    {"convert-scf-to-cf", "Converts structured control flow to branches."},
    {"cse", "Merges equal operations without side effects."},
    {"inline", "Inlines calls."},
    {"loop-invariant-code-motion", "Moves operations out of loops in which their operands do not change."},
    {"sccp", "Propagates constants along control flow."},
    {"strip-debuginfo", "Removes locations."},
    {"symbol-dce", "Removes private functions without uses."},
    {NULL, NULL},
};

const lsp_discardable_t lsp_discardable_attributes[] = {
    {"tt.contiguity", "1 : i32",
     "function argument or operation: consecutive elements count up by one in groups of this size"},
    {"tt.divisibility", "16 : i32",
     "function argument or operation: the value is divisible by this power of two (pointers: bytes)"},
    {"tt.constancy", "1 : i32",
     "function argument or operation: consecutive elements are equal in groups of this size"},
    {"tt.nv_tma_desc", "1 : i32", "function argument: a TMA descriptor that is passed by value"},
    {"tt.num_stages", "3 : i32", "loop: the number of iterations in flight"},
    {"tt.loop_unroll_factor", "2 : i32", "loop: unroll by this factor"},
    {"tt.warp_specialize", "", "loop: divide it between producer and consumer warps"},
    {"loop.stage", "0 : i32", "operation in a loop: its stage in the schedule"},
    {"loop.cluster", "0 : i32", "operation in a loop: its position in the iteration of its stage"},
    {"allocation.offset", "0 : i32",
     "operation: the offset of its shared memory in the frame of the function, in bytes"},
    {"ttg.num-warps", "4 : i32", "module or function: warps that execute it"},
    {"ttg.num-ctas", "1 : i32", "module: CTAs of a cluster"},
    {"ttg.threads-per-warp", "32 : i32", "module: threads of a warp"},
    {"ttg.target", "\"cuda:90\"", "module: compute capability of the target"},
    {"ttg.maxnreg", "128 : i32", "module: limit of registers per thread"},
    {NULL, NULL, NULL},
};

const nereid_documentation_t *lsp_documentation_find(nereid_view_t name) {
  size_t count;
  const nereid_documentation_t *table = nereid_documentation_table(&count);
  for (size_t i = 0; i < count; ++i)
    if (nereid_view_equal(nereid_view(table[i].name), name))
      return &table[i];
  return NULL;
}

const NereidMlirPassInfo *lsp_pass_find(nereid_view_t argument) {
  for (size_t i = 0; i < nereid_passes_count(); ++i)
    if (nereid_view_equal(nereid_view(nereid_passes_get(i)->argument), argument))
      return nereid_passes_get(i);
  return NULL;
}

void lsp_documentation_print(const nereid_documentation_t *entry, FILE *out) {
  fprintf(out, "**`%s`**%s%s\n%s", entry->name, *entry->summary ? ": " : "", entry->summary, entry->text);
}

static void print_option(const NereidMlirPassOption *option, FILE *out) {
  fprintf(out, "- `%s`: %s; default ", option->name, option->description);
  if (option->kind == NereidMlirPassOptionString)
    fprintf(out, "`\"%s\"`\n", option->stringDefault ? option->stringDefault : "");
  else if (option->kind == NereidMlirPassOptionBool)
    fprintf(out, "`%s`\n", option->intDefault ? "true" : "false");
  else
    fprintf(out, "`%" PRId64 "`\n", option->intDefault);
}

void lsp_pass_print(const NereidMlirPassInfo *pass, FILE *out) {
  fprintf(out, "**`%s`**: %s\n", pass->argument, pass->summary);
  for (const NereidMlirPassOption *option = pass->options; option && option->name; ++option) {
    if (option == pass->options)
      fputc('\n', out);
    print_option(option, out);
  }
}

bool lsp_attribute_next(const char **at, lsp_attribute_t *out) {
  const char *tab = strchr(*at, '\t'), *end = tab ? strchr(tab, '\n') : NULL;
  if (!end)
    return false;
  out->name = nereid_view_of(*at, (size_t)(tab - *at));
  out->text = nereid_view_of(tab + 1, (size_t)(end - tab - 1));
  *at = end + 1;
  return true;
}

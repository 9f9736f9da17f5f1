/* Smaller launches of a kernel: the grid, and the arguments that are sizes.
 *
 *   --grid 64,8 --arg n=4096 --arg stride=4096   ->   --grid 1 --arg n=64 --arg stride=4096
 *
 *   %m = tt.splat %n ; %in = arith.cmpi slt, %at, %m      n is a size: it reaches a comparison
 *   %row = arith.muli %pid, %stride ; tt.addptr %x, %row  stride is none */
#include "tools/nereid/bisect/sizes.h"

#include "tools/nereid/run/spec.h"
#include "tools/nereid/trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SIZE_PER_CTA = 64, ROWS = 4 };

static bool is_listed(const char *name, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; ++i)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

/* Returns whether the operation bounds something by its operands. */
static bool compares(const tool_op_t *op) {
  static const char *const names[] = {"arith.cmpi",  "arith.divsi", "arith.divui", "arith.ceildivsi",
                                      "arith.minsi", "arith.minui", "scf.for"};
  return is_listed(op->name, names, TOOL_COUNT(names));
}

static bool forwards(const tool_op_t *op) {
  static const char *const names[] = {"arith.addi",   "arith.subi", "arith.extsi",  "arith.extui",
                                      "arith.trunci", "tt.splat",   "tt.broadcast", "tt.expand_dims"};
  return is_listed(op->name, names, TOOL_COUNT(names));
}

/* Returns whether an operand of the operation is a marked value. */
static bool uses(const tool_op_t *op, const bool *marked) {
  for (uint32_t i = 0; i < op->n_tokens; ++i) {
    const uint32_t target = op->tokens[i].target;
    const bool is_own = target >= op->first_value && target < op->first_value + op->n_results + op->n_arguments;
    if (!op->tokens[i].is_block && !is_own && marked[target])
      return true;
  }
  return false;
}

/* Follows the value in the order of operations, which defines values before their uses except for those of loops. */
static bool is_size(nereid_arena_t *arena, const tool_snapshot_t *input, uint32_t value) {
  bool *marked = nereid_arena_new(arena, bool, input->n_values + (size_t)1);
  if (!marked)
    return false;
  marked[value] = true;
  for (uint32_t i = 0; i < input->n_ops; ++i) {
    const tool_op_t *op = &input->ops[i];
    if (!uses(op, marked))
      continue;
    if (compares(op))
      return true;
    for (uint32_t k = 0; k < op->n_results && forwards(op); ++k)
      marked[op->first_value + k] = true;
  }
  return false;
}

/* Returns the function of --kernel, else the first public one. Null: the input is not of tt. */
static const tool_op_t *kernel_of(const tool_snapshot_t *input, const char *name) {
  const tool_op_t *best = NULL;
  for (uint32_t i = 0; i < input->n_ops; ++i) {
    const tool_op_t *op = &input->ops[i];
    if (strcmp(op->name, "tt.func") != 0 || strstr(op->text, "tt.func private"))
      continue;
    if (!best || (name && op->symbol && strcmp(op->symbol, name) == 0))
      best = op;
  }
  return best;
}

/* Returns the value of the argument that --arg names, or gives by its position; UINT32_MAX: none. */
static uint32_t value_of(const tool_snapshot_t *input, const tool_op_t *kernel, const char *item, size_t length) {
  char *end;
  const unsigned long position = strtoul(item, &end, 10);
  if (end == item + length && position < kernel->n_arguments)
    return kernel->first_value + kernel->n_results + (uint32_t)position;
  for (uint32_t i = 0; i < kernel->n_arguments; ++i) {
    const uint32_t value = kernel->first_value + kernel->n_results + i;
    const char *token = input->values[value].token;
    if (token && strlen(token) == length + 1 && strncmp(token + 1, item, length) == 0)
      return value;
  }
  return UINT32_MAX;
}

static bool keep_none(void *user_data, const char *pass) {
  (void)user_data;
  (void)pass;
  return false;
}

/* Returns the IR of the input; null when it cannot be read. */
static const tool_snapshot_t *read_input(nereid_arena_t *arena, const tool_case_t *subject) {
  nereid_message_t message = {""};
  tool_trace_t trace;
  tool_trace_request_t request = {.text = subject->input,
                                  .name = subject->path,
                                  .keep = keep_none,
                                  .options = tool_trace_options(&subject->settings)};
  request.options.emit = NEREID_STAGE_TTIR;
  const nereid_status_t status = tool_trace_run(&request, arena, &trace, &message);
  return status != NEREID_ERROR_MEMORY && trace.n_steps ? trace.steps[0].after : NULL;
}

/* Returns the item of --arg with a smaller number, or itself. */
static const char *limit_argument(nereid_arena_t *arena, const char *item, int64_t limit) {
  const char *spec = strchr(item, '=') + 1, *colon = strchr(spec, ':');
  nereid_message_t message = {""};
  tool_spec_t parsed = {0};
  if (tool_spec_parse(arena, spec, &parsed, &message) || parsed.kind != TOOL_SPEC_INTEGER || parsed.large ||
      parsed.integer <= limit)
    return item;
  int64_t value = parsed.integer;
  while (value > limit)
    value = value % 16 ? value / 2 : value / 32 * 16;
  const int prefix = (int)((colon ? colon + 1 : spec) - item);
  return nereid_arena_format(arena, "%.*s%" PRId64, prefix, item, value);
}

/* Returns the item of --arg with fewer rows of its tensor, or itself. */
static const char *limit_rows(nereid_arena_t *arena, const char *item, int64_t limit) {
  const char *spec = strchr(item, '=') + 1, *open = strchr(spec, '[');
  nereid_message_t message = {""};
  tool_spec_t parsed = {0};
  if (!open || tool_spec_parse(arena, spec, &parsed, &message) || parsed.kind != TOOL_SPEC_TENSOR ||
      parsed.fill == TOOL_FILL_FILE || !parsed.rank || parsed.shape[0] <= (uint64_t)limit)
    return item;
  const char *rest = open + 1 + strspn(open + 1, "0123456789");
  return nereid_arena_format(arena, "%.*s%" PRId64 "%s", (int)(open + 1 - item), item, limit, rest);
}

/* The grid in numbers; an expression of arguments becomes smaller with them. */
static const char *limit_grid(nereid_arena_t *arena, const char *grid, int64_t limit) {
  uint32_t extents[3];
  if (!grid || !tool_parse_extents(grid, extents))
    return grid;
  const int64_t ctas = limit / SIZE_PER_CTA > 1 ? limit / SIZE_PER_CTA : 1;
  if ((int64_t)extents[0] * extents[1] * extents[2] <= ctas)
    return grid;
  for (int i = 0; i < 3; ++i)
    while ((int64_t)extents[0] * extents[1] * extents[2] > ctas && extents[i] > 1)
      extents[i] /= 2;
  return nereid_arena_format(arena, "%u,%u,%u", extents[0], extents[1], extents[2]);
}

run_settings_t tool_sizes_limit(nereid_arena_t *arena, const tool_case_t *subject, int64_t limit, bool rows) {
  run_settings_t settings = subject->settings;
  const tool_snapshot_t *input = read_input(arena, subject);
  const tool_op_t *kernel = input ? kernel_of(input, settings.kernel) : NULL;
  const char **items = nereid_arena_new(arena, const char *, settings.arguments.size + 1);
  settings.grid = limit_grid(arena, settings.grid, limit);
  for (size_t i = 0; kernel && items && i < settings.arguments.size; ++i) {
    const char *item = settings.arguments.items[i], *equals = strchr(item, '=');
    const uint32_t value = equals ? value_of(input, kernel, item, (size_t)(equals - item)) : UINT32_MAX;
    const char *small = value != UINT32_MAX && is_size(arena, input, value) ? limit_argument(arena, item, limit) : item;
    items[i] = rows && small && equals ? limit_rows(arena, small, ROWS * limit) : small;
  }
  if (kernel && items)
    settings.arguments.items = items;
  return settings;
}

static bool same(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

bool tool_sizes_equal(const run_settings_t *a, const run_settings_t *b) {
  bool equal = same(a->grid, b->grid) && a->arguments.size == b->arguments.size;
  for (size_t i = 0; equal && i < a->arguments.size; ++i)
    equal = same(a->arguments.items[i], b->arguments.items[i]);
  return equal;
}

/* Divides a pass pipeline among the stages of a compilation, and inserts and omits passes.
 *
 *   canonicalize | convert-triton-to-tritongpu,tritongpu-coalesce | convert-scf-to-cf,allocate-shared-memory | ...
 *   ttir           ttgir                                            frames                                     llvm
 *
 * The driver collects facts about the kernel between the stages, so a pipeline cannot run as one list. A stage begins
 * at the first pass that only its own list contains. */
#include "tools/nereid/trace/plan.h"

#include "base/vector.h"
#include "passes/pass.h"
#include "python-free-bindings/compile/session.h"

#include <ctype.h>
#include <mlir-c/Pass.h>

nereid_view_t tool_pass_name(const char *pass) {
  return nereid_view_of(pass, strcspn(pass, "{("));
}

static bool has_name(const char *pass, nereid_view_t name) {
  return nereid_view_equal(tool_pass_name(pass), name);
}

static bool is_listed(nereid_pipeline_t stage, nereid_view_t name) {
  for (const char *const *pass = nereid_pipeline_passes(stage); *pass; ++pass)
    if (has_name(*pass, name))
      return true;
  return false;
}

/* Returns whether `pass` begins `stage`: of the four lists only those from `stage` on contain it. */
static bool begins(nereid_pipeline_t stage, const char *pass) {
  const nereid_view_t name = tool_pass_name(pass);
  for (int before = NEREID_PIPELINE_TTIR; before < (int)stage; ++before)
    if (is_listed((nereid_pipeline_t)before, name))
      return false;
  return is_listed(stage, name);
}

/* --- --pass-pipeline --- */

/* Returns the length of the first pass of a list: up to a comma outside of brackets and quotes. */
static size_t pass_length(const char *text, const char *end) {
  int depth = 0;
  char quote = 0;
  const char *at = text;
  for (; at < end && (depth || quote || *at != ','); ++at) {
    if (quote)
      quote = *at == quote ? 0 : quote;
    else if (*at == '"' || *at == '\'')
      quote = *at;
    else
      depth += (strchr("({", *at) != NULL) - (strchr(")}", *at) != NULL);
  }
  return (size_t)(at - text);
}

static const char *trim(nereid_arena_t *arena, const char *text, size_t size) {
  while (size && isspace((unsigned char)*text)) {
    ++text;
    --size;
  }
  while (size && isspace((unsigned char)text[size - 1]))
    --size;
  return nereid_arena_copy(arena, nereid_view_of(text, size));
}

static nereid_status_t split(tool_plan_t *plan, const char *text, nereid_message_t *message) {
  static const char anchor[] = "builtin.module(";
  NEREID_VECTOR(const char *) passes = {0};
  const char *end = text + strlen(text);
  if (strncmp(text, anchor, sizeof anchor - 1) == 0 && end[-1] == ')') {
    text += sizeof anchor - 1;
    --end;
  }
  while (text < end) {
    const size_t length = pass_length(text, end);
    const char *pass = trim(plan->arena, text, length);
    if (pass && !*pass)
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--pass-pipeline: a pass is missing before '%s'", text);
    (void)nereid_vector_push(plan->arena, &passes, pass);
    text += length + (text + length < end);
  }
  if (!passes.size)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--pass-pipeline: expected at least one pass");
  plan->n_pipeline = passes.size;
  (void)nereid_vector_push(plan->arena, &passes, NULL);
  plan->pipeline = passes.data;
  return NEREID_OK;
}

/* Returns whether a pass of the pipeline from `next` on begins a stage after `stage`, and which one is the first. */
static size_t end_of_stage(const tool_plan_t *plan, nereid_pipeline_t stage) {
  for (size_t i = plan->next; i < plan->n_pipeline; ++i)
    for (int later = (int)stage + 1; later <= NEREID_PIPELINE_LLVM; ++later)
      if (begins((nereid_pipeline_t)later, plan->pipeline[i]))
        return i;
  return plan->n_pipeline;
}

/* --- --insert and --omit --- */

typedef struct insertion {
  nereid_view_t pass, name;
  bool before;
} insertion_t;

/* Parses "PASS after NAME". */
static bool parse_insertion(const char *text, insertion_t *out) {
  static const char *const words[] = {" after ", " before "};
  for (int i = 0; i < 2; ++i) {
    const char *word = strstr(text, words[i]);
    if (!word)
      continue;
    out->pass = nereid_view_of(text, (size_t)(word - text));
    out->name = nereid_view(word + strlen(words[i]));
    out->before = i == 1;
    return out->pass.size && out->name.size;
  }
  return false;
}

/* Returns the first line of the parser's text after "error: "; null without any. */
static const char *reason_of(nereid_arena_t *arena, const nereid_text_builder_t *error) {
  static const char word[] = "error: ";
  const char *start = error->data ? strstr(error->data, word) : NULL;
  start = start ? start + sizeof word - 1 : error->data;
  return start ? nereid_arena_copy(arena, nereid_view_of(start, strcspn(start, "\n"))) : NULL;
}

static nereid_status_t check_passes(nereid_arena_t *arena, MlirContext context, const char *option, nereid_view_t text,
                                    nereid_message_t *message) {
  const char *pipeline = nereid_arena_format(arena, "builtin.module(%.*s)", (int)text.size, text.data);
  nereid_text_builder_t error = {.arena = arena};
  if (!pipeline)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  const MlirPassManager manager = mlirPassManagerCreate(context);
  const bool good = mlirLogicalResultIsSuccess(mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager),
                                                                     mlirStringRefCreateFromCString(pipeline),
                                                                     nereid_text_builder_append, &error));
  mlirPassManagerDestroy(manager);
  const char *reason = good ? NULL : reason_of(arena, &error);
  return good ? NEREID_OK
              : nereid_message_set(message, NEREID_ERROR_ARGUMENT, "%s '%.*s': %s", option, (int)text.size, text.data,
                                   reason && *reason ? reason : "not a list of passes");
}

nereid_status_t tool_plan_validate(const tool_plan_options_t *options, nereid_arena_t *arena,
                                   nereid_message_t *message) {
  nereid_status_t status = NEREID_OK;
  if (!options->insert.size && !options->pipeline)
    return NEREID_OK;
  nereid_passes_register();
  const MlirContext context = mlirContextCreateWithThreading(false);
  for (size_t i = 0; i < options->insert.size && !status; ++i) {
    insertion_t insertion;
    status = parse_insertion(options->insert.items[i], &insertion)
                 ? check_passes(arena, context, "--insert", insertion.pass, message)
                 : nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                                      "--insert: expected 'PASS after NAME' or 'PASS before NAME', not '%s'",
                                      options->insert.items[i]);
  }
  tool_plan_t plan = {.arena = arena};
  if (options->pipeline && !status)
    status = split(&plan, options->pipeline, message);
  for (size_t i = 0; i < plan.n_pipeline && !status; ++i)
    status = check_passes(arena, context, "--pass-pipeline", nereid_view(plan.pipeline[i]), message);
  mlirContextDestroy(context);
  return status;
}

nereid_status_t tool_plan_initialize(tool_plan_t *plan, const tool_plan_options_t *options, nereid_arena_t *arena,
                                     nereid_message_t *message) {
  insertion_t ignored;
  nereid_status_t status = NEREID_OK;
  *plan = (tool_plan_t){.arena = arena, .options = options};
  plan->used = nereid_arena_new(arena, bool, options->insert.size + options->omit.size);
  for (size_t i = 0; i < options->insert.size; ++i)
    if (!parse_insertion(options->insert.items[i], &ignored))
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                                "--insert: expected 'PASS after NAME' or 'PASS before NAME', not '%s'",
                                options->insert.items[i]);
  if (options->pipeline)
    status = split(plan, options->pipeline, message);
  return status == NEREID_OK && arena->failed ? nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory")
                                              : status;
}

bool tool_plan_take_out(nereid_arena_t *arena, tool_plan_options_t *options, const char *name) {
  tool_list_t insert = {0}, omit = {0};
  bool good = true, inserted = false;
  for (size_t i = 0; i < options->insert.size; ++i) {
    insertion_t insertion;
    const bool same =
        parse_insertion(options->insert.items[i], &insertion) && nereid_view_equal(insertion.pass, nereid_view(name));
    inserted |= same;
    good &= same || tool_list_append(arena, &insert, options->insert.items[i]);
  }
  for (size_t i = 0; i < options->omit.size; ++i)
    good &= tool_list_append(arena, &omit, options->omit.items[i]);
  const char *base = nereid_arena_copy(arena, tool_pass_name(name));
  good &= base && (inserted || tool_list_append(arena, &omit, base));
  options->insert = insert;
  options->omit = omit;
  return good;
}

typedef NEREID_VECTOR(const char *) passes_t;

/* Adds the passes that are inserted before or after `pass`. An insertion names one place: the first one. */
static void add_inserted(tool_plan_t *plan, passes_t *list, const char *pass, bool before) {
  for (size_t i = 0; i < plan->options->insert.size; ++i) {
    insertion_t insertion;
    if (plan->used[i] || !parse_insertion(plan->options->insert.items[i], &insertion) || insertion.before != before ||
        !has_name(pass, insertion.name))
      continue;
    plan->used[i] = true;
    (void)nereid_vector_push(plan->arena, list, nereid_arena_copy(plan->arena, insertion.pass));
  }
}

static bool is_omitted(tool_plan_t *plan, const char *pass) {
  bool found = false;
  for (size_t i = 0; i < plan->options->omit.size; ++i)
    if (has_name(pass, nereid_view(plan->options->omit.items[i])))
      found = plan->used[plan->options->insert.size + i] = true;
  return found;
}

static void add_kept(tool_plan_t *plan, passes_t *list, const passes_t *all) {
  for (size_t i = 0; i < all->size; ++i)
    if (all->data[i] && (!plan->keep || plan->keep(plan->keep_data, all->data[i])))
      (void)nereid_vector_push(plan->arena, list, all->data[i]);
  (void)nereid_vector_push(plan->arena, list, NULL);
}

/* Returns the passes of the pipeline that belong to `stage`; `passes` when the pipeline ended before it. */
static const char *const *take_stage(tool_plan_t *plan, nereid_pipeline_t stage, const char *const *passes,
                                     size_t *out_count) {
  size_t n = 0;
  while (passes[n])
    ++n;
  *out_count = n;
  if (!plan->pipeline || (plan->next && plan->next == plan->n_pipeline))
    return passes;
  const size_t first = plan->next;
  plan->next = end_of_stage(plan, stage);
  *out_count = plan->next - first;
  return plan->pipeline + first;
}

const char *const *tool_plan_edit(void *user_data, nereid_pipeline_t stage, const char *const *passes) {
  tool_plan_t *plan = user_data;
  passes_t all = {0}, kept = {0};
  size_t n;
  if (stage > NEREID_PIPELINE_LLVM)
    return passes;
  const char *const *own = take_stage(plan, stage, passes, &n);
  for (size_t i = 0; i < n; ++i) {
    add_inserted(plan, &all, own[i], true);
    if (!is_omitted(plan, own[i]))
      (void)nereid_vector_push(plan->arena, &all, own[i]);
    add_inserted(plan, &all, own[i], false);
  }
  add_kept(plan, &kept, &all);
  return plan->arena->failed ? NULL : kept.data;
}

nereid_status_t tool_plan_check(const tool_plan_t *plan, nereid_message_t *message) {
  const tool_list_t *insert = &plan->options->insert, *omit = &plan->options->omit;
  for (size_t i = 0; i < insert->size; ++i)
    if (!plan->used[i])
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--insert '%s': no pass of that name runs",
                                insert->items[i]);
  for (size_t i = 0; i < omit->size; ++i)
    if (!plan->used[insert->size + i])
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--omit %s: no pass of that name runs", omit->items[i]);
  return NEREID_OK;
}

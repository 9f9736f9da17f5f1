/* The search of `nereid bisect`.
 *
 * The passes run in order. A position k is a compilation in which the first k passes run, and of the later ones only
 * those that every kernel needs (required.c). The search is for adjacent positions, the first without and the second
 * with the property; both are probed.
 *
 *   position   0  ...  15  ...  22  23  ...  30  ...  60
 *   verdict    no      no       no  yes      yes      yes     the property begins to hold after pass 23
 *
 * The middle of each side is probed, too: if the property changes more than once, the changes between the known
 * positions are searched as well. If the property holds without any optional pass, the IR after each pass of the whole
 * compilation is interpreted instead. */
#include "tools/nereid/bisect/bisection.h"

#include "tools/nereid/bisect/evidence.h"
#include "tools/nereid/interrupt.h"

#include "base/vector.h"

#include <stdio.h>

/* --- probes --- */

static tool_verdict_t probe(const bisection_t *it, tool_probe_mode_t mode, size_t mlir, size_t llvm) {
  const tool_probe_request_t request = {.mode = mode, .mlir = mlir, .llvm = llvm};
  tool_probe_run(&it->subject, &request, it->outcome);
  return it->outcome->verdict;
}

static tool_probe_mode_t mode_of(const bisection_t *it) {
  const tool_property_kind_t kind = it->subject.property.kind;
  return kind == TOOL_PROPERTY_CRASH || kind == TOOL_PROPERTY_COMPILE_ERROR ? TOOL_PROBE_COMPILE : TOOL_PROBE_EMULATE;
}

static const char *place_of(const bisection_t *it, size_t k) {
  const bool in_llvm = it->axis == BISECT_LLVM;
  const char *after = k         ? it->names[(in_llvm ? it->n_mlir : 0) + k - 1]
                      : in_llvm ? "LLVM's required passes"
                                : "the input";
  return nereid_arena_format(it->arena, "position %zu, after %s", k, after);
}

/* Number of passes of the axis. */
static size_t length_of(const bisection_t *it) {
  return it->axis == BISECT_LLVM ? it->n_llvm : it->n_mlir;
}

static bisect_position_t *position(bisection_t *it, size_t k) {
  bisect_position_t **positions = &it->positions[it->axis];
  static bisect_position_t none; /* without memory nothing is stored */
  if (!*positions)
    *positions = nereid_arena_new(it->arena, bisect_position_t, length_of(it) + 1);
  return *positions ? &(*positions)[k] : &none;
}

/* The request of position k of the axis. */
static tool_probe_request_t request_of(bisection_t *it, size_t k) {
  const bool in_llvm = it->axis == BISECT_LLVM;
  const bool interprets = it->axis == BISECT_INTERPRETER || position(it, k)->interpreted;
  return (tool_probe_request_t){.mode = interprets ? TOOL_PROBE_INTERPRET : mode_of(it),
                                .mlir = in_llvm ? SIZE_MAX : k,
                                .llvm = in_llvm ? k : SIZE_MAX};
}

/* Whether the interpreter can show the property. */
static bool is_interpretable(const bisection_t *it) {
  const tool_property_kind_t kind = it->subject.property.kind;
  return kind == TOOL_PROPERTY_NUMBERS || kind == TOOL_PROPERTY_FAULT;
}

static void store(bisection_t *it, size_t k) {
  const char *text = nereid_arena_copy(it->arena, nereid_view(it->outcome->text));
  bisect_position_t *at = position(it, k);
  at->verdict = it->outcome->verdict;
  at->text = text ? text : "";
}

/* The reason is the first diagnostic, or else what failed. */
static void report_skipped(bisection_t *it, const char *where) {
  const char *detail = it->outcome->detail;
  const char *reason = *detail ? nereid_arena_format(it->arena, "%.*s", (int)strcspn(detail, "\n"), detail) : NULL;
  bisect_report_skipped(it, where, reason ? reason : it->outcome->text);
}

/* Runs the probe of position k; if the emulator cannot run it, the interpreter runs the IR after the first k passes. */
static void probe_position(bisection_t *it, size_t k) {
  tool_probe_request_t request = request_of(it, k);
  tool_probe_run(&it->subject, &request, it->outcome);
  if (it->outcome->verdict != TOOL_VERDICT_UNKNOWN || !it->outcome->ran || it->axis != BISECT_MLIR ||
      !is_interpretable(it) || tool_interrupt_is_caught())
    return;
  report_skipped(it, nereid_arena_format(it->arena, "%s, in the emulator", place_of(it, k)));
  position(it, k)->interpreted = true;
  request = request_of(it, k);
  tool_probe_run(&it->subject, &request, it->outcome);
}

/* Probes position k of the axis, unless it is known. After an interrupt nothing is probed. */
static tool_verdict_t ask(void *user_data, size_t k) {
  static const char *const verdicts[] = {"", "no", "yes", "unknown"};
  bisection_t *it = user_data;
  if (position(it, k)->verdict != TOOL_VERDICT_UNASKED)
    return position(it, k)->verdict;
  if (tool_interrupt_is_caught())
    return TOOL_VERDICT_UNKNOWN;
  probe_position(it, k);
  if (tool_interrupt_is_caught())
    return TOOL_VERDICT_UNKNOWN;
  store(it, k);
  const tool_verdict_t verdict = it->outcome->verdict;
  if (it->settings->verbose)
    fprintf(stderr, "probe: %s: %s: %s\n", place_of(it, k), verdicts[verdict], it->outcome->text);
  if (verdict == TOOL_VERDICT_UNKNOWN)
    report_skipped(it, place_of(it, k));
  return verdict;
}

/* The same for a search of the position where the property ends to hold. */
static tool_verdict_t ask_change(void *user_data, size_t k) {
  const bisection_t *it = user_data;
  const tool_verdict_t verdict = ask(user_data, k);
  if (!it->inverted || verdict == TOOL_VERDICT_UNKNOWN)
    return verdict;
  return verdict == TOOL_VERDICT_CLEAN ? TOOL_VERDICT_SHOWN : TOOL_VERDICT_CLEAN;
}

/* Stores the names of the passes of the probe that ran last. */
static bool keep_names(bisection_t *it) {
  const tool_outcome_t *outcome = it->outcome;
  char *text = nereid_arena_copy(it->arena, nereid_view_of(outcome->names, outcome->names_size));
  it->n_mlir = outcome->n_began;
  it->n_llvm = outcome->n_llvm;
  it->names = nereid_arena_new(it->arena, char *, it->n_mlir + it->n_llvm + 1);
  if (!text || !it->names)
    return false;
  size_t n = 0;
  for (char *end; n < it->n_mlir + it->n_llvm && (end = strchr(text, '\n')); text = end + 1) {
    *end = 0;
    it->names[n++] = text;
  }
  it->n_llvm = n > it->n_mlir ? n - it->n_mlir : 0;
  return true;
}

/* --- changes of the verdict --- */

static bool is_known(bisection_t *it, size_t k) {
  const tool_verdict_t verdict = position(it, k)->verdict;
  return verdict == TOOL_VERDICT_CLEAN || verdict == TOOL_VERDICT_SHOWN;
}

/* Returns the next known position after k; more than `last` when there is none. */
static size_t next_known(bisection_t *it, size_t k, size_t last) {
  for (++k; k <= last && !is_known(it, k); ++k)
    ;
  return k;
}

static bool has_unasked(bisection_t *it, size_t first, size_t last) {
  for (size_t k = first + 1; k < last; ++k)
    if (position(it, k)->verdict == TOOL_VERDICT_UNASKED)
      return true;
  return false;
}

/* Searches each change of the verdict between known positions. */
static void refine(bisection_t *it, size_t last) {
  size_t k = 0;
  while (k <= last && !tool_interrupt_is_caught()) {
    const size_t next = next_known(it, k, last);
    if (next > last)
      return;
    it->inverted = position(it, k)->verdict == TOOL_VERDICT_SHOWN;
    if (position(it, next)->verdict != position(it, k)->verdict && has_unasked(it, k, next))
      (void)tool_search_run(k, next, ask_change, it);
    else
      k = next;
  }
}

/* Collects the changes between known positions, in order. Returns their number. */
static size_t collect(bisection_t *it, size_t last, bisect_change_t **out_changes) {
  NEREID_VECTOR(bisect_change_t) changes = {0};
  for (size_t k = 0, next; (next = next_known(it, k, last)) <= last; k = next) {
    const tool_verdict_t verdict = position(it, next)->verdict;
    const bisect_change_t change = {k, next, verdict == TOOL_VERDICT_SHOWN};
    if (verdict != position(it, k)->verdict)
      (void)nereid_vector_push(it->arena, &changes, change);
  }
  *out_changes = changes.data;
  return changes.size;
}

/* --- results --- */

/* Reports a change with what supports it: the property is shown again, with the thread for a wrong element. */
static int report(bisection_t *it, const bisect_change_t *change) {
  const size_t index = change->after - 1;
  const char *pass = it->names[(it->axis == BISECT_LLVM ? it->n_mlir : 0) + index];
  tool_probe_request_t request = request_of(it, change->after);
  request.explains = it->subject.property.kind == TOOL_PROPERTY_NUMBERS && request.mode == TOOL_PROBE_EMULATE;
  tool_probe_run(&it->subject, &request, it->outcome);
  bisect_report_pass(it, change);
  bisect_report_outcome(it, "with", "  with it: ");
  bisect_report_before(it, change, it->outcome->verdict == position(it, change->after)->verdict);
  if (it->axis != BISECT_LLVM)
    bisect_report_evidence(it, pass, index, it->axis == BISECT_INTERPRETER);
  return TOOL_DONE;
}

/* Reports the changes of the axis, the first one with its evidence. There is at least one. */
static int report_changes(bisection_t *it, size_t last) {
  bisect_change_t *changes;
  const size_t n = collect(it, last, &changes);
  if (!n)
    return TOOL_CALL; /* out of memory */
  if (n > 1)
    bisect_report_changes(it, changes, n);
  if (!tool_interrupt_is_caught())
    return report(it, &changes[0]);
  bisect_report_interrupted(it, &changes[0]);
  return TOOL_CALL;
}

/* Searches between position 0, which is clean, and `last`, which has the property. */
static int search_axis(bisection_t *it, bisect_axis_t axis, size_t last) {
  it->axis = axis;
  refine(it, last);
  bisect_change_t *changes;
  if (collect(it, last, &changes)) {
    (void)ask(it, changes[0].before / 2);
    (void)ask(it, changes[0].after + (last - changes[0].after) / 2);
    refine(it, last);
  }
  return report_changes(it, last);
}

/* Searches the IR of the whole compilation with the interpreter, up to `last`, the last position that it can run.
 * False: it finds nothing. */
static bool find_interpretable(bisection_t *it, size_t *out_last) {
  enum { MAX_SKIPPED = 12 }; /* the stages that the interpreter does not run are a few passes */
  size_t last = it->n_mlir;
  it->axis = BISECT_INTERPRETER;
  while (last > 0 && it->n_mlir - last < MAX_SKIPPED && ask(it, last) == TOOL_VERDICT_UNKNOWN)
    --last;
  *out_last = last;
  return position(it, last)->verdict == TOOL_VERDICT_SHOWN && ask(it, 0) == TOOL_VERDICT_CLEAN;
}

/* A pass that every compilation needs is at fault. */
static int search_required(bisection_t *it) {
  size_t last = 0;
  if (is_interpretable(it) && find_interpretable(it, &last))
    return search_axis(it, BISECT_INTERPRETER, last);
  it->axis = BISECT_INTERPRETER;
  bisect_report_required(it, last);
  return TOOL_DONE;
}

/* The emulator cannot run the kernel: the stages that the interpreter runs are searched. */
static int search_without_emulator(bisection_t *it) {
  const char *reason = nereid_arena_copy(it->arena, nereid_view(it->outcome->text));
  size_t last = 0;
  if (find_interpretable(it, &last)) {
    bisect_report_skipped(it, "the emulator", reason);
    return search_axis(it, BISECT_INTERPRETER, last);
  }
  it->outcome->detail[0] = 0;
  snprintf(it->outcome->text, sizeof it->outcome->text, "%s", reason);
  bisect_report_not_shown(it);
  return TOOL_PROGRAM;
}

/* --- properties of the compilation --- */

/* A compilation that fails names its pass itself; the probe without it confirms that. */
static int find_compilation_fault(bisection_t *it) {
  const char *pass = nereid_arena_copy(it->arena, nereid_view(it->outcome->last_pass));
  const bool in_llvm = it->outcome->in_llvm;
  size_t index = 0;
  bisect_report_outcome(it, "observation", "");
  if (!pass || !*pass) {
    bisect_report_stop(it, NULL, 0);
    return TOOL_DONE;
  }
  it->axis = in_llvm ? BISECT_LLVM : BISECT_MLIR;
  if (in_llvm)
    index = it->n_llvm ? it->n_llvm - 1 : 0;
  else
    while (index + 1 < it->n_mlir && strcmp(it->names[index], pass) != 0)
      ++index;
  bisect_report_stop(it, pass, index);
  const tool_probe_request_t without = request_of(it, index);
  if (in_llvm || !tool_pass_is_required(pass)) {
    tool_probe_run(&it->subject, &without, it->outcome);
    bisect_report_outcome(it, "without", "  without it: ");
  }
  if (!in_llvm)
    bisect_report_ir(it, pass, index, false);
  return TOOL_DONE;
}

/* --- counters, and all positions --- */

/* Prints the counter without each pass that changes the IR, and reports the pass that increases it most. A prefix of
 * the passes says little about a counter: a pass may only prepare what a later one gains. */
static int find_cost(bisection_t *it, double value) {
  bool *changed = nereid_arena_new(it->arena, bool, it->n_mlir + 1);
  size_t found = 0;
  double best = value;
  if (!changed)
    return TOOL_CALL;
  bisect_report_cost(it, NULL, value);
  tool_evidence_find_changes(&it->subject, changed, it->n_mlir);
  for (size_t i = 0; i < it->n_mlir && !tool_interrupt_is_caught(); ++i) {
    const tool_probe_request_t request = {
        .mode = TOOL_PROBE_EMULATE, .mlir = SIZE_MAX, .llvm = SIZE_MAX, .omitted = i + 1};
    if (!changed[i] || tool_pass_is_required(it->names[i]))
      continue;
    tool_probe_run(&it->subject, &request, it->outcome);
    const double without = it->outcome->value;
    if (it->outcome->verdict == TOOL_VERDICT_UNKNOWN) {
      report_skipped(it, nereid_arena_format(it->arena, "without %s", it->names[i]));
    } else if (without < value || without > value) {
      bisect_report_cost(it, it->names[i], without);
      found = without < best ? i + 1 : found;
      best = without < best ? without : best;
    }
  }
  bisect_report_most(it, found, best, value);
  if (found)
    bisect_report_evidence(it, it->names[found - 1], found - 1, true);
  return TOOL_DONE;
}

/* Probes each position, except after passes that change nothing, where the verdict is that before the pass. */
static int list_all(bisection_t *it, tool_verdict_t all) {
  bool *changed = nereid_arena_new(it->arena, bool, it->n_mlir + 1);
  bisect_change_t *changes;
  it->axis = BISECT_MLIR;
  if (!changed)
    return TOOL_CALL;
  tool_evidence_find_changes(&it->subject, changed, it->n_mlir);
  for (size_t k = 0; k <= it->n_mlir; ++k) {
    const bool same = k && !changed[k - 1] && is_known(it, k - 1);
    if (same && position(it, k)->verdict == TOOL_VERDICT_UNASKED)
      *position(it, k) = *position(it, k - 1);
    (void)ask(it, k);
  }
  if (collect(it, it->n_mlir, &changes)) {
    const int code = report_changes(it, it->n_mlir);
    return all == TOOL_VERDICT_SHOWN ? code : TOOL_PROGRAM;
  }
  return all == TOOL_VERDICT_SHOWN ? search_required(it) : TOOL_PROGRAM;
}

/* --- the order of the searches --- */

/* Searches a property that the whole pipeline shows. */
static int search(bisection_t *it, double value) {
  bisect_report_outcome(it, "observation", nereid_arena_format(it->arena, "%s: ", bisect_property_name(it)));
  if (it->settings->all)
    return list_all(it, TOOL_VERDICT_SHOWN);
  it->axis = BISECT_LLVM;
  store(it, it->n_llvm);
  if (it->n_llvm && ask(it, 0) == TOOL_VERDICT_CLEAN)
    return search_axis(it, BISECT_LLVM, it->n_llvm);
  it->axis = BISECT_MLIR;
  const tool_verdict_t none = ask(it, 0);
  if (!tool_interrupt_is_caught() && none != TOOL_VERDICT_SHOWN) {
    position(it, 0)->verdict = TOOL_VERDICT_CLEAN; /* also if it is unknown: the search needs a start */
    return search_axis(it, BISECT_MLIR, it->n_mlir);
  }
  if (tool_interrupt_is_caught()) {
    const bisect_change_t whole = {0, it->n_mlir, true};
    bisect_report_interrupted(it, &whole);
    return TOOL_CALL;
  }
  return it->subject.property.kind == TOOL_PROPERTY_COUNTER ? find_cost(it, value) : search_required(it);
}

int bisect_run(bisection_t *it) {
  const tool_property_t *property = &it->subject.property;
  tool_verdict_t all = TOOL_VERDICT_UNKNOWN;
  const int code =
      mode_of(it) == TOOL_PROBE_EMULATE ? bisect_choose_launch(it, TOOL_PROBE_EMULATE, &all) : TOOL_CONTINUE;
  if (code != TOOL_CONTINUE)
    return code;
  if (mode_of(it) == TOOL_PROBE_COMPILE)
    all = probe(it, TOOL_PROBE_COMPILE, SIZE_MAX, SIZE_MAX);
  const double value = it->outcome->value;
  const bool is_cost = property->kind == TOOL_PROPERTY_COUNTER && !property->relation;
  if (!keep_names(it))
    return TOOL_CALL;
  if (is_cost && all != TOOL_VERDICT_UNKNOWN)
    return find_cost(it, value);
  it->axis = BISECT_MLIR;
  store(it, it->n_mlir); /* the whole pipeline is its last position */
  if (all == TOOL_VERDICT_SHOWN)
    return mode_of(it) == TOOL_PROBE_COMPILE ? find_compilation_fault(it) : search(it, value);
  if (tool_interrupt_is_caught()) {
    bisect_report_interrupted(it, NULL);
    return TOOL_CALL;
  }
  if (all == TOOL_VERDICT_UNKNOWN && is_interpretable(it) && it->outcome->ran)
    return search_without_emulator(it);
  bisect_report_not_shown(it);
  return it->settings->all && all == TOOL_VERDICT_CLEAN && mode_of(it) == TOOL_PROBE_EMULATE ? list_all(it, all)
                                                                                             : TOOL_PROGRAM;
}

/* The launch for which a search runs.
 *
 *   --grid 64,64 --arg M=4096 --arg N=4096 --arg K=4096    the emulator would take hours
 *   --grid 1 --arg M=64 --arg N=64 --arg K=64              shows the property, too: the search uses this one
 *
 * Sizes are tried from small to large, by factors of 4. A launch is used if the whole pipeline shows the property on it,
 * and some part of the pipeline does not: a launch that suits no correct kernel would show wrong numbers for any. */
#include "tools/nereid/bisect/bisection.h"
#include "tools/nereid/bisect/sizes.h"
#include "tools/nereid/interrupt.h"

#include <stdio.h>

enum {
  MAX_TIME = 5,        /* seconds that the given launch may take before smaller ones are tried */
  MAX_SMALL_TIME = 20, /* seconds of a smaller launch, the last one of which is about as long as all before it */
  MIN_SIZE = 64,
  FACTOR = 4,
};

/* Probes a launch with the results of the interpreter, which are computed in the same process. */
static tool_verdict_t probe(bisection_t *it, tool_case_t *subject, const tool_probe_request_t *request, int64_t limit) {
  subject->expects = true;
  subject->time_limit = limit < it->settings->time_limit ? limit : it->settings->time_limit;
  tool_probe_run(subject, request, it->outcome);
  return it->outcome->verdict;
}

/* Returns whether some part of the pipeline is without the property: without LLVM's passes, or MLIR's. */
static bool has_clean_part(bisection_t *it, tool_case_t *subject, tool_probe_mode_t mode) {
  const tool_probe_request_t parts[] = {{.mode = mode, .mlir = 0, .llvm = SIZE_MAX},
                                        {.mode = mode, .mlir = SIZE_MAX, .llvm = 0}};
  for (size_t i = 0; i < TOOL_COUNT(parts); ++i)
    if (probe(it, subject, &parts[i], MAX_SMALL_TIME) == TOOL_VERDICT_CLEAN)
      return true;
  return false;
}

/* Replaces the launch of the subject by a smaller one with the property. False: there is none. */
static bool shrink(bisection_t *it, tool_probe_mode_t mode) {
  const tool_probe_request_t whole = {.mode = mode, .mlir = SIZE_MAX, .llvm = SIZE_MAX};
  for (int64_t size = MIN_SIZE; size < INT32_MAX && !tool_interrupt_is_caught(); size *= FACTOR) {
    tool_case_t small = it->subject;
    small.settings = tool_sizes_limit(it->arena, &it->subject, size, false);
    if (tool_sizes_equal(&small.settings, &it->subject.settings))
      return false;
    for (int rows = 1; rows >= 0; --rows) {
      small.settings = tool_sizes_limit(it->arena, &it->subject, size, rows);
      const tool_verdict_t verdict = probe(it, &small, &whole, MAX_SMALL_TIME);
      if (it->settings->verbose)
        fprintf(stderr, "sizes up to %lld%s: %s\n", (long long)size, rows ? ", fewer rows" : "", it->outcome->text);
      if (verdict == TOOL_VERDICT_CLEAN)
        break; /* all rows have the same result */
      if (verdict != TOOL_VERDICT_SHOWN || !has_clean_part(it, &small, mode))
        continue;
      it->subject.settings = small.settings;
      return true;
    }
  }
  return false;
}

static bool is_choice(const bisection_t *it, const char *choice) {
  return strcmp(it->settings->shrink ? it->settings->shrink : "auto", choice) == 0;
}

/* Probes the given launch; if that takes too long, smaller ones. Sets whether the launch was replaced. */
static void probe_launch(bisection_t *it, tool_probe_mode_t mode, bool *out_smaller) {
  const tool_probe_request_t whole = {.mode = mode, .mlir = SIZE_MAX, .llvm = SIZE_MAX};
  const bool is_counter = it->subject.property.kind == TOOL_PROPERTY_COUNTER; /* its values depend on the launch */
  const bool never = is_counter || is_choice(it, "never");
  tool_case_t given = it->subject;
  *out_smaller = !is_counter && is_choice(it, "always") && shrink(it, mode);
  if (*out_smaller)
    return;
  (void)probe(it, &given, &whole, never ? INT64_MAX : MAX_TIME);
  if (never || !it->outcome->timed_out || tool_interrupt_is_caught())
    return;
  *out_smaller = shrink(it, mode);
  if (!*out_smaller && !tool_interrupt_is_caught())
    (void)probe(it, &given, &whole, INT64_MAX);
}

int bisect_choose_launch(bisection_t *it, tool_probe_mode_t mode, tool_verdict_t *out_verdict) {
  const tool_probe_request_t whole = {.mode = mode, .mlir = SIZE_MAX, .llvm = SIZE_MAX};
  const run_settings_t given = it->subject.settings;
  nereid_message_t message = {""};
  bool smaller;
  probe_launch(it, mode, &smaller);
  *out_verdict = it->outcome->verdict;
  if (!smaller && !it->outcome->ran && !it->outcome->rejected)
    return TOOL_CONTINUE; /* it does not compile, or the interpreter takes too long */
  const nereid_status_t status = tool_case_expect(it->arena, &it->subject, &message);
  if (status)
    return tool_failed(&tool_command_bisect, status, &message);
  if (!smaller)
    return TOOL_CONTINUE;
  bisect_report_launch(it, &given);
  tool_probe_run(&it->subject, &whole, it->outcome); /* the last probe was that of a part of the pipeline */
  *out_verdict = it->outcome->verdict;
  return TOOL_CONTINUE;
}

/* The launch for which a search runs: the given one, unless it takes too long.
 *
 *   given launch, 5 seconds | over: smaller launches (launch.c) | none: the given one, up to --timeout */
#include "tools/nereid/bisect/bisection.h"
#include "tools/nereid/bisect/launch.h"
#include "tools/nereid/interrupt.h"

static tool_launch_t launch_of(bisection_t *it) {
  return (tool_launch_t){.arena = it->arena,
                         .subject = &it->subject,
                         .outcome = it->outcome,
                         .time_limit = it->settings->time_limit,
                         .verbose = it->settings->verbose};
}

static bool is_choice(const bisection_t *it, const char *choice) {
  return strcmp(it->settings->shrink ? it->settings->shrink : "auto", choice) == 0;
}

/* Probes the given launch; if that takes too long, smaller ones. Sets whether the launch was replaced. */
static void probe_launch(bisection_t *it, tool_probe_mode_t mode, bool *out_smaller) {
  const tool_probe_request_t whole = {.mode = mode, .mlir = SIZE_MAX, .llvm = SIZE_MAX};
  const tool_launch_t launch = launch_of(it);
  const bool is_counter = it->subject.property.kind == TOOL_PROPERTY_COUNTER; /* its values depend on the launch */
  const bool never = is_counter || is_choice(it, "never");
  const tool_case_t given = it->subject;
  *out_smaller = !is_counter && is_choice(it, "always") && tool_launch_shrink(&launch, mode);
  if (*out_smaller)
    return;
  (void)tool_launch_probe(&launch, &given, &whole, never ? INT64_MAX : TOOL_GIVEN_LAUNCH_TIME);
  if (never || !it->outcome->timed_out || tool_interrupt_is_caught())
    return;
  *out_smaller = tool_launch_shrink(&launch, mode);
  if (!*out_smaller && !tool_interrupt_is_caught())
    (void)tool_launch_probe(&launch, &given, &whole, INT64_MAX);
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

/* Smaller launches with the same property.
 *
 *   --grid 64,64 --arg M=4096 --arg N=4096 --arg K=4096    the emulator would take hours
 *   --grid 1 --arg M=64 --arg N=64 --arg K=64              shows the property, too
 *
 * Sizes are tried from small to large, by factors of 4. A launch is used if the whole pipeline shows the property on
 * it, and some part of the pipeline does not: a launch that suits no kernel would show wrong numbers for any. */
#include "tools/nereid/bisect/launch.h"

#include "tools/nereid/bisect/sizes.h"
#include "tools/nereid/interrupt.h"

#include <stdio.h>

enum {
  MAX_SMALL_TIME = 20, /* seconds of a smaller launch, the last one of which is about as long as all before it */
  MIN_SIZE = 64,
  FACTOR = 4,
};

tool_verdict_t tool_launch_probe(const tool_launch_t *it, const tool_case_t *subject,
                                 const tool_probe_request_t *request, int64_t limit) {
  tool_case_t probed = *subject;
  probed.expects = true;
  probed.time_limit = limit < it->time_limit ? limit : it->time_limit;
  tool_probe_run(&probed, request, it->outcome);
  return it->outcome->verdict;
}

/* Returns whether some part of the pipeline is without the property: without LLVM's passes, or MLIR's. */
static bool has_clean_part(const tool_launch_t *it, const tool_case_t *subject, tool_probe_mode_t mode) {
  const tool_probe_request_t parts[] = {{.mode = mode, .mlir = 0, .llvm = SIZE_MAX},
                                        {.mode = mode, .mlir = SIZE_MAX, .llvm = 0}};
  for (size_t i = 0; i < TOOL_COUNT(parts); ++i)
    if (tool_launch_probe(it, subject, &parts[i], MAX_SMALL_TIME) == TOOL_VERDICT_CLEAN)
      return true;
  return false;
}

bool tool_launch_shrink(const tool_launch_t *it, tool_probe_mode_t mode) {
  const tool_probe_request_t whole = {.mode = mode, .mlir = SIZE_MAX, .llvm = SIZE_MAX};
  for (int64_t size = MIN_SIZE; size < INT32_MAX && !tool_interrupt_is_caught(); size *= FACTOR) {
    tool_case_t small = *it->subject;
    small.settings = tool_sizes_limit(it->arena, it->subject, size, false);
    if (tool_sizes_equal(&small.settings, &it->subject->settings))
      return false;
    for (int rows = 1; rows >= 0; --rows) {
      small.settings = tool_sizes_limit(it->arena, it->subject, size, rows);
      const tool_verdict_t verdict = tool_launch_probe(it, &small, &whole, MAX_SMALL_TIME);
      if (it->verbose)
        fprintf(stderr, "sizes up to %lld%s: %s\n", (long long)size, rows ? ", fewer rows" : "", it->outcome->text);
      if (verdict == TOOL_VERDICT_CLEAN)
        break; /* all rows have the same result */
      if (verdict != TOOL_VERDICT_SHOWN || !has_clean_part(it, &small, mode))
        continue;
      it->subject->settings = small.settings;
      return true;
    }
  }
  return false;
}

/* Bisection with unknown verdicts. */
#include "tools/nereid/bisect/search.h"

/* Asks positions from the middle of the interval outwards, until one is known. Returns it, or `high`. */
static size_t next_known(size_t low, size_t high, tool_question_t ask, void *user_data, tool_verdict_t *out_verdict,
                         size_t *asked) {
  const size_t middle = low + (high - low) / 2;
  for (size_t distance = 0; distance < high - low; ++distance)
    for (int side = 0; side < (distance ? 2 : 1); ++side) {
      const size_t k = side ? middle - distance : middle + distance;
      if (k <= low || k >= high)
        continue;
      ++*asked;
      *out_verdict = ask(user_data, k);
      if (*out_verdict == TOOL_VERDICT_CLEAN || *out_verdict == TOOL_VERDICT_SHOWN)
        return k;
    }
  return high;
}

tool_search_t tool_search_run(size_t first, size_t last, tool_question_t ask, void *user_data) {
  tool_search_t search = {.clean = first, .shown = last};
  while (search.shown - search.clean > 1) {
    tool_verdict_t verdict = TOOL_VERDICT_UNKNOWN;
    const size_t k = next_known(search.clean, search.shown, ask, user_data, &verdict, &search.asked);
    if (k == search.shown)
      break;
    if (verdict == TOOL_VERDICT_CLEAN)
      search.clean = k;
    else
      search.shown = k;
  }
  return search;
}

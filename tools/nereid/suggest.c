/* Computes the Levenshtein distance with transpositions of adjacent letters, over three rows of the table:
 *
 *   --num-wraps  →  --num-warps    one transposition
 *   --num_warps  →  --num-warps    one substitution */
#include "tools/nereid/tool.h"

enum { MAX_WORD = 64 };

static size_t smallest(size_t a, size_t b, size_t c) {
  const size_t least = a < b ? a : b;
  return least < c ? least : c;
}

static size_t distance(nereid_view_t a, nereid_view_t b) {
  size_t rows[3][MAX_WORD + 1], *before = rows[0], *last = rows[1], *next = rows[2];
  for (size_t k = 0; k <= b.size; k++)
    last[k] = k;
  for (size_t i = 1; i <= a.size; i++) {
    next[0] = i;
    for (size_t k = 1; k <= b.size; k++) {
      next[k] = smallest(last[k] + 1, next[k - 1] + 1, last[k - 1] + (a.data[i - 1] != b.data[k - 1]));
      if (i > 1 && k > 1 && a.data[i - 1] == b.data[k - 2] && a.data[i - 2] == b.data[k - 1])
        next[k] = smallest(next[k], before[k - 2] + 1, next[k]);
    }
    size_t *const free = before;
    before = last;
    last = next;
    next = free;
  }
  return last[b.size];
}

const char *tool_suggest(const char *word, const void *names, size_t count, size_t stride) {
  const nereid_view_t given = nereid_view_of(word, strcspn(word, "="));
  const char *best = NULL;
  size_t least = given.size / 3 < 2 ? given.size / 3 : 2;
  if (given.size > MAX_WORD)
    return NULL;
  for (size_t i = 0; i < count; i++) {
    const char *name = *(const char *const *)((const char *)names + i * stride);
    const size_t far = strlen(name) > MAX_WORD ? SIZE_MAX : distance(given, nereid_view(name));
    if (far < least || (far == least && !best)) {
      best = name;
      least = far;
    }
  }
  return best;
}

/* Matches the operations of two snapshots in rounds, from the strictest to the weakest criterion.
 *
 *   0  as 1, operations with regions only: an operation that crosses a loop moves, and not the loop
 *   1  the whole expression: text without names, location, and the same of each operand
 *   2  text without names, location
 *   3  1, then 2, anywhere in the function: a moved operation
 *   4  text of an operation without operands, in order, then anywhere: a constant that folding created again
 *   5  name of the operation, location
 *   6  name of the operation, nesting
 *
 * All rounds but 3 and 4 keep the order of the operations (tool_sequence_match), within the gaps that earlier rounds
 * left. A match of operations is a match of their values. An operation of a matched pair is unchanged if its text is
 * equal after the values are renamed, so the result is complete for any matching: a poor one shows more. */
#include "tools/nereid/diff/match.h"

#include "base/map.h"
#include "tools/nereid/diff/sequence.h"

#include <stdlib.h>

enum { MAX_PAIRS = 4000000 }; /* pairs of equal keys in one round; 24 bytes each */

/* The operations of one function in one snapshot: a range of the list, since a function's operations are contiguous. */
typedef struct range {
  uint32_t first, end;
} range_t;

typedef struct matcher {
  nereid_arena_t *arena, scratch;
  tool_match_t *match;
  uint64_t *plain[2];  /* per operation: text without names, and location */
  uint64_t *strict[2]; /* the same with that of its operands */
  uint64_t *outer[2];  /* the same for an operation with other operations in it, else 0 */
  uint64_t *leaf[2];   /* text without names of an operation without operands and regions, else 0 */
  uint64_t *weak[2];   /* name and location */
  uint64_t *name[2];   /* name and depth */
} matcher_t;

static const tool_snapshot_t *side_of(const matcher_t *it, int side) {
  return side ? it->match->after : it->match->before;
}

/* --- keys --- */

static uint64_t hash_text(const tool_op_t *op) {
  uint64_t hash = tool_hash(0, op->name, strlen(op->name));
  uint32_t at = op->rhs;
  for (uint32_t i = 0; i < op->n_tokens; ++i) {
    hash = tool_hash(hash, op->text + at, op->tokens[i].start - at);
    at = op->tokens[i].start + op->tokens[i].length;
  }
  return tool_hash(hash, op->text + at, strlen(op->text + at));
}

static uint64_t mix(uint64_t a, uint64_t b) {
  return tool_hash(a, &b, sizeof b);
}

/* Operands that follow in the list, through a branch to an earlier block, have no key yet and count as equal. */
static uint64_t strict_key(const tool_snapshot_t *snapshot, const uint64_t *strict, uint32_t index) {
  const tool_op_t *op = &snapshot->ops[index];
  uint64_t key = mix(hash_text(op), op->place);
  for (uint32_t i = 0; i < op->n_tokens; ++i) {
    if (op->tokens[i].is_block)
      continue;
    const tool_value_t *value = &snapshot->values[op->tokens[i].target];
    key = mix(key, value->op < index ? strict[value->op] : 0);
    key = mix(key, op->tokens[i].target - snapshot->ops[value->op].first_value);
  }
  return key;
}

static bool make_keys(matcher_t *it, int side) {
  const tool_snapshot_t *snapshot = side_of(it, side);
  uint64_t **keys[] = {&it->plain[side], &it->strict[side], &it->outer[side],
                       &it->leaf[side],  &it->weak[side],   &it->name[side]};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
    if (!(*keys[i] = nereid_arena_new(&it->scratch, uint64_t, snapshot->n_ops)))
      return false;
  for (uint32_t i = 0; i < snapshot->n_ops; ++i) {
    const tool_op_t *op = &snapshot->ops[i];
    const uint64_t name = tool_hash(0, op->name, strlen(op->name));
    it->plain[side][i] = mix(hash_text(op), op->place);
    it->strict[side][i] = strict_key(snapshot, it->strict[side], i);
    const bool contains = i + 1 < snapshot->n_ops && snapshot->ops[i + 1].parent == i;
    it->outer[side][i] = contains ? it->strict[side][i] : 0;
    it->leaf[side][i] = !contains && op->n_results && !op->n_tokens ? hash_text(op) : 0;
    it->weak[side][i] = op->place ? mix(name, op->place) : 0;
    it->name[side][i] = mix(name, op->depth);
  }
  return true;
}

/* --- rounds --- */

static void pair(matcher_t *it, uint32_t a, uint32_t b) {
  it->match->to_after[a] = b;
  it->match->to_before[b] = a;
}

/* Matches the unmatched operations in two ranges by key, in order. */
static bool match_range(matcher_t *it, uint64_t *const keys[2], range_t a, range_t b) {
  uint32_t n[2] = {0, 0};
  uint32_t *index[2] = {nereid_arena_new(&it->scratch, uint32_t, a.end - a.first + 1),
                        nereid_arena_new(&it->scratch, uint32_t, b.end - b.first + 1)};
  uint64_t *key[2] = {nereid_arena_new(&it->scratch, uint64_t, a.end - a.first + 1),
                      nereid_arena_new(&it->scratch, uint64_t, b.end - b.first + 1)};
  uint32_t *found = nereid_arena_new(&it->scratch, uint32_t, a.end - a.first + 1);
  if (!index[0] || !index[1] || !key[0] || !key[1] || !found)
    return false;
  for (int side = 0; side < 2; ++side) {
    const range_t range = side ? b : a;
    const uint32_t *matched = side ? it->match->to_before : it->match->to_after;
    for (uint32_t i = range.first; i < range.end; ++i)
      if (matched[i] == TOOL_NO_MATCH) {
        index[side][n[side]] = i;
        key[side][n[side]++] = keys[side][i];
      }
  }
  if (!tool_sequence_match(&it->scratch, key[0], n[0], key[1], n[1], MAX_PAIRS, found))
    return false;
  for (uint32_t i = 0; i < n[0]; ++i)
    if (found[i] != UINT32_MAX)
      pair(it, index[0][i], index[1][found[i]]);
  return true;
}

/* Matches within the gaps between matched pairs that are in order in both ranges. */
static bool match_gaps(matcher_t *it, uint64_t *const keys[2], range_t a, range_t b) {
  range_t left = {a.first, a.first}, right = {b.first, b.first};
  for (uint32_t i = a.first; i <= a.end; ++i) {
    const uint32_t j = i < a.end ? it->match->to_after[i] : b.end;
    const bool in_order = i == a.end || (j != TOOL_NO_MATCH && !it->match->moved[j] && j >= right.first);
    if (!in_order)
      continue;
    left.end = i;
    right.end = j;
    if (left.end > left.first && right.end > right.first && !match_range(it, keys, left, right))
      return false;
    left.first = i + 1;
    right.first = j + 1;
  }
  return true;
}

typedef struct keyed {
  uint64_t key;
  uint32_t op;
} keyed_t;

static int by_key(const void *left, const void *right) {
  const keyed_t *x = left, *y = right;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->op < y->op ? -1 : x->op > y->op;
}

static keyed_t *sort_unmatched(matcher_t *it, const uint64_t *keys, const uint32_t *matched, range_t range,
                               uint32_t *out_n) {
  keyed_t *list = nereid_arena_new(&it->scratch, keyed_t, range.end - range.first + 1);
  *out_n = 0;
  for (uint32_t i = range.first; list && i < range.end; ++i)
    if (matched[i] == TOOL_NO_MATCH && keys[i])
      list[(*out_n)++] = (keyed_t){keys[i], i};
  if (list)
    qsort(list, *out_n, sizeof *list, by_key);
  return list;
}

/* Matches the unmatched operations of equal keys anywhere in the ranges, and marks them as moved. */
static bool match_moved(matcher_t *it, uint64_t *const keys[2], range_t a, range_t b) {
  uint32_t n[2], i = 0, j = 0;
  const keyed_t *left = sort_unmatched(it, keys[0], it->match->to_after, a, &n[0]);
  const keyed_t *right = sort_unmatched(it, keys[1], it->match->to_before, b, &n[1]);
  if (!left || !right)
    return false;
  while (i < n[0] && j < n[1]) {
    if (left[i].key == right[j].key) {
      it->match->moved[right[j].op] = true;
      pair(it, left[i++].op, right[j++].op);
    } else if (left[i].key < right[j].key) {
      ++i;
    } else {
      ++j;
    }
  }
  return true;
}

static bool match_function(matcher_t *it, range_t a, range_t b) {
  const range_t left = {a.first + 1, a.end}, right = {b.first + 1, b.end};
  pair(it, a.first, b.first);
  return match_range(it, it->outer, left, right) && match_gaps(it, it->strict, left, right) &&
         match_gaps(it, it->plain, left, right) && match_moved(it, it->strict, left, right) &&
         match_moved(it, it->plain, left, right) && match_gaps(it, it->leaf, left, right) &&
         match_moved(it, it->leaf, left, right) && match_gaps(it, it->weak, left, right) &&
         match_gaps(it, it->name, left, right);
}

/* --- values --- */

/* Matches two lists of values: by position if they have the same length, else in order by type and location. */
static bool match_values(matcher_t *it, uint32_t a, uint32_t n_a, uint32_t b, uint32_t n_b) {
  uint32_t *found = nereid_arena_new(&it->scratch, uint32_t, n_a + 1);
  uint64_t *keys[2] = {nereid_arena_new(&it->scratch, uint64_t, n_a + 1),
                       nereid_arena_new(&it->scratch, uint64_t, n_b + 1)};
  if (!found || !keys[0] || !keys[1])
    return false;
  for (int side = 0; side < 2; ++side)
    for (uint32_t i = 0; i < (side ? n_b : n_a); ++i) {
      const tool_value_t *value = &side_of(it, side)->values[(side ? b : a) + i];
      keys[side][i] = mix(tool_hash(0, value->type, strlen(value->type)), value->key);
    }
  if (n_a != n_b && !tool_sequence_match(&it->scratch, keys[0], n_a, keys[1], n_b, MAX_PAIRS, found))
    return false;
  for (uint32_t i = 0; i < n_a; ++i) {
    const uint32_t to = n_a == n_b ? i : found[i];
    it->match->value_after[a + i] = to == UINT32_MAX ? TOOL_NO_MATCH : b + to;
  }
  return true;
}

/* A loop has one block argument more than results: the results correspond as the arguments do. */
static bool match_values_of(matcher_t *it, const tool_op_t *a, const tool_op_t *b) {
  if (!match_values(it, a->first_value, a->n_results, b->first_value, b->n_results) ||
      !match_values(it, a->first_value + a->n_results, a->n_arguments, b->first_value + b->n_results, b->n_arguments))
    return false;
  const bool loops = a->n_arguments == a->n_results + 1 && b->n_arguments == b->n_results + 1;
  for (uint32_t i = 0; loops && i < a->n_results; ++i) {
    const uint32_t argument = it->match->value_after[a->first_value + a->n_results + 1 + i];
    const uint32_t first = b->first_value + b->n_results + 1;
    const bool has_result = argument != TOOL_NO_MATCH && argument >= first;
    it->match->value_after[a->first_value + i] = has_result ? b->first_value + (argument - first) : TOOL_NO_MATCH;
  }
  return true;
}

/* --- text --- */

/* The name in `after` of a token of `before`, or its own with a mark. */
static const char *renamed(nereid_arena_t *arena, const tool_match_t *match, const tool_op_t *op,
                           const tool_token_t *token) {
  const uint32_t to = token->is_block ? match->to_after[token->target] : match->value_after[token->target];
  if (to == TOOL_NO_MATCH)
    return nereid_arena_format(arena, "%.*s'", (int)token->length, op->text + token->start);
  if (!token->is_block)
    return match->after->values[to].token;
  const char *text = match->after->ops[to].text;
  return *text == '^' ? nereid_arena_format(arena, "%.*s", (int)strcspn(text, "(:"), text) : "^bb0";
}

/* "%5 = " or "%5:2 = " with the name in `after`, if there is one. */
static const char *renamed_results(nereid_arena_t *arena, const tool_match_t *match, uint32_t index) {
  const tool_op_t *op = &match->before->ops[index];
  const uint32_t to = match->to_after[index];
  if (!op->rhs)
    return "";
  if (to != TOOL_NO_MATCH && match->after->ops[to].n_results == op->n_results)
    return nereid_arena_format(arena, "%.*s", (int)match->after->ops[to].rhs, match->after->ops[to].text);
  const size_t length = strcspn(op->text, ": ");
  return nereid_arena_format(arena, "%.*s'%.*s", (int)length, op->text, (int)(op->rhs - length), op->text + length);
}

const char *tool_match_text(nereid_arena_t *arena, const tool_match_t *match, uint32_t index) {
  const tool_op_t *op = &match->before->ops[index];
  const char *text = renamed_results(arena, match, index);
  uint32_t at = op->rhs;
  for (uint32_t i = 0; text && i < op->n_tokens; ++i) {
    const char *name = renamed(arena, match, op, &op->tokens[i]);
    if (!name)
      return NULL;
    text = nereid_arena_format(arena, "%s%.*s%s", text, (int)(op->tokens[i].start - at), op->text + at, name);
    at = op->tokens[i].start + op->tokens[i].length;
  }
  return text ? nereid_arena_format(arena, "%s%s", text, op->text + at) : NULL;
}

/* --- all --- */

/* Returns the end of the operations below `first`, itself included. */
static uint32_t end_of(const tool_snapshot_t *snapshot, uint32_t first) {
  uint32_t end = first + 1;
  while (end < snapshot->n_ops && snapshot->ops[end].depth > snapshot->ops[first].depth)
    ++end;
  return end;
}

static uint32_t find_symbol(const tool_snapshot_t *snapshot, const char *symbol) {
  for (uint32_t i = 1; i < snapshot->n_ops; i = end_of(snapshot, i))
    if (snapshot->ops[i].symbol && strcmp(snapshot->ops[i].symbol, symbol) == 0)
      return i;
  return TOOL_NO_MATCH;
}

static bool match_functions(matcher_t *it) {
  const tool_snapshot_t *before = it->match->before, *after = it->match->after;
  if (!before->n_ops || !after->n_ops)
    return true;
  pair(it, 0, 0);
  for (uint32_t i = 1; i < before->n_ops; i = end_of(before, i)) {
    const uint32_t j = before->ops[i].symbol ? find_symbol(after, before->ops[i].symbol) : TOOL_NO_MATCH;
    if (j != TOOL_NO_MATCH && !match_function(it, (range_t){i, end_of(before, i)}, (range_t){j, end_of(after, j)}))
      return false;
  }
  return true;
}

static tool_change_t classify(matcher_t *it, uint32_t b) {
  const tool_match_t *match = it->match;
  const uint32_t a = match->to_before[b];
  if (a == TOOL_NO_MATCH)
    return TOOL_CHANGE_ADDED;
  const char *text = tool_match_text(&it->scratch, match, a);
  if (!text || strcmp(text, match->after->ops[b].text) != 0)
    return TOOL_CHANGE_EDITED;
  const bool moved = match->moved[b] || match->to_after[match->before->ops[a].parent] != match->after->ops[b].parent;
  return moved ? TOOL_CHANGE_MOVED : TOOL_CHANGE_NONE;
}

static bool run(matcher_t *it) {
  tool_match_t *match = it->match;
  if (!make_keys(it, 0) || !make_keys(it, 1) || !match_functions(it))
    return false;
  for (uint32_t i = 0; i < match->before->n_ops; ++i)
    if (match->to_after[i] != TOOL_NO_MATCH &&
        !match_values_of(it, &match->before->ops[i], &match->after->ops[match->to_after[i]]))
      return false;
  for (uint32_t i = 0; i < match->after->n_ops; ++i)
    match->change[i] = classify(it, i);
  return !it->scratch.failed;
}

static uint32_t *new_indices(nereid_arena_t *arena, uint32_t n) {
  uint32_t *indices = nereid_arena_new(arena, uint32_t, n + 1);
  for (uint32_t i = 0; indices && i < n; ++i)
    indices[i] = TOOL_NO_MATCH;
  return indices;
}

const tool_match_t *tool_match_create(nereid_arena_t *arena, const tool_snapshot_t *before,
                                      const tool_snapshot_t *after) {
  tool_match_t *match = nereid_arena_new(arena, tool_match_t, 1);
  matcher_t it = {.arena = arena, .match = match};
  if (!match)
    return NULL;
  *match = (tool_match_t){before,
                          after,
                          new_indices(arena, before->n_ops),
                          new_indices(arena, after->n_ops),
                          new_indices(arena, before->n_values),
                          nereid_arena_new(arena, bool, after->n_ops + 1),
                          nereid_arena_new(arena, tool_change_t, after->n_ops + 1)};
  nereid_arena_initialize(&it.scratch);
  const bool done = !arena->failed && run(&it);
  nereid_arena_deinitialize(&it.scratch);
  return done ? match : NULL;
}

uint32_t tool_match_count(const tool_match_t *match, tool_change_t change) {
  uint32_t count = 0;
  if (change == TOOL_CHANGE_REMOVED) {
    for (uint32_t i = 1; i < match->before->n_ops; ++i)
      count += match->to_after[i] == TOOL_NO_MATCH;
    return count;
  }
  for (uint32_t i = 1; i < match->after->n_ops; ++i)
    count += match->change[i] == change;
  return count;
}

/* Violations that the hardware tolerates. They are recorded per cluster, one per rule and instruction with the first
 * offending thread, and merged after the run.
 *
 *   mbarrier.init of an initialized mbarrier   ->   violation mbarrier-reuse: k.ptx:12: ..., 4 times
 *
 * There the new object replaces the old one. */
#include "emulator/checks/rules.h"

#include "emulator/checks/watch.h"

#include <stdarg.h>
#include <stdlib.h>

static const struct {
  const char *name, *section, *summary;
} rules[] = {
#define X(id, name, section, summary) {name, section, summary},
    NEREID_EMULATOR_RULES(X)
#undef X
};

const char *nereid_emulator_rule_name(nereid_emulator_rule_t rule) {
  return (unsigned)rule < NEREID_EMULATOR_RULE_COUNT ? rules[rule].name : NULL;
}

const char *nereid_emulator_rule_section(nereid_emulator_rule_t rule) {
  return (unsigned)rule < NEREID_EMULATOR_RULE_COUNT ? rules[rule].section : NULL;
}

const char *nereid_emulator_rule_summary(nereid_emulator_rule_t rule) {
  return (unsigned)rule < NEREID_EMULATOR_RULE_COUNT ? rules[rule].summary : NULL;
}

static bool same(const nereid_emulator_violation_t *a, const nereid_emulator_violation_t *b) {
  return a->rule == b->rule && a->place.text.data == b->place.text.data;
}

/* Orders by CTA and thread. */
static bool is_earlier(const nereid_emulator_violation_t *a, const nereid_emulator_violation_t *b) {
  for (int i = 2; i >= 0; --i)
    if (a->cta[i] != b->cta[i])
      return a->cta[i] < b->cta[i];
  return false;
}

static bool add(nereid_arena_t *arena, emu_violations_t *all, const nereid_emulator_violation_t *found) {
  for (size_t i = 0; i < all->items.size; ++i) {
    nereid_emulator_violation_t *old = &all->items.data[i];
    if (!same(old, found))
      continue;
    const uint64_t count = old->count + found->count;
    if (is_earlier(found, old)) {
      *old = *found;
      old->sentence = nereid_arena_copy(arena, nereid_view(found->sentence));
    }
    old->count = count;
    return old->sentence != NULL;
  }
  nereid_emulator_violation_t copy = *found;
  copy.sentence = nereid_arena_copy(arena, nereid_view(found->sentence));
  return copy.sentence && nereid_vector_push(arena, &all->items, copy);
}

emu_next_t nereid_emulator_violate(emu_warp_t *warp, const emu_insn_t *insn, int lane, nereid_emulator_rule_t rule,
                                   const char *format, ...) {
  emu_cluster_t *cluster = warp->cta->cluster;
  char sentence[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  if (cluster->launch->stop_on >> rule & 1)
    return nereid_emulator_fail(warp, insn, lane, "%s (rule %s)", sentence, rules[rule].name);
  nereid_emulator_violation_t found = {.rule = rule, .count = 1, .sentence = sentence};
  nereid_emulator_locate(warp, insn, lane, &found.place, found.thread, found.cta);
  if (!cluster->violations)
    cluster->violations = nereid_arena_new(&cluster->arena, emu_violations_t, 1);
  if (cluster->violations && add(&cluster->arena, cluster->violations, &found))
    return EMU_ADVANCE;
  return nereid_emulator_fail(warp, insn, lane, "out of memory for a violation");
}

bool nereid_emulator_violations_collect(const emu_cluster_t *cluster, nereid_arena_t *arena, emu_violations_t *all) {
  bool good = true;
  for (size_t i = 0; cluster->violations && good && i < cluster->violations->items.size; ++i)
    good = add(arena, all, &cluster->violations->items.data[i]);
  return good;
}

static int by_place(const void *a, const void *b) {
  const nereid_emulator_violation_t *one = a, *other = b;
  const char *x = one->place.text.data, *y = other->place.text.data;
  return x != y ? (x > y) - (x < y) : (int)one->rule - (int)other->rule;
}

void nereid_emulator_violations_sort(emu_violations_t *all) {
  if (all->items.size)
    qsort(all->items.data, all->items.size, sizeof *all->items.data, by_place);
}

void nereid_emulator_violation_print(const nereid_emulator_violation_t *it, FILE *file) {
  fprintf(file, "violation: %s, %llu %s (PTX ISA, %s)\n", rules[it->rule].name, (unsigned long long)it->count,
          it->count == 1 ? "time" : "times", rules[it->rule].section);
  fprintf(file, "  %s:%u%s%s%s: %.*s: thread (%u,%u,%u) of CTA (%u,%u,%u): %s\n", it->place.program, it->place.line,
          it->place.source ? " (" : "", it->place.source ? it->place.source : "", it->place.source ? ")" : "",
          (int)it->place.text.size, it->place.text.data, it->thread[0], it->thread[1], it->thread[2], it->cta[0],
          it->cta[1], it->cta[2], it->sentence);
}

/* Vector clocks: immutable, reference counted, joined at synchronization.
 *
 *   {cta 3: thread 0 up to 5, thread 1 up to 5, ...} + {cta 3: thread 0 up to 7, ...}; {cta 9: ...}
 *
 * A clock has one part per CTA. Clocks share parts: a join does not copy a part that one side lacks or that both
 * share. */
#include "emulator/race/private.h"

#include <stdlib.h>

race_clock_t *nereid_emulator_race_clock_keep(race_clock_t *clock) {
  if (clock)
    clock->references++;
  return clock;
}

static void drop_part(race_part_t *part) {
  if (part && --part->references == 0)
    free(part);
}

void nereid_emulator_race_clock_drop(race_clock_t *clock) {
  if (!clock || --clock->references)
    return;
  for (uint32_t i = 0; i < clock->n; ++i)
    drop_part(clock->parts[i]); /* NOLINT(clang-analyzer-unix.Malloc): the analyzer does not model reference counts */
  nereid_emulator_race_clock_drop(clock->fences);
  nereid_emulator_race_clock_drop(clock->pending);
  free(clock);
}

static race_clock_t *new_clock(emu_race_t *race, uint32_t n) {
  race_clock_t *clock = malloc(sizeof *clock + n * sizeof(race_part_t *));
  if (!clock) {
    race->failed = true;
    return NULL;
  }
  clock->references = 1;
  clock->n = 0;
  clock->fences = clock->pending = NULL;
  clock->serial = ++race->serial;
  return clock;
}

static race_part_t *new_part(emu_race_t *race, uint32_t cta) {
  race_part_t *part = calloc(1, sizeof *part + (size_t)race->n_actors * RACE_VIEWS * sizeof(uint32_t));
  if (!part) {
    race->failed = true;
    return NULL;
  }
  part->references = 1;
  part->cta = cta;
  return part;
}

const race_part_t *nereid_emulator_race_clock_part(const race_clock_t *clock, uint32_t cta) {
  uint32_t low = 0, high = clock ? clock->n : 0;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (clock->parts[middle]->cta == cta)
      return clock->parts[middle];
    if (clock->parts[middle]->cta < cta)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

/* The maximum of each time; a new reference. */
static race_part_t *join_parts(emu_race_t *race, race_part_t *a, race_part_t *b) {
  bool a_is_enough = true, b_is_enough = true;
  uint32_t n = race->n_actors * RACE_VIEWS;
  for (uint32_t i = 0; a != b && i < n; ++i) {
    a_is_enough &= a->times[i] >= b->times[i];
    b_is_enough &= b->times[i] >= a->times[i];
  }
  if (a_is_enough || b_is_enough) {
    race_part_t *enough = a_is_enough ? a : b;
    enough->references++;
    return enough;
  }
  race_part_t *joined = new_part(race, a->cta);
  for (uint32_t i = 0; joined && i < n; ++i)
    joined->times[i] = a->times[i] > b->times[i] ? a->times[i] : b->times[i];
  return joined;
}

race_clock_t *nereid_emulator_race_clock_join(emu_race_t *race, race_clock_t *a, race_clock_t *b) {
  if (a == b || !b || !a)
    return nereid_emulator_race_clock_keep(a ? a : b);
  race_clock_t *joined = new_clock(race, a->n + b->n);
  bool is_a = true, is_b = true; /* the result equals one side */
  for (uint32_t i = 0, j = 0; joined && (i < a->n || j < b->n);) {
    race_part_t *x = i < a->n ? a->parts[i] : NULL, *y = j < b->n ? b->parts[j] : NULL, *part = NULL;
    if (x && y && x->cta == y->cta) {
      part = join_parts(race, x, y);
      ++i;
      ++j;
    } else if (x && (!y || x->cta < y->cta)) {
      part = x;
      x->references++;
      ++i;
    } else if (y) {
      part = y;
      y->references++;
      ++j;
    }
    if (!part)
      break;
    is_a &= part == x;
    is_b &= part == y;
    joined->parts[joined->n++] = part;
  }
  if (joined && (a->fences || b->fences || a->pending || b->pending)) {
    joined->fences = nereid_emulator_race_clock_join(race, a->fences, b->fences);
    joined->pending = nereid_emulator_race_clock_join(race, a->pending, b->pending);
    is_a &= joined->fences == a->fences && joined->pending == a->pending;
    is_b &= joined->fences == b->fences && joined->pending == b->pending;
  }
  if (joined && (is_a || is_b)) {
    nereid_emulator_race_clock_drop(joined);
    return nereid_emulator_race_clock_keep(is_a ? a : b);
  }
  return joined;
}

void nereid_emulator_race_clock_learn(emu_race_t *race, race_clock_t **clock, race_clock_t *other) {
  race_clock_t *joined = nereid_emulator_race_clock_join(race, *clock, other);
  nereid_emulator_race_clock_drop(*clock);
  *clock = joined;
}

race_clock_t *nereid_emulator_race_clock_bare(emu_race_t *race, const race_clock_t *clock) {
  race_clock_t *copy = clock ? new_clock(race, clock->n) : NULL;
  for (uint32_t i = 0; copy && i < clock->n; ++i) {
    clock->parts[i]->references++;
    copy->parts[copy->n++] = clock->parts[i];
  }
  return copy;
}

race_clock_t *nereid_emulator_race_clock_with(emu_race_t *race, race_clock_t *clock, race_clock_t *fences,
                                              race_clock_t *pending) {
  race_clock_t *more = new_clock(race, 0);
  if (!more)
    return clock;
  more->fences = nereid_emulator_race_clock_keep(fences);
  more->pending = nereid_emulator_race_clock_keep(pending);
  nereid_emulator_race_clock_learn(race, &clock, more);
  nereid_emulator_race_clock_drop(more);
  return clock;
}

race_clock_t *nereid_emulator_race_clock_open(emu_race_t *race, const race_clock_t *clock, uint32_t cta) {
  const race_part_t *old = nereid_emulator_race_clock_part(clock, cta);
  race_part_t *own = new_part(race, cta);
  race_clock_t *copy = own ? new_clock(race, (clock ? clock->n : 0) + 1) : NULL;
  if (!copy) {
    drop_part(own);
    return NULL;
  }
  copy->fences = nereid_emulator_race_clock_keep(clock ? clock->fences : NULL);
  copy->pending = nereid_emulator_race_clock_keep(clock ? clock->pending : NULL);
  if (old)
    memcpy(own->times, old->times, (size_t)race->n_actors * RACE_VIEWS * sizeof(uint32_t));
  bool placed = false;
  for (uint32_t i = 0; clock && i < clock->n; ++i) {
    if (!placed && clock->parts[i]->cta >= cta) {
      copy->parts[copy->n++] = own;
      placed = true;
    }
    if (clock->parts[i]->cta == cta)
      continue;
    clock->parts[i]->references++;
    copy->parts[copy->n++] = clock->parts[i];
  }
  if (!placed)
    copy->parts[copy->n++] = own;
  return copy;
}

race_clock_t *nereid_emulator_race_release(emu_race_cta_t *cta, uint32_t warp, uint32_t mask) {
  emu_race_t *race = cta->race;
  race_thread_t *threads = &cta->threads[warp * EMU_LANES];
  race_clock_t *known = NULL, *last = NULL;
  for (uint32_t left = mask; left; left &= left - 1) {
    race_clock_t *clock = threads[__builtin_ctz(left)].clock;
    if (clock != last)
      nereid_emulator_race_clock_learn(race, &known, clock);
    last = clock;
  }
  race_clock_t *open =
      nereid_emulator_race_clock_open(race, known, cta->number); /* NOLINT(clang-analyzer-unix.Malloc) */
  nereid_emulator_race_clock_drop(known);
  race_part_t *part = (race_part_t *)(uintptr_t)nereid_emulator_race_clock_part(open, cta->number);
  for (uint32_t left = part ? mask : 0; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left), actor = warp * EMU_LANES + lane;
    part->times[actor] = cta->times[warp];
    for (uint32_t view = RACE_PROXY_SHARED; view < RACE_VIEWS; ++view)
      part->times[view * race->n_actors + actor] = threads[lane].fenced[view];
  }
  return open;
}

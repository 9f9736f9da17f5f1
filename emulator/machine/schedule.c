/* Runs warps and schedules them within a CTA.
 *
 * A warp is a list of groups of lanes, each with a pc and a call depth. The scheduler runs the deepest group with
 * the lowest pc. Groups at the same pc and depth merge, so that lanes reconverge where control flow joins. A group
 * waits if an instruction requires lanes of other groups. If every group of every warp waits, the run fails with a
 * deadlock report. */
#include "emulator/checks/undefined.h"
#include "emulator/machine/costs.h"
#include "emulator/machine/effect.h"
#include "emulator/machine/execute.h"
#include "emulator/machine/loops.h"
#include "emulator/race/race.h"
#include "emulator/timeline/timeline.h"

#include <assert.h>

static void remove_group(emu_warp_t *warp, uint32_t index) {
  warp->groups[index] = warp->groups[--warp->n_groups];
}

/* Merges groups at the same pc and depth. */
static void merge(emu_warp_t *warp) {
  for (uint32_t i = 0; i < warp->n_groups; ++i)
    for (uint32_t j = i + 1; j < warp->n_groups;) {
      emu_group_t *a = &warp->groups[i], *b = &warp->groups[j];
      bool same = a->pc == b->pc && a->depth == b->depth && a->state != EMU_AT_BARRIER && b->state != EMU_AT_BARRIER;
      if (same) {
        a->mask |= b->mask;
        a->state = EMU_RUNNING;
        remove_group(warp, j);
      } else {
        ++j;
      }
    }
}

void nereid_emulator_regroup(emu_warp_t *warp, uint32_t lanes, const uint32_t *pcs, uint32_t depth) {
  remove_group(warp, warp->current);
  while (lanes) {
    uint32_t pc = pcs[__builtin_ctz(lanes)], mask = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
      if (pcs[__builtin_ctz(left)] == pc)
        mask |= left & (0 - left);
    lanes &= ~mask;
    emu_add_group(warp, mask, pc, depth);
  }
}

void nereid_emulator_exit(emu_warp_t *warp, uint32_t mask) {
  emu_group_t *group = &warp->groups[warp->current];
  warp->live &= ~mask;
  group->mask &= ~mask;
  group->pc++;
  if (!group->mask)
    remove_group(warp, warp->current);
}

/* Returns the group to run: the deepest runnable group, then the one with the lowest pc. -1: none. */
static int choose(const emu_warp_t *warp) {
  int best = -1;
  for (uint32_t i = 0; i < warp->n_groups; ++i) {
    const emu_group_t *group = &warp->groups[i], *other = best < 0 ? NULL : &warp->groups[best];
    if (group->state == EMU_RUNNING &&
        (!other || group->depth > other->depth || (group->depth == other->depth && group->pc < other->pc)))
      best = (int)i;
  }
  return best;
}

static bool waits_elsewhere(const emu_warp_t *warp) {
  for (uint32_t i = 0; i < warp->n_groups; ++i)
    if (warp->groups[i].state == EMU_WAITING)
      return true;
  return false;
}

/* Returns the lowest later pc at which the current group would merge with another one. */
static uint32_t meeting(const emu_warp_t *warp) {
  const emu_group_t *group = &warp->groups[warp->current];
  uint32_t least = UINT32_MAX;
  for (uint32_t i = 0; i < warp->n_groups; ++i) {
    const emu_group_t *other = &warp->groups[i];
    if (other->depth == group->depth && other->pc > group->pc && other->pc < least)
      least = other->pc;
  }
  return least;
}

static inline emu_next_t execute(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  return warp->cta->undefined ? nereid_emulator_undefined_step(warp, insn, mask) : insn->execute(warp, insn, mask);
}

static emu_next_t execute_counted(emu_warp_t *warp, const emu_insn_t *insn, uint32_t pc, uint32_t mask) {
  const emu_cost_mark_t before = nereid_emulator_costs_mark(warp->cta);
  const emu_next_t next = execute(warp, insn, mask);
  nereid_emulator_costs_count(warp->cta, pc, &before);
  return next;
}

/* Runs the current group for up to `most` instructions, until it jumps or reaches another group. */
EMU_SIMD static emu_next_t go(emu_warp_t *warp, uint64_t most, uint64_t *out_done) {
  emu_cta_t *cta = warp->cta;
  emu_group_t *group = &warp->groups[warp->current];
  const emu_insn_t *insns = cta->kernel->program->insns.data;
  const uint32_t whole = group->mask, lanes = (uint32_t)__builtin_popcount(whole), stop = meeting(warp);
  const bool count = cta->launch->count;
  const uint8_t *watched = nereid_emulator_race_watched(cta);
  uint64_t done = 0, threads = 0;
  uint32_t pc = group->pc;
  emu_next_t next;
  warp->regrouped = false;
  do {
    const emu_insn_t *insn = &insns[pc];
    uint32_t mask = whole, active = lanes;
    if (insn->has_guard) {
      mask &= emu_predicate(warp, &insn->guard);
      active = (uint32_t)__builtin_popcount(mask);
    }
    const bool counts_loop = count && cta->loops && cta->loops->of[pc];
    if (watched && watched[pc] && mask)
      nereid_emulator_race_registers(warp, insn);
    const emu_shared_cost_t before = counts_loop ? nereid_emulator_shared_cost(cta) : (emu_shared_cost_t){0};
    next = cta->costs ? execute_counted(warp, insn, pc, mask) : execute(warp, insn, mask);
    if (next == EMU_WAIT || next == EMU_STALL || next == EMU_FAILED)
      break;
    bool parted = next == EMU_ADVANCE && group->mask != whole; /* some lanes stay at the instruction */
    if (parted)
      active = (uint32_t)__builtin_popcount(mask & group->mask);
    done++;
    threads += active;
    warp->executed++;
    if (count) {
      cta->counters.warp_instructions[insn->counter_class]++;
      cta->counters.thread_instructions[insn->counter_class] += active;
      if (counts_loop)
        nereid_emulator_loops_count(cta, pc, &before);
      if (cta->costs)
        nereid_emulator_costs_execute(cta, pc, active);
    }
    if (next == EMU_ADVANCE)
      group->pc = ++pc;
    if (parted)
      break;
  } while (next == EMU_ADVANCE && pc < stop && done < most && !warp->yield && !warp->regrouped);
  if (next == EMU_WAIT)
    group->state = EMU_WAITING;
  cta->warp_instructions += done;
  cta->thread_instructions += threads;
  *out_done = done;
  return next;
}

/* Runs one instruction of the current group and records it in the timeline. */
static emu_next_t go_recorded(emu_warp_t *warp, uint64_t *out_done) {
  const emu_group_t *group = &warp->groups[warp->current];
  const emu_insn_t *insn = &warp->cta->kernel->program->insns.data[group->pc];
  const uint32_t mask = group->mask & (insn->has_guard ? emu_predicate(warp, &insn->guard) : UINT32_MAX);
  nereid_emulator_timeline_before(warp);
  emu_next_t next = go(warp, 1, out_done);
  nereid_emulator_timeline_after(warp, insn, mask, next);
  return next;
}

/* Resumes groups that waited for lanes that have exited. False: the run failed. */
static bool wake_waiters(emu_warp_t *warp) {
  for (uint32_t g = 0; g < warp->n_groups; ++g)
    if (warp->groups[g].state == EMU_WAITING) {
      const emu_insn_t *insn = &warp->cta->kernel->program->insns.data[warp->groups[g].pc];
      if (insn->counter_class == NEREID_EMULATOR_CLASS_BARRIER)
        return nereid_emulator_fail(warp, insn, __builtin_ctz(warp->groups[g].mask),
                                    "only part of the warp reaches it: lanes 0x%08x, others exit",
                                    (unsigned)warp->groups[g].mask) != EMU_FAILED;
      warp->groups[g].state = EMU_RUNNING;
    }
  for (unsigned id = 0; id < 16; ++id)
    nereid_emulator_barrier_check(warp->cta, id);
  nereid_emulator_cluster_check(warp->cta);
  return true;
}

/* Returns how many of `slice` instructions the warp may still execute; 0 after failing at the launch's limit. */
static uint64_t allowed(emu_warp_t *warp, uint64_t slice) {
  uint64_t limit = warp->cta->launch->steps;
  if (!limit || slice <= limit - warp->executed)
    return slice;
  const emu_group_t *group = &warp->groups[warp->current];
  if (warp->executed == limit)
    (void)nereid_emulator_fail(warp, &warp->cta->kernel->program->insns.data[group->pc], __builtin_ctz(group->mask),
                               "the warp reached the limit of %llu instructions", (unsigned long long)limit);
  return limit - warp->executed;
}

/* Runs a warp for up to `slice` instructions. False: the run failed. `out_moved`: it made progress. */
static bool run_warp(emu_warp_t *warp, uint64_t slice, bool *out_moved) {
  const bool timed = warp->cta->cluster->timeline != NULL;
  warp->yield = false;
  while (slice && warp->n_groups && !warp->yield) {
    if (warp->n_groups > 1)
      merge(warp);
    int chosen = warp->n_groups == 1 && warp->groups[0].state == EMU_RUNNING ? 0 : choose(warp);
    if (chosen < 0)
      return true;
    uint32_t live = warp->live;
    uint64_t done = 0, most;
    warp->current = (uint32_t)chosen;
    if (!(most = allowed(warp, slice)) || (timed ? go_recorded(warp, &done) : go(warp, most, &done)) == EMU_FAILED)
      return false;
    slice -= done ? done : 1;
    *out_moved |= done != 0;
    if (warp->live != live && !wake_waiters(warp))
      return false;
  }
  return true;
}

/* Returns the bytes of a message that its beginning, the location (machine/fail.c), leaves for the pending waits. */
static size_t room_for_waits(const emu_warp_t *warp, const emu_insn_t *insn) {
  enum { THREAD_AND_SENTENCE = 90, LEAST = 100 };
  const nereid_emulator_program_t *program = warp->cta->kernel->program;
  const char *source = insn->place ? program->places.data[insn->place].text : NULL;
  const size_t used = strlen(program->name) + (source ? strlen(source) : 0) + insn->text_size + THREAD_AND_SENTENCE;
  return used + LEAST < sizeof(nereid_message_t) ? sizeof(nereid_message_t) - used : LEAST;
}

/* Reports the pending waits when no group can run. */
static void stuck(emu_cluster_t *cluster) {
  emu_warp_t *warp = NULL;
  for (uint32_t c = 0; c < cluster->n_ctas; ++c)
    for (uint32_t i = 0; i < cluster->ctas[c].n_warps && !warp; ++i)
      warp = cluster->ctas[c].warps[i].n_groups ? &cluster->ctas[c].warps[i] : NULL;
  if (!warp)
    return;
  const emu_group_t *group = &warp->groups[0];
  for (uint32_t g = 1; g < warp->n_groups && group->state != EMU_WAITING; ++g)
    group = &warp->groups[g];
  const emu_insn_t *insn = &warp->cta->kernel->program->insns.data[group->pc];
  char waits[360];
  const size_t room = room_for_waits(warp, insn);
  nereid_emulator_describe_waits(cluster, waits, room < sizeof waits ? room : sizeof waits);
  if (group->state == EMU_WAITING || waits_elsewhere(warp))
    (void)nereid_emulator_fail(warp, insn, __builtin_ctz(group->mask),
                               "only part of the warp reaches it: lanes 0x%08x, others wait elsewhere",
                               (unsigned)group->mask);
  else
    (void)nereid_emulator_fail(warp, insn, __builtin_ctz(group->mask), "deadlock: no thread can make progress; %s",
                               waits);
}

/* Times out waits with a time limit when no group can run, so that their loops may do something else. Thousands of
 * rounds without other progress are a deadlock. */
static bool time_out(emu_cluster_t *cluster) {
  bool any = false;
  for (uint32_t c = 0; c < cluster->n_ctas; ++c)
    for (uint32_t i = 0; i < cluster->ctas[c].n_warps; ++i) {
      emu_warp_t *warp = &cluster->ctas[c].warps[i];
      for (uint32_t g = 0; g < warp->n_groups; ++g) {
        emu_group_t *group = &warp->groups[g];
        const emu_insn_t *insn = &warp->cta->kernel->program->insns.data[group->pc];
        if (group->state == EMU_AT_EVENT && insn->kind == EMU_KIND_MBARRIER_WAIT)
          warp->timed_out |= group->mask;
        any |= warp->timed_out != 0;
      }
    }
  nereid_emulator_wake(cluster);
  return any && ++cluster->timeouts < 4096;
}

/* Returns whether any group can run, including groups woken by effects that landed since their last slice. */
static bool runs(const emu_cluster_t *cluster) {
  bool any = false;
  for (uint32_t c = 0; c < cluster->n_ctas; ++c)
    for (uint32_t i = 0; i < cluster->ctas[c].n_warps; ++i)
      any |= choose(&cluster->ctas[c].warps[i]) >= 0;
  return any;
}

/* Makes progress when no group can run: lands an effect, else times out waits. False: deadlock or failure. */
static bool force(emu_cluster_t *cluster) {
  bool any = false;
  if (runs(cluster))
    return true;
  if (!nereid_emulator_land_one(cluster, &any))
    return false;
  if (any || time_out(cluster))
    return true;
  stuck(cluster);
  return false;
}

static bool lives(const emu_cluster_t *cluster) {
  bool any = false;
  for (uint32_t c = 0; c < cluster->n_ctas && !any; ++c)
    for (uint32_t i = 0; i < cluster->ctas[c].n_warps && !any; ++i)
      any = cluster->ctas[c].warps[i].n_groups != 0;
  return any;
}

nereid_status_t nereid_emulator_run_cluster(emu_cluster_t *cluster) {
  uint32_t current_warp = 0, idle = 0, per = cluster->ctas[0].n_warps, warps = cluster->n_ctas * per;
  nereid_emulator_schedule_t schedule = cluster->launch->schedule;
  assert(per > 0);
  bool random_landing = cluster->launch->landing == NEREID_EMULATOR_LAND_RANDOM;
  while (!cluster->status && lives(cluster)) {
    uint64_t slice = schedule == NEREID_EMULATOR_RANDOM        ? 1 + nereid_emulator_random(cluster) % 64
                     : schedule == NEREID_EMULATOR_ADVERSARIAL ? UINT64_MAX
                     : cluster->timeline                       ? 1 /* the order of execution is that of the clocks */
                                                               : 256;
    if (schedule == NEREID_EMULATOR_RANDOM && !idle)
      current_warp = (uint32_t)(nereid_emulator_random(cluster) % warps);
    if (random_landing && !nereid_emulator_land_some(cluster))
      break;
    bool moved = false;
    emu_warp_t *warp = &cluster->ctas[current_warp / per].warps[current_warp % per];
    if (warp->n_groups && !run_warp(warp, slice, &moved))
      break;
    idle = moved ? 0 : idle + 1;
    current_warp = (current_warp + 1) % warps;
    if (idle > warps && lives(cluster)) {
      idle = 0;
      if (!force(cluster))
        break;
    }
  }
  if (!cluster->status && nereid_emulator_check_exit(cluster))
    nereid_emulator_land_all(cluster);
  if (cluster->timeline)
    nereid_emulator_timeline_finish(cluster);
  nereid_emulator_drop_effects(cluster);
  return cluster->status;
}

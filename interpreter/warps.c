/* ttg.warp_specialize: the default region and the partitions, each on a host thread, of which one runs at a time.
 *
 *   default        wait %full ── not yet ──┐            ┌── complete: continues
 *   partition 0                            └── copies, arrives, wait %empty ──┘
 *
 * A partition that waits for an incomplete phase passes control to the next runnable one, so the schedule is
 * deterministic. A waiting partition runs again only after some mbarrier has changed. If all wait, the program hangs,
 * which is an error.
 *
 * Also here: ttg.mask and ttg.predicate_stage, which predicate a pipelined loop. */
#include "interpreter/machine.h"

#include "nereid/dialects/ttg.h"

#include <pthread.h>

typedef struct member {
  nereid_machine_t *machine;
  const nereid_code_region_t *region;
  const nereid_step_t *end; /* the step that ended the region; null after a diagnostic */
  size_t index;
  pthread_t thread;
  bool done, waits;
  uint64_t progress; /* the machine's progress when the wait started */
} member_t;

typedef struct nereid_crew {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  size_t n, running;
  member_t *members;
  bool failed;
} crew_t;

static bool may_go_on(const crew_t *crew, const nereid_machine_t *machine, size_t i) {
  const member_t *member = &crew->members[i];
  return !member->done && !(member->waits && member->progress == machine->progress);
}

/* Passes control to the next runnable member; false: none. With `any`, to the first waiting member, to report the
 * hang or to end. */
static bool pass_control(crew_t *crew, const nereid_machine_t *machine, bool any) {
  for (size_t k = 1; k <= crew->n; ++k) {
    const size_t i = (crew->running + k) % crew->n;
    if (any ? crew->members[i].done : !may_go_on(crew, machine, i))
      continue;
    crew->running = i;
    pthread_cond_broadcast(&crew->changed);
    return true;
  }
  return false;
}

static void wait_for_control(crew_t *crew, size_t self) {
  while (crew->running != self)
    pthread_cond_wait(&crew->changed, &crew->lock);
}

nereid_yield_t nereid_machine_yield(nereid_machine_t *machine) {
  crew_t *crew = machine->crew;
  if (!crew)
    return NEREID_YIELD_STUCK;
  if (crew->failed)
    return NEREID_YIELD_STOP;
  member_t *self = &crew->members[crew->running];
  self->waits = true;
  self->progress = machine->progress;
  if (!pass_control(crew, machine, false))
    return NEREID_YIELD_STUCK;
  wait_for_control(crew, self->index);
  self->waits = false;
  return crew->failed ? NEREID_YIELD_STOP : NEREID_YIELD_AGAIN;
}

/* Runs a member's region; the running member holds the lock. */
static void run_member(crew_t *crew, member_t *member) {
  wait_for_control(crew, member->index);
  if (!crew->failed)
    member->end = nereid_machine_region(member->machine, member->region);
  member->done = true;
  crew->failed |= !member->end;
  if (crew->failed || !pass_control(crew, member->machine, false))
    pass_control(crew, member->machine, true);
}

static void *begin(void *data) {
  member_t *member = data;
  crew_t *crew = member->machine->crew;
  pthread_mutex_lock(&crew->lock);
  run_member(crew, member);
  pthread_mutex_unlock(&crew->lock);
  return NULL;
}

/* Starts the partitions, runs the default region on this thread, and joins all of them. */
static bool run_crew(nereid_machine_t *machine, const nereid_step_t *step, crew_t *crew) {
  size_t started = 1;
  pthread_mutex_lock(&crew->lock);
  for (; started < crew->n; ++started)
    if (pthread_create(&crew->members[started].thread, NULL, begin, &crew->members[started]) != 0)
      break;
  const bool all = started == crew->n;
  crew->n = started;
  crew->failed = !all;
  run_member(crew, &crew->members[0]);
  pthread_mutex_unlock(&crew->lock);
  for (size_t i = 1; i < started; ++i)
    pthread_join(crew->members[i].thread, NULL);
  machine->crew = NULL;
  if (!all)
    return nereid_machine_error(step, "needs %zu host threads, which could not be created", crew->n);
  return !crew->failed &&
         nereid_machine_assign(machine, step->n_results, step->results, crew->members[0].end->operands);
}

static bool warp_specialize(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_step_t *holder = &step->regions[1].blocks[0].steps[0];
  crew_t crew = {.n = holder->n_regions + 1, .members = NULL};
  if (machine->crew)
    return nereid_machine_error(step, "is nested in another one");
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  crew.members = nereid_arena_new(&arena, member_t, crew.n);
  bool good = crew.members || nereid_machine_exhausted(machine);
  for (size_t i = 0; good && i < crew.n; ++i) {
    const nereid_code_region_t *region = i ? &holder->regions[i - 1] : &step->regions[0];
    crew.members[i] = (member_t){.machine = machine, .region = region, .index = i};
    good = i == 0 ||
           nereid_machine_assign(machine, region->blocks[0].n_arguments, region->blocks[0].arguments, step->operands);
  }
  if (good) {
    pthread_mutex_init(&crew.lock, NULL);
    pthread_cond_init(&crew.changed, NULL);
    machine->crew = &crew;
    good = run_crew(machine, step, &crew);
    pthread_cond_destroy(&crew.changed);
    pthread_mutex_destroy(&crew.lock);
  }
  nereid_arena_deinitialize(&arena);
  return good;
}

/* --- pipelined loops --- */

static bool mask(nereid_machine_t *machine, const nereid_step_t *step) {
  if (step->operands[0]->words[0]) {
    const nereid_step_t *end = nereid_machine_region(machine, &step->regions[0]);
    return end && nereid_machine_assign(machine, step->n_results, step->results, end->operands);
  }
  for (size_t i = 0; i < step->n_results; ++i) {
    if (step->results[i]->shape.local)
      return nereid_machine_error(step, "has a buffer as a result, but its mask is false");
    uint64_t *out = nereid_machine_result(machine, step, i);
    if (!out)
      return false;
    memset(out, 0, step->results[i]->count * sizeof *out);
  }
  return true;
}

/* Stage s of an iteration runs maxStage - s iterations before the end: false for iterations past it. */
static uint64_t predicate_stage(const nereid_step_t *step, const uint64_t *x) {
  const int64_t left =
      nereid_ttg_predicate_stage_get_max_stage(step->op) - nereid_ttg_predicate_stage_get_stage(step->op);
  const unsigned bits = step->from.bits;
  return nereid_bits_signed(x[0], bits) < nereid_bits_signed(x[1], bits) - left * nereid_bits_signed(x[2], bits);
}

const nereid_machine_row_t nereid_machine_warps_rows[] = {
    {.kind = NEREID_OP_TTG_WARP_SPECIALIZE, .run = warp_specialize},
    {.kind = NEREID_OP_TTG_WARP_SPECIALIZE_PARTITIONS, .ends = NEREID_ENDS_REGION},
    {.kind = NEREID_OP_TTG_WARP_YIELD, .ends = NEREID_ENDS_REGION},
    {.kind = NEREID_OP_TTG_WARP_RETURN, .ends = NEREID_ENDS_REGION},
    {.kind = NEREID_OP_TTG_MASK, .run = mask},
    {.kind = NEREID_OP_TTG_MASK_RETURN, .ends = NEREID_ENDS_REGION},
    {.kind = NEREID_OP_TTG_PREDICATE_STAGE, .lane = predicate_stage},
    {.kind = NEREID_OP_UNKNOWN},
};

/* Finds the loops of a program and counts what warps execute in them; see loops.h.
 *
 *   $L2: ... ldmatrix ... mma ... @%p bra $L2;    one iteration per execution of the first instruction by a warp */
#include "emulator/machine/loops.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LOOPS = UINT16_MAX - 1 };

/* Instructions that have a counter of their own. */
typedef enum emu_loop_effect {
  EFFECT_NONE,
  EFFECT_MMA,
  EFFECT_WGMMA,
  EFFECT_COPY,
  EFFECT_BULK,
  EFFECT_WAIT,
  EFFECT_BARRIER,
} emu_loop_effect_t;

typedef struct range {
  uint32_t head, last;
  bool in_block;
} range_t;

typedef NEREID_VECTOR(range_t) ranges_t;

/* --- instructions --- */

static bool starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

static emu_loop_effect_t effect_of(const emu_insn_t *insn) {
  const char *name = nereid_emulator_unguarded(insn);
  if (insn->kind == EMU_KIND_WGMMA)
    return EFFECT_WGMMA;
  if (insn->counter_class == NEREID_EMULATOR_CLASS_MATRIX)
    return EFFECT_MMA;
  if (starts_with(name, "cp.async.wait") || starts_with(name, "wgmma.wait") ||
      starts_with(name, "cp.async.bulk.wait") || insn->kind == EMU_KIND_MBARRIER_WAIT)
    return EFFECT_WAIT;
  if (starts_with(name, "cp.async.ca.") || starts_with(name, "cp.async.cg."))
    return EFFECT_COPY;
  if (starts_with(name, "cp.async.bulk.") && !starts_with(name, "cp.async.bulk.commit"))
    return EFFECT_BULK;
  return starts_with(name, "bar.sync") || starts_with(name, "barrier.") ? EFFECT_BARRIER : EFFECT_NONE;
}

/* --- loops --- */

static bool add_range(nereid_arena_t *arena, ranges_t *ranges, uint32_t head, uint32_t last, bool in_block) {
  for (size_t i = 0; i < ranges->size; ++i)
    if (ranges->data[i].head == head) {
      if (ranges->data[i].last < last)
        ranges->data[i].last = last;
      return true;
    }
  return ranges->size >= MAX_LOOPS || nereid_vector_push(arena, ranges, ((range_t){head, last, in_block}));
}

static bool find_ranges(const nereid_emulator_program_t *program, nereid_arena_t *arena, ranges_t *out) {
  for (uint32_t pc = 0; pc < program->insns.size; ++pc) {
    const emu_insn_t *insn = &program->insns.data[pc];
    if (insn->flow == EMU_FLOW_BRANCH && insn->target <= pc && !add_range(arena, out, insn->target, pc, insn->to_block))
      return false;
    for (uint32_t i = 0; insn->flow == EMU_FLOW_TABLE && i < insn->n_list; ++i)
      if (insn->list[i] <= pc && !add_range(arena, out, insn->list[i], pc, false))
        return false;
  }
  return true;
}

static int by_head(const void *a, const void *b) {
  const range_t *one = a, *other = b;
  return (one->head > other->head) - (one->head < other->head);
}

/* A loop is nested in those that begin before it, up to their ends. A loop in braces, of inline assembly, belongs to
 * the loop around it, if there is one: the inline assembly is one op of the source. */
const emu_loops_t *nereid_emulator_loops_find(const nereid_emulator_program_t *program, nereid_arena_t *arena) {
  emu_loops_t *loops = nereid_arena_new(arena, emu_loops_t, 1);
  ranges_t ranges = {0};
  if (!loops || !find_ranges(program, arena, &ranges))
    return NULL;
  *loops = (emu_loops_t){.program = program,
                         .count = (uint32_t)ranges.size,
                         .heads = nereid_arena_new(arena, uint32_t, ranges.size + 1),
                         .of = nereid_arena_new(arena, uint16_t, program->insns.size + 1),
                         .effects = nereid_arena_new(arena, uint8_t, program->insns.size + 1)};
  if (!loops->heads || !loops->of || !loops->effects)
    return NULL;
  if (ranges.size)
    qsort(ranges.data, ranges.size, sizeof *ranges.data, by_head);
  for (uint32_t i = 0; i < loops->count; ++i) {
    loops->heads[i] = ranges.data[i].head;
    for (uint32_t pc = ranges.data[i].head; pc <= ranges.data[i].last; ++pc)
      if (!loops->of[pc] || !ranges.data[i].in_block)
        loops->of[pc] = (uint16_t)(i + 1);
  }
  for (uint32_t pc = 0; pc < program->insns.size; ++pc)
    loops->effects[pc] = (uint8_t)effect_of(&program->insns.data[pc]);
  return loops;
}

/* --- counts --- */

static void count_effect(nereid_emulator_loop_t *loop, emu_loop_effect_t effect) {
  uint64_t *const counters[] = {[EFFECT_MMA] = &loop->mma,     [EFFECT_WGMMA] = &loop->wgmma,
                                [EFFECT_COPY] = &loop->copies, [EFFECT_BULK] = &loop->bulk_copies,
                                [EFFECT_WAIT] = &loop->waits,  [EFFECT_BARRIER] = &loop->barriers};
  if (effect != EFFECT_NONE)
    ++*counters[effect];
}

void nereid_emulator_loops_count(emu_cta_t *cta, uint32_t pc, const emu_shared_cost_t *before) {
  const uint32_t index = cta->loops->of[pc] - UINT32_C(1);
  nereid_emulator_loop_t *loop = &cta->loop_counts[index];
  const emu_shared_cost_t after = nereid_emulator_shared_cost(cta);
  loop->iterations += cta->loops->heads[index] == pc;
  ++loop->instructions;
  count_effect(loop, (emu_loop_effect_t)cta->loops->effects[pc]);
  loop->shared_requests += after.requests - before->requests;
  loop->shared_wavefronts += after.wavefronts - before->wavefronts;
  loop->bank_conflicts += after.conflicts - before->conflicts;
}

void nereid_emulator_loops_add(const emu_loops_t *loops, nereid_emulator_loop_t *sums,
                               const nereid_emulator_loop_t *counts) {
  for (uint32_t i = 0; i < loops->count; ++i) {
    sums[i].iterations += counts[i].iterations;
    sums[i].instructions += counts[i].instructions;
    sums[i].mma += counts[i].mma;
    sums[i].wgmma += counts[i].wgmma;
    sums[i].copies += counts[i].copies;
    sums[i].bulk_copies += counts[i].bulk_copies;
    sums[i].waits += counts[i].waits;
    sums[i].barriers += counts[i].barriers;
    sums[i].shared_requests += counts[i].shared_requests;
    sums[i].shared_wavefronts += counts[i].shared_wavefronts;
    sums[i].bank_conflicts += counts[i].bank_conflicts;
  }
}

void nereid_emulator_loops_report(const emu_loops_t *loops, nereid_emulator_loop_t *sums,
                                  const nereid_emulator_launch_t *launch) {
  const nereid_emulator_program_t *program = loops->program;
  for (uint32_t i = 0; i < loops->count; ++i) {
    const emu_insn_t *insn = &program->insns.data[loops->heads[i]];
    const emu_place_t *source = insn->place ? &program->places.data[insn->place] : NULL;
    sums[i].place = (nereid_emulator_place_t){.program = program->name,
                                              .source = source ? source->text : NULL,
                                              .line = insn->line,
                                              .source_line = source ? source->line : 0,
                                              .text = nereid_emulator_statement(program, insn)};
    if (sums[i].iterations)
      launch->loop(launch->user_data, &sums[i]);
  }
}

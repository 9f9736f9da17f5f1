/* Classifies the instructions of a program for the timeline: issues of asynchronous operations, waits, all others. */
#include "emulator/timeline/timeline.h"

#include <string.h>

typedef struct prefix {
  const char *text;
  emu_moment_t moment;
} prefix_t;

/* The first prefix that matches decides. */
static const prefix_t prefixes[] = {
    {"cp.async.wait", EMU_MOMENT_GROUPS},
    {"cp.async.bulk.wait", EMU_MOMENT_GROUPS},
    {"wgmma.wait", EMU_MOMENT_GROUPS},
    {"cp.async.", EMU_MOMENT_ISSUE},
    {"cp.reduce.async.", EMU_MOMENT_ISSUE},
    {"wgmma.", EMU_MOMENT_ISSUE},
    {"st.async.", EMU_MOMENT_ISSUE},
    {"red.async.", EMU_MOMENT_ISSUE},
    {"mbarrier.", EMU_MOMENT_ISSUE},
    {"fence.proxy.", EMU_MOMENT_ISSUE},
    {"tensormap.", EMU_MOMENT_ISSUE},
    {"setmaxnreg.", EMU_MOMENT_ISSUE},
    {"barrier.cluster.wait", EMU_MOMENT_CLUSTER},
    {"barrier.cluster.arrive", EMU_MOMENT_ISSUE},
    {"bar.warp.", EMU_MOMENT_RUN},
    {"bar.arrive", EMU_MOMENT_ISSUE},
    {"bar.cta.arrive", EMU_MOMENT_ISSUE},
    {"barrier.arrive", EMU_MOMENT_ISSUE},
    {"barrier.cta.arrive", EMU_MOMENT_ISSUE},
    {"bar.", EMU_MOMENT_BARRIER},
    {"barrier.", EMU_MOMENT_BARRIER},
};

static emu_moment_t moment_of(const emu_insn_t *insn) {
  const char *name = nereid_emulator_unguarded(insn);
  if (insn->kind == EMU_KIND_MBARRIER_WAIT)
    return EMU_MOMENT_MBARRIER;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i)
    if (strncmp(name, prefixes[i].text, strlen(prefixes[i].text)) == 0)
      return prefixes[i].moment;
  return EMU_MOMENT_RUN;
}

const uint8_t *nereid_emulator_timeline_moments(const nereid_emulator_program_t *program, nereid_arena_t *arena) {
  uint8_t *moments = nereid_arena_new(arena, uint8_t, program->insns.size + 1);
  for (size_t pc = 0; moments && pc < program->insns.size; ++pc)
    moments[pc] = (uint8_t)moment_of(&program->insns.data[pc]);
  return moments;
}

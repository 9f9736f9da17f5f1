/* Registers of dot operands that threads compute one iteration ahead. */
#ifndef NEREID_PASSES_COMPUTED_OPERANDS_H
#define NEREID_PASSES_COMPUTED_OPERANDS_H

#include "passes/pipelining/loads/pipelined_loads.h"

#include "base/arena.h"

#include <stdint.h>

/* 32-bit registers of a thread. */
typedef struct nereid_computed_operands {
  int64_t values;  /* of the operands before they are stored in their buffers */
  int64_t carried; /* of the other tensors of their computation that the iteration uses later: the loop carries them */
} nereid_computed_operands_t;

/* Finds what the buffers among `loads`, of `loop`, take if an iteration fills those of the next one. */
nereid_computed_operands_t nereid_computed_operands_find(MlirOperation loop, const nereid_pipelined_t *loads,
                                                         nereid_arena_t *arena);

#endif

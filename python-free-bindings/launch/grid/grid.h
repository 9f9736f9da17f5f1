/* A grid map in a form that is evaluated without parsing: instructions of a stack machine. */
#ifndef NEREID_LAUNCH_GRID_H
#define NEREID_LAUNCH_GRID_H

#include "nereid/metadata.h"

typedef enum nereid_grid_op {
  NEREID_GRID_CONSTANT, /* pushes `value` */
  NEREID_GRID_ARGUMENT, /* pushes argument `value` of the map */
  NEREID_GRID_NEGATE,
  NEREID_GRID_ADD,
  NEREID_GRID_SUBTRACT,
  NEREID_GRID_MULTIPLY,
  NEREID_GRID_FLOORDIV,
  NEREID_GRID_CEILDIV,
  NEREID_GRID_MOD,
  NEREID_GRID_RESULT, /* pops the next dimension of the grid */
} nereid_grid_op_t;

typedef struct nereid_grid_step {
  nereid_grid_op_t op;
  int64_t value;
} nereid_grid_step_t;

enum { NEREID_GRID_STEPS = 256, NEREID_GRID_ARGUMENTS = 64 };

typedef struct nereid_grid_program {
  size_t n_steps; /* 0: the kernel has no map */
  nereid_grid_step_t steps[NEREID_GRID_STEPS];
} nereid_grid_program_t;

/* Compiles `metadata->grid_map` and checks that its arguments are integer parameters of the signature, if there is one.
 * Without a map the program is empty. NEREID_ERROR_ARGUMENT: the map is malformed or too long. */
NEREID_MUST_USE nereid_status_t nereid_grid_compile(const nereid_metadata_t *metadata,
                                                    nereid_grid_program_t *out_program, nereid_message_t *message);

/* Evaluates a program for the values of the map's arguments, limits x to the multiprocessors and checks the limits of a
 * launch. NEREID_ERROR_ARGUMENT: arithmetic overflows, a divisor is not positive, or a dimension is out of range. */
NEREID_MUST_USE nereid_status_t nereid_grid_run(const nereid_grid_program_t *program, const nereid_metadata_t *metadata,
                                                int32_t multiprocessors, const int64_t *values, uint32_t out_grid[3],
                                                nereid_message_t *message);

#endif

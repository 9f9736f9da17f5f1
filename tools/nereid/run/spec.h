/* Specification of one argument in `--arg NAME=SPEC`.
 *
 *   SPEC    scalar | tensor | null
 *   scalar  [TYPE:]NUMBER                              4096   0.5   bf16:1e-3   -inf   true
 *   tensor  TYPE[SHAPE]:INIT[/BOX] | @FILE.npy[/BOX]   f32[1024x64]:rand   f16[4096x4096]:rand/128x64s128
 *   INIT    rand | zeros | ones | arange | full(x) | randint(a,b) | @FILE.npy
 *   SHAPE, BOX   extents separated by x, outermost first; after a BOX sN for a swizzle of N bytes: for a tensor map
 *                whose tile the kernel does not specify
 *
 * rand is uniform in [-1, 1) for floats and in 0 ... 127 for integers (0 or 1 for i1); randint is uniform in a ... b-1.
 * Element i of parameter p under seed s is computed by splitmix64's finaliser from the counter (s * 2^32 + p) *
 * 0x9E3779B97F4A7C15 + i. Every run and machine generates the same values, and each element is independent of the
 * others. Floats use the top 53 bits, integers the shifted product with the range. Values are rounded to the type, to
 * nearest even. */
#ifndef NEREID_TOOLS_SPEC_H
#define NEREID_TOOLS_SPEC_H

#include "nereid/metadata.h"
#include "tools/nereid/run/npy.h"

typedef enum tool_spec_kind {
  TOOL_SPEC_INTEGER,
  TOOL_SPEC_FLOAT,
  TOOL_SPEC_TENSOR,
  TOOL_SPEC_NULL,
} tool_spec_kind_t;

typedef enum tool_fill {
  TOOL_FILL_RAND,
  TOOL_FILL_RANDINT,
  TOOL_FILL_FULL, /* zeros, ones, full */
  TOOL_FILL_ARANGE,
  TOOL_FILL_FILE,
} tool_fill_t;

typedef struct tool_spec {
  tool_spec_kind_t kind;
  nereid_element_t element; /* of a tensor; of a scalar with an explicit type; else NONE */
  int64_t integer;          /* INTEGER; above 2^63 the bits of a u64, with `large` set */
  bool large;
  double number; /* INTEGER and FLOAT */
  tool_fill_t fill;
  uint32_t rank; /* of a tensor; with a file 0, for the rank of the file */
  uint64_t shape[TOOL_RANK_LIMIT];
  int64_t low, high; /* randint */
  double value;      /* full */
  const char *file;  /* @FILE */
  uint32_t box_rank; /* 0: no box */
  int32_t box[NEREID_RANK_LIMIT];
  bool has_swizzle; /* a swizzle follows the box */
  uint32_t swizzle; /* bytes */
} tool_spec_t;

/* Parses a specification. NEREID_ERROR_ARGUMENT: malformed; the message quotes the text and has the reason. Strings are
 * allocated in `arena`. */
NEREID_MUST_USE nereid_status_t tool_spec_parse(nereid_arena_t *arena, const char *text, tool_spec_t *out_spec,
                                                nereid_message_t *message);

/* Converts a scalar spec to the bits of `element`, in the low bytes. NEREID_ERROR_ARGUMENT: it is out of the type's
 * range, has a fraction although the type is an integer, or specifies another type. Integers may be written signed or
 * unsigned. */
NEREID_MUST_USE nereid_status_t tool_spec_scalar(const tool_spec_t *spec, nereid_element_t element, uint64_t *out_bits,
                                                 nereid_message_t *message);

/* Creates a filled tensor in `arena` from a tensor spec and reads its file, if any. `parameter` is its position, for
 * rand. NEREID_ERROR_ARGUMENT, NEREID_ERROR_IO, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t tool_spec_tensor(nereid_arena_t *arena, const tool_spec_t *spec, uint64_t seed,
                                                 uint32_t parameter, tool_tensor_t *out_tensor,
                                                 nereid_message_t *message);

/* Generates 64 bits from a counter. */
uint64_t tool_random(uint64_t seed, uint32_t parameter, uint64_t index);

#endif

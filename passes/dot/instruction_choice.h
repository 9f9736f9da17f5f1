/* The cost model that chooses the tensor core instruction of a dot; docs/tensor-cores.md documents it.
 *
 *   128x256x64 f16, 8 warps, sm_90a   ->  wgmma m64n256k16, warps 8x1, a from shared memory
 *   16x64x64 f16, 4 warps, sm_90a     ->  mma.sync m16n8k16, warps 1x4
 *
 * A candidate is an instruction, a grid of warps, and the source of operand a. Its cost is the time of one CTA's dot in
 * cycles of one SM: the maximum of the times of the tensor cores, of shared memory and of instruction issue, since
 * these overlap, plus a quarter of their sum, since they do not overlap completely. Pure functions; nothing
 * allocates. */
#ifndef NEREID_PASSES_DOT_INSTRUCTION_CHOICE_H
#define NEREID_PASSES_DOT_INSTRUCTION_CHOICE_H

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

/* The generations of instructions, as #ttg.nvidia_mma's versionMajor has them. */
typedef enum nereid_dot_version {
  NEREID_DOT_FMA = 0,      /* multiply-adds */
  NEREID_DOT_MMA_SYNC = 2, /* one warp; operands in registers */
  NEREID_DOT_WGMMA = 3,    /* four warps; b, and a or not, in shared memory */
} nereid_dot_version_t;

/* The source of operand a of wgmma. */
typedef enum nereid_dot_a_source {
  NEREID_DOT_A_STORED,   /* loaded unchanged, or computed before the loop: from shared memory */
  NEREID_DOT_A_COMPUTED, /* computed elementwise from loads in each iteration: from registers */
  NEREID_DOT_A_CHAINED,  /* computed from the result of another dot: from registers, where it already is */
} nereid_dot_a_source_t;

/* A dot. Sizes are those of one CTA, in elements. */
typedef struct nereid_dot_problem {
  int capability; /* 90 is sm_90a */
  int warps;
  int rank;               /* 3: of a batch, which may have one matrix */
  int64_t batch, m, n, k; /* batch is 1 for rank 2 */
  MlirType a, b, sum;     /* element types that are multiplied and added up */
  nereid_dot_a_source_t a_source;
  bool a_is_written;      /* stored: computed in each iteration, and written to shared memory for wgmma */
  int64_t scattered;      /* computed 8-bit elements with M or N contiguous, which are written for wgmma one by one */
  bool a_is_in_all_warps; /* chained: warps that share a row need no exchange of their own */
  int64_t operand_bytes;  /* in shared memory at a time, for this dot and those that share operands with it */
  bool feeds_dot;         /* the result becomes operand a of another dot: exchanged if a row is in several warps */
  bool feeds_reduce; /* rows of the result are reduced: partial results are exchanged if a row is in several warps */
} nereid_dot_problem_t;

/* An instruction and its distribution over the warps. `warps` is (batch, m, n) for a batch, else (m,
 * n). */
typedef struct nereid_dot_choice {
  nereid_dot_version_t version;
  int rank;
  int32_t warps[3];       /* per dimension */
  int32_t instruction[3]; /* as instrShape: (1,) 16, 8 for mma.sync; 16, n, k for wgmma (rows of one warp) */
  bool a_in_registers;    /* always true for mma.sync */
  int64_t instructions;   /* tensor core and operand load instructions per thread */
  int64_t shared_bytes;   /* read from shared memory */
  int64_t registers;      /* accumulator registers per thread, 32 bits each */
  int64_t cycles;
} nereid_dot_choice_t;

/* Elements along K of one instruction: 256 bits; 4 elements for f64. 0 when no instruction multiplies the type. */
int64_t nereid_dot_instruction_k(MlirType element);

/* Chooses the least expensive instruction. version is NEREID_DOT_FMA when there is none. `out_why` (optional) is set to
 * the reason why a newer instruction is not possible, a static string; null when the choice is the newest of the
 * target. */
void nereid_dot_choose(const nereid_dot_problem_t *problem, nereid_dot_choice_t *out, const char **out_why);

#endif

/* The choice of a tensor core instruction; see instruction_choice.h and docs/tensor-cores.md.
 *
 * Rates are multiply-adds per cycle of one SM, from the throughput tables of the CUDA programming guide and of
 * NVIDIA's architecture whitepapers; shared memory delivers 128 bytes per cycle and four schedulers issue one
 * instruction each. */
#include "passes/dot/instruction_choice.h"

#include "base/target_facts.h"

#include <mlir-c/BuiltinTypes.h>

#include <stddef.h>

enum {
  GROUP_WARPS = 4,
  GROUP_ROWS = 64, /* rows of one wgmma */
  WARP_ROWS = 16,  /* rows of one warp in wgmma, and of mma.sync */
  MMA_COLUMNS = 8, /* columns of mma.sync, and the least of wgmma */
  MAX_COLUMNS = 256,
  SCHEDULERS = 4,
  SHARED_RATE = 128, /* bytes per cycle */
  MATRIX_LOAD = 512, /* bytes that a warp loads with one ldmatrix.x4 */
  CONFLICTS = 16,    /* wavefronts of a store whose lanes write bytes of different rows of a swizzled buffer */
  LANES = 32,
  OTHER_REGISTERS = 56, /* addresses, operands and epilogue of a thread, beside accumulators */
  BARRIER_CYCLES = 80,  /* an exchange between warps: two barriers with their latency, which other CTAs hide in part */
  SOFTMAX_WORK = 12,    /* instructions per score: scale, mask, maximum, difference, exponential, sum, conversion */
  CHAIN_WORK = 2,       /* per element that a chain of dots converts, or scales */
  SPILL_CYCLES = 8,     /* of one spilled register of one warp: a store and a load of 128 bytes, with their latency */
};

/* --- types --- */

static int64_t bits_of(MlirType element) {
  return mlirTypeIsAInteger(element) ? (int64_t)mlirIntegerTypeGetWidth(element)
                                     : (int64_t)mlirFloatTypeGetWidth(element);
}

static bool is_fp8(MlirType type) {
  return mlirTypeIsAFloat8E5M2(type) || mlirTypeIsAFloat8E4M3FN(type);
}

static bool is_half(MlirType type) {
  return mlirTypeIsAF16(type) || mlirTypeIsABF16(type);
}

static bool is_int8(MlirType type) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 8;
}

int64_t nereid_dot_instruction_k(MlirType element) {
  if (mlirTypeIsAF64(element))
    return 4;
  if (is_half(element) || is_fp8(element) || is_int8(element) || mlirTypeIsAF32(element))
    return 256 / bits_of(element);
  return 0;
}

/* Whether an instruction multiplies these types into this sum; for both generations, except for f64. */
static bool types_fit(const nereid_dot_problem_t *problem) {
  MlirType a = problem->a, b = problem->b, sum = problem->sum;
  if (is_fp8(a) && is_fp8(b))
    return mlirTypeIsAF32(sum);
  if (!mlirTypeEqual(a, b))
    return false;
  if (mlirTypeIsAF16(a))
    return mlirTypeIsAF16(sum) || mlirTypeIsAF32(sum);
  if (mlirTypeIsABF16(a) || mlirTypeIsAF32(a))
    return mlirTypeIsAF32(sum);
  if (mlirTypeIsAF64(a))
    return mlirTypeIsAF64(sum);
  return is_int8(a) && mlirTypeIsAInteger(sum) && mlirIntegerTypeGetWidth(sum) == 32;
}

/* Multiply-adds per cycle of the tensor cores of one SM. */
static int64_t rate_of(const nereid_dot_problem_t *problem, nereid_dot_version_t version) {
  enum { WGMMA = 2048, HOPPER_MMA = 1280 /* measured: 0.62 of wgmma */, AMPERE = 1024, CONSUMER = 512 };
  const int64_t half = version == NEREID_DOT_WGMMA ? WGMMA
                       : problem->capability >= 90 ? HOPPER_MMA
                       : problem->capability == 80 ? AMPERE
                                                   : CONSUMER;
  if (mlirTypeIsAF64(problem->a))
    return half / 16;
  return bits_of(problem->a) == 8 ? half * 2 : bits_of(problem->a) == 16 ? half : half / 2;
}

/* --- cost --- */

static int64_t divide_up(int64_t a, int64_t b) {
  return b > 1 ? (a + b - 1) / b : a;
}

static int64_t at_least(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* The cycles of exchanges between warps: of a computed operand of wgmma; and where `parts` of them share a row, of
 * operand a and of the result, through shared memory, and of the partial results of a reduction. */
static int64_t exchange_cycles(const nereid_dot_problem_t *problem, int64_t parts) {
  int64_t cycles = problem->a_is_written ? BARRIER_CYCLES : 0;
  if (parts == 1)
    return cycles;
  if (problem->a_source == NEREID_DOT_A_CHAINED && !problem->a_is_in_all_warps)
    cycles += BARRIER_CYCLES + problem->m * problem->k * (1 + parts) * bits_of(problem->a) / 8 / SHARED_RATE;
  if (problem->feeds_dot)
    cycles += BARRIER_CYCLES + problem->m * problem->n * (1 + parts) * bits_of(problem->a) / 8 / SHARED_RATE;
  return cycles + (problem->feeds_reduce ? BARRIER_CYCLES : 0);
}

/* The cycles of elementwise ops on the result in a chain of dots: warps that hold copies of a row all execute them. */
static int64_t elementwise_cycles(const nereid_dot_problem_t *problem, int64_t registers) {
  const bool is_softmax = problem->feeds_dot && problem->feeds_reduce;
  const bool is_chained = problem->feeds_dot || problem->a_source == NEREID_DOT_A_CHAINED;
  const int64_t work = is_softmax ? SOFTMAX_WORK : is_chained ? CHAIN_WORK : 0;
  return divide_up(work * registers * problem->warps, SCHEDULERS);
}

/* Sets the cost of a candidate from its instructions, bytes and the multiply-adds that the tensor cores execute, copies
 * included. `parts` warps share a row. */
static void set_cost(const nereid_dot_problem_t *problem, int64_t multiply_adds, int64_t parts,
                     nereid_dot_choice_t *choice) {
  const int64_t tensor = divide_up(multiply_adds, rate_of(problem, choice->version));
  const int64_t shared = divide_up(choice->shared_bytes, SHARED_RATE);
  const int64_t issue = divide_up(choice->instructions * problem->warps, SCHEDULERS);
  const int64_t limit = nereid_target_thread_registers(LANES * (int64_t)problem->warps) - OTHER_REGISTERS;
  const int64_t spilled = at_least(choice->registers - limit, 0);
  choice->cycles = at_least(tensor, at_least(shared, issue)) + (tensor + shared + issue) / 4 +
                   elementwise_cycles(problem, choice->registers) + exchange_cycles(problem, parts) +
                   spilled * problem->warps * SPILL_CYCLES;
}

static int64_t accumulators(const nereid_dot_problem_t *problem, int64_t m, int64_t n, int64_t batch) {
  return divide_up(batch * m * n * bits_of(problem->sum), INT64_C(32) * LANES);
}

static void keep_better(const nereid_dot_choice_t *candidate, nereid_dot_choice_t *best) {
  if (best->version == NEREID_DOT_FMA || candidate->cycles < best->cycles)
    *best = *candidate;
}

/* --- mma.sync --- */

/* Each warp multiplies a tile of m by n in `batch` matrices and loads both operands of it with ldmatrix. */
static void try_mma_sync(const nereid_dot_problem_t *problem, int64_t warps_b, int64_t warps_m, int64_t warps_n,
                         nereid_dot_choice_t *best) {
  const int64_t batch = at_least(problem->batch / warps_b, 1);
  const int64_t m = at_least(problem->m / warps_m, WARP_ROWS), n = at_least(problem->n / warps_n, MMA_COLUMNS);
  const int64_t bits = bits_of(problem->a), step = nereid_dot_instruction_k(problem->a);
  const int64_t a_bytes = problem->a_source == NEREID_DOT_A_CHAINED && warps_n == 1 ? 0 : m * problem->k * bits / 8;
  const int64_t bytes = batch * (a_bytes + n * problem->k * bits / 8);
  nereid_dot_choice_t choice = {.version = NEREID_DOT_MMA_SYNC,
                                .rank = problem->rank,
                                .a_in_registers = true,
                                .shared_bytes = bytes * problem->warps,
                                .registers = accumulators(problem, m, n, batch)};
  choice.instructions =
      batch * (m / WARP_ROWS) * (n / MMA_COLUMNS) * divide_up(problem->k, step) + divide_up(bytes, MATRIX_LOAD);
  const int32_t grid[3] = {(int32_t)warps_b, (int32_t)warps_m, (int32_t)warps_n}, tile[3] = {1, WARP_ROWS, MMA_COLUMNS};
  for (int d = 0; d < choice.rank; ++d) {
    choice.warps[d] = grid[3 - choice.rank + d];
    choice.instruction[d] = tile[3 - choice.rank + d];
  }
  set_cost(problem, batch * m * n * problem->k * problem->warps, warps_n, &choice);
  keep_better(&choice, best);
}

static void try_all_mma_sync(const nereid_dot_problem_t *problem, nereid_dot_choice_t *best) {
  for (int64_t warps_b = 1; warps_b <= problem->warps; warps_b *= 2)
    for (int64_t warps_n = 1; warps_b * warps_n <= problem->warps; warps_n *= 2) {
      if (warps_b <= problem->batch)
        try_mma_sync(problem, warps_b, problem->warps / (warps_b * warps_n), warps_n, best);
    }
}

/* Reasons are static strings: one for each K of an instruction. */
static const char *small_k(const nereid_dot_problem_t *problem) {
  switch (nereid_dot_instruction_k(problem->a)) {
  case 4:
    return "K is below 4, the K of one instruction";
  case 8:
    return "K is below 8, the K of one instruction";
  case 16:
    return "K is below 16, the K of one instruction";
  default:
    return "K is below 32, the K of one instruction";
  }
}

static const char *why_not_mma_sync(const nereid_dot_problem_t *problem) {
  if (problem->capability < 80)
    return "the target has no mma.sync for it";
  if (!types_fit(problem))
    return "no tensor core instruction multiplies these types";
  if (is_fp8(problem->a) && problem->capability < 89)
    return "mma.sync of 8-bit floats needs sm_89";
  if (problem->k < nereid_dot_instruction_k(problem->a))
    return small_k(problem);
  return NULL;
}

/* --- wgmma --- */

/* `groups_b` by `groups_m` by `groups_n` warp groups; each multiplies `batch` matrices in tiles of 64 rows by at most
 * 256 columns. */
static void try_wgmma(const nereid_dot_problem_t *problem, int64_t groups_b, int64_t groups_m, int64_t groups_n,
                      nereid_dot_choice_t *best) {
  const int64_t m = problem->m / groups_m, n = problem->n / groups_n, bits = bits_of(problem->a);
  const int64_t batch = problem->batch / groups_b;
  if (m < GROUP_ROWS || n < MMA_COLUMNS || batch < 1)
    return;
  const int64_t columns = n < MAX_COLUMNS ? n : MAX_COLUMNS, step = nereid_dot_instruction_k(problem->a);
  const bool in_registers =
      problem->a_source == NEREID_DOT_A_COMPUTED || (problem->a_source == NEREID_DOT_A_CHAINED && groups_n == 1);
  const int64_t tiles_m = m / GROUP_ROWS, tiles_n = n / columns;
  nereid_dot_choice_t choice = {.version = NEREID_DOT_WGMMA,
                                .rank = problem->rank,
                                .instruction = {WARP_ROWS, (int32_t)columns, (int32_t)step},
                                .a_in_registers = in_registers,
                                .registers = accumulators(problem, m / GROUP_WARPS, n, batch)};
  const int32_t grid[3] = {(int32_t)groups_b, (int32_t)(GROUP_WARPS * groups_m), (int32_t)groups_n};
  for (int d = 0; d < choice.rank; ++d)
    choice.warps[d] = grid[3 - choice.rank + d];
  /* Each instruction reads its operands from shared memory again. */
  const int64_t a_bytes = (in_registers ? 0 : m * tiles_n) * problem->k * bits / 8;
  const int64_t b_bytes = n * tiles_m * problem->k * bits / 8;
  choice.shared_bytes = problem->batch * groups_m * groups_n * (a_bytes + b_bytes);
  choice.instructions = batch * tiles_m * tiles_n * divide_up(problem->k, step);
  if (problem->a_is_written)
    choice.shared_bytes += problem->batch * problem->m * problem->k * bits / 8;
  if (bits == 8) { /* wider elements are read in both orders, or written in words */
    choice.shared_bytes += problem->scattered / LANES * CONFLICTS * SHARED_RATE;
    choice.instructions += divide_up(problem->scattered, problem->warps * LANES);
  }
  if (in_registers && problem->a_source == NEREID_DOT_A_COMPUTED) {
    const int64_t loaded = m * problem->k * bits / 8;
    choice.shared_bytes += problem->batch * groups_m * groups_n * loaded;
    choice.instructions += batch * divide_up(loaded, (int64_t)MATRIX_LOAD * GROUP_WARPS);
  }
  set_cost(problem, problem->batch * problem->m * problem->n * problem->k, groups_n, &choice);
  keep_better(&choice, best);
}

static void try_all_wgmma(const nereid_dot_problem_t *problem, nereid_dot_choice_t *best) {
  const int64_t groups = problem->warps / GROUP_WARPS;
  for (int64_t groups_b = 1; groups_b <= groups; groups_b *= 2)
    for (int64_t groups_n = 1; groups_b * groups_n <= groups; groups_n *= 2)
      try_wgmma(problem, groups_b, groups / (groups_b * groups_n), groups_n, best);
}

static const char *why_not_wgmma(const nereid_dot_problem_t *problem) {
  if (!types_fit(problem))
    return "no tensor core instruction multiplies these types";
  if (mlirTypeIsAF64(problem->a))
    return "wgmma does not multiply f64";
  if (problem->warps < GROUP_WARPS)
    return "wgmma needs 4 warps";
  if (problem->m < GROUP_ROWS)
    return "wgmma needs M of at least 64";
  if (problem->n < MMA_COLUMNS)
    return "wgmma needs N of at least 8";
  if (problem->k < nereid_dot_instruction_k(problem->a))
    return small_k(problem);
  if (problem->operand_bytes > nereid_target_shared_memory(NEREID_SM_90))
    return "the operands, with those of dots that share them, do not fit in shared memory";
  return NULL;
}

/* --- the choice --- */

void nereid_dot_choose(const nereid_dot_problem_t *problem, nereid_dot_choice_t *out, const char **out_why) {
  const char *why = NULL;
  *out = (nereid_dot_choice_t){.version = NEREID_DOT_FMA};
  if (problem->capability >= 90) {
    why = why_not_wgmma(problem);
    if (!why)
      try_all_wgmma(problem, out);
    if (!why && out->version == NEREID_DOT_FMA)
      why = "M is too small for the warp groups, each of which needs 64 rows";
  }
  const bool scatters = out->version == NEREID_DOT_WGMMA && problem->scattered > 0 && bits_of(problem->a) == 8;
  if (out->version == NEREID_DOT_FMA || scatters) {
    const char *why_not = why_not_mma_sync(problem);
    if (!why_not)
      try_all_mma_sync(problem, out);
    else if (!scatters)
      why = why_not;
  }
  if (scatters && out->version == NEREID_DOT_MMA_SYNC)
    why = "threads would write a computed operand, whose elements wgmma reads with K contiguous, one by one";
  if (out_why)
    *out_why = why;
}

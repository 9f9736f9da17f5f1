/* Verifies encodings, independent of their tensor.
 *
 *   #ttg.blocked<{sizePerThread = [1, 3], ...}>   error: sizePerThread has 3, expected powers of two
 *
 * The layout library relies on two invariants: sizes are powers of two, and every list of basis vectors covers its
 * tensor. verify_tensor.c verifies encodings against the tensor and the module. */
#include "base/bits.h"
#include "dialects/diagnose.h"
#include "dialects/ttg/encoding/encoding.h"

#include "bindings/ttg_hooks.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>

#include <string.h>

static bool failed(MlirLogicalResult result) {
  return mlirLogicalResultIsFailure(result);
}

/* Verifies that `array` has `rank` numbers (any number of them when negative), all powers of two. */
static MlirLogicalResult check_powers(nereid_error_sink_t sink, const char *name, MlirAttribute array, int rank) {
  int32_t values[NEREID_TTG_MAX_RANK];
  int size = nereid_ttg_ints_read(array, values);
  if (size < 1 || (rank >= 0 && size != rank))
    return nereid_diagnose_to(sink, "%s has %d numbers, expected %d, one per dimension", name, size, rank);
  int64_t total = 1;
  for (int i = 0; i < size; i++) {
    if (!nereid_is_power_of_two(values[i]))
      return nereid_diagnose_to(sink, "%s has %d, expected powers of two", name, values[i]);
    total *= values[i];
    if (total > INT32_MAX)
      return nereid_diagnose_to(sink, "%s covers more than 2^31 elements", name);
  }
  return mlirLogicalResultSuccess();
}

/* Verifies that `order` is a permutation; its size is the rank. */
static MlirLogicalResult check_order(nereid_error_sink_t sink, MlirAttribute order, int *out_rank) {
  int32_t values[NEREID_TTG_MAX_RANK];
  uint64_t seen = 0;
  int rank = nereid_ttg_ints_read(order, values);
  for (int i = 0; i < rank; i++)
    seen |= values[i] >= 0 && values[i] < rank ? UINT64_C(1) << values[i] : 0;
  if (rank < 1 || seen != (UINT64_C(1) << rank) - 1)
    return nereid_diagnose_to(sink, "order must be a permutation of 0 to rank - 1, got %s",
                              nereid_text_of_attribute(order).chars);
  *out_rank = rank;
  return mlirLogicalResultSuccess();
}

/* --- basis vectors --- */

static int nonzero_count(const nereid_ttg_bases_t *bases, int i) {
  int found = 0;
  for (int d = 0; d < bases->rank; d++)
    found += bases->vectors[i][d] != 0;
  return found;
}

/* Verifies that every vector moves along at most one dimension. */
static MlirLogicalResult check_one_dimension(nereid_error_sink_t sink, const char *name,
                                             const nereid_ttg_bases_t *bases) {
  for (int i = 0; i < bases->count; i++)
    if (nonzero_count(bases, i) > 1)
      return nereid_diagnose_to(sink, "vector %d of %s moves along several dimensions, expected at most one", i, name);
  return mlirLogicalResultSuccess();
}

/* Verifies that every vector moves along at most one dimension, by a power of two. */
static MlirLogicalResult check_unit_vectors(nereid_error_sink_t sink, const char *name,
                                            const nereid_ttg_bases_t *bases) {
  if (failed(check_one_dimension(sink, name, bases)))
    return mlirLogicalResultFailure();
  for (int i = 0; i < bases->count; i++) {
    for (int d = 0; d < bases->rank; d++)
      if (bases->vectors[i][d] != 0 && !nereid_is_power_of_two(bases->vectors[i][d]))
        return nereid_diagnose_to(sink, "vector %d of %s has %d, expected 0 or powers of two", i, name,
                                  bases->vectors[i][d]);
  }
  return mlirLogicalResultSuccess();
}

/* Gaussian elimination over F2: the vectors are rows of bits, with the bits of all dimensions concatenated. */
typedef struct elimination {
  int width[NEREID_TTG_MAX_RANK]; /* bits of each dimension */
  int rank, total;                /* dimensions; bits of all of them */
  int nonzero, found;             /* number of nonzero vectors; of independent ones */
  uint64_t rows[64];              /* reduced, by leading bit */
} elimination_t;

static void measure(elimination_t *state, const nereid_ttg_bases_t *bases) {
  state->rank = bases->rank > state->rank ? bases->rank : state->rank;
  for (int i = 0; i < bases->count; i++)
    for (int d = 0; d < bases->rank; d++)
      while (bases->vectors[i][d] >> state->width[d] != 0)
        state->width[d]++;
}

static void eliminate(elimination_t *state, const nereid_ttg_bases_t *bases) {
  for (int i = 0; i < bases->count; i++) {
    uint64_t row = 0;
    for (int d = 0; d < bases->rank; d++)
      row = row << state->width[d] | (uint64_t)bases->vectors[i][d];
    state->nonzero += row != 0;
    for (int bit = 63; bit >= 0 && row; bit--) {
      if (!(row >> bit & 1))
        continue;
      if (!state->rows[bit]) {
        state->rows[bit] = row;
        state->found++;
        break;
      }
      row ^= state->rows[bit];
    }
  }
}

/* Verifies that the vectors of all inputs together reach every element of the box that they span. `injective`: each
 * element in one way, not counting copies (zero vectors). */
static MlirLogicalResult check_cover(nereid_error_sink_t sink, int count, const nereid_ttg_bases_t *const *inputs,
                                     bool injective) {
  elimination_t state = {0};
  for (int i = 0; i < count; i++)
    measure(&state, inputs[i]);
  for (int d = 0; d < state.rank; d++)
    state.total += state.width[d];
  if (state.rank == 0)
    return nereid_diagnose_to(sink, "an encoding of no vectors is not supported");
  if (state.total > 31)
    return nereid_diagnose_to(sink, "the vectors span more than 2^31 elements");
  for (int i = 0; i < count; i++)
    eliminate(&state, inputs[i]);
  if (state.found < state.total)
    return nereid_diagnose_to(sink, "the vectors reach 2^%d of the 2^%d elements that they span, expected all",
                              state.found, state.total);
  if (injective && state.nonzero > state.found)
    return nereid_diagnose_to(sink, "nonzero vectors must be independent");
  return mlirLogicalResultSuccess();
}

/* Verifies the CTA layout: null, or vectors of `rank` numbers that cover a grid of CTAs. */
static MlirLogicalResult check_cga(nereid_error_sink_t sink, MlirAttribute cga, int rank) {
  if (mlirAttributeIsNull(cga))
    return mlirLogicalResultSuccess();
  nereid_ttg_bases_t bases;
  if (!nereid_ttg_bases_read(cga, &bases) || bases.count == 0 || bases.rank != rank)
    return nereid_diagnose_to(sink, "CGALayout must have vectors of %d numbers, or be omitted for one CTA", rank);
  const nereid_ttg_bases_t *inputs[] = {&bases};
  if (failed(check_unit_vectors(sink, "CGALayout", &bases)))
    return mlirLogicalResultFailure();
  return check_cover(sink, 1, inputs, false);
}

static bool read_all(int count, const MlirAttribute *arrays, nereid_ttg_bases_t *out) {
  int rank = 0;
  for (int i = 0; i < count; i++) {
    if (!nereid_ttg_bases_read(arrays[i], &out[i]) || (rank && out[i].rank && out[i].rank != rank))
      return false;
    rank = out[i].rank ? out[i].rank : rank;
  }
  return true;
}

/* --- distributed encodings --- */

MlirLogicalResult nereid_ttg_blocked_attr_verify(nereid_error_sink_t sink, MlirAttribute size_per_thread,
                                                 MlirAttribute threads_per_warp, MlirAttribute warps_per_cta,
                                                 MlirAttribute order, MlirAttribute cga_layout) {
  int rank = 0;
  if (failed(check_order(sink, order, &rank)) || failed(check_powers(sink, "sizePerThread", size_per_thread, rank)) ||
      failed(check_powers(sink, "threadsPerWarp", threads_per_warp, rank)) ||
      failed(check_powers(sink, "warpsPerCTA", warps_per_cta, rank)))
    return mlirLogicalResultFailure();
  return check_cga(sink, cga_layout, rank);
}

/* Verifies the vectors of a linear encoding, which together reach every element. `swizzled_warps`: those of warps may
 * move along several dimensions. */
static MlirLogicalResult check_linear(nereid_error_sink_t sink, const MlirAttribute arrays[NEREID_LAYOUT_DIMS],
                                      bool swizzled_warps) {
  static const char *const names[] = {"register", "lane", "warp", "block"};
  nereid_ttg_bases_t bases[NEREID_LAYOUT_DIMS];
  const nereid_ttg_bases_t *inputs[] = {&bases[0], &bases[1], &bases[2], &bases[3]};
  if (!read_all(NEREID_LAYOUT_DIMS, arrays, bases))
    return nereid_diagnose_to(sink, "vectors must have one number per dimension");
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    if (!(swizzled_warps && in == NEREID_LAYOUT_WARP) && failed(check_one_dimension(sink, names[in], &bases[in])))
      return mlirLogicalResultFailure();
  return check_cover(sink, NEREID_LAYOUT_DIMS, inputs, false);
}

MlirLogicalResult nereid_ttg_linear_attr_verify(nereid_error_sink_t sink, MlirAttribute register_bases,
                                                MlirAttribute lane_bases, MlirAttribute warp_bases,
                                                MlirAttribute block_bases) {
  const MlirAttribute arrays[] = {register_bases, lane_bases, warp_bases, block_bases};
  return check_linear(sink, arrays, false);
}

MlirLogicalResult nereid_ttg_generic_linear_attr_verify(nereid_error_sink_t sink, MlirAttribute register_bases,
                                                        MlirAttribute lane_bases, MlirAttribute warp_bases,
                                                        MlirAttribute block_bases) {
  const MlirAttribute arrays[] = {register_bases, lane_bases, warp_bases, block_bases};
  return check_linear(sink, arrays, true);
}

MlirLogicalResult nereid_ttg_slice_attr_verify(nereid_error_sink_t sink, unsigned dim, MlirAttribute parent) {
  if (!nereid_ttg_is_distributed(parent))
    return nereid_diagnose_to(sink, "expects key 'parent' with the encoding of a tensor");
  int rank = nereid_ttg_encoding_rank(parent);
  if (rank < 2)
    return nereid_diagnose_to(sink, "parent has rank %d, expected at least 2", rank);
  if (dim >= (unsigned)rank)
    return nereid_diagnose_to(sink, "dim is %u, expected less than the parent's rank %d", dim, rank);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_ttg_dot_op_attr_verify(nereid_error_sink_t sink, unsigned op_idx, MlirAttribute parent,
                                                unsigned k_width) {
  if (op_idx > 1)
    return nereid_diagnose_to(sink, "opIdx is %u, expected 0 or 1", op_idx);
  if (mlirAttributeIsNull(parent) || (!nereid_ttg_nvidia_mma_attr_isa(parent) && !nereid_ttg_blocked_attr_isa(parent)))
    return nereid_diagnose_to(sink, "expects key 'parent' with #ttg.nvidia_mma or #ttg.blocked");
  if (nereid_ttg_encoding_rank(parent) < 2)
    return nereid_diagnose_to(sink, "parent must have rank 2 or more");
  if (nereid_ttg_blocked_attr_isa(parent))
    return k_width == 0 ? mlirLogicalResultSuccess()
                        : nereid_diagnose_to(sink, "kWidth is not supported when the parent is #ttg.blocked");
  if (k_width == 0)
    return nereid_diagnose_to(sink, "kWidth is required when the parent is #ttg.nvidia_mma");
  if (!nereid_is_power_of_two(k_width))
    return nereid_diagnose_to(sink, "kWidth is %u, expected a power of two", k_width);
  if (op_idx == 1 && nereid_ttg_nvidia_mma_attr_get_version_major(parent) == 3)
    return nereid_diagnose_to(sink, "opIdx must be 0 when the parent is version 3: wgmma takes only the left operand "
                                    "from registers");
  return mlirLogicalResultSuccess();
}

/* The rows and columns that one instruction gives a warp: m16n8 or m8n8 of mma.sync; 16 rows and N columns of wgmma,
 * whose four warps have 64 rows. K follows from the operands. */
static MlirLogicalResult check_instruction(nereid_error_sink_t sink, unsigned version, int rank, const int32_t *shape) {
  enum { MIN_COLUMNS = 8, MAX_COLUMNS = 256 };
  for (int i = 0; i < rank; i++)
    if (shape[i] <= 0)
      return nereid_diagnose_to(sink, "instrShape has %d, expected positive numbers", shape[i]);
  if (version == 3) {
    const int32_t n = shape[1];
    const bool has_n = n >= MIN_COLUMNS && n <= MAX_COLUMNS && nereid_is_power_of_two((uint64_t)n);
    return shape[0] == 16 && has_n
               ? mlirLogicalResultSuccess()
               : nereid_diagnose_to(sink,
                                    "instrShape is [%d, %d, %d], expected [16, N, K] for wgmma: 16 rows per warp, and "
                                    "N a power of two from %d to %d",
                                    shape[0], n, shape[2], MIN_COLUMNS, MAX_COLUMNS);
  }
  const int32_t m = shape[rank - 2], n = shape[rank - 1];
  return (m == 16 || m == 8) && n == 8
             ? mlirLogicalResultSuccess()
             : nereid_diagnose_to(sink, "instrShape ends in %d, %d, expected 16, 8 for mma.sync, or 8, 8 for f64", m,
                                  n);
}

MlirLogicalResult nereid_ttg_nvidia_mma_attr_verify(nereid_error_sink_t sink, unsigned version_major,
                                                    unsigned version_minor, MlirAttribute warps_per_cta,
                                                    MlirAttribute cga_layout, MlirAttribute instr_shape) {
  (void)version_minor;
  int32_t values[NEREID_TTG_MAX_RANK];
  if (version_major != 2 && version_major != 3)
    return nereid_diagnose_to(sink, "versionMajor %u is not supported: sm_80 to sm_90 have 2 (mma.sync) and 3 (wgmma)",
                              version_major);
  int rank = nereid_ttg_ints_read(warps_per_cta, values);
  if (rank != 2 && rank != 3)
    return nereid_diagnose_to(sink, "warpsPerCTA has %d numbers, expected 2 or 3", rank);
  int shape_rank = nereid_ttg_ints_read(instr_shape, values);
  if (version_major == 3 ? shape_rank != 3 : shape_rank != rank)
    return nereid_diagnose_to(sink, "instrShape has %d numbers, expected %d", shape_rank,
                              version_major == 3 ? 3 : rank);
  if (failed(check_instruction(sink, version_major, shape_rank, values)))
    return mlirLogicalResultFailure();
  if (failed(check_powers(sink, "warpsPerCTA", warps_per_cta, rank)))
    return mlirLogicalResultFailure();
  return check_cga(sink, cga_layout, rank);
}

/* --- shared encodings --- */

MlirLogicalResult nereid_ttg_swizzled_shared_attr_verify(nereid_error_sink_t sink, unsigned vec, unsigned per_phase,
                                                         unsigned max_phase, MlirAttribute order,
                                                         MlirAttribute cga_layout) {
  int rank = 0;
  if (!nereid_is_power_of_two(vec) || !nereid_is_power_of_two(per_phase) || !nereid_is_power_of_two(max_phase))
    return nereid_diagnose_to(sink, "vec, perPhase and maxPhase are %u, %u and %u, expected powers of two", vec,
                              per_phase, max_phase);
  if (failed(check_order(sink, order, &rank)))
    return mlirLogicalResultFailure();
  return check_cga(sink, cga_layout, rank);
}

MlirLogicalResult nereid_ttg_nvmma_shared_attr_verify(nereid_error_sink_t sink, unsigned swizzling_byte_width,
                                                      bool transposed, unsigned element_bit_width, bool fp4_padded,
                                                      MlirAttribute cga_layout, unsigned rank) {
  (void)transposed, (void)fp4_padded;
  unsigned bytes = swizzling_byte_width;
  if (bytes != 0 && bytes != 32 && bytes != 64 && bytes != 128)
    return nereid_diagnose_to(sink, "swizzlingByteWidth is %u, expected 0, 32, 64 or 128", bytes);
  if (!nereid_is_power_of_two(element_bit_width) || element_bit_width > 64)
    return nereid_diagnose_to(sink, "elementBitWidth is %u, expected a power of two up to 64", element_bit_width);
  if (rank < 1 || rank > NEREID_TTG_MAX_RANK)
    return nereid_diagnose_to(sink, "rank is %u, expected 1 to %d", rank, NEREID_TTG_MAX_RANK);
  return check_cga(sink, cga_layout, (int)rank);
}

MlirLogicalResult nereid_ttg_padded_shared_attr_verify(nereid_error_sink_t sink, MlirAttribute intervals,
                                                       MlirAttribute paddings, MlirAttribute offset_bases,
                                                       MlirAttribute block_bases, MlirAttribute shape) {
  (void)shape;
  int32_t values[NEREID_TTG_MAX_RANK];
  int pairs = nereid_ttg_ints_read(intervals, values);
  if (failed(check_powers(sink, "the list of intervals", intervals, -1)) ||
      failed(check_powers(sink, "the list of paddings", paddings, pairs)))
    return mlirLogicalResultFailure();
  for (int i = 0; i < pairs; i++)
    for (int j = 0; j < i; j++)
      if (values[i] == values[j])
        return nereid_diagnose_to(sink, "interval %d is given twice", values[i]);
  const MlirAttribute arrays[] = {offset_bases, block_bases};
  nereid_ttg_bases_t bases[2];
  const nereid_ttg_bases_t *inputs[] = {&bases[0], &bases[1]};
  if (!read_all(2, arrays, bases))
    return nereid_diagnose_to(sink, "vectors must have one number per dimension");
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < bases[k].count; i++)
      if (nonzero_count(&bases[k], i) == 0)
        return nereid_diagnose_to(sink, "a zero vector is not supported here: shared memory holds each element once");
  if (failed(check_unit_vectors(sink, "offset", &bases[0])) || failed(check_unit_vectors(sink, "block", &bases[1])))
    return mlirLogicalResultFailure();
  return bases[0].count + bases[1].count == 0 ? mlirLogicalResultSuccess() : check_cover(sink, 2, inputs, true);
}

MlirLogicalResult nereid_ttg_shared_linear_attr_verify(nereid_error_sink_t sink, MlirAttribute offset_bases,
                                                       MlirAttribute block_bases, unsigned layout_alignment) {
  if (!nereid_is_power_of_two(layout_alignment))
    return nereid_diagnose_to(sink, "alignment is %u, expected a power of two", layout_alignment);
  const MlirAttribute arrays[] = {offset_bases, block_bases};
  nereid_ttg_bases_t bases[2];
  const nereid_ttg_bases_t *inputs[] = {&bases[0], &bases[1]};
  if (!read_all(2, arrays, bases))
    return nereid_diagnose_to(sink, "vectors must have one number per dimension");
  return check_cover(sink, 2, inputs, true);
}

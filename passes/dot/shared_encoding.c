/* Encodings of buffers for dot operands; see shared_encoding.h.
 *
 * A swizzle without conflicts: the lanes that one phase of a load serves read `rows` rows and `group` contiguous bytes
 * of each. Consecutive rows of the buffer must store these groups in different banks. Rows shorter than the 128 bytes
 * of all banks follow one another, so 128 / row bytes rows share one phase:
 *
 *   ldmatrix (also .trans)         8 rows x 16 bytes
 *   32-bit loads of 8 lanes        4 rows x 32 bytes      words whose contiguous dimension is M or N
 *   64-bit loads of a half warp    4 rows x 32 bytes      f64; 8 adjacent bytes along K per lane
 *   128-bit loads of 8 lanes       2 rows x 64 bytes      16 adjacent bytes along K per lane */
#include "passes/dot/shared_encoding.h"

#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum {
  BANK_BYTES = 128, /* all banks of shared memory */
  MATRIX_ROWS = 8,  /* of ldmatrix, and of a swizzle atom of wgmma */
  MATRIX_BYTES = 16,
  WARP_LANES = 32,
  BATCH_RANK = 3,
};

static int64_t bits_of(MlirType element) {
  return mlirTypeIsAInteger(element) ? (int64_t)mlirIntegerTypeGetWidth(element)
                                     : (int64_t)mlirFloatTypeGetWidth(element);
}

static void shape_per_cta(MlirType tensor, int64_t *out_shape) {
  const int rank = (int)mlirShapedTypeGetRank(tensor);
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(tensor);
  int64_t shape[NEREID_TTG_MAX_RANK];
  for (int d = 0; d < rank; ++d)
    out_shape[d] = shape[d] = mlirShapedTypeGetDimSize(tensor, d);
  if (nereid_ttg_is_distributed(encoding))
    nereid_ttg_shape_per_cta(encoding, rank, shape, out_shape);
}

/* --- order --- */

/* Row-major. */
static void default_order(int rank, int32_t *out_order) {
  for (int d = 0; d < rank; ++d)
    out_order[d] = rank - 1 - d;
}

/* Writes the order of an encoding of `rank` dimensions. */
static void order_of(MlirAttribute encoding, int rank, int32_t *out_order) {
  int32_t parent[NEREID_TTG_MAX_RANK];
  default_order(rank, out_order);
  if (nereid_ttg_blocked_attr_isa(encoding))
    (void)nereid_ttg_ints_read(nereid_ttg_blocked_attr_get_order(encoding), out_order);
  if (nereid_ttg_dot_op_attr_isa(encoding))
    order_of(nereid_ttg_dot_op_attr_get_parent(encoding), rank, out_order);
  if (!nereid_ttg_slice_attr_isa(encoding) || rank + 1 > NEREID_TTG_MAX_RANK)
    return;
  const int32_t dropped = (int32_t)nereid_ttg_slice_attr_get_dim(encoding);
  order_of(nereid_ttg_slice_attr_get_parent(encoding), rank + 1, parent);
  for (int i = 0, n = 0; i <= rank; ++i)
    if (parent[i] != dropped)
      out_order[n++] = parent[i] - (parent[i] > dropped);
}

void nereid_dot_register_order(MlirType tensor, int32_t *out_order) {
  order_of(mlirRankedTensorTypeGetEncoding(tensor), (int)mlirShapedTypeGetRank(tensor), out_order);
}

/* --- wgmma --- */

bool nereid_dot_wgmma_reads_transposed(MlirType element) {
  return mlirTypeIsAF16(element) || mlirTypeIsABF16(element);
}

/* The encoding of a batch of transposed matrices, as a linear one: the transposed form of #ttg.nvmma_shared rotates the
 * dimensions, and would make matrices contiguous. `rows` is that of the batch before the transposition, without a
 * split over CTAs. */
static MlirAttribute transposed_batch(MlirType tensor, MlirAttribute rows) {
  static const int32_t transposition[] = {0, 2, 1};
  const int64_t shape[] = {mlirShapedTypeGetDimSize(tensor, 0), mlirShapedTypeGetDimSize(tensor, 2),
                           mlirShapedTypeGetDimSize(tensor, 1)};
  MlirAttribute encoding;
  const bool found =
      nereid_ttg_infer_trans_encoding(rows, BATCH_RANK, shape, transposition, (MlirLocation){NULL}, &encoding);
  return found ? encoding : (MlirAttribute){NULL};
}

MlirAttribute nereid_dot_wgmma_shared(MlirType tensor, const int32_t *order) {
  MlirContext context = mlirTypeGetContext(tensor);
  const int rank = (int)mlirShapedTypeGetRank(tensor);
  const int64_t bits = bits_of(mlirShapedTypeGetElementType(tensor));
  const bool transposed = order[0] != rank - 1;
  MlirAttribute ctas = nereid_ttg_cga_of_tensor(tensor);
  if (rank < 2 || rank > BATCH_RANK || order[0] < rank - 2 ||
      (transposed && rank == BATCH_RANK && !mlirAttributeIsNull(ctas)))
    return (MlirAttribute){NULL};
  int64_t shape[NEREID_TTG_MAX_RANK];
  shape_per_cta(tensor, shape);
  const int64_t rows = shape[rank - 2] * shape[rank - 1] / shape[order[0]], bytes = shape[order[0]] * bits / 8;
  if (rows < MATRIX_ROWS || bytes < MATRIX_BYTES)
    return (MlirAttribute){NULL};
  const unsigned swizzle = bytes >= 128 ? 128 : bytes >= 64 ? 64 : bytes >= 32 ? 32 : 0;
  MlirAttribute encoding =
      nereid_ttg_nvmma_shared_attr_create(context, swizzle, transposed && rank == 2, (unsigned)bits,
                                          /*fp4_padded=*/false, ctas, (unsigned)rank);
  return transposed && rank == BATCH_RANK ? transposed_batch(tensor, encoding) : encoding;
}

/* --- mma.sync --- */

/* The rows and the bytes of each that one phase of a load reads, and the distance between the rows. */
typedef struct access {
  int64_t rows, bytes, distance;
} access_t;

static access_t access_of(int64_t bits, int64_t k_width, bool k_contiguous) {
  const int64_t lane_bits = k_width * bits; /* adjacent along K in one lane */
  if (bits == 64)
    return (access_t){4, 32, 1};
  if (k_contiguous)
    return lane_bits <= 32 ? (access_t){8, 16, 1} : lane_bits == 64 ? (access_t){4, 32, 1} : (access_t){2, 64, 1};
  /* Words that are narrowed to the elements of the dot: consecutive lanes read rows k_width apart. */
  return bits == 32 ? (access_t){4, 32, k_width} : (access_t){8, 16, 1};
}

/* The lanes that one wavefront serves load `access.rows` rows at `access.distance`. */
static MlirAttribute swizzle_for(MlirType tensor, access_t access, const int32_t *order) {
  MlirContext context = mlirTypeGetContext(tensor);
  const int64_t bits = bits_of(mlirShapedTypeGetElementType(tensor));
  int64_t shape[NEREID_TTG_MAX_RANK];
  shape_per_cta(tensor, shape);
  const int64_t row_bytes = shape[order[0]] * bits / 8;
  const int64_t in_banks = row_bytes >= BANK_BYTES || row_bytes == 0 ? 1 : BANK_BYTES / row_bytes;
  const int64_t per_phase = in_banks < access.distance ? access.distance : in_banks;
  int64_t phases = access.rows * access.distance / per_phase;
  if (phases > row_bytes / access.bytes)
    phases = row_bytes / access.bytes;
  const bool swizzled = phases > 1;
  return nereid_ttg_swizzled_shared_attr_create(
      context, swizzled ? (unsigned)(access.bytes * 8 / bits) : 1, swizzled ? (unsigned)per_phase : 1,
      swizzled ? (unsigned)phases : 1, nereid_ttg_ints_make(context, (int)mlirShapedTypeGetRank(tensor), order),
      nereid_ttg_cga_of_tensor(tensor));
}

MlirAttribute nereid_dot_mma_shared(MlirType tensor, MlirAttribute dot_op, const int32_t *order) {
  const int rank = (int)mlirShapedTypeGetRank(tensor);
  if (!nereid_ttg_dot_op_attr_isa(dot_op) || rank < 2 ||
      !nereid_ttg_nvidia_mma_attr_isa(nereid_ttg_dot_op_attr_get_parent(dot_op)))
    return (MlirAttribute){NULL};
  const int k_dim = nereid_ttg_dot_op_attr_get_op_idx(dot_op) == 0 ? rank - 1 : rank - 2;
  const int64_t bits = bits_of(mlirShapedTypeGetElementType(tensor));
  return swizzle_for(tensor, access_of(bits, nereid_ttg_dot_op_attr_get_k_width(dot_op), order[0] == k_dim), order);
}

/* --- other readers --- */

/* Returns the consecutive rows, and the bytes of each along dimension `d`, that the lanes of one wavefront load. One
 * row if the lanes' rows are not consecutive. */
static access_t access_of_lanes(const nereid_layout_t *layout, int64_t bytes, int d, int row) {
  const uint32_t columns = nereid_layout_out_mask(layout, d);
  const int64_t run = bytes * nereid_layout_contiguity(layout, d), width = run > MATRIX_BYTES ? MATRIX_BYTES : run;
  const int64_t most = width > 0 && width < BANK_BYTES / WARP_LANES ? BANK_BYTES / WARP_LANES : width;
  access_t access = {1, width, 1};
  for (int i = 0; i < layout->in_bits[NEREID_LAYOUT_LANE] && (most << i) < BANK_BYTES; ++i) {
    const uint32_t basis = layout->bases[NEREID_LAYOUT_LANE][i];
    if (basis & columns)
      access.bytes *= 2;
    else if (basis == (uint32_t)access.rows << nereid_layout_out_shift(layout, row))
      access.rows *= 2;
    else if (basis)
      return (access_t){1, width, 1};
  }
  return access;
}

MlirAttribute nereid_read_shared(MlirType tensor, MlirAttribute reader, const int32_t *order) {
  const int rank = (int)mlirShapedTypeGetRank(tensor);
  MlirType element = mlirShapedTypeGetElementType(tensor);
  const bool is_number = mlirTypeIsAInteger(element) || mlirTypeIsAFloat(element);
  const int64_t bytes = is_number ? bits_of(element) / 8 : 0;
  nereid_layout_t layout;
  if (rank < 2 || bytes == 0 || nereid_layout_from_type(nereid_ttg_with_encoding(tensor, reader), &layout) != NEREID_OK)
    return (MlirAttribute){NULL};
  access_t access = access_of_lanes(&layout, bytes, order[0], order[1]);
  if (access.rows == 1)
    return (MlirAttribute){NULL};
  if (access.bytes < MATRIX_BYTES) /* the copies to the buffer are 16 bytes wide */
    access.bytes = MATRIX_BYTES;
  return swizzle_for(tensor, access, order);
}

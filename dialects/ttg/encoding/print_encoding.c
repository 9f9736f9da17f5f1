/* Prints an encoding with the keys, the order and the spacing of Triton 3.6.
 *
 *   #ttg.nvmma_shared attribute  ->  <{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
 *
 * Defaults are omitted: the CTA layout of a single CTA, fp4Padded, a rank of 2, kWidth 0, no blocks in shared_linear.
 * padded_shared has a short form for a plain order of elements. The version decides between linear and
 * generic_linear. */
#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/ttg_hooks.h"

#include "layout/encoding.h"
#include "nereid/dialects/ttg.h"
#include "seam/tt.h"

#include <mlir-c/BuiltinAttributes.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef const nereid_ttg_printer_t *printer_t;

static void text(printer_t printer, const char *string) {
  printer->text(mlirStringRefCreateFromCString(string), printer->user_data);
}

static void number(printer_t printer, int64_t value) {
  char digits[32];
  snprintf(digits, sizeof digits, "%" PRId64, value);
  text(printer, digits);
}

static void key_number(printer_t printer, const char *key, int64_t value) {
  text(printer, key);
  number(printer, value);
}

static void key_bool(printer_t printer, const char *key, bool value) {
  text(printer, key);
  text(printer, value ? "true" : "false");
}

/* Prints `key[1, 8]` of a dense array of i32 or i64. */
static void key_array(printer_t printer, const char *key, MlirAttribute array) {
  text(printer, key);
  text(printer, "[");
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(array); i++) {
    text(printer, i ? ", " : "");
    number(printer, mlirAttributeIsADenseI64Array(array) ? mlirDenseI64ArrayGetElement(array, i)
                                                         : mlirDenseI32ArrayGetElement(array, i));
  }
  text(printer, "]");
}

/* Prints `key[[0, 1], [8, 0]]`. */
static void key_bases(printer_t printer, const char *key, MlirAttribute bases) {
  text(printer, key);
  text(printer, "[");
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(bases); i++)
    key_array(printer, i ? ", " : "", mlirArrayAttrGetElement(bases, i));
  text(printer, "]");
}

static void cga(printer_t printer, MlirAttribute bases) {
  if (!mlirAttributeIsNull(bases))
    key_bases(printer, ", CGALayout = ", bases);
}

static void key_attribute(printer_t printer, const char *key, MlirAttribute attribute) {
  text(printer, key);
  printer->attribute(attribute, printer->user_data);
}

static void print_blocked(printer_t printer, MlirAttribute encoding) {
  key_array(printer, "<{sizePerThread = ", nereid_ttg_blocked_attr_get_size_per_thread(encoding));
  key_array(printer, ", threadsPerWarp = ", nereid_ttg_blocked_attr_get_threads_per_warp(encoding));
  key_array(printer, ", warpsPerCTA = ", nereid_ttg_blocked_attr_get_warps_per_cta(encoding));
  key_array(printer, ", order = ", nereid_ttg_blocked_attr_get_order(encoding));
  cga(printer, nereid_ttg_blocked_attr_get_cga_layout(encoding));
  text(printer, "}>");
}

static void print_linear(printer_t printer, MlirAttribute encoding) {
  MlirAttribute vectors[NEREID_LAYOUT_DIMS];
  nereid_layout_vectors_of_linear(encoding, vectors);
  key_bases(printer, "<{register = ", vectors[NEREID_LAYOUT_REGISTER]);
  key_bases(printer, ", lane = ", vectors[NEREID_LAYOUT_LANE]);
  key_bases(printer, ", warp = ", vectors[NEREID_LAYOUT_WARP]);
  key_bases(printer, ", block = ", vectors[NEREID_LAYOUT_BLOCK]);
  text(printer, "}>");
}

static void print_slice(printer_t printer, MlirAttribute encoding) {
  key_number(printer, "<{dim = ", nereid_ttg_slice_attr_get_dim(encoding));
  key_attribute(printer, ", parent = ", nereid_ttg_slice_attr_get_parent(encoding));
  text(printer, "}>");
}

static void print_dot_op(printer_t printer, MlirAttribute encoding) {
  key_number(printer, "<{opIdx = ", nereid_ttg_dot_op_attr_get_op_idx(encoding));
  key_attribute(printer, ", parent = ", nereid_ttg_dot_op_attr_get_parent(encoding));
  if (nereid_ttg_dot_op_attr_get_k_width(encoding))
    key_number(printer, ", kWidth = ", nereid_ttg_dot_op_attr_get_k_width(encoding));
  text(printer, "}>");
}

static void print_nvidia_mma(printer_t printer, MlirAttribute encoding) {
  key_number(printer, "<{versionMajor = ", nereid_ttg_nvidia_mma_attr_get_version_major(encoding));
  key_number(printer, ", versionMinor = ", nereid_ttg_nvidia_mma_attr_get_version_minor(encoding));
  key_array(printer, ", warpsPerCTA = ", nereid_ttg_nvidia_mma_attr_get_warps_per_cta(encoding));
  cga(printer, nereid_ttg_nvidia_mma_attr_get_cga_layout(encoding));
  key_array(printer, ", instrShape = ", nereid_ttg_nvidia_mma_attr_get_instr_shape(encoding));
  text(printer, "}>");
}

static void print_swizzled_shared(printer_t printer, MlirAttribute encoding) {
  key_number(printer, "<{vec = ", nereid_ttg_swizzled_shared_attr_get_vec(encoding));
  key_number(printer, ", perPhase = ", nereid_ttg_swizzled_shared_attr_get_per_phase(encoding));
  key_number(printer, ", maxPhase = ", nereid_ttg_swizzled_shared_attr_get_max_phase(encoding));
  key_array(printer, ", order = ", nereid_ttg_swizzled_shared_attr_get_order(encoding));
  cga(printer, nereid_ttg_swizzled_shared_attr_get_cga_layout(encoding));
  text(printer, "}>");
}

static void print_nvmma_shared(printer_t printer, MlirAttribute encoding) {
  MlirAttribute bases = nereid_ttg_nvmma_shared_attr_get_cga_layout(encoding);
  unsigned rank = nereid_ttg_nvmma_shared_attr_get_rank(encoding);
  key_number(printer, "<{swizzlingByteWidth = ", nereid_ttg_nvmma_shared_attr_get_swizzling_byte_width(encoding));
  key_bool(printer, ", transposed = ", nereid_ttg_nvmma_shared_attr_get_transposed(encoding));
  key_number(printer, ", elementBitWidth = ", nereid_ttg_nvmma_shared_attr_get_element_bit_width(encoding));
  if (nereid_ttg_nvmma_shared_attr_get_fp4_padded(encoding))
    text(printer, ", fp4Padded = true");
  if (mlirAttributeIsNull(bases) && rank != 2)
    key_number(printer, ", rank = ", rank);
  cga(printer, bases);
  text(printer, "}>");
}

/* Returns whether the offsets count through the dimensions one after the other; their order is then in out_order. */
static bool plain_order(const nereid_ttg_bases_t *offset, MlirAttribute shape, int32_t *out_order) {
  int rank = (int)mlirDenseArrayGetNumElements(shape), next = 0, vector = 0;
  bool done[NEREID_TTG_MAX_RANK] = {false};
  if (rank < 1 || rank > NEREID_TTG_MAX_RANK)
    return false;
  while (vector < offset->count) {
    int d = 0;
    while (d < rank - 1 && offset->vectors[vector][d] == 0)
      d++;
    if (done[d])
      return false;
    done[d] = true;
    out_order[next++] = d;
    for (int64_t step = 1; step < mlirDenseI64ArrayGetElement(shape, d); step *= 2, vector++)
      for (int other = 0; other < rank; other++)
        if (vector >= offset->count || offset->vectors[vector][other] != (other == d ? step : 0))
          return false;
  }
  /* Dimensions of size 1 have no position in the offsets; list them last to first. */
  for (int d = rank - 1; d >= 0; d--)
    if (!done[d])
      out_order[next++] = d;
  for (int d = 0; d < rank; d++)
    if (!done[d] && mlirDenseI64ArrayGetElement(shape, d) != 1)
      return false;
  return true;
}

static void print_padded_shared(printer_t printer, MlirAttribute encoding) {
  MlirAttribute intervals = nereid_ttg_padded_shared_attr_get_intervals(encoding);
  MlirAttribute paddings = nereid_ttg_padded_shared_attr_get_paddings(encoding);
  text(printer, "<[");
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(intervals); i++) {
    key_number(printer, i ? ", " : "", mlirDenseI32ArrayGetElement(intervals, i));
    key_number(printer, ":+", mlirDenseI32ArrayGetElement(paddings, i));
  }
  MlirAttribute shape = nereid_ttg_padded_shared_attr_get_shape(encoding);
  MlirAttribute block = nereid_ttg_padded_shared_attr_get_block_bases(encoding);
  nereid_ttg_bases_t offset;
  nereid_ttg_bases_read(nereid_ttg_padded_shared_attr_get_offset_bases(encoding), &offset);
  int32_t order[NEREID_TTG_MAX_RANK];
  if (mlirArrayAttrGetNumElements(block) == 0 && plain_order(&offset, shape, order)) {
    int rank = (int)mlirDenseArrayGetNumElements(shape);
    key_array(printer, "] {order = ", nereid_ttg_ints_make(mlirAttributeGetContext(encoding), rank, order));
    key_array(printer, ", shape = ", shape);
  } else {
    key_bases(printer, "] {offset = ", nereid_ttg_padded_shared_attr_get_offset_bases(encoding));
    key_bases(printer, ", block = ", block);
  }
  text(printer, "}>");
}

static void print_shared_linear(printer_t printer, MlirAttribute encoding) {
  MlirAttribute block = nereid_ttg_shared_linear_attr_get_block_bases(encoding);
  key_bases(printer, "<{offset = ", nereid_ttg_shared_linear_attr_get_offset_bases(encoding));
  if (mlirArrayAttrGetNumElements(block) > 0)
    key_bases(printer, ", block = ", block);
  key_number(printer, "}, alignment = ", nereid_ttg_shared_linear_attr_get_layout_alignment(encoding));
  text(printer, ">");
}

/* Returns whether each coordinate bit is the image of exactly one input bit. */
static bool is_permutation(MlirAttribute encoding) {
  MlirAttribute vectors[NEREID_LAYOUT_DIMS];
  nereid_ttg_bases_t bases;
  uint32_t seen[NEREID_TTG_MAX_RANK] = {0};
  nereid_layout_vectors_of_linear(encoding, vectors);
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++) {
    nereid_ttg_bases_read(vectors[in], &bases);
    for (int i = 0; i < bases.count; i++) {
      int dims = 0;
      for (int d = 0; d < bases.rank; d++) {
        const uint32_t step = (uint32_t)bases.vectors[i][d];
        if (step & (step - 1) || step & seen[d])
          return false;
        dims += step != 0;
        seen[d] |= step;
      }
      if (dims > 1)
        return false;
    }
  }
  return true;
}

const char *nereid_ttg_encoding_mnemonic(MlirAttribute encoding) {
  const bool generic = nereid_ttg_generic_linear_attr_isa(encoding);
  if (!generic && !nereid_ttg_linear_attr_isa(encoding))
    return NULL;
  const bool has_generic =
      nereidMlirContextGetTritonMinor(mlirAttributeGetContext(encoding)) >= NEREID_TTG_GENERIC_LINEAR_SINCE;
  if (generic ? has_generic || nereid_ttg_has_swizzled_warps(encoding) : has_generic && !is_permutation(encoding))
    return "generic_linear";
  return "linear";
}

void nereid_ttg_encoding_print(MlirAttribute encoding, const nereid_ttg_printer_t *printer) {
  static const struct {
    bool (*isa)(MlirAttribute attribute);
    void (*print)(printer_t printer, MlirAttribute encoding);
  } encodings[] = {
      {nereid_ttg_blocked_attr_isa, print_blocked},
      {nereid_ttg_linear_attr_isa, print_linear},
      {nereid_ttg_generic_linear_attr_isa, print_linear},
      {nereid_ttg_slice_attr_isa, print_slice},
      {nereid_ttg_dot_op_attr_isa, print_dot_op},
      {nereid_ttg_nvidia_mma_attr_isa, print_nvidia_mma},
      {nereid_ttg_swizzled_shared_attr_isa, print_swizzled_shared},
      {nereid_ttg_nvmma_shared_attr_isa, print_nvmma_shared},
      {nereid_ttg_padded_shared_attr_isa, print_padded_shared},
      {nereid_ttg_shared_linear_attr_isa, print_shared_linear},
  };
  for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++)
    if (encodings[i].isa(encoding)) {
      encodings[i].print(printer, encoding);
      return;
    }
}

/* CTAs that share tiles; see ring_sharing.h.
 *
 * The vectors of a CTA layout are independent or zero. A bit of the CTA's number whose vector is zero selects nothing,
 * so that CTAs which differ only in such bits hold the same elements:
 *
 *   CGALayout = [[1, 0], [0, 0]]      CTAs 0 and 2, and CTAs 1 and 3: {0, 2} relative to each of them
 *   CGALayout = [[0, 0], [0, 0]]      all four: {0, 1, 2, 3} */
#include "passes/pipelining/rings/ring_sharing.h"

#include "base/bits.h"
#include "dialects/ir.h"
#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/tt.h"
#include "passes/support/descriptor.h"

#include <mlir-c/BuiltinTypes.h>

enum { MAX_BOX = 256 /* elements of a dimension */ };

/* The bits of the CTA's number that select nothing. */
static uint32_t free_bits(const nereid_ttg_bases_t *bases) {
  uint32_t bits = 0;
  for (int i = 0; i < bases->count; ++i) {
    bool divides = false;
    for (int d = 0; d < bases->rank; ++d)
      divides = divides || bases->vectors[i][d];
    bits |= divides ? 0 : UINT32_C(1) << i;
  }
  return bits;
}

/* The boxes of the descriptor of `load` in the part of one CTA. */
static int64_t boxes_in_part(MlirOperation load) {
  MlirValue descriptor = nereid_tt_descriptor_load_get_desc(load);
  MlirType tensor = mlirValueGetType(nereid_ir_result(load)), block = nereid_descriptor_block(descriptor);
  const int rank = (int)mlirShapedTypeGetRank(block), held = (int)mlirShapedTypeGetRank(tensor);
  const unsigned swizzle = nereid_descriptor_swizzle_of(descriptor);
  int64_t box[NEREID_DESCRIPTOR_RANK] = {0}, part[NEREID_TTG_MAX_RANK], boxes = 1;
  if (rank > NEREID_DESCRIPTOR_RANK || held > rank)
    return 1;
  nereid_descriptor_box(block, box);
  nereid_ttg_part_of_tensor(tensor, held, part);
  for (int d = 0; d < held; ++d) {
    int64_t extent = box[rank - held + d] < MAX_BOX ? box[rank - held + d] : MAX_BOX;
    if (swizzle && d + 1 == held)
      extent = (int64_t)8 * swizzle / nereid_descriptor_element_bits(block);
    boxes *= part[d] > extent ? part[d] / extent : 1;
  }
  return boxes;
}

uint32_t nereid_ring_sharing(MlirOperation load) {
  nereid_ttg_bases_t bases;
  MlirAttribute encoding = nereid_ttg_encoding_of(nereid_ir_result(load));
  if (mlirAttributeIsNull(encoding) || !nereid_ttg_cga_read(encoding, &bases))
    return NEREID_RING_NOT_SHARED;
  const uint32_t bits = free_bits(&bases);
  uint32_t set = 0;
  for (uint32_t x = 0; x < UINT32_C(1) << bases.count; ++x)
    set |= (x & ~bits) == 0 ? UINT32_C(1) << x : 0;
  return boxes_in_part(load) >= nereid_bit_count(set) ? set : NEREID_RING_NOT_SHARED;
}

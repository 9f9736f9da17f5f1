/* A kernel that copies a tile of a tensor by TMA, its tensor, and the elements of the tile. Static definitions: a test
 * is one file and includes this once. */
#ifndef NEREID_TEST_TILE_KERNEL_H
#define NEREID_TEST_TILE_KERNEL_H

#include "nereid/launch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PTX_HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define SCRATCH ".param .u64 .ptr .global .align 1 g, .param .u64 .ptr .global .align 1 p"

enum { INNER = 20, PITCH = 24, BOX = 16, MAX_TILE = BOX * 16, TEXT = 8192 };

/* A kernel that copies the tile at (2 * ctaid.x, 0, ..., 0) of a tensor of this rank, BOX floats wide and 2 in each
 * other dimension, to out. Its map has no swizzle. */
static void tile_kernel(uint32_t rank, char ptx[TEXT], char json[TEXT]) {
  const int tile = BOX << (rank - 1);
  char extents[512] = "", coordinates[64] = "", block[32] = "", group[1024] = "";
  for (uint32_t i = 0; i < rank; ++i) {
    char *end = extents + strlen(extents);
    snprintf(end, 64, ", .param .u32 s%u", i);
    snprintf(coordinates + strlen(coordinates), 8, "%s%s", i ? ", " : "", i + 1 == rank ? "%r7" : "%r8");
    snprintf(block + strlen(block), 8, "%s%d", i ? "x" : "", i + 1 == rank ? BOX : 2);
    snprintf(group + strlen(group), 96,
             "{\"name\": \"t\", \"type\": \"i32\", \"role\": \"shape\", \"group\": 0, \"dim\": %u},", i);
  }
  for (uint32_t i = 0; i < rank; ++i) {
    snprintf(extents + strlen(extents), 64, ", .param .u64 t%u", i);
    snprintf(group + strlen(group), 96,
             "{\"name\": \"t\", \"type\": \"i64\", \"role\": \"stride\", \"group\": 0, \"dim\": %u},", i);
  }
  snprintf(ptx, TEXT,
           PTX_HEAD
           ".visible .entry tile(.param .align 64 .b8 d[128]%s,\n"
           "  .param .u64 .ptr .global .align 16 po, " SCRATCH ")\n.reqntid 32\n{\n"
           "  .reg .pred %%q, %%w;\n  .reg .b32 %%r<12>;\n  .reg .b64 %%a<8>;\n  .reg .f32 %%f1;\n"
           "  .shared .align 128 .b8 tile[%d];\n  .shared .align 8 .b8 bar[8];\n"
           "  ld.param.u64 %%a1, [po];\n  mov.b64 %%a2, d;\n  cvta.param.u64 %%a3, %%a2;\n"
           "  mov.u32 %%r1, %%tid.x;\n  mov.u32 %%r2, %%ctaid.x;\n  mov.u32 %%r3, tile;\n  mov.u32 %%r4, bar;\n"
           "  mul.lo.s32 %%r7, %%r2, %d;\n  mov.u32 %%r8, 0;\n"
           "  setp.ne.u32 %%q, %%r1, 0;\n  @%%q bra ready;\n"
           "  mbarrier.init.shared.b64 [%%r4], 1;\n  fence.proxy.async;\n"
           "ready:\n  bar.sync 0;\n  @%%q bra wait;\n"
           "  mbarrier.arrive.expect_tx.shared.b64 %%a4, [%%r4], %d;\n"
           "  cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%%r3],\n"
           "    [%%a3, {%s}], [%%r4];\n"
           "wait:\n  mbarrier.try_wait.parity.shared.b64 %%w, [%%r4], 0;\n  @!%%w bra wait;\n"
           "  mov.u32 %%r5, %%r1;\n"
           "next:\n  setp.ge.s32 %%w, %%r5, %d;\n  @%%w bra done;\n"
           "  shl.b32 %%r6, %%r5, 2;\n  add.s32 %%r6, %%r6, %%r3;\n  ld.shared.f32 %%f1, [%%r6];\n"
           "  mad.lo.s32 %%r9, %%r2, %d, %%r5;\n  mul.wide.s32 %%a5, %%r9, 4;\n  add.s64 %%a6, %%a1, %%a5;\n"
           "  st.global.f32 [%%a6], %%f1;\n  add.s32 %%r5, %%r5, 32;\n  bra next;\ndone:\n  ret;\n}\n",
           extents, tile * 4, rank == 1 ? BOX : 2, tile * 4, rank, coordinates, tile, tile);
  snprintf(json, TEXT,
           "{\"nereid\": 1, \"name\": \"tile\", \"num_warps\": 1, \"shared\": 0, \"signature\": ["
           "{\"name\": \"t\", \"type\": \"tensordesc<f32[%s]>\", \"role\": \"descriptor\", \"group\": 0},"
           "%s{\"name\": \"out\", \"type\": \"ptr<f32>\"}]}",
           block, group);
}

/* A tensor of 3 x 2 x ... x INNER floats with rows of PITCH, of which element k in memory holds k. */
static nereid_tensor_t tensor_of(uint32_t rank, uint64_t address) {
  nereid_tensor_t tensor = {.address = address, .rank = rank};
  uint64_t stride = 1;
  for (uint32_t i = rank; i-- > 0;) {
    tensor.shape[i] = i + 1 == rank ? INNER : i == 0 ? 3 : 2;
    tensor.strides[i] = stride;
    stride = i + 1 == rank ? PITCH : stride * tensor.shape[i];
  }
  return tensor;
}

/* Element `k` of the tile of CTA `cta`. */
static float expected(const nereid_tensor_t *tensor, int cta, int k) {
  const uint32_t inner = tensor->rank - 1;
  uint64_t at = (uint64_t)(k % BOX) + (inner ? 0 : (uint64_t)cta * BOX), element = at;
  bool inside = at < tensor->shape[inner];
  for (uint32_t i = inner; i-- > 0;) {
    at = (uint64_t)(k / BOX >> (inner - 1 - i) & 1) + (i ? 0 : (uint64_t)cta * 2);
    inside = inside && at < tensor->shape[i];
    element += at * tensor->strides[i];
  }
  return inside ? (float)element : tensor->padding == NEREID_PADDING_NAN ? NAN : 0;
}

#endif

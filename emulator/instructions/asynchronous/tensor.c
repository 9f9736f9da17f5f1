/* Bulk tensor copies (PTX ISA, cp.async.bulk.tensor, cp.reduce.async.bulk.tensor): a box of a tensor in global memory,
 * described by a tensor map, to or from shared memory. There it is dense, innermost dimension first, and swizzled.
 *
 *   tile      element (i0, .., in) of the box is element (c0 + i0 s0, .., cn + in sn) of the tensor, s the map's steps
 *   im2col    the box's rows are pixels of dimensions 1 to n - 1, taken in order through their bounding box, each
 *             shifted by the offsets of the instruction; the outermost dimension is the image index
 *
 * Elements outside the tensor read as zeros or NaN and are not written, except elements in the last 16 bytes of a
 * row that starts inside. The mbarrier counts the whole box. With a swizzle, the row pitch is the swizzle width. The
 * swizzle permutes 16-byte chunks by their address in shared memory: bits 4 to 6 by bits 7 to 9 (128 bytes), 4 and 5
 * by 7 and 8 (64), 4 by 7 (32). */
#include "emulator/instructions/asynchronous/bulk.h"
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"
#include "emulator/memory/proxy.h"
#include "emulator/race/race.h"

#include "base/kernel/tensor_map.h"

enum { RANK = NEREID_TENSOR_MAP_RANK, PIECE = 16, ROW = 256 * 8 };

typedef struct box {
  nereid_tensor_map_t map;
  int64_t at[RANK];              /* coordinates of the instruction */
  uint16_t moves[RANK];          /* im2col: offsets of dimensions 1 to rank - 2 */
  uint32_t counts[RANK];         /* elements in each dimension; im2col: channels and pixels */
  uint32_t element, row, n_rows; /* bytes, bytes, rows */
  uint32_t pitch, shared;        /* in shared memory: bytes between rows, offset */
  emu_cta_t *target;             /* CTA whose shared memory is written; null: global memory */
  uint8_t bytes[];               /* the bytes read, unswizzled */
} box_t;

static uint32_t swizzled(const nereid_tensor_map_t *map, uint32_t address) {
  uint32_t mask = map->swizzle == 128 ? 7 : map->swizzle == 64 ? 3 : map->swizzle == 32 ? 1 : 0;
  return address ^ (address >> 7 & mask) << 4;
}

/* Shared-memory offset of the chunk at an offset of the dense box. */
static uint32_t shared_of(const box_t *box, uint32_t at) {
  return swizzled(&box->map, box->shared + at / box->row * box->pitch + at % box->row);
}

/* The coordinates of the next row, in dimensions 1 and up. A window continues from its start; its next line starts
 * at the corner of the bounding box, whose corners are relative to the tensor's, its next image at both. */
static void next_row(const box_t *box, int64_t *at) {
  const nereid_tensor_map_t *map = &box->map;
  int last = map->rank - 1;
  for (int d = 1; d < map->rank; ++d) {
    bool image = map->im2col && d == last;
    int lower = image || !map->im2col ? 0 : map->lower[d - 1], upper = map->im2col && !image ? map->upper[d - 1] : 0;
    at[d] += image ? 1 : map->steps[d];
    if (image ||
        at[d] < (map->im2col ? (int64_t)map->shape[d] + upper : box->at[d] + (int64_t)box->counts[d] * map->steps[d]))
      return;
    at[d] = map->im2col ? lower : box->at[d];
  }
}

/* The global address of a row, and the range of its elements, `from` up to `to`, that is inside the tensor. */
static uint64_t locate(const box_t *box, const int64_t *row, uint32_t *out_from, uint32_t *out_to) {
  const nereid_tensor_map_t *map = &box->map;
  int64_t inner = (int64_t)map->shape[0], first = box->at[0];
  uint64_t address = map->address + (uint64_t)first * box->element;
  bool inside = true;
  for (int d = 1; d < map->rank; ++d) {
    int64_t at = row[d] + (map->im2col && d + 1 < map->rank ? box->moves[d - 1] : 0);
    inside = inside && at >= 0 && at < (int64_t)map->shape[d];
    address += (uint64_t)at * map->strides[d - 1];
  }
  int64_t from = first < 0 ? -first : 0, to = inner - first < box->counts[0] ? inner - first : box->counts[0];
  inside = inside && from < to;
  *out_from = inside ? (uint32_t)from : 0;
  *out_to = inside ? (uint32_t)to : 0;
  return address;
}

/* The value of elements outside the tensor. */
static void fill(const box_t *box, uint8_t *row) {
  static const uint8_t nan[] = {0xf7, 0x7f}; /* NaN in every type */
  for (uint32_t i = 0; i < box->row; ++i)
    row[i] = box->map.nan_padding ? nan[i % 2] : 0;
}

/* The tf32 types round to nearest even; NaN becomes 0x7fffe000. */
static void round_row(const box_t *box, uint8_t *row, uint32_t bytes) {
  bool rounds = box->map.element == NEREID_TENSOR_MAP_TF32 || box->map.element == NEREID_TENSOR_MAP_TF32_FTZ;
  for (uint32_t i = 0; rounds && i < bytes; i += 4) {
    uint32_t bits;
    memcpy(&bits, row + i, 4);
    bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
    bits = is_nan ? 0x7fffe000 : (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000;
    memcpy(row + i, &bits, 4);
  }
}

/* Reads global memory into the buffer. */
static bool collect_global(emu_effect_t *effect, uint32_t lanes) {
  box_t *box = (box_t *)(void *)effect->payload;
  int64_t at[RANK];
  memcpy(at, box->at, sizeof at);
  for (uint32_t row = 0; row < box->n_rows; ++row, next_row(box, at)) {
    uint32_t from, to;
    uint64_t address = locate(box, at, &from, &to);
    uint8_t *out = box->bytes + (size_t)row * box->row;
    fill(box, out);
    if (from == to)
      continue;
    const uint8_t *in =
        nereid_emulator_reach(effect->warp, effect->insn, __builtin_ctz(lanes), EMU_GLOBAL,
                              address + (uint64_t)from * box->element, (to - from) * box->element, 1, EMU_READ);
    if (!in)
      return false;
    memcpy(out + (size_t)from * box->element, in, (size_t)(to - from) * box->element);
    round_row(box, out + (size_t)from * box->element, (to - from) * box->element);
  }
  return true;
}

static bool land_shared(emu_effect_t *effect, uint32_t lanes) {
  const box_t *box = (const box_t *)(const void *)effect->payload;
  (void)lanes;
  for (uint32_t at = 0; at < box->n_rows * box->row; at += PIECE)
    nereid_emulator_async_write(box->target, shared_of(box, at), box->bytes + at, PIECE);
  return true;
}

/* Reads shared memory into the buffer. */
static bool collect_shared(emu_effect_t *effect, uint32_t lanes) {
  box_t *box = (box_t *)(void *)effect->payload;
  (void)lanes;
  for (uint32_t at = 0; at < box->n_rows * box->row; at += PIECE)
    nereid_emulator_async_read(effect->warp->cta, shared_of(box, at), box->bytes + at, PIECE);
  return true;
}

static emu_type_t type_of(unsigned element) {
  static const uint8_t types[] = {EMU_U8,  EMU_U16, EMU_U32,  EMU_S32, EMU_U64, EMU_S64, EMU_F16,
                                  EMU_F32, EMU_F64, EMU_BF16, EMU_F32, EMU_F32, EMU_F32};
  return element < sizeof types ? (emu_type_t)types[element] : EMU_NONE;
}

static bool land_global(emu_effect_t *effect, uint32_t lanes) {
  const box_t *box = (const box_t *)(const void *)effect->payload;
  const emu_insn_t *insn = effect->insn;
  unsigned element = box->map.element;
  bool combines = insn->variant & EMU_REDUCES;
  bool flushes = element == NEREID_TENSOR_MAP_F32_FTZ || element == NEREID_TENSOR_MAP_TF32_FTZ;
  int64_t at[RANK];
  memcpy(at, box->at, sizeof at);
  for (uint32_t row = 0; row < box->n_rows; ++row, next_row(box, at)) {
    uint32_t from, to;
    uint64_t address = locate(box, at, &from, &to);
    const uint8_t *in = box->bytes + (size_t)row * box->row + (size_t)from * box->element;
    uint32_t bytes = (to - from) * box->element, pieces = (bytes + PIECE - 1) / PIECE * PIECE;
    if (!bytes)
      continue;
    uint8_t *out =
        nereid_emulator_reach(effect->warp, insn, __builtin_ctz(lanes), EMU_GLOBAL,
                              address + (uint64_t)from * box->element, bytes, 1, combines ? EMU_UPDATE : EMU_WRITE);
    if (!out)
      return false;
    if (nereid_emulator_is_there(effect->warp->cta, address + (uint64_t)from * box->element, pieces))
      bytes = pieces; /* the hardware writes whole chunks, even beyond the tensor's extent */
    if (combines)
      nereid_emulator_reduce(insn, type_of(element), flushes, out, in, bytes);
    else
      memcpy(out, in, bytes);
  }
  return true;
}

/* Returns the map at a generic address; it must be valid and have the instruction's rank. */
static bool read_map(emu_warp_t *warp, const emu_insn_t *insn, int lane, uint64_t address, nereid_tensor_map_t *out) {
  nereid_message_t why;
  unsigned rank = insn->choices[0] + 1u;
  bool im2col = (insn->variant & EMU_IM2COL) != 0;
  const uint8_t *bytes =
      nereid_emulator_reach(warp, insn, lane, EMU_GENERIC, address, NEREID_TENSOR_MAP_BYTES, 64, EMU_READ);
  if (!bytes)
    return false;
  if (warp->cta->race)
    nereid_emulator_race_map(warp, insn, lane, NULL, address, EMU_RACE_MAP_USE);
  if (!nereid_tensor_map_read(bytes, out))
    (void)nereid_emulator_fail(warp, insn, lane, "no valid tensor map at 0x%llx", (unsigned long long)address);
  else if (nereid_tensor_map_validate(out, &why))
    (void)nereid_emulator_fail(warp, insn, lane, "%s", why.text);
  else if (out->rank != rank || out->im2col != im2col)
    (void)nereid_emulator_fail(warp, insn, lane, "the tensor map has rank %u%s, the instruction %u%s", out->rank,
                               out->im2col ? " and is im2col" : "", rank, im2col ? " and is im2col" : "");
  else if (out->interleave)
    (void)nereid_emulator_fail(warp, insn, lane, "interleaved tensor maps are not emulated");
  else if (nereid_tensor_map_element_bits(out->element) < 8)
    (void)nereid_emulator_fail(warp, insn, lane, "4-bit elements are not emulated");
  else
    return true;
  return false;
}

/* Whether an H200 supports the reduction for elements of the type. */
static bool reduces(const emu_insn_t *insn, unsigned element) {
  bool is_half = element == NEREID_TENSOR_MAP_F16 || element == NEREID_TENSOR_MAP_BF16;
  bool is_integer = element >= NEREID_TENSOR_MAP_U32 && element <= NEREID_TENSOR_MAP_S64;
  if (EMU_HAS(insn, add))
    return element >= NEREID_TENSOR_MAP_U32 && element != NEREID_TENSOR_MAP_S64;
  if (EMU_HAS(insn, min) || EMU_HAS(insn, max))
    return is_integer || is_half;
  if (EMU_HAS(insn, inc) || EMU_HAS(insn, dec))
    return element == NEREID_TENSOR_MAP_U32;
  return is_integer && element != NEREID_TENSOR_MAP_S64;
}

/* Rejects coordinates that a GPU reports as an illegal instruction. */
static bool check_coordinates(emu_warp_t *warp, const emu_insn_t *insn, int lane, const box_t *box) {
  if (insn->variant & EMU_REDUCES && !reduces(insn, box->map.element))
    return nereid_emulator_fail(warp, insn, lane, "the tensor map's element type does not support this reduction") ==
           EMU_ADVANCE;
  if (box->at[0] * box->element % PIECE)
    return nereid_emulator_fail(warp, insn, lane, "the innermost coordinate %lld is not a multiple of 16 bytes",
                                (long long)box->at[0]) == EMU_ADVANCE;
  for (int d = 0; d < box->map.rank && !(insn->variant & EMU_TO_SHARED); ++d)
    if (box->at[d] < 0)
      return nereid_emulator_fail(warp, insn, lane, "a store must start inside the tensor, not at %lld",
                                  (long long)box->at[d]) == EMU_ADVANCE;
  return true;
}

/* Operand `k` is the map, its coordinates follow. */
static bool read_box(emu_warp_t *warp, const emu_insn_t *insn, int lane, int k, box_t *out) {
  *out = (box_t){0};
  nereid_tensor_map_t *map = &out->map;
  if (!read_map(warp, insn, lane, emu_lane(warp, &insn->operands[k], lane), map))
    return false;
  if (insn->lists[0].count != map->rank)
    return nereid_emulator_fail(warp, insn, lane, "%u coordinates for a tensor of rank %u", insn->lists[0].count,
                                map->rank) == EMU_ADVANCE;
  out->element = nereid_tensor_map_element_bits(map->element) / 8;
  out->n_rows = 1;
  for (int d = 0; d < map->rank; ++d) {
    uint32_t step = d && !map->im2col ? map->steps[d] : 1;
    out->at[d] = (int32_t)emu_lane(warp, &insn->operands[insn->lists[0].first + d], lane);
    out->counts[d] = map->im2col && d > 1 ? 1 : (map->box[d] + step - 1) / step;
    out->n_rows *= d ? out->counts[d] : 1;
  }
  out->row = out->counts[0] * out->element;
  out->pitch = map->swizzle ? map->swizzle : out->row;
  if (!check_coordinates(warp, insn, lane, out))
    return false;
  for (unsigned i = 0; i < insn->lists[1].count && i < RANK; ++i)
    out->moves[i] = (uint16_t)emu_lane(warp, &insn->operands[insn->lists[1].first + i], lane);
  return !map->im2col || insn->lists[1].count == map->rank - 2u || !(insn->variant & EMU_TO_SHARED) ||
         nereid_emulator_fail(warp, insn, lane, "%u offsets for a tensor of rank %u", insn->lists[1].count,
                              map->rank) == EMU_ADVANCE;
}

/* Declares the accesses to the race detector; elements outside the tensor are not accessed. */
static void announce(emu_effect_t *effect, int lane, const box_t *box) {
  emu_cta_t *target = ((const box_t *)(const void *)effect->payload)->target;
  int64_t coordinates[RANK];
  memcpy(coordinates, box->at, sizeof coordinates);
  for (uint32_t row = 0; row < box->n_rows; ++row, next_row(box, coordinates)) {
    uint32_t from, to;
    uint64_t address = locate(box, coordinates, &from, &to);
    nereid_emulator_race_effect(effect, lane, !target, NULL, address + (uint64_t)from * box->element,
                                (uint64_t)(to - from) * box->element);
  }
  for (uint32_t at = 0; at < box->n_rows * box->row; at += PIECE)
    nereid_emulator_race_effect(effect, lane, target != NULL, target ? target : effect->warp->cta, shared_of(box, at),
                                PIECE);
}

static bool start(emu_warp_t *warp, const emu_insn_t *insn, int lane, const box_t *box, emu_cta_t *target,
                  uint64_t mbarrier) {
  uint32_t bytes = box->n_rows * box->row;
  emu_effect_t *effect = nereid_emulator_effect(warp, insn, UINT32_C(1) << lane,
                                                target ? EMU_GROUP_NONE : EMU_GROUP_BULK, sizeof *box + bytes);
  if (!effect)
    return false;
  memcpy(effect->payload, box, sizeof *box);
  ((box_t *)(void *)effect->payload)->target = target;
  effect->collect = target ? collect_global : collect_shared;
  effect->land = target ? land_shared : land_global;
  if (target && !nereid_emulator_track(effect, lane, target, mbarrier, bytes)) {
    nereid_emulator_free_effect(effect);
    return false;
  }
  if (warp->cta->race)
    announce(effect, lane, box);
  return nereid_emulator_issue(effect);
}

/* Operands: to, [map, coordinates], mbarrier, offsets of im2col, a mask of CTAs. */
static bool load_lane(emu_warp_t *warp, const emu_insn_t *insn, int lane) {
  box_t box;
  emu_space_t space = EMU_HAS(insn, shared_cluster) ? EMU_SHARED_CLUSTER : EMU_SHARED;
  if (!read_box(warp, insn, lane, 1, &box))
    return false;
  uint32_t after = 2u + insn->lists[0].count;
  emu_cta_t *cta = nereid_emulator_shared_range(warp, insn, lane, space, emu_address(warp, insn, 0, lane),
                                                box.n_rows * box.pitch, 128, &box.shared);
  uint64_t mbarrier = emu_lane(warp, &insn->operands[after], lane) + (uint64_t)insn->offsets[0];
  uint32_t targets = cta ? nereid_emulator_targets(warp, insn, lane, (int)(insn->n_operands - 1u), cta) : 0;
  bool good = targets != 0;
  if (good)
    nereid_emulator_count_bulk(warp, (uint64_t)box.n_rows * box.row);
  for (; good && targets; targets &= targets - 1) {
    uint32_t rank = (uint32_t)__builtin_ctz(targets);
    uint64_t there = insn->variant & EMU_MULTICAST ? nereid_emulator_in_cta(mbarrier, rank) : mbarrier;
    good = start(warp, insn, lane, &box, &cta->cluster->ctas[rank], there);
  }
  return good;
}

/* Operands: [map, coordinates], from. */
static bool store_lane(emu_warp_t *warp, const emu_insn_t *insn, int lane) {
  box_t box;
  if (!read_box(warp, insn, lane, 0, &box))
    return false;
  uint64_t from = emu_address(warp, insn, 1 + insn->lists[0].count, lane);
  if (!nereid_emulator_shared_range(warp, insn, lane, EMU_SHARED, from, box.n_rows * box.pitch, 128, &box.shared))
    return false;
  nereid_emulator_count_bulk(warp, (uint64_t)box.n_rows * box.row);
  return start(warp, insn, lane, &box, NULL, 0);
}

static emu_next_t copy(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask)
  if (!(insn->variant & EMU_TO_SHARED ? load_lane : store_lane)(warp, insn, (int)lane))
    return EMU_FAILED;
  return EMU_ADVANCE;
}

#define MEMORY NEREID_EMULATOR_CLASS_MEMORY
#define WITH(n) (MEMORY | EMU_VARIANT(n))
#define DIMENSIONS " 1d|2d|3d|4d|5d"
#define TX " mbarrier::complete_tx::bytes"
#define GLOBAL EMU_BIT(global)
#define HINT EMU_BIT(hint)
#define ROWS_IN(space)                                                                                                 \
  LOADS(space, " tile?", "m-T-m-", 0), LOADS(space, " tile? multicast::cluster", "m-T-m-sh", EMU_MULTICAST),           \
      LOADS(space, " im2col", "m-T-m-Wh", EMU_IM2COL),                                                                 \
      LOADS(space, " im2col multicast::cluster", "m-T-m-Whsh", EMU_IM2COL | EMU_MULTICAST)
#define LOADS(space, words, operands, more)                                                                            \
  {"cp async bulk tensor" DIMENSIONS words TX,                                                                         \
   "",                                                                                                                 \
   operands,                                                                                                           \
   GLOBAL | EMU_BIT(space),                                                                                            \
   HINT,                                                                                                               \
   copy,                                                                                                               \
   WITH(EMU_TO_SHARED | (more))}
#define ROWS_OUT(name, op, more)                                                                                       \
  STORES(name, " tile?", op, more), STORES(name, " im2col_no_offs", op, (more) | EMU_IM2COL)
#define STORES(name, words, op, more)                                                                                  \
  {name " bulk tensor" DIMENSIONS words " bulk_group",                                                                 \
   "",                                                                                                                 \
   "T-m-",                                                                                                             \
   GLOBAL | EMU_BIT(shared) | (op),                                                                                    \
   HINT,                                                                                                               \
   copy,                                                                                                               \
   ((more) & EMU_REDUCES ? NEREID_EMULATOR_CLASS_ATOMIC : MEMORY) | EMU_VARIANT(EMU_FROM_SHARED | (more))}
#define REDUCES(op) ROWS_OUT("cp reduce async", EMU_BIT(op), EMU_REDUCES)

const emu_form_t nereid_emulator_tensor_forms[] = {
    ROWS_IN(shared_cluster),
    LOADS(shared, " tile?", "m-T-m-", 0),
    LOADS(shared, " im2col", "m-T-m-Wh", EMU_IM2COL),
    ROWS_OUT("cp async", 0, 0),
    REDUCES(add),
    REDUCES(min),
    REDUCES(max),
    REDUCES(inc),
    REDUCES(dec),
    REDUCES(and),
    REDUCES(or),
    REDUCES(xor),
    {"cp async bulk prefetch L2 tensor" DIMENSIONS " tile?", "", "T-", GLOBAL, HINT, nereid_emulator_nothing, MEMORY},
    {"cp async bulk prefetch L2 tensor" DIMENSIONS " im2col", "", "T-Wh", GLOBAL, HINT, nereid_emulator_nothing,
     MEMORY},
    {0}};

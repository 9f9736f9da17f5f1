/* Tensor maps created by kernels (PTX ISA, tensormap.replace, tensormap.cp_fenceproxy): 128 bytes in shared or
 * global memory, modified field by field. Zeros are an empty map; validity is checked at use. The field encodings
 * are PTX's, which differ from the driver's. */
#include "emulator/instructions/form.h"
#include "emulator/machine/effect.h"
#include "emulator/machine/execute.h"
#include "emulator/race/race.h"

#include "base/kernel/tensor_map.h"

enum { BYTES = NEREID_TENSOR_MAP_BYTES };

enum {
  ADDRESS,
  RANK,
  BOX_DIM,
  GLOBAL_DIM,
  GLOBAL_STRIDE,
  ELEMENT_STRIDE,
  ELEMTYPE,
  INTERLEAVE_LAYOUT,
  SWIZZLE_MODE,
  FILL_MODE,
};

/* CUtensorMapDataType of PTX's .elemtype; the last entries are 4-bit and 6-bit types of later architectures. */
static const uint8_t elements[] = {NEREID_TENSOR_MAP_U8,      NEREID_TENSOR_MAP_U16,  NEREID_TENSOR_MAP_U32,
                                   NEREID_TENSOR_MAP_S32,     NEREID_TENSOR_MAP_U64,  NEREID_TENSOR_MAP_S64,
                                   NEREID_TENSOR_MAP_F16,     NEREID_TENSOR_MAP_F32,  NEREID_TENSOR_MAP_F32_FTZ,
                                   NEREID_TENSOR_MAP_F64,     NEREID_TENSOR_MAP_BF16, NEREID_TENSOR_MAP_TF32,
                                   NEREID_TENSOR_MAP_TF32_FTZ};

/* Sets a field; `index` selects the dimension of a per-dimension field. False: invalid value. */
static bool set(nereid_tensor_map_t *map, unsigned field, uint64_t index, uint64_t value) {
  switch (field) {
  case ADDRESS:
    map->address = value;
    return true;
  case RANK:
    map->rank = (uint8_t)(value + 1);
    return value < NEREID_TENSOR_MAP_RANK;
  case BOX_DIM:
    map->box[index] = (uint32_t)value;
    return value <= UINT16_MAX;
  case GLOBAL_DIM:
    map->shape[index] = (uint32_t)value;
    return true;
  case GLOBAL_STRIDE:
    map->strides[index] = value;
    return true;
  case ELEMENT_STRIDE:
    map->steps[index] = (uint8_t)value;
    return value >= 1 && value <= 8;
  case ELEMTYPE:
    map->element = value < sizeof elements ? elements[value] : 0;
    return value < sizeof elements;
  case INTERLEAVE_LAYOUT:
    map->interleave = (uint8_t)value;
    return value <= 2;
  case SWIZZLE_MODE:
    map->swizzle = value ? (uint8_t)(16u << value) : 0;
    return value <= 3;
  default:
    map->nan_padding = value != 0;
    return value <= 1;
  }
}

static uint32_t dimensions(unsigned field) {
  return field == GLOBAL_STRIDE                                               ? NEREID_TENSOR_MAP_RANK - 1
         : field == BOX_DIM || field == GLOBAL_DIM || field == ELEMENT_STRIDE ? NEREID_TENSOR_MAP_RANK
                                                                              : 0;
}

/* Records the access to the map at a lane's operand `k` for the race detector. */
static void observe(emu_warp_t *warp, const emu_insn_t *insn, int lane, int k, bool global, emu_race_map_t what) {
  uint64_t address = emu_lane(warp, &insn->operands[k], lane) + (uint64_t)(k ? insn->offsets[0] : insn->offset);
  if (warp->cta->race)
    nereid_emulator_race_map(warp, insn, lane, global ? NULL : warp->cta, global ? address : address & EMU_OFFSET_MASK,
                             what);
}

/* Operands: address, for some fields a dimension, value. Variant: the field. */
static emu_next_t replace(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  static const uint8_t empty[BYTES];
  uint32_t limit = dimensions(insn->variant);
  FOR_LANES(lane, mask) {
    nereid_tensor_map_t map = {0};
    uint8_t *place = nereid_emulator_reach(warp, insn, (int)lane, (emu_space_t)insn->space,
                                           emu_address(warp, insn, 0, (int)lane), BYTES, BYTES, EMU_UPDATE);
    uint64_t index = limit ? emu_lane(warp, &insn->operands[1], (int)lane) : 0;
    uint64_t value = emu_lane(warp, &insn->operands[insn->n_operands - 1], (int)lane);
    if (!place)
      return EMU_FAILED;
    observe(warp, insn, (int)lane, 0, place < warp->cta->shared || place >= warp->cta->shared + warp->cta->shared_bytes,
            EMU_RACE_MAP_WRITE);
    if (memcmp(place, empty, BYTES) != 0 && !nereid_tensor_map_read(place, &map))
      return nereid_emulator_fail(warp, insn, (int)lane, "expected a tensor map or zeros in memory");
    if (limit && index >= limit)
      return nereid_emulator_fail(warp, insn, (int)lane, "the tensor map has no dimension %llu",
                                  (unsigned long long)index);
    if (!set(&map, insn->variant, index, value))
      return nereid_emulator_fail(warp, insn, (int)lane, "invalid value for a tensor map field: %llu",
                                  (unsigned long long)value);
    nereid_tensor_map_write(&map, place);
  }
  return EMU_ADVANCE;
}

/* Copies and releases a map, executed by a warp. Operands: to, from, 128. */
static emu_next_t copy(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_next_t next = nereid_emulator_aligned(warp, insn, mask);
  if (next != EMU_ADVANCE || !mask)
    return next;
  int lane = __builtin_ctz(mask);
  const uint8_t *from = nereid_emulator_reach(warp, insn, lane, EMU_SHARED,
                                              emu_lane(warp, &insn->operands[1], lane) + (uint64_t)insn->offsets[0],
                                              BYTES, BYTES, EMU_READ);
  uint8_t *to = from ? nereid_emulator_reach(warp, insn, lane, EMU_GLOBAL, emu_address(warp, insn, 0, lane), BYTES,
                                             BYTES, EMU_WRITE)
                     : NULL;
  if (!to)
    return EMU_FAILED;
  observe(warp, insn, lane, 1, false, EMU_RACE_MAP_READ);
  observe(warp, insn, lane, 0, true, EMU_RACE_MAP_COPY);
  memcpy(to, from, BYTES);
  return EMU_ADVANCE;
}

#define MEMORY NEREID_EMULATOR_CLASS_MEMORY
#define FIELD(name, type, operands, field)                                                                             \
  {"tensormap replace tile b1024 " name, type, operands, 0, EMU_BIT(shared) | EMU_BIT(global), replace,                \
   MEMORY | EMU_VARIANT(field)}

const emu_form_t nereid_emulator_tensor_map_forms[] = {
    FIELD("global_address", "b64", "m-sl", ADDRESS),
    FIELD("rank", "b32", "m-sw", RANK),
    FIELD("box_dim", "b32", "m-swsw", BOX_DIM),
    FIELD("global_dim", "b32", "m-swsw", GLOBAL_DIM),
    FIELD("global_stride", "b64", "m-swsl", GLOBAL_STRIDE),
    FIELD("element_stride", "b32", "m-swsw", ELEMENT_STRIDE),
    FIELD("elemtype", "b32", "m-sw", ELEMTYPE),
    FIELD("interleave_layout", "b32", "m-sw", INTERLEAVE_LAYOUT),
    FIELD("swizzle_mode", "b32", "m-sw", SWIZZLE_MODE),
    FIELD("fill_mode", "b32", "m-sw", FILL_MODE),
    {"tensormap cp_fenceproxy tensormap::generic", "", "m-m-sw",
     EMU_BIT(global) | EMU_BIT(shared) | EMU_BIT(release) | EMU_BIT(sync) | EMU_BIT(aligned),
     EMU_BIT(cta) | EMU_BIT(cluster) | EMU_BIT(gpu) | EMU_BIT(sys), copy, MEMORY},
    {0}};

/* Loads, stores and pointers. A masked-off element does not access memory; any other element must be inside one
 * argument's buffer.
 *
 *   tt.load %p, %m, %other : tensor<1024x!tt.ptr<f32>>      out[i] = m[i] ? *p[i] : other[i]
 *
 * Without `other` a masked-off element reads as zero. i1 occupies a byte of memory; any nonzero byte is true. */
#include "interpreter/machine.h"

#include "nereid/dialects/tt.h"

const nereid_slot_t *nereid_machine_slot(const nereid_machine_t *machine, MlirValue value) {
  if (mlirValueIsNull(value))
    return NULL;
  return (const nereid_slot_t *)*nereid_map_find(&machine->slots, value.ptr);
}

bool nereid_machine_load_elements(nereid_machine_t *machine, const nereid_step_t *step, const nereid_slot_t *pointers,
                                  const nereid_slot_t *mask, const nereid_slot_t *other, nereid_slot_t *to) {
  const nereid_shape_t *shape = &to->shape;
  uint64_t *out = nereid_machine_resize(machine, to, shape->count);
  for (size_t i = 0; out && i < shape->count; ++i) {
    out[i] = other ? nereid_machine_word(other, i) : 0;
    if (mask && !nereid_undefined_use(step, mask, i))
      return false;
    if (mask && !nereid_machine_word(mask, i))
      continue;
    if (!nereid_undefined_use(step, pointers, i))
      return false;
    const void *memory =
        nereid_machine_access(machine, step, nereid_machine_word(pointers, i), shape->bytes, shape, i, "reads");
    if (!memory)
      return false;
    out[i] = nereid_machine_load(memory, shape);
  }
  return out != NULL;
}

static bool load(nereid_machine_t *machine, const nereid_step_t *step) {
  if (step->from.format == NEREID_FORMAT_BLOCK)
    return nereid_machine_load_block(machine, step);
  return nereid_machine_load_elements(
      machine, step, step->operands[0], nereid_machine_slot(machine, nereid_tt_load_get_mask(step->op)),
      nereid_machine_slot(machine, nereid_tt_load_get_other(step->op)), step->results[0]);
}

static bool store(nereid_machine_t *machine, const nereid_step_t *step) {
  if (step->from.format == NEREID_FORMAT_BLOCK)
    return nereid_machine_store_block(machine, step);
  const nereid_slot_t *pointers = step->operands[0], *values = step->operands[1];
  const nereid_slot_t *mask = nereid_machine_slot(machine, nereid_tt_store_get_mask(step->op));
  const nereid_shape_t *shape = &values->shape;
  for (size_t i = 0; i < shape->count; ++i) {
    if (mask && !nereid_undefined_use(step, mask, i))
      return false;
    if (mask && !nereid_machine_word(mask, i))
      continue;
    if (!nereid_undefined_use(step, pointers, i) || !nereid_undefined_use(step, values, i))
      return false;
    void *memory =
        nereid_machine_access(machine, step, nereid_machine_word(pointers, i), shape->bytes, shape, i, "writes");
    if (!memory)
      return false;
    nereid_machine_store(memory, shape, nereid_machine_word(values, i));
  }
  return true;
}

static uint64_t addptr(const nereid_step_t *step, const uint64_t *x) {
  const int64_t offset = nereid_bits_signed(x[1], step->operands[1]->shape.element.bits);
  return x[0] + (uint64_t)offset * step->from.pointee_bytes;
}

const nereid_machine_row_t nereid_machine_memory_rows[] = {
    {.kind = NEREID_OP_TT_LOAD, .run = load},
    {.kind = NEREID_OP_TT_STORE, .run = store},
    {.kind = NEREID_OP_TT_ADDPTR, .lane = addptr},
    {.kind = NEREID_OP_UNKNOWN},
};

/* Converts blocks and their arguments: a tensor becomes one argument per register of a thread.
 *
 *   ^b(%t: tensor<256xf32, #blocked>):   ->   ^b(%t.0: f32, %t.1: f32):
 *
 * Also computes the order in which blocks are lowered, and the blocks in loops. */
#include "conversion/ttg_to_llvm/function/blocks.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/words.h"
#include "dialects/diagnose.h"
#include "nereid/dialects/ttg.h"

/* --- values --- */

bool nereid_lower_append_types(nereid_lower_t *lower, MlirType type, nereid_types_t *types) {
  MlirType element = nereid_lower_type(lower, type);
  intptr_t count = nereid_lower_registers(lower, type);
  for (intptr_t r = 0; r < count; ++r)
    if (mlirTypeIsNull(element) || !nereid_vector_push(lower->arena, types, element))
      return false;
  return count > 0;
}

bool nereid_lower_flatten(nereid_lower_t *lower, MlirOperation op, intptr_t from, intptr_t to, nereid_values_t *out) {
  for (intptr_t i = from; i < to; ++i) {
    nereid_lowered_t lowered = nereid_lower_operand(lower, op, i);
    for (intptr_t r = 0; r < lowered.count; ++r)
      if (!nereid_vector_push(lower->arena, out, lowered.values[r]))
        return false;
  }
  return true;
}

bool nereid_lower_refuse_type(nereid_lower_t *lower, MlirValue argument, const char *what) {
  MlirType type = mlirValueGetType(argument);
  if (mlirTypeIsNull(nereid_lower_type(lower, type)))
    nereid_diagnose_at(mlirValueGetLocation(argument), "%s cannot %s", nereid_text_of_type(type).chars, what);
  return false;
}

bool nereid_lower_take_values(nereid_lower_t *lower, MlirValue value, MlirBlock block, intptr_t *next) {
  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_lower_registers(lower, mlirValueGetType(value)));
  if (!lowered.values)
    return false;
  for (intptr_t r = 0; r < lowered.count; ++r)
    lowered.values[r] = mlirBlockGetArgument(block, (*next)++);
  nereid_lower_set(lower, value, lowered);
  return lowered.count > 0;
}

/* --- words --- */

/* Values of a tensor that pass between blocks as one 32-bit word: operands of mma.sync and 16-bit sums, as its
 * instructions take words and roundings give them, and 8-bit elements, which take a register each; 1 for other types.
 */
static int32_t word_values(nereid_lower_t *lower, MlirType type) {
  if (!mlirTypeIsARankedTensor(type) || mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
    return 1;
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(type);
  MlirType element = nereid_lower_element_type(type);
  const bool is_operand = nereid_ttg_dot_op_attr_isa(encoding) &&
                          nereid_ttg_nvidia_mma_attr_isa(nereid_ttg_dot_op_attr_get_parent(encoding));
  const bool is_sum = nereid_ttg_nvidia_mma_attr_isa(encoding) && (mlirTypeIsAF16(element) || mlirTypeIsABF16(element));
  const int32_t bits = (int32_t)nereid_lower_memory_bits(element);
  const bool is_byte = mlirTypeEqual(nereid_lower_type(lower, type), lower->types->i8);
  const bool fills_bits = mlirTypeIsAFloat(element) || mlirTypeIsAInteger(element);
  if (!(is_operand || is_sum || is_byte) || !fills_bits || bits >= 32 ||
      (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) < 8))
    return 1;
  return nereid_lower_registers(lower, type) % (32 / bits) ? 1 : 32 / bits;
}

/* The word of registers `r` and following; that of the ones before, `previous`, where these have the same values. */
static MlirValue word_at(nereid_lower_t *lower, const MlirValue *values, intptr_t r, int32_t in_word,
                         MlirValue previous) {
  if (in_word == 1)
    return values[r];
  const bool same = r > 0 && memcmp(values + r, values + r - in_word, (size_t)in_word * sizeof *values) == 0;
  return same ? previous : nereid_emit_word(lower, in_word, values + r);
}

bool nereid_lower_flatten_words(nereid_lower_t *lower, MlirOperation op, intptr_t from, intptr_t to,
                                nereid_values_t *out) {
  for (intptr_t i = from; i < to; ++i) {
    const nereid_lowered_t lowered = nereid_lower_operand(lower, op, i);
    const int32_t in_word = word_values(lower, mlirValueGetType(mlirOperationGetOperand(op, i)));
    MlirValue word = {NULL};
    for (intptr_t r = 0; r < lowered.count; r += in_word) {
      word = word_at(lower, lowered.values, r, in_word, word);
      if (!nereid_vector_push(lower->arena, out, word))
        return false;
    }
  }
  return true;
}

/* --- blocks --- */

MlirBlock nereid_lower_block(nereid_lower_t *lower, MlirBlock block) {
  uintptr_t *found = nereid_map_find(&lower->function->blocks, block.ptr);
  return (MlirBlock){found ? (void *)*found : NULL};
}

/* Adds the values of `argument` to the arguments of `made`, words where nereid_lower_flatten_words passes words. */
static bool add_argument(nereid_lower_t *lower, MlirValue argument, MlirBlock made) {
  MlirType type = mlirValueGetType(argument), element = nereid_lower_type(lower, type);
  const int32_t in_word = word_values(lower, type);
  nereid_lower_t inside = nereid_lower_at_end(lower, made);
  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_lower_registers(lower, type));
  if (mlirTypeIsNull(element) || !lowered.values || !lowered.count)
    return nereid_lower_refuse_type(lower, argument, "pass between blocks");
  for (intptr_t r = 0; r < lowered.count; r += in_word) {
    MlirValue value =
        mlirBlockAddArgument(made, in_word == 1 ? element : lower->types->i32, mlirValueGetLocation(argument));
    if (in_word == 1)
      lowered.values[r] = value;
    else
      nereid_emit_split(&inside, element, in_word, value, lowered.values + r);
  }
  nereid_lower_set(lower, argument, lowered);
  return !lower->arena->failed;
}

bool nereid_lower_create_block(nereid_lower_t *lower, MlirBlock block, bool is_entry, MlirRegion region) {
  MlirBlock made = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, made);
  uintptr_t *place = nereid_map_insert(&lower->function->blocks, block.ptr);
  if (!place)
    return false;
  *place = (uintptr_t)made.ptr;
  for (intptr_t i = 0; !is_entry && i < mlirBlockGetNumArguments(block); ++i)
    if (!add_argument(lower, mlirBlockGetArgument(block, i), made))
      return false;
  return true;
}

bool nereid_lower_order_blocks(nereid_arena_t *arena, MlirBlock entry, nereid_blocks_t *out) {
  typedef struct frame {
    MlirBlock block;
    intptr_t next; /* successor to visit */
  } frame_t;
  NEREID_VECTOR(frame_t) stack = {0};
  nereid_map_t seen;
  nereid_map_initialize(&seen, arena);
  nereid_blocks_t post = {0};
  if (!nereid_map_insert(&seen, entry.ptr) || !nereid_vector_push(arena, &stack, (frame_t){entry, 0}))
    return false;
  while (stack.size) {
    frame_t *top = &stack.data[stack.size - 1];
    MlirOperation last = mlirBlockGetTerminator(top->block);
    if (mlirOperationIsNull(last) || top->next == mlirOperationGetNumSuccessors(last)) {
      if (!nereid_vector_push(arena, &post, top->block))
        return false;
      --stack.size;
      continue;
    }
    MlirBlock next = mlirOperationGetSuccessor(last, top->next++);
    if (nereid_map_find(&seen, next.ptr))
      continue;
    if (!nereid_map_insert(&seen, next.ptr) || !nereid_vector_push(arena, &stack, (frame_t){next, 0}))
      return false;
  }
  for (size_t i = post.size; i > 0; --i)
    if (!nereid_vector_push(arena, out, post.data[i - 1]))
      return false;
  return true;
}

bool nereid_lower_find_loops(nereid_lower_t *lower, MlirRegion region) {
  nereid_map_t numbers;
  nereid_blocks_t blocks = {0};
  nereid_map_initialize(&numbers, lower->arena);
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    if (!nereid_vector_push(lower->arena, &blocks, block))
      return false;
  int32_t *starts = nereid_arena_new(lower->arena, int32_t, blocks.size + 1); /* loops, less those that have ended */
  for (size_t i = 0; starts && i < blocks.size; ++i) {
    uintptr_t *number = nereid_map_insert(&numbers, blocks.data[i].ptr);
    if (!number)
      return false;
    *number = i;
    MlirOperation end = mlirBlockGetTerminator(blocks.data[i]);
    for (intptr_t k = 0; k < mlirOperationGetNumSuccessors(end); ++k) {
      const uintptr_t *to = nereid_map_find(&numbers, mlirOperationGetSuccessor(end, k).ptr);
      if (to) {
        ++starts[*to];
        --starts[i + 1];
      }
    }
  }
  int32_t depth = 0;
  for (size_t i = 0; starts && i < blocks.size; ++i) {
    depth += starts[i];
    if (depth > 0 && !nereid_map_insert(&lower->function->looping, blocks.data[i].ptr))
      return false;
  }
  return starts != NULL;
}

/* Maps names to valid PTX identifiers.
 *
 *   @"triton_poi.fused<f32>"  →  @"triton_poi$2Efused$3Cf32$3E"
 *
 * PTX ISA, "Identifiers": a letter and any of letters, digits, _ and $; or one of _ $ % and at least one more.
 * base/ptx_name.h escapes other characters. Valid names, including those with $, are unchanged: the lowering has
 * already mapped its names. Distinct names stay distinct: if the mapped name exists, a number is appended. */
#include "target/prepare.h"

#include "base/ptx_name.h"

#include <llvm-c/Core.h>

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool keeps(nereid_view_t name, size_t i) {
  char c = name.data[i];
  if (i == 0)
    return is_letter(c) || ((c == '_' || c == '$') && name.size > 1);
  return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

static bool is_spelled(nereid_view_t name) {
  for (size_t i = 0; i < name.size; i++)
    if (!keeps(name, i))
      return false;
  return name.size != 0;
}

static bool is_taken(LLVMModuleRef module, const char *name) {
  return LLVMGetNamedFunction(module, name) || LLVMGetNamedGlobal(module, name);
}

static nereid_status_t map_name(LLVMModuleRef module, LLVMValueRef value, nereid_arena_t *scratch) {
  nereid_view_t name;
  name.data = LLVMGetValueName2(value, &name.size);
  if (is_spelled(name) || nereid_view_starts_with(name, nereid_view("llvm.")))
    return NEREID_OK;
  const char *base = nereid_ptx_name(scratch, name), *fresh = base;
  for (unsigned i = 1; fresh && is_taken(module, fresh); i++)
    fresh = nereid_arena_format(scratch, "%s$%u", base, i);
  if (!fresh)
    return NEREID_ERROR_MEMORY;
  LLVMSetValueName2(value, fresh, strlen(fresh));
  return NEREID_OK;
}

nereid_status_t nereid_target_map_names(LLVMModuleRef module, nereid_arena_t *scratch) {
  nereid_status_t status = NEREID_OK;
  for (LLVMValueRef it = LLVMGetFirstFunction(module); it && status == NEREID_OK; it = LLVMGetNextFunction(it))
    if (!LLVMGetIntrinsicID(it))
      status = map_name(module, it, scratch);
  for (LLVMValueRef it = LLVMGetFirstGlobal(module); it && status == NEREID_OK; it = LLVMGetNextGlobal(it))
    status = map_name(module, it, scratch);
  return status;
}

/* Keys: BLAKE3 of a recipe.
 *
 *   derive-key("nereid store key 1", size(input) input size(options) options …)  →  32 bytes
 *
 * The sizes make the concatenation unambiguous: moving a byte from one field to the next gives another key. The context
 * changes when the fields do. LLVM's implementation of BLAKE3 does not depend on the rest of LLVM. */
#include "nereid/store.h"

#include <llvm-c/blake3.h>

static const char context[] = "nereid store key 1";

static void add(llvm_blake3_hasher *hasher, nereid_view_t field) {
  uint8_t size[8];
  for (unsigned i = 0; i < sizeof size; ++i)
    size[i] = (uint8_t)((uint64_t)field.size >> (8 * i));
  llvm_blake3_hasher_update(hasher, size, sizeof size);
  llvm_blake3_hasher_update(hasher, field.data, field.size);
}

nereid_status_t nereid_store_key_make(const nereid_store_recipe_t *recipe, nereid_store_key_t *out_key) {
  llvm_blake3_hasher hasher;
  if (!recipe || !out_key || recipe->size != sizeof *recipe || (!recipe->input.data && recipe->input.size))
    return NEREID_ERROR_ARGUMENT;
  llvm_blake3_hasher_init_derive_key(&hasher, context);
  add(&hasher, recipe->input);
  add(&hasher, nereid_view(recipe->options));
  add(&hasher, nereid_view(recipe->architecture));
  add(&hasher, nereid_view(recipe->compiler));
  add(&hasher, nereid_view(recipe->assembler));
  add(&hasher, nereid_view(recipe->variant));
  llvm_blake3_hasher_finalize(&hasher, out_key->bytes, sizeof out_key->bytes);
  return NEREID_OK;
}

void nereid_store_key_print(const nereid_store_key_t *key, char out_text[NEREID_STORE_KEY_LETTERS + 1]) {
  static const char digits[] = "0123456789abcdef";
  for (unsigned i = 0; i < NEREID_STORE_KEY_SIZE; ++i) {
    out_text[2 * i] = digits[key->bytes[i] >> 4];
    out_text[2 * i + 1] = digits[key->bytes[i] & 15];
  }
  out_text[NEREID_STORE_KEY_LETTERS] = '\0';
}

static int digit(char letter) {
  if (letter >= '0' && letter <= '9')
    return letter - '0';
  letter |= 0x20;
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

bool nereid_store_key_parse(nereid_view_t text, nereid_store_key_t *out_key) {
  nereid_store_key_t key;
  if (text.size != NEREID_STORE_KEY_LETTERS)
    return false;
  for (unsigned i = 0; i < NEREID_STORE_KEY_SIZE; ++i) {
    const int high = digit(text.data[2 * i]), low = digit(text.data[2 * i + 1]);
    if (high < 0 || low < 0)
      return false;
    key.bytes[i] = (uint8_t)(high << 4 | low);
  }
  *out_key = key;
  return true;
}

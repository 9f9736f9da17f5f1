/* libFuzzer: units of a store, keys and URLs of servers from untrusted bytes. The first byte selects the test. A unit
 * that is accepted encodes to the same bytes; with the checksum set here, mutations reach the checks behind it. */
#include "python-free-bindings/launch/store/server_address.h"
#include "python-free-bindings/launch/store/unit.h"

#include <llvm-c/blake3.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { AT_KEY = 16, AT_CHECKSUM = 80 };

static void fuzz_unit(char *bytes, size_t size, bool has_checksum) {
  nereid_store_key_t key = {{0}};
  nereid_store_content_t content;
  nereid_store_unit_t again;
  nereid_message_t message;
  if (size >= NEREID_UNIT_HEADER) {
    nereid_unit_key((const uint8_t *)bytes, &key);
    (void)nereid_unit_size((const uint8_t *)bytes);
  }
  if (has_checksum && size >= NEREID_UNIT_HEADER) {
    llvm_blake3_hasher hasher;
    llvm_blake3_hasher_init(&hasher);
    llvm_blake3_hasher_update(&hasher, bytes, AT_CHECKSUM);
    llvm_blake3_hasher_update(&hasher, bytes + NEREID_UNIT_HEADER, size - NEREID_UNIT_HEADER);
    llvm_blake3_hasher_finalize(&hasher, (uint8_t *)bytes + AT_CHECKSUM, LLVM_BLAKE3_OUT_LEN);
  }
  if (nereid_unit_decode(&key, nereid_view_of(bytes, size), &content, &message))
    return;
  if (!content.image.size && !content.metadata.size && !content.tuning.size)
    return; /* read, but never written */
  if (nereid_unit_encode(&key, &content, &again, &message) || again.size != size ||
      memcmp(again.bytes, bytes, size) != 0)
    abort();
  free(again.bytes);
}

static void fuzz_texts(const char *bytes, size_t size) {
  nereid_server_address_t address;
  nereid_store_key_t key;
  nereid_message_t message;
  char printed[NEREID_STORE_KEY_LETTERS + 1];
  char *text = malloc(size + 1);
  if (!text)
    return;
  memcpy(text, bytes, size);
  text[size] = '\0';
  if (nereid_server_address_parse(text, &address, &message) == NEREID_OK && !address.host[0])
    abort();
  if (nereid_store_key_parse(nereid_view_of(bytes, size), &key)) {
    nereid_store_key_print(&key, printed);
    if (!nereid_store_key_parse(nereid_view(printed), &key))
      abort();
  }
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  char *copy = size ? malloc(size) : NULL; /* exactly as large, for the address sanitizer */
  if (!copy)
    return 0;
  memcpy(copy, bytes + 1, size - 1);
  if (bytes[0] % 3 == 2)
    fuzz_texts(copy, size - 1);
  else
    fuzz_unit(copy, size - 1, bytes[0] % 3 == 1);
  free(copy);
  return 0;
}

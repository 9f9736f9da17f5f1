/* Rejects names of ttng for Blackwell, with a reason, when they are parsed.
 *
 *   %0 = ttng.tmem_alloc ...   ->   error: ttng.tmem_alloc requires Blackwell (sm_100); Nereid supports sm_80 to sm_90
 *
 * Without this table the error would be "unregistered", which suggests a misspelling. */
#include "dialects/ttng/ttng_hooks.h"

#include <stddef.h>
#include <string.h>

typedef struct refusal {
  const char *name;
  const char *message;
} refusal_t;

#define BLACKWELL " requires Blackwell (sm_100); Nereid supports sm_80 to sm_90"
#define OPERATION(mnemonic) {"ttng." mnemonic, "ttng." mnemonic BLACKWELL}
#define ATTRIBUTE(mnemonic) {mnemonic, "#ttng." mnemonic BLACKWELL}

static const refusal_t operations[] = {
    OPERATION("tc_gen5_commit"), OPERATION("tc_gen5_mma"), OPERATION("tc_gen5_mma_scaled"), OPERATION("tmem_alloc"),
    OPERATION("tmem_copy"),      OPERATION("tmem_load"),   OPERATION("tmem_store"),         OPERATION("tmem_subslice"),
};

static const refusal_t attributes[] = {
    ATTRIBUTE("tensor_memory"),
    ATTRIBUTE("tensor_memory_encoding"),
    ATTRIBUTE("tensor_memory_scales_encoding"),
};

static const char *find(const refusal_t *rows, size_t count, MlirStringRef name) {
  for (size_t i = 0; i < count; ++i)
    if (strlen(rows[i].name) == name.length && memcmp(rows[i].name, name.data, name.length) == 0)
      return rows[i].message;
  return NULL;
}

const char *nereid_ttng_operation_refusal(MlirStringRef name) {
  return find(operations, sizeof operations / sizeof *operations, name);
}

const char *nereid_ttng_attribute_refusal(MlirStringRef mnemonic) {
  return find(attributes, sizeof attributes / sizeof *attributes, mnemonic);
}

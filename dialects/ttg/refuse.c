/* Rejects names of Triton 3.6 that Nereid does not support, with a reason, when they are parsed.
 *
 *   #mma = #ttg.amd_mfma<{...}>   ->   error: #ttg.amd_mfma is not supported: Nereid targets NVIDIA sm_80..sm_90
 *
 * Without this table the error would be "unregistered", which suggests a misspelling. */
#include "dialects/diagnose.h"
#include "dialects/ttg/ttg_hooks.h"

#include <string.h>

typedef struct refusal {
  const char *prefix, *reason;
} refusal_t;

#define TARGETS "Nereid targets NVIDIA sm_80..sm_90"

static const refusal_t refusals[] = {
    {"ttg.amd_", TARGETS},
    {"ttg.intel_", TARGETS},
    {"ttg.dpas", TARGETS},
    {"amdg.", TARGETS},
    {"nvws.", "it belongs to Triton's warp specialization for Blackwell, and " TARGETS},
    {"gluon.", "it belongs to Triton's Gluon front end; compile the ttgir that Gluon generates"},
    {"proton.", "it belongs to Triton's profiler"},
};

void nereid_ttg_refuse(MlirLocation location, MlirStringRef name) {
  size_t skipped = name.length && (name.data[0] == '#' || name.data[0] == '!') ? 1 : 0;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    size_t size = strlen(refusals[i].prefix);
    if (name.length - skipped < size || memcmp(name.data + skipped, refusals[i].prefix, size) != 0)
      continue;
    nereid_diagnose_at(location, "%.*s is not supported: %s", (int)name.length, name.data, refusals[i].reason);
    return;
  }
  nereid_diagnose_at(location, "unknown name %.*s", (int)name.length, name.data);
}

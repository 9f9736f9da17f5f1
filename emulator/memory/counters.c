/* Prints counters as one JSON object with names in a fixed order, so that two runs compare byte by byte. */
#include "nereid/emulator.h"

static const char *const classes[] = {"integer", "float", "special", "convert", "move",  "memory",
                                      "atomic",  "warp",  "barrier", "control", "matrix"};
_Static_assert(sizeof classes / sizeof *classes == NEREID_EMULATOR_CLASS_COUNT, "a name per class");

static void by_class(FILE *file, const char *name, const uint64_t *numbers) {
  fprintf(file, "  \"%s\": {", name);
  for (int i = 0; i < NEREID_EMULATOR_CLASS_COUNT; ++i)
    fprintf(file, "%s\"%s\": %llu", i ? ", " : "", classes[i], (unsigned long long)numbers[i]);
  fprintf(file, "},\n");
}

static void pair(FILE *file, const char *name, const uint64_t *numbers, const char *end) {
  fprintf(file, "  \"%s\": {\"load\": %llu, \"store\": %llu}%s\n", name, (unsigned long long)numbers[0],
          (unsigned long long)numbers[1], end);
}

void nereid_emulator_counters_print(const nereid_emulator_counters_t *counters, FILE *file) {
  fprintf(file, "{\n");
  by_class(file, "warp_instructions", counters->warp_instructions);
  by_class(file, "thread_instructions", counters->thread_instructions);
  pair(file, "global_requests", counters->global_requests, ",");
  pair(file, "global_sectors", counters->global_sectors, ",");
  pair(file, "global_bytes", counters->global_bytes, ",");
  pair(file, "shared_requests", counters->shared_requests, ",");
  pair(file, "shared_wavefronts", counters->shared_wavefronts, ",");
  pair(file, "shared_bytes", counters->shared_bytes, ",");
  pair(file, "local_bytes", counters->local_bytes, ",");
  fprintf(file, "  \"barriers\": %llu,\n", (unsigned long long)counters->barriers);
  fprintf(file, "  \"bulk_copies\": %llu,\n", (unsigned long long)counters->bulk_copies);
  fprintf(file, "  \"bulk_bytes\": %llu\n}\n", (unsigned long long)counters->bulk_bytes);
}

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

/* An entry of the array of loops, on one line: what an iteration of a warp has on average. */
static void print_loop(const nereid_emulator_loop_t *loop, FILE *file) {
  const struct {
    const char *name;
    uint64_t sum;
  } counts[] = {{"instructions", loop->instructions},
                {"mma", loop->mma},
                {"wgmma", loop->wgmma},
                {"cp_async", loop->copies},
                {"bulk_copies", loop->bulk_copies},
                {"waits", loop->waits},
                {"barriers", loop->barriers},
                {"shared_requests", loop->shared_requests},
                {"shared_wavefronts", loop->shared_wavefronts},
                {"bank_conflicts", loop->bank_conflicts}};
  fprintf(file, "    {\"line\": %u, \"iterations\": %llu", loop->place.line, (unsigned long long)loop->iterations);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
    fprintf(file, ", \"%s\": %g", counts[i].name, (double)counts[i].sum / (double)loop->iterations);
  fprintf(file, "}");
}

void nereid_emulator_counters_print(const nereid_emulator_counters_t *counters, const nereid_emulator_loop_t *loops,
                                    size_t n_loops, FILE *file) {
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
  fprintf(file, "  \"bulk_bytes\": %llu%s", (unsigned long long)counters->bulk_bytes, n_loops ? ",\n" : "\n}\n");
  for (size_t i = 0; i < n_loops; ++i) {
    fprintf(file, i ? ",\n" : "  \"loops\": [\n");
    print_loop(&loops[i], file);
  }
  fprintf(file, n_loops ? "\n  ]\n}\n" : "");
}

/* random-module SEED [dots | chains | descriptors | recurrences]: prints a random tt module, which
 * fuzz/differential/run compiles and compares. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

static const struct kind {
  const char *name;
  void (*write)(uint64_t seed, FILE *out);
} kinds[] = {{"dots", module_write_dots},
             {"chains", module_write_chains},
             {"descriptors", module_write_descriptors},
             {"recurrences", module_write_recurrences}};

int main(int argc, char **argv) {
  void (*write)(uint64_t seed, FILE *out) = argc == 2 ? module_write : NULL;
  for (size_t i = 0; argc == 3 && i < sizeof kinds / sizeof *kinds; ++i)
    if (strcmp(argv[2], kinds[i].name) == 0)
      write = kinds[i].write;
  if (!write) {
    fprintf(stderr, "usage: random-module SEED [dots | chains | descriptors | recurrences]\n");
    return 2;
  }
  write(strtoull(argv[1], NULL, 0) * UINT64_C(0x2545f4914f6cdd1d) + 1, stdout);
  return 0;
}

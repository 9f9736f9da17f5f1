/* random-module SEED [dots | descriptors]: prints a random tt module, which fuzz/differential/run compiles and
 * compares. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  const bool dots = argc == 3 && strcmp(argv[2], "dots") == 0;
  const bool descriptors = argc == 3 && strcmp(argv[2], "descriptors") == 0;
  if (argc != 2 && !dots && !descriptors) {
    fprintf(stderr, "usage: random-module SEED [dots | descriptors]\n");
    return 2;
  }
  const uint64_t seed = strtoull(argv[1], NULL, 0) * UINT64_C(0x2545f4914f6cdd1d) + 1;
  if (dots)
    module_write_dots(seed, stdout);
  else if (descriptors)
    module_write_descriptors(seed, stdout);
  else
    module_write(seed, stdout);
  return 0;
}

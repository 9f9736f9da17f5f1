/* random-module SEED [dots]: prints a random tt module, which fuzz/differential/run compiles and compares. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc != 2 && (argc != 3 || strcmp(argv[2], "dots") != 0)) {
    fprintf(stderr, "usage: random-module SEED [dots]\n");
    return 2;
  }
  const uint64_t seed = strtoull(argv[1], NULL, 0) * UINT64_C(0x2545f4914f6cdd1d) + 1;
  if (argc == 3)
    module_write_dots(seed, stdout);
  else
    module_write(seed, stdout);
  return 0;
}

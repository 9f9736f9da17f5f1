/* random-module SEED: prints a random tt module, which fuzz/differential/run compiles and compares. */
#include "module.h"

#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: random-module SEED\n");
    return 2;
  }
  module_write(strtoull(argv[1], NULL, 0) * UINT64_C(0x2545f4914f6cdd1d) + 1, stdout);
  return 0;
}

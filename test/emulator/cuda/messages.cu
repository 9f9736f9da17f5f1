// printf of every kind of argument, in the order of CTAs; assert.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_messages %t.ptx
#ifdef __CUDACC__
#include <cassert>
#include <cstdio>
extern "C" __global__ void messages(int n, double x, const char *unused) {
  if (threadIdx.x == 0)
    printf("block %d of %u: %5.2f %s %c %lld %x %p%%\n", blockIdx.x, gridDim.x, x, "text", 'c', -5000000000ll, 0xabcu,
           (void *)unused);
  assert(n < 5 && "n is small");
}
#else
#include "test/emulator/cuda/driver.h"

static void test(cuda_t *cuda) {
  int n = 3;
  double x = 2.5;
  uint64_t nothing = 0x1234;
  LAUNCH(cuda, "messages", DIM(2, 1, 1), DIM(64, 1, 1), 0, &n, &x, &nothing);
  static const char expected[] = "block 0 of 2:  2.50 text c -5000000000 abc 0x1234%\n"
                                 "block 1 of 2:  2.50 text c -5000000000 abc 0x1234%\n";
  EXPECT(strcmp(cuda->printed, expected) == 0, "printed '%s'", cuda->printed);
  n = 7;
  EXPECT(LAUNCH_STATUS(cuda, "messages", DIM(2, 1, 1), DIM(64, 1, 1), 0, &n, &x, &nothing) == NEREID_ERROR_PROGRAM,
         "an assertion that holds not");
  EXPECT(strstr(cuda->report.message.text, "n < 5 && \"n is small\""), "said '%s'", cuda->report.message.text);
}
CUDA_MAIN
#endif

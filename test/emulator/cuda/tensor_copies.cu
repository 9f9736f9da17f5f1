// Tensor copies of ranks 1 to 5 in both directions, with a box partly out of bounds; a reducing store; multicast in a
// cluster.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=sm_90a %s -o %t.ptx
// RUN: %build/cuda/cuda_tensor_copies %t.ptx
#ifdef __CUDACC__
struct alignas(64) tensor_map {
  char bytes[128];
};
__device__ unsigned address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait(unsigned barrier, int parity) {
  asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra L;\n}" ::"r"(barrier), "r"(parity)
               : "memory");
}
__device__ void begin(unsigned barrier, int bytes) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier));
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
#define LOAD "cp.async.bulk.tensor."
#define IN ".shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
#define OUT ".global.shared::cta.bulk_group [%1, "
#define KERNEL(N, COORDINATES, ...)                                                                                    \
  extern "C" __global__ void rank_##N(const __grid_constant__ tensor_map in, const __grid_constant__ tensor_map out,   \
                                      int c, int bytes) {                                                              \
    extern __shared__ __align__(128) int box[];                                                                        \
    __shared__ __align__(8) unsigned long long barrier;                                                                \
    if (threadIdx.x == 0) {                                                                                            \
      begin(address(&barrier), bytes);                                                                                 \
      asm volatile(LOAD #N "d" IN COORDINATES "], [%2];" ::"r"(address(box)), "l"(&in), "r"(address(&barrier)),        \
                   "r"(2 * c), "r"(c + 1), "r"(c - 1), "r"(0), "r"(c)                                                  \
                   : "memory");                                                                                        \
    }                                                                                                                  \
    __syncthreads();                                                                                                   \
    wait(address(&barrier), 0);                                                                                        \
    for (int i = threadIdx.x; i < bytes / 4; i += 32)                                                                  \
      box[i] *= 2;                                                                                                     \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                                       \
    __syncthreads();                                                                                                   \
    if (threadIdx.x == 0) {                                                                                            \
      asm volatile(LOAD #N "d" OUT COORDINATES "], [%0];" ::"r"(address(box)), "l"(&out), "r"(0), "r"(2 * c),          \
                   "r"(c + 1), "r"(c - 1), "r"(0), "r"(c)                                                              \
                   : "memory");                                                                                        \
      asm volatile("cp.reduce.async.bulk.tensor." #N "d.global.shared::cta.add.bulk_group [%1, " COORDINATES "], [%0];" \
                       ::"r"(address(box)), "l"(&out), "r"(0), "r"(2 * c), "r"(c + 1), "r"(c - 1), "r"(0), "r"(c)      \
                   : "memory");                                                                                        \
      asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");                           \
    }                                                                                                                  \
  }
KERNEL(1, "{%3}")
KERNEL(2, "{%3, %4}")
KERNEL(3, "{%3, %4, %5}")
KERNEL(4, "{%3, %4, %5, %6}")
KERNEL(5, "{%3, %4, %5, %6, %7}")
// Each of two CTAs loads half of the rows, multicast to both.
extern "C" __global__ void __cluster_dims__(2, 1, 1) multicast(const __grid_constant__ tensor_map in, int *out) {
  __shared__ __align__(128) int box[2][8][16];
  __shared__ __align__(8) unsigned long long barrier;
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0)
    begin(address(&barrier), sizeof box);
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (threadIdx.x == 0)
    asm volatile(LOAD "2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(
                     address(box[rank])),
                 "l"(&in), "r"(address(&barrier)), "r"(0), "r"(8 * rank), "h"((short)3)
                 : "memory");
  wait(address(&barrier), 0);
  for (int i = threadIdx.x; i < 256; i += 32)
    out[256 * blockIdx.x + i] = (&box[0][0][0])[i];
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
#else
#include "base/kernel/tensor_map.h"
#include "test/emulator/cuda/driver.h"

typedef struct tensor {
  int rank;
  uint64_t shape[5];
  uint32_t box[5];
} tensor_t;

static void map_of(const tensor_t *tensor, uint64_t address, uint8_t *out) {
  nereid_tensor_map_t map = {.address = address, .element = NEREID_TENSOR_MAP_S32, .rank = (uint8_t)tensor->rank};
  nereid_message_t message = {""};
  uint64_t stride = 4;
  for (int d = 0; d < tensor->rank; ++d) {
    map.shape[d] = tensor->shape[d];
    map.box[d] = tensor->box[d];
    map.steps[d] = 1;
    stride *= tensor->shape[d];
    if (d + 1 < tensor->rank)
      map.strides[d] = stride;
  }
  EXPECT(nereid_tensor_map_validate(&map, &message) == NEREID_OK, "%s", message.text);
  nereid_tensor_map_write(&map, out);
}

/* The position of an element of the box in the tensor, or -1 when it is outside. */
static int64_t place_of(const tensor_t *tensor, const int *first, uint32_t element) {
  int64_t place = 0, stride = 1;
  bool outside = false;
  for (int d = 0; d < tensor->rank; ++d) {
    int64_t at = first[d] + (int64_t)(element % tensor->box[d]);
    element /= tensor->box[d];
    outside |= at < 0 || at >= (int64_t)tensor->shape[d];
    place += at * stride;
    stride *= (int64_t)tensor->shape[d];
  }
  return outside ? -1 : place;
}

static void one(cuda_t *cuda, int rank) {
  enum { MOST = 8 * 6 * 5 * 3 * 4 };
  static int in[MOST], out[MOST], expected[MOST];
  tensor_t tensor = {rank, {8, 6, 5, 3, 4}, {8, 4, 3, 2, 2}};
  int c = 2, first[5] = {2 * c, c + 1, c - 1, 0, c}, bytes = 4;
  uint8_t maps[2][128];
  char name[8] = "rank_1";
  name[5] = (char)('0' + rank);
  for (int d = 0; d < rank; ++d)
    bytes *= (int)tensor.box[d];
  for (int i = 0; i < MOST; ++i) {
    in[i] = (int)(cuda_random(cuda) % 1000);
    out[i] = expected[i] = -1;
  }
  map_of(&tensor, cuda_buffer(cuda, in, sizeof in), maps[0]);
  map_of(&tensor, cuda_buffer(cuda, out, sizeof out), maps[1]);
  const int shifted[5] = {2 * c, c + 1, c - 1, 0, c}; /* the innermost one in units of 16 bytes */
  for (int i = 0; i < bytes / 4; ++i) {
    int64_t from = place_of(&tensor, first, (uint32_t)i), to = place_of(&tensor, shifted, (uint32_t)i);
    if (to >= 0)
      expected[to] = 4 * (from >= 0 ? in[from] : 0);
  }
  LAUNCH(cuda, name, DIM(1, 1, 1), DIM(32, 1, 1), (uint32_t)bytes, maps[0], maps[1], &c, &bytes);
  for (int i = 0; i < MOST; ++i)
    EXPECT(out[i] == expected[i], "rank %d, %d: %d, not %d", rank, i, out[i], expected[i]);
}

static void test(cuda_t *cuda) {
  static int in[256], out[512];
  tensor_t tensor = {2, {16, 16}, {16, 8}};
  uint8_t map[128];
  for (int rank = 1; rank <= 5; ++rank)
    one(cuda, rank);
  for (int i = 0; i < 256; ++i)
    in[i] = (int)cuda_random(cuda);
  map_of(&tensor, cuda_buffer(cuda, in, sizeof in), map);
  uint64_t a = cuda_buffer(cuda, out, sizeof out);
  LAUNCH(cuda, "multicast", DIM(2, 1, 1), DIM(32, 1, 1), 0, map, &a);
  for (int i = 0; i < 512; ++i)
    EXPECT(out[i] == in[i % 256], "multicast %d", i);
}
CUDA_MAIN
#endif

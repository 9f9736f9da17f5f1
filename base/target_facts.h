/* Facts about NVIDIA targets: instructions of each compute capability and PTX version, memory sizes, address spaces.
 *
 * Sources: PTX ISA 8.7, "Target ISA Notes" and "PTX ISA Notes" of each instruction; CUDA C++ Programming Guide,
 * "Technical Specifications per Compute Capability"; LLVM, "User Guide for NVPTX Back-end", "Address Spaces". */
#ifndef NEREID_BASE_TARGET_FACTS_H
#define NEREID_BASE_TARGET_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compute capabilities: ten times the major number plus the minor one. */
enum { NEREID_SM_80 = 80, NEREID_SM_86 = 86, NEREID_SM_87 = 87, NEREID_SM_89 = 89, NEREID_SM_90 = 90 };

/* Address spaces of NVPTX, as in !llvm.ptr<1> and !tt.ptr<f32, 1>. */
typedef enum nereid_address_space {
  NEREID_SPACE_GENERIC = 0,
  NEREID_SPACE_GLOBAL = 1,
  NEREID_SPACE_SHARED = 3, /* shared memory of the CTA */
  NEREID_SPACE_CONSTANT = 4,
  NEREID_SPACE_LOCAL = 5
} nereid_address_space_t;

/* redux.sync of 32-bit integers. */
static inline bool nereid_target_has_redux(int capability) {
  return capability >= NEREID_SM_80;
}

/* cvt between fp8 (e4m3, e5m2) and f16, f32. */
static inline bool nereid_target_has_fp8_conversions(int capability, int ptx_version) {
  return capability >= NEREID_SM_89 && ptx_version >= 81;
}

/* mma.sync of fp8. */
static inline bool nereid_target_has_fp8_mma(int capability, int ptx_version) {
  return capability >= NEREID_SM_89 && ptx_version >= 84;
}

/* cvt between bf16 and types other than f32. */
static inline bool nereid_target_has_bf16_conversions(int capability) {
  return capability >= NEREID_SM_90;
}

/* atom.add and red.add of bf16 without a loop. */
static inline bool nereid_target_has_bf16_atomics(int capability) {
  return capability >= NEREID_SM_90;
}

/* atom.add and red.add of vectors in global memory. */
static inline bool nereid_target_has_vector_atomics(int capability, int ptx_version) {
  return capability >= NEREID_SM_90 && ptx_version >= 81;
}

/* atom.cas.b128 and atom.exch.b128. */
static inline bool nereid_target_has_128_bit_atomics(int capability, int ptx_version) {
  return capability >= NEREID_SM_90 && ptx_version >= 84;
}

/* min.xorsign.abs and max.xorsign.abs (PTX ISA 7.2). */
static inline bool nereid_target_has_xorsign(int capability) {
  return capability >= NEREID_SM_86;
}

/* createpolicy: eviction policies of the L2 cache. */
static inline bool nereid_target_has_cache_policies(int ptx_version) {
  return ptx_version >= 74;
}

/* cp.async with a predicate that ignores the source (PTX ISA 7.5, "cp.async"). */
static inline bool nereid_target_has_ignored_sources(int ptx_version) {
  return ptx_version >= 75;
}

/* stmatrix. */
static inline bool nereid_target_has_stmatrix(int capability) {
  return capability >= NEREID_SM_90;
}

/* mbarrier.try_wait and mbarrier.arrive with a count. */
static inline bool nereid_target_has_mbarrier_try_wait(int capability) {
  return capability >= NEREID_SM_90;
}

/* wgmma, of sm_90a. */
static inline bool nereid_target_has_wgmma(int capability) {
  return capability == NEREID_SM_90;
}

/* The async proxy: TMA and wgmma access shared memory through it, and fence.proxy.async orders it. */
static inline bool nereid_target_has_async_proxy(int capability) {
  return capability >= NEREID_SM_90;
}

/* Clusters of several CTAs. */
static inline bool nereid_target_has_clusters(int capability) {
  return capability >= NEREID_SM_90;
}

/* griddepcontrol: programmatic dependent launch (PTX ISA, "griddepcontrol"). */
static inline bool nereid_target_has_dependent_launch(int capability) {
  return capability >= NEREID_SM_90;
}

/* Returns the limit of shared memory per CTA in bytes; for an unknown capability 48 KiB, which every CUDA GPU has. */
static inline int64_t nereid_target_shared_memory(int capability) {
  static const struct {
    int capability, kibibytes;
  } limits[] = {{120, 99},           {NEREID_SM_90, 227}, {NEREID_SM_89, 99},
                {NEREID_SM_87, 163}, {NEREID_SM_86, 99},  {NEREID_SM_80, 163}};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
    if (capability >= limits[i].capability)
      return (int64_t)limits[i].kibibytes * 1024;
  return INT64_C(48) * 1024;
}

/* Resources of an SM (CUDA C++ Programming Guide, "Compute Capabilities"). */
enum {
  NEREID_TARGET_REGISTERS = 65536, /* 32-bit registers per SM */
  NEREID_TARGET_SUBPARTITIONS = 4, /* per SM; each has its own warps and a quarter of the register file */
  NEREID_TARGET_WARP_THREADS = 32,
  NEREID_TARGET_REGISTER_UNIT = 8,      /* allocation granularity of registers per thread */
  NEREID_TARGET_THREAD_REGISTERS = 255, /* maximum per thread */
  NEREID_TARGET_RESERVED_MEMORY = 1024, /* bytes of shared memory that the system takes per CTA */
};

/* Returns the maximum of registers per thread if an SM executes `threads` threads at a time. */
static inline int64_t nereid_target_thread_registers(int64_t threads) {
  const int64_t share = NEREID_TARGET_REGISTERS / threads / NEREID_TARGET_REGISTER_UNIT * NEREID_TARGET_REGISTER_UNIT;
  const int64_t most = NEREID_TARGET_THREAD_REGISTERS;
  return share < most ? share : most;
}

/* Returns the number of CTAs of `warps` warps that fit on an SM at a time by their registers per thread. */
static inline int64_t nereid_target_ctas_by_registers(int64_t registers, int64_t warps) {
  const int64_t units = (registers + NEREID_TARGET_REGISTER_UNIT - 1) / NEREID_TARGET_REGISTER_UNIT;
  const int64_t of_warp = units * NEREID_TARGET_REGISTER_UNIT * NEREID_TARGET_WARP_THREADS;
  return NEREID_TARGET_REGISTERS / NEREID_TARGET_SUBPARTITIONS / of_warp * NEREID_TARGET_SUBPARTITIONS / warps;
}

/* Returns the number of warps that an SM executes at a time. */
static inline int64_t nereid_target_warps(int capability) {
  const bool has_fewer = capability == NEREID_SM_86 || capability == NEREID_SM_89 || capability >= 120;
  return has_fewer ? 48 : 64;
}

/* Returns the number of CTAs with `bytes` of shared memory each that fit on an SM at a time. */
static inline int64_t nereid_target_ctas(int capability, int64_t bytes) {
  const int64_t memory = nereid_target_shared_memory(capability) + NEREID_TARGET_RESERVED_MEMORY;
  return memory / (bytes + NEREID_TARGET_RESERVED_MEMORY);
}

#endif

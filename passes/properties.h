/* Properties of a module that passes require, establish and preserve: the columns of passes.def.
 *
 *   requires     holds before the pass; otherwise the pass reports an error itself or does not change the module
 *   establishes  holds after the pass
 *   preserves    holds after the pass if it held before
 *
 * Builds with assertions check the three around each pass (pass.c); release builds contain none of it. */
#ifndef NEREID_PASSES_PROPERTIES_H
#define NEREID_PASSES_PROPERTIES_H

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

/* NAME, checker, the name in documents and messages, its definition, the passes that establish it. */
#define NEREID_PROPERTIES(X)                                                                                           \
  X(THREAD_GRID, thread_grid, "thread-grid", "The module has ttg.num-warps.", "convert-triton-to-tritongpu")           \
  X(LAYOUTS, layouts, "layouts", "Every tensor has an encoding.", "convert-triton-to-tritongpu")                       \
  X(NO_BLOCK_POINTERS, no_block_pointers, "no-block-pointers", "No value is a pointer to a tensor.",                   \
    "triton-rewrite-tensor-pointer")                                                                                   \
  X(NO_DESCRIPTORS, no_descriptors, "no-descriptors",                                                                  \
    "No operation of tt creates a tensor descriptor or accesses memory through one.",                                  \
    "triton-rewrite-tensor-descriptor-to-pointer or triton-nvidia-tma-lowering")                                       \
  X(NO_SCF, no_scf, "no-scf", "No operation of scf is left: control flow is between blocks.", "convert-scf-to-cf")     \
  X(SCHEDULE, schedule, "schedule",                                                                                    \
    "In a loop with tt.scheduled_max_stage, each operation has a loop.cluster and a loop.stage up to that.",           \
    "tritongpu-schedule-loops")                                                                                        \
  X(WARP_GROUPS, warp_groups, "warp-groups", "Every ttg.warp_specialize has warpGroupStartIds.",                       \
    "tritongpu-allocate-warp-groups")                                                                                  \
  X(SHARED_OFFSETS, shared_offsets, "shared-offsets",                                                                  \
    "Buffers and scratch in shared memory have an allocation.offset.", "allocate-shared-memory")                       \
  X(SCRATCH_OFFSETS, scratch_offsets, "scratch-offsets", "Every ttg.global_scratch_alloc has its offset.",             \
    "tritongpu-global-scratch-memory-allocation")                                                                      \
  X(PER_THREAD, per_thread, "per-thread",                                                                              \
    "Operations are of one thread: of tt, ttg and ttng only ttg.warp_specialize is left.",                             \
    "convert-triton-gpu-to-llvm")                                                                                      \
  X(LOWERED, lowered, "lowered", "No operation of tt, ttg or ttng is left.", "convert-warp-specialize-to-llvm")

typedef enum nereid_property_index {
#define X(name, checker, text, meaning, by) NEREID_PROPERTY_##name,
  NEREID_PROPERTIES(X)
#undef X
      NEREID_PROPERTY_COUNT
} nereid_property_index_t;

/* Sets of properties. */
enum {
  NEREID_IR_NONE = 0,
#define X(name, checker, text, meaning, by) NEREID_IR_##name = 1 << NEREID_PROPERTY_##name,
  NEREID_PROPERTIES(X)
#undef X
      NEREID_IR_ALL = (1 << NEREID_PROPERTY_COUNT) - 1
};

/* The contract of a pass, from its row of passes.def. */
typedef struct nereid_contract {
  uint32_t
    requires,
  establishes, preserves; /* sets */
} nereid_contract_t;

/* The result of a check of a set of properties. */
typedef struct nereid_properties {
  uint32_t holding;                          /* the set that holds */
  MlirLocation where[NEREID_PROPERTY_COUNT]; /* for a property that does not hold: the first violating operation */
} nereid_properties_t;

const char *nereid_property_name(nereid_property_index_t property);
const char *nereid_property_meaning(nereid_property_index_t property);
const char *nereid_property_establishers(nereid_property_index_t property); /* "a or b" */

/* Checks the properties of the set `requested` at and below `root`. */
nereid_properties_t nereid_properties_find(MlirOperation root, uint32_t requested);

/* Compares `before`, the result for contract->requires | contract->preserves, with the module after the pass
 * `argument`, which succeeded. False after an error at the operation that breaks the contract; it names pass and
 * property, and the passes that establish a missing requirement. */
bool nereid_contract_verify(const nereid_contract_t *contract, const char *argument, const nereid_properties_t *before,
                            MlirOperation root);

#endif

/* Registers of tensors, and the largest demand for them in a function, an estimate. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_REGISTER_DEMAND_H
#define NEREID_CONVERSION_TTG_TO_LLVM_REGISTER_DEMAND_H

#include "conversion/ttg_to_llvm/function/blocks.h"
#include "conversion/ttg_to_llvm/lower.h"

typedef struct nereid_live_tensor {
  MlirValue value;
  int64_t registers; /* 32-bit, per thread */
} nereid_live_tensor_t;

/* The tensors that are live before `where`, where they need most registers. */
typedef struct nereid_register_demand {
  int64_t registers; /* 32-bit, per thread; 0: there are no tensors, or no memory */
  MlirOperation where;
  NEREID_VECTOR(nereid_live_tensor_t) live;
} nereid_register_demand_t;

/* 32-bit registers per thread of a lowered value, if it is a tensor: registers that share an LLVM value (splats,
 * broadcasts) count once, i1 values not at all, nor do provably contiguous indices and addresses, which are a base plus
 * constants. */
int64_t nereid_lower_registers_of(nereid_lower_t *lower, MlirValue value);

/* Finds the demand of a lowered function with these blocks. */
nereid_register_demand_t nereid_register_demand_find(nereid_lower_t *lower, const nereid_blocks_t *blocks);

#endif

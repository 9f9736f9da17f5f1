/* Functions for passes that mlir-c lacks: cloning, moving, folding, constants, symbols, interfaces, traits,
 * sub-elements. Arguments are in upstream's order; null handles mean "none"; ownership is not transferred
 * unless stated. */
#ifndef NEREID_SEAM_IR_H
#define NEREID_SEAM_IR_H

#include <mlir-c/IR.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- cloning and moving --- */

/* Old value, block and operation -> new one. */
typedef struct NereidMlirIRMapping {
  void *ptr;
} NereidMlirIRMapping;

MLIR_CAPI_EXPORTED NereidMlirIRMapping nereidMlirIRMappingCreate(void);
MLIR_CAPI_EXPORTED void nereidMlirIRMappingDestroy(NereidMlirIRMapping mapping);
MLIR_CAPI_EXPORTED void nereidMlirIRMappingMapValue(NereidMlirIRMapping mapping, MlirValue from, MlirValue to);
/* Null when it is not mapped. */
MLIR_CAPI_EXPORTED MlirValue nereidMlirIRMappingLookupValue(NereidMlirIRMapping mapping, MlirValue from);

/* A detached copy of `op` that the caller owns. Operands found in `mapping` are replaced; values, blocks and operations
 * that were copied are added to it. */
MLIR_CAPI_EXPORTED MlirOperation nereidMlirOperationCloneWithMapping(MlirOperation op, NereidMlirIRMapping mapping);

/* Moves all operations of `source` before `before` in `block`, or to its end when that is null. The source's arguments
 * stay. */
MLIR_CAPI_EXPORTED void nereidMlirBlockSplice(MlirBlock block, MlirOperation before, MlirBlock source);

MLIR_CAPI_EXPORTED MlirOperation nereidMlirOperationGetPrevInBlock(MlirOperation op);
MLIR_CAPI_EXPORTED MlirOperation nereidMlirRegionGetParentOperation(MlirRegion region);
MLIR_CAPI_EXPORTED intptr_t nereidMlirRegionGetNumber(MlirRegion region); /* among its operation's */
MLIR_CAPI_EXPORTED bool nereidMlirOperationIsProperAncestor(MlirOperation op, MlirOperation other);

/* Erases an operation and its contents; its results must have no uses. (mlir-c's destroy requires a detached one.) */
MLIR_CAPI_EXPORTED void nereidMlirOperationErase(MlirOperation op);

/* Inserts operands before operand `index`, or at the end; erases an operand. */
MLIR_CAPI_EXPORTED void nereidMlirOperationInsertOperands(MlirOperation op, intptr_t index, intptr_t n,
                                                          const MlirValue *operands);
MLIR_CAPI_EXPORTED void nereidMlirOperationEraseOperand(MlirOperation op, intptr_t index);

/* --- folding, constants --- */

/* Folds `op`, which is in a block: true when each of its results has its replacement in `results`, constants being made
 * before it; the caller then replaces uses and erases it. A change in place is false. */
MLIR_CAPI_EXPORTED bool nereidMlirOperationTryFold(MlirOperation op, MlirValue *results);

/* The attribute of a constant-like operation's result; null for anything else. */
MLIR_CAPI_EXPORTED MlirAttribute nereidMlirValueGetConstant(MlirValue value);

/* --- symbols, calls, functions --- */

/* The operation that a SymbolRefAttr or StringAttr names as seen from `from`; null when there is none. */
MLIR_CAPI_EXPORTED MlirOperation nereidMlirSymbolTableLookupNearestFrom(MlirOperation from, MlirAttribute symbol);

/* CallOpInterface: the callee's SymbolRefAttr, null when `op` is not a call or calls a value; the number of its first
 * argument among the operands, and how many there are. */
MLIR_CAPI_EXPORTED bool nereidMlirOperationIsCall(MlirOperation op);
MLIR_CAPI_EXPORTED MlirAttribute nereidMlirCallGetCallee(MlirOperation call);
MLIR_CAPI_EXPORTED void nereidMlirCallGetArguments(MlirOperation call, intptr_t *first, intptr_t *n);

/* FunctionOpInterface. Argument attributes are by name; null means none or remove. */
MLIR_CAPI_EXPORTED bool nereidMlirOperationIsFunction(MlirOperation op);
MLIR_CAPI_EXPORTED MlirType nereidMlirFunctionGetType(MlirOperation function);
MLIR_CAPI_EXPORTED void nereidMlirFunctionSetType(MlirOperation function, MlirType type);
MLIR_CAPI_EXPORTED bool nereidMlirFunctionIsPublic(MlirOperation function);
MLIR_CAPI_EXPORTED MlirAttribute nereidMlirFunctionGetArgAttr(MlirOperation function, intptr_t index,
                                                              MlirStringRef name);
MLIR_CAPI_EXPORTED void nereidMlirFunctionSetArgAttr(MlirOperation function, intptr_t index, MlirStringRef name,
                                                     MlirAttribute attr);
/* All attributes of an argument as a DictionaryAttr, never null. */
MLIR_CAPI_EXPORTED MlirAttribute nereidMlirFunctionGetArgAttrs(MlirOperation function, intptr_t index);

/* --- control flow --- */

/* LoopLikeOpInterface. */
MLIR_CAPI_EXPORTED bool nereidMlirOperationIsLoopLike(MlirOperation op);
/* RegionBranchOpInterface. */
MLIR_CAPI_EXPORTED bool nereidMlirOperationIsRegionBranch(MlirOperation op);

/* One edge: control goes to the start of `region`, or leaves the operation when it is null; operand i becomes input i,
 * an argument of the region or a result of the operation. */
typedef void (*NereidMlirRegionEdgeCallback)(MlirRegion region, intptr_t n, const MlirValue *operands,
                                             const MlirValue *inputs, void *userData);

/* Calls back for each edge out of `point`: a RegionBranchOpInterface (the edges at entry), or a terminator in one of
 * its regions. False, and no call, when `point` is neither. */
MLIR_CAPI_EXPORTED bool nereidMlirRegionBranchWalkEdges(MlirOperation point, NereidMlirRegionEdgeCallback callback,
                                                        void *userData);

/* BranchOpInterface: which operands of `branch` become the arguments of successor `index`. Arguments from 0 to
 * `produced` come from the operation itself, argument `produced` + i from operand `first` + i. False when `branch` is
 * none. */
MLIR_CAPI_EXPORTED bool nereidMlirBranchGetSuccessorOperands(MlirOperation branch, intptr_t index, intptr_t *produced,
                                                             intptr_t *first, intptr_t *n);

/* --- traits --- */

typedef enum NereidMlirTrait {
  NereidMlirTraitIsTerminator,
  NereidMlirTraitReturnLike,
  NereidMlirTraitConstantLike,
  NereidMlirTraitCommutative,
  NereidMlirTraitElementwise,
  NereidMlirTraitIsolatedFromAbove,
  NereidMlirTraitSameOperandsAndResultType,
  NereidMlirTraitSameOperandsAndResultShape,
  NereidMlirTraitSymbolTable,
} NereidMlirTrait;

MLIR_CAPI_EXPORTED bool nereidMlirOperationHasTrait(MlirOperation op, NereidMlirTrait trait);

/* --- attributes and types --- */

/* The registered name of the class: "ttg.blocked", "builtin.integer"; static storage. */
MLIR_CAPI_EXPORTED MlirStringRef nereidMlirAttributeGetName(MlirAttribute attr);

/* Either callback may be null. */
typedef struct NereidMlirSubElementCallbacks {
  void (*attribute)(MlirAttribute attr, void *userData);
  void (*type)(MlirType type, void *userData);
  void *userData;
} NereidMlirSubElementCallbacks;

/* Calls back for `type` itself and everything in it, inner first, each once. */
MLIR_CAPI_EXPORTED void nereidMlirTypeWalk(MlirType type, NereidMlirSubElementCallbacks callbacks);

/* The replacement of an attribute or type; null: unchanged, its sub-elements are visited. Either may be null. Must be
 * deterministic. */
typedef struct NereidMlirReplacer {
  MlirAttribute (*attribute)(MlirAttribute attr, void *userData);
  MlirType (*type)(MlirType type, void *userData);
  void *userData;
} NereidMlirReplacer;

MLIR_CAPI_EXPORTED MlirType nereidMlirTypeReplace(MlirType type, NereidMlirReplacer replacer);
/* In the attributes, result types and block argument types of `op` and everything below it. */
MLIR_CAPI_EXPORTED void nereidMlirOperationReplaceElements(MlirOperation op, NereidMlirReplacer replacer);

#ifdef __cplusplus
}
#endif

#endif

#include "seam/ir.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

DEFINE_C_API_PTR_METHODS(NereidMlirIRMapping, IRMapping)

//===-- cloning and moving ----------------------------------------------------------------------------------------===//

NereidMlirIRMapping nereidMlirIRMappingCreate(void) { return wrap(new IRMapping); }
void nereidMlirIRMappingDestroy(NereidMlirIRMapping mapping) { delete unwrap(mapping); }
void nereidMlirIRMappingMapValue(NereidMlirIRMapping mapping, MlirValue from, MlirValue to) {
  unwrap(mapping)->map(unwrap(from), unwrap(to));
}
MlirValue nereidMlirIRMappingLookupValue(NereidMlirIRMapping mapping, MlirValue from) {
  return wrap(unwrap(mapping)->lookupOrNull(unwrap(from)));
}
MlirOperation nereidMlirOperationCloneWithMapping(MlirOperation op, NereidMlirIRMapping mapping) {
  return wrap(unwrap(op)->clone(*unwrap(mapping)));
}
void nereidMlirBlockSplice(MlirBlock block, MlirOperation before, MlirBlock source) {
  Block *into = unwrap(block);
  auto where = mlirOperationIsNull(before) ? into->end() : Block::iterator(unwrap(before));
  into->getOperations().splice(where, unwrap(source)->getOperations());
}
MlirOperation nereidMlirOperationGetPrevInBlock(MlirOperation op) { return wrap(unwrap(op)->getPrevNode()); }
MlirOperation nereidMlirRegionGetParentOperation(MlirRegion region) { return wrap(unwrap(region)->getParentOp()); }
intptr_t nereidMlirRegionGetNumber(MlirRegion region) { return unwrap(region)->getRegionNumber(); }
bool nereidMlirOperationIsProperAncestor(MlirOperation op, MlirOperation other) {
  return unwrap(op)->isProperAncestor(unwrap(other));
}
void nereidMlirOperationErase(MlirOperation op) { unwrap(op)->erase(); }
void nereidMlirOperationInsertOperands(MlirOperation op, intptr_t index, intptr_t n, const MlirValue *operands) {
  SmallVector<Value> storage;
  unwrap(op)->insertOperands(index, unwrapList(n, operands, storage));
}
void nereidMlirOperationEraseOperand(MlirOperation op, intptr_t index) { unwrap(op)->eraseOperand(index); }

//===-- folding, constants --------------------------------------------------------------------------------------===//

bool nereidMlirOperationTryFold(MlirOperation op, MlirValue *results) {
  OpBuilder builder(unwrap(op));
  SmallVector<Value> values;
  if (failed(builder.tryFold(unwrap(op), values)) || values.empty())
    return false;
  llvm::transform(values, results, [](Value value) { return wrap(value); });
  return true;
}
MlirAttribute nereidMlirValueGetConstant(MlirValue value) {
  Attribute attr;
  return wrap(matchPattern(unwrap(value), m_Constant(&attr)) ? attr : Attribute());
}

//===-- symbols, calls, functions ---------------------------------------------------------------------------------===//

MlirOperation nereidMlirSymbolTableLookupNearestFrom(MlirOperation from, MlirAttribute symbol) {
  if (auto name = dyn_cast<StringAttr>(unwrap(symbol)))
    return wrap(SymbolTable::lookupNearestSymbolFrom(unwrap(from), name));
  return wrap(SymbolTable::lookupNearestSymbolFrom(unwrap(from), cast<SymbolRefAttr>(unwrap(symbol))));
}
bool nereidMlirOperationIsCall(MlirOperation op) { return isa<CallOpInterface>(unwrap(op)); }
MlirAttribute nereidMlirCallGetCallee(MlirOperation call) {
  auto op = dyn_cast<CallOpInterface>(unwrap(call));
  return wrap(op ? Attribute(dyn_cast<SymbolRefAttr>(op.getCallableForCallee())) : Attribute());
}
void nereidMlirCallGetArguments(MlirOperation call, intptr_t *first, intptr_t *n) {
  OperandRange arguments = cast<CallOpInterface>(unwrap(call)).getArgOperands();
  *first = arguments.empty() ? 0 : arguments.getBeginOperandIndex();
  *n = arguments.size();
}
bool nereidMlirOperationIsFunction(MlirOperation op) { return isa<FunctionOpInterface>(unwrap(op)); }
static FunctionOpInterface function(MlirOperation op) { return cast<FunctionOpInterface>(unwrap(op)); }
MlirType nereidMlirFunctionGetType(MlirOperation op) { return wrap(function(op).getFunctionType()); }
void nereidMlirFunctionSetType(MlirOperation op, MlirType type) { function(op).setType(unwrap(type)); }
bool nereidMlirFunctionIsPublic(MlirOperation op) { return function(op).isPublic(); }
MlirAttribute nereidMlirFunctionGetArgAttr(MlirOperation op, intptr_t index, MlirStringRef name) {
  return wrap(function(op).getArgAttr(index, unwrap(name)));
}
void nereidMlirFunctionSetArgAttr(MlirOperation op, intptr_t index, MlirStringRef name, MlirAttribute attr) {
  if (mlirAttributeIsNull(attr))
    function(op).removeArgAttr(index, unwrap(name));
  else
    function(op).setArgAttr(index, unwrap(name), unwrap(attr));
}
MlirAttribute nereidMlirFunctionGetArgAttrs(MlirOperation op, intptr_t index) {
  return wrap(DictionaryAttr::get(unwrap(op)->getContext(), function(op).getArgAttrs(index)));
}

//===-- control flow ----------------------------------------------------------------------------------------------===//

bool nereidMlirOperationIsLoopLike(MlirOperation op) { return isa<LoopLikeOpInterface>(unwrap(op)); }
bool nereidMlirOperationIsRegionBranch(MlirOperation op) { return isa<RegionBranchOpInterface>(unwrap(op)); }
bool nereidMlirRegionBranchWalkEdges(MlirOperation point, NereidMlirRegionEdgeCallback callback, void *userData) {
  auto parent = dyn_cast<RegionBranchOpInterface>(unwrap(point));
  auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(unwrap(point));
  SmallVector<RegionSuccessor> successors;
  if (parent)
    parent.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  else if (terminator && isa<RegionBranchOpInterface>(terminator->getParentOp()))
    cast<RegionBranchOpInterface>(terminator->getParentOp()).getSuccessorRegions(terminator, successors);
  else
    return false;
  for (RegionSuccessor &successor : successors) {
    OperandRange from =
        parent ? parent.getEntrySuccessorOperands(successor) : terminator.getSuccessorOperands(successor);
    SmallVector<MlirValue> operands, inputs;
    for (auto [operand, input] : llvm::zip(from, successor.getSuccessorInputs())) {
      operands.push_back(wrap(Value(operand)));
      inputs.push_back(wrap(input));
    }
    callback(wrap(successor.getSuccessor()), operands.size(), operands.data(), inputs.data(), userData);
  }
  return true;
}
bool nereidMlirBranchGetSuccessorOperands(MlirOperation branch, intptr_t index, intptr_t *produced, intptr_t *first,
                                          intptr_t *n) {
  auto op = dyn_cast<BranchOpInterface>(unwrap(branch));
  if (!op)
    return false;
  SuccessorOperands operands = op.getSuccessorOperands(index);
  OperandRange forwarded = operands.getForwardedOperands();
  *produced = operands.getProducedOperandCount();
  *first = forwarded.empty() ? 0 : forwarded.getBeginOperandIndex();
  *n = forwarded.size();
  return true;
}

//===-- traits ----------------------------------------------------------------------------------------------------===//

template <template <typename> class... Traits> static bool hasTraitAt(Operation *op, int index) {
  static bool (*const tests[])(Operation *) = {[](Operation *op) { return op->hasTrait<Traits>(); }...};
  return tests[index](op);
}
bool nereidMlirOperationHasTrait(MlirOperation op, NereidMlirTrait trait) {
  return hasTraitAt<OpTrait::IsTerminator, OpTrait::ReturnLike, OpTrait::ConstantLike, OpTrait::IsCommutative,
                    OpTrait::Elementwise, OpTrait::IsIsolatedFromAbove, OpTrait::SameOperandsAndResultType,
                    OpTrait::SameOperandsAndResultShape, OpTrait::SymbolTable>(
      unwrap(op), trait); // in the order of NereidMlirTrait
}

//===-- attributes and types --------------------------------------------------------------------------------------===//

MlirStringRef nereidMlirAttributeGetName(MlirAttribute attr) {
  return wrap(unwrap(attr).getAbstractAttribute().getName());
}

void nereidMlirTypeWalk(MlirType type, NereidMlirSubElementCallbacks callbacks) {
  AttrTypeWalker walker;
  if (callbacks.attribute)
    walker.addWalk([&](Attribute attr) { callbacks.attribute(wrap(attr), callbacks.userData); });
  if (callbacks.type)
    walker.addWalk([&](Type type) { callbacks.type(wrap(type), callbacks.userData); });
  walker.walk(unwrap(type));
}

static AttrTypeReplacer makeReplacer(const NereidMlirReplacer &by) {
  AttrTypeReplacer replacer;
  if (by.attribute)
    replacer.addReplacement([by](Attribute attr) -> std::optional<Attribute> {
      Attribute now = unwrap(by.attribute(wrap(attr), by.userData));
      return now ? std::optional<Attribute>(now) : std::nullopt;
    });
  if (by.type)
    replacer.addReplacement([by](Type type) -> std::optional<Type> {
      Type now = unwrap(by.type(wrap(type), by.userData));
      return now ? std::optional<Type>(now) : std::nullopt;
    });
  return replacer;
}
MlirType nereidMlirTypeReplace(MlirType type, NereidMlirReplacer replacer) {
  return wrap(makeReplacer(replacer).replace(unwrap(type)));
}
void nereidMlirOperationReplaceElements(MlirOperation op, NereidMlirReplacer replacer) {
  makeReplacer(replacer).recursivelyReplaceElementsIn(unwrap(op), true, false, true);
}

// Base classes of the dialect's operations.
#ifndef NEREID_TT_OP
#define NEREID_TT_OP

include "dialects/tt/tt_attrs.td"
include "dialects/tt/tt_dialect.td"
include "dialects/tt/tt_traits.td"
include "dialects/tt/tt_types.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// ValidTensors comes first: later verifiers rely on static shapes of bounded size.
class TT_Op<string mnemonic, list<Trait> traits = []>
    : Op<TT_Dialect, mnemonic, !listconcat([TT_ValidTensors], traits)>;

// One result element per operand element, at the same position. Combines three traits, for operations whose result type
// differs from their operands'.
class TT_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : TT_Op<mnemonic, !listconcat([Elementwise, SameOperandsAndResultShape, TT_SameOperandsAndResultEncoding, Pure],
                                  traits)>;

// As above, operands and result of one type.
class TT_HomogeneousOp<string mnemonic> : TT_Op<mnemonic, [Elementwise, SameOperandsAndResultType, Pure]>;

// The result types follow from operands and attributes; an encoding that describes the same layout is accepted.
def TT_InferUpToLayout : DeclareOpInterfaceMethods<InferTypeOpInterface, ["isCompatibleReturnTypes"]>;

#endif

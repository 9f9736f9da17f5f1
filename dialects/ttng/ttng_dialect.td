// The dialect record of `ttng`, its base class of operations and shared constraints.
#ifndef NEREID_TTNG_DIALECT_TD
#define NEREID_TTNG_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/ttg/ttg_base.td"

def TTNG_Dialect : Dialect {
  let name = "ttng";
  let cppNamespace = "::nereid::ttng";
  let summary = "Asynchronous operations of sm_80 and sm_90: mbarriers, TMA, warp-group dots";
  let description = [{
    Operations that start asynchronous work and operations that wait for it. Barriers and data are buffers of `ttg` in
    shared memory. Barriers, tokens and fences order accesses, not data flow alone. The text and the generic form are
    those of Triton 3.6; operations and encodings of tensor memory (Blackwell) are rejected by name.
  }];
  let dependentDialects = ["::nereid::tt::TTDialect", "::nereid::ttg::TTGDialect", "::mlir::gpu::GPUDialect"];
  let useDefaultTypePrinterParser = 1;
  // The parser recognizes names of later hardware, so that the error has the reason (dialects/ttng/ttng_refusal.c).
  let extraClassDeclaration = [{
    void addOwnInterfaces();
    ::std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
  }];
}

class TTNG_Op<string mnemonic, list<Trait> traits = []> : Op<TTNG_Dialect, mnemonic, traits # [TT_ValidTensors]>;

// An operand in registers or in shared memory.
def TTNG_TensorOrMemDesc : AnyTypeOf<[TT_FpIntTensor, TTG_MemDescType], "ranked tensor or memory descriptor">;

// An mbarrier: one 64-bit word of shared memory. Its verification is in dialects/ttng/ttng_barrier.c.
class TTNG_Barrier<list<OpVariableDecorator> effects> : Arg<TTG_MemDescType, "an mbarrier", effects>;

#endif

// Values in registers: moving elements between threads, unpacking fp4.
#ifndef NEREID_TTG_OPS_LAYOUT
#define NEREID_TTG_OPS_LAYOUT

include "dialects/ttg/ttg_base.td"

def TTG_ConvertLayoutOp : TTG_Op<"convert_layout", [Pure, SameOperandsAndResultShape,
                                                    SameOperandsAndResultElementType]> {
  let summary = "convert a tensor to another encoding";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TTG_Fp4ToFpOp : TTG_Op<"fp4_to_fp", [Pure]> {
  let summary = "unpack pairs of fp4 (e2m1) to f16 or bf16";
  let description = [{
    Each i8 holds two adjacent elements along `axis`, the first in its low four bits. Dimension `axis` of the result is
    twice as long as that of the operand.
  }];
  let arguments = (ins RankedTensorOf<[I8]>:$src, I32Attr:$axis);
  let results = (outs TT_FloatTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TTG_InlineAsmOp : TTG_Op<"inline_asm", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "inline PTX of each thread";
  let description = [{
    Every thread executes the text once. It has a register for each element that the thread holds of the results, then
    of `args`, in the order of the layouts and with replicas; a scalar has one, and a buffer the 32-bit address of its
    first element. Elements narrower than 32 bits are not packed. Replicas in results must be equal. An operation with a
    buffer is not `pure`, and barriers that its accesses require are the program's. Of Triton 3.9.
  }];
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure,
                       Variadic<AnyTypeOf<[TT_FloatLike, TT_IntLike, TT_PtrLike, TTG_MemDescType]>>:$args);
  let results = (outs Variadic<AnyTypeOf<[TT_FloatLike, TT_IntLike, TT_PtrLike]>>:$result);
  let assemblyFormat = "$asm_string attr-dict $args `:` functional-type($args, $result)";
  let hasVerifier = 1;
}

#endif

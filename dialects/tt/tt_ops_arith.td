// Elementwise operations that arith and math do not have.
#ifndef NEREID_TT_OPS_ARITH
#define NEREID_TT_OPS_ARITH

include "dialects/tt/tt_op.td"

def TT_ClampFOp : TT_HomogeneousOp<"clampf"> {
  let summary = "limit to a range: min(max(x, lower), upper)";
  let description = [{
    With `propagateNan = all` a NaN in `x` is the result; with `none` the result is the other operand of the minimum or
    maximum.
  }];
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$min, TT_FloatLike:$max, TT_PropagateNanAttr:$propagateNan);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)";
}

def TT_PreciseSqrtOp : TT_HomogeneousOp<"precise_sqrt"> {
  let summary = "correctly rounded square root";
  let arguments = (ins TT_FloatLike:$x);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def TT_PreciseDivFOp : TT_HomogeneousOp<"precise_divf"> {
  let summary = "correctly rounded quotient";
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$y);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def TT_ApproxDivFOp : TT_HomogeneousOp<"approx_divf"> {
  let summary = "quotient of f32 by the approximate division of the hardware";
  let description = [{
    `div.full.f32`: 2 units in the last place (PTX ISA, "div"). An operation of Triton 3.9; earlier versions use
    `arith.divf`, which is compiled to the same instruction.
  }];
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$y);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def TT_MulhiUIOp : TT_HomogeneousOp<"mulhiui"> {
  let summary = "upper half of the double-width product of unsigned integers";
  let arguments = (ins TT_IntLike:$x, TT_IntLike:$y);
  let results = (outs TT_IntLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def TT_ExternElementwiseOp : TT_Op<"extern_elementwise",
    [Elementwise, TT_SameOperandsAndResultEncoding, SameVariadicOperandSize,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "call a scalar function of a device library on every element";
  let description = [{
    `symbol` is the name of the function; `libname` and `libpath` specify its library, both empty for libdevice. A
    function that is not `pure` may read and write memory.
  }];
  let arguments = (ins Variadic<TT_Type>:$srcs, StrAttr:$libname, StrAttr:$libpath, StrAttr:$symbol, BoolAttr:$pure);
  let results = (outs TT_Type:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
}

def TT_ElementwiseInlineAsmOp : TT_Op<"elementwise_inline_asm",
    [Elementwise, TT_SameOperandsAndResultEncoding, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "inline PTX on groups of elements";
  let description = [{
    The text is emitted once per `packed_element` elements. The compiler chooses the elements of a group, so the text
    must apply the same function to each. Elements narrower than 32 bits are packed in registers. An i1 that
    is passed alone in such a register is sign-extended. Text that is not `pure` may read and write memory.
  }];
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure, I32Attr:$packed_element,
                       Variadic<TT_Type>:$args);
  let results = (outs Variadic<TT_Type>:$result);
  let assemblyFormat = "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)";
  let hasVerifier = 1;
}

def TT_MapElementwiseOp : TT_Op<"map_elementwise",
    [TT_SameOperandsAndResultEncoding, SameOperandsAndResultShape, RecursiveMemoryEffects]> {
  let summary = "apply a region of scalar code, control flow included, to every element";
  let description = [{
    The region takes `pack` elements of each operand that are consecutive in row-major order, operand by operand, and
    returns as many of each result. It must not write memory, because several threads may compute the same element.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region AnyRegion:$scalarOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_MapElementwiseReturnOp : TT_Op<"map_elementwise.return",
    [HasParent<"MapElementwiseOp">, Pure, Terminator, ReturnLike]> {
  let summary = "terminate a tt.map_elementwise region";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
}

#endif

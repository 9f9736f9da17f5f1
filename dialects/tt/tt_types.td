// Types of the tt dialect and the type constraints that its operations, and those of ttg and ttng, are declared with.
#ifndef NEREID_TT_TYPES
#define NEREID_TT_TYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "dialects/tt/tt_dialect.td"

class TT_TypeDef<string name, string keyword, list<Trait> traits = []> : TypeDef<TT_Dialect, name, traits> {
  let mnemonic = keyword;
}

def TT_PtrType : TT_TypeDef<"Pointer", "ptr"> {
  let summary = "pointer to a scalar, or to a block of a tensor in global memory";
  let description = [{
    `!tt.ptr<f16>` is a typed address; `!tt.ptr<tensor<64x32xf16>>` is a block pointer: base, shape, strides and offsets
    in one value, created by `tt.make_tensor_ptr`. The address space is 1, global memory, unless specified:
    `!tt.ptr<f16, 3>`.
  }];
  let parameters = (ins "Type":$pointeeType, DefaultValuedParameter<"int", "1">:$addressSpace);
  let assemblyFormat = "`<` $pointeeType (`,` $addressSpace^)? `>`";
}

def TT_TensorDescType : TT_TypeDef<"TensorDesc", "tensordesc"> {
  let summary = "descriptor of a tensor in global memory that is accessed by blocks";
  let description = [{
    `!tt.tensordesc<tensor<64x64xf16>>`: a TMA descriptor on hardware with TMA. The tensor type is that of one block;
    its integer element type may be signed (`si8`, `ui8`), loaded tensors are signless.
    Triton 3.8 and 3.9 print `!tt.tensordesc<64x64xf16>` and `!tt.tensordesc<64x64xf16, #shared>`, which are the same
    types.
  }];
  let parameters = (ins "Type":$blockType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

// A pointer whose pointee satisfies one of `pointees`.
class TT_PtrOf<list<Type> pointees> : DialectType<TT_Dialect,
    And<[CPred<"::llvm::isa<::nereid::tt::PointerType>($_self)">,
         SubstLeaves<"$_self", "::llvm::cast<::nereid::tt::PointerType>($_self).getPointeeType()",
                     AnyTypeOf<pointees>.predicate>]>,
    "ptr", "::nereid::tt::PointerType">;

// Scalars, tensors of them, and either ("Like").
def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16, F32, F64], "f8/f16/bf16/f32/f64">;
def TT_FloatTensor : RankedTensorOf<[TT_Float]>;
def TT_FloatLike : AnyTypeOf<[TT_Float, TT_FloatTensor]>;

def TT_I4 : I<4>;
def TT_Int : AnyTypeOf<[I1, TT_I4, I8, I16, I32, I64], "i1/i4/i8/i16/i32/i64">;
def TT_IntTensor : RankedTensorOf<[TT_Int]>;
def TT_IntLike : AnyTypeOf<[TT_Int, TT_IntTensor]>;

def TT_BoolTensor : RankedTensorOf<[I1]>;
def TT_BoolLike : AnyTypeOf<[I1, TT_BoolTensor]>;
def TT_I32Like : AnyTypeOf<[I32, I32Tensor]>;
def TT_I64Like : AnyTypeOf<[I64, I64Tensor]>;

def TT_Ptr : TT_PtrOf<[AnyType]>;
def TT_PtrTensor : RankedTensorOf<[TT_Ptr]>;
def TT_PtrLike : AnyTypeOf<[TT_Ptr, TT_PtrTensor]>;

def TT_FpIntTensor : RankedTensorOf<[TT_Float, TT_Int]>;
def TT_Tensor : RankedTensorOf<[TT_Float, TT_Int, TT_Ptr]>;
def TT_TensorPtr : TT_PtrOf<[TT_Tensor]>; // a block pointer
def TT_Type : AnyTypeOf<[TT_FloatLike, TT_IntLike, TT_PtrLike, TT_TensorPtr]>;

#endif

// Traits and shared pieces of operations that read tensors: a C++ template each (seam/tt.hpp), whose verification is a
// C function (dialects/tt/traits.c). ttg and ttng use them too.
#ifndef NEREID_TT_TRAITS
#define NEREID_TT_TRAITS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TT_NativeTrait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::nereid::tt";
}

// Operand and result tensors have a power of two of elements, at most 2^20, and encodings that are valid for them.
def TT_ValidTensors : TT_NativeTrait<"ValidTensors">;
// All tensors with an encoding have the same one; tensors without an encoding are ignored.
def TT_SameOperandsEncoding : TT_NativeTrait<"SameOperandsEncoding">;
def TT_SameOperandsAndResultEncoding : TT_NativeTrait<"SameOperandsAndResultEncoding">;
// Like MLIR's traits of similar name, but a block pointer has the shape of its block and a scalar pointer none.
def TT_SameLoadStoreShape : TT_NativeTrait<"SameLoadStoreShape">;
// The regions may run concurrently.
def TT_AsyncRegions : TT_NativeTrait<"AsyncRegions">;

// The memory to which pointers and descriptors point.
def TT_GlobalMemory : Resource<"::nereid::GlobalMemory">;

#endif

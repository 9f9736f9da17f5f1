// The program in its launch grid, functions and calls.
#ifndef NEREID_TT_OPS_PROGRAM
#define NEREID_TT_OPS_PROGRAM

include "dialects/tt/tt_op.td"

def TT_GetProgramIdOp : TT_Op<"get_program_id", [Pure]> {
  let summary = "return this program's coordinate in the launch grid";
  let arguments = (ins TT_ProgramDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def TT_GetNumProgramsOp : TT_Op<"get_num_programs", [Pure]> {
  let summary = "return the size of the launch grid";
  let arguments = (ins TT_ProgramDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def TT_GridDependencyWaitOp : TT_Op<"grid_dependency_wait"> {
  let summary = "wait for the kernels on which this launch depends";
  let description = [{
    Programmatic dependent launch, sm_90 and later: `griddepcontrol.wait`. An operation of Triton 3.9; earlier versions
    use `tt.elementwise_inline_asm`.
  }];
  let assemblyFormat = "attr-dict";
}

def TT_GridDependencyLaunchDependentsOp : TT_Op<"grid_dependency_launch_dependents"> {
  let summary = "allow the kernels that depend on this launch to start";
  let description = [{
    `griddepcontrol.launch_dependents`: the dependents start once every CTA has executed it or ended.
  }];
  let assemblyFormat = "attr-dict";
}

def TT_CallOp : TT_Op<"call", [CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "call a function of this module";
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)";
  // CallOpInterface
  let extraClassDeclaration = [{
    operand_range getArgOperands() { return getOperands(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() { return getOperandsMutable(); }
    ::mlir::CallInterfaceCallable getCallableForCallee() { return getCalleeAttr(); }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee);
  }];
}

def TT_FuncOp : TT_Op<"func",
    [AffineScope, AutomaticAllocationScope, FunctionOpInterface, IsolatedFromAbove, HasParent<"::mlir::ModuleOp">]> {
  let summary = "define a kernel (public) or a function that kernels call (private)";
  let description = [{
    Kernels are launched, one instance per point of the grid, and return nothing. Other functions are private;
    `noinline = true` keeps their calls. A function without a body is a declaration.

    ```mlir
    tt.func public @kernel(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) attributes {noinline = false} {
      tt.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  // CallableOpInterface, FunctionOpInterface, SymbolOpInterface
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    bool isDeclaration() { return isExternal(); }
  }];
}

def TT_ReturnOp : TT_Op<"return", [Pure, HasParent<"FuncOp">, ReturnLike, Terminator]> {
  let summary = "return from a function";
  let arguments = (ins Variadic<AnyType>:$srcs);
  let assemblyFormat = "attr-dict ($srcs^ `:` type($srcs))?";
  let hasVerifier = 1;
}

#endif

// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-nv-gpu-to-llvm

// A function that was not lowered gets one error, not one per operation.
// expected-error @below {{'tt.func' cannot become LLVM IR}}
tt.func public @forgotten(%p: !tt.ptr<f32>, %x: f32) {
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}

// -----

llvm.func @half(%x: f32) -> f32 {
  // expected-error @below {{'arith.addf' cannot become LLVM IR}}
  %y = arith.addf %x, %x : f32
  // expected-error @below {{'builtin.unrealized_conversion_cast' cannot become LLVM IR}}
  %z = builtin.unrealized_conversion_cast %y : f32 to i32
  llvm.return %y : f32
}

// -----

// expected-error @below {{passed by value to kernels only}}
llvm.func @descriptor(%d: !llvm.ptr {tt.nv_tma_desc = 1 : i32}) {
  llvm.return
}

// -----

// An address space of more than 24 bits crashes LLVM, and others of which NVPTX has no instructions access generic memory.
// expected-error @below {{a pointer to address space -1: NVPTX has 0 to 7 and 101}}
llvm.func @argument(%p: !llvm.ptr<-1>) {
  llvm.return
}
llvm.func @result(%i: i64) {
  // expected-error @below {{a pointer to address space 99: NVPTX has 0 to 7 and 101}}
  %p = llvm.inttoptr %i : i64 to !llvm.ptr<99>
  %s = llvm.inttoptr %i : i64 to !llvm.ptr<3>
  llvm.return
}

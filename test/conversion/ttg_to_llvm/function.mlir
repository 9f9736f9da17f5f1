// Signatures: the kernel ABI of docs/abi.md, and the calling convention of functions.
// RUN: nereid-opt %s --split-input-file --convert-triton-gpu-to-llvm | FileCheck %s

#v2 = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
module attributes {"ttg.num-warps" = 8 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", ttg.maxnreg = 128 : i32} {

// Scalars one to one, then two pointers; names and hints stay.
// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME: %arg0: !llvm.ptr<1> {tt.divisibility = 16 : i32}, %arg1: i1, %arg2: i8, %arg3: i16, %arg4: i32, %arg5: i64, %arg6: f16, %arg7: bf16, %arg8: f32, %arg9: f64, %arg10: i8, %arg11: !llvm.ptr<1>, %arg12: !llvm.ptr<1>)
// CHECK-SAME: attributes {nvvm.kernel, nvvm.maxnreg = 128 : i32, nvvm.reqntid = array<i32: 256>}
tt.func public @kernel(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %a: i1, %b: i8, %c: i16, %d: i32, %e: i64, %f: f16, %g: bf16, %h: f32, %i: f64, %j: f8E5M2) {
  tt.return
}

// A tensor is a parameter per register, several results are a struct.
// CHECK-LABEL: llvm.func internal @internal(
// CHECK-SAME: %arg0: f32, %arg1: f32, %arg2: i32) -> !llvm.struct<(array<2 x f32>, i32)>
// CHECK-SAME: attributes {convergent, no_inline}
tt.func private @internal(%x: tensor<512xf32, #v2>, %i: i32) -> (tensor<512xf32, #v2>, i32) attributes {noinline = true} {
  tt.return %x, %i : tensor<512xf32, #v2>, i32
}

// CHECK-LABEL: llvm.func internal @one_result(%arg0: i32) -> i32 attributes {convergent} {
tt.func private @one_result(%i: i32) -> i32 {
  tt.return %i : i32
}

// CHECK-LABEL: llvm.func internal @nothing() attributes {convergent} {
tt.func private @nothing() {
  tt.return
}

// Names that are invalid in PTX stay distinct.
// CHECK: llvm.func internal @a$2Eb$24c$2Dd(
tt.func private @"a.b$c-d"() {
  tt.return
}
// CHECK: llvm.func internal @a$2Eb$24c_d(
// CHECK: llvm.call @a$2Eb$24c$2Dd(
tt.func private @"a.b$c_d"() {
  tt.call @"a.b$c-d"() : () -> ()
  tt.return
}

// By-value descriptors: the attribute is kept beside its LLVM equivalents. = 0 and other types have no effect.
// CHECK-LABEL: llvm.func @descriptors(
// CHECK-SAME: %arg0: !llvm.ptr {llvm.align = 64 : i32, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant, tt.nv_tma_desc = 1 : i32}
// CHECK-SAME: %arg1: !llvm.ptr {llvm.align = 64 : i32, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant, tt.nv_tma_desc = 1 : i32}
// CHECK-SAME: %arg2: i32, %arg3: i32, %arg4: i64, %arg5: i64
// CHECK-SAME: %arg6: !llvm.ptr<1> {tt.nv_tma_desc = 0 : i32}
// CHECK-SAME: %arg7: !llvm.ptr<1> {tt.nv_tma_desc = 1 : i64}
tt.func public @descriptors(%d: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32}, %t: !tt.tensordesc<tensor<64x64xf16>>, %s0: i32, %s1: i32, %st0: i64, %st1: i64, %z: !tt.ptr<i8> {tt.nv_tma_desc = 0 : i32}, %w: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i64}) {
  tt.return
}
}

// -----

// Warps of partitions count: ttg.total-num-warps.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.total-num-warps" = 12 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: llvm.func @partitions(
// CHECK-SAME: nvvm.reqntid = array<i32: 384>
tt.func public @partitions() {
  tt.return
}
}

// -----

// Functions may have any name: names created by the lowering contain a $, which other names do not.
#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK: llvm.mlir.global internal constant @nereid$text_0
// CHECK: llvm.mlir.global external @global_smem$()
// CHECK-LABEL: llvm.func @global_smem(
// CHECK: llvm.mlir.addressof @global_smem$ : !llvm.ptr<3>
tt.func public @global_smem() {
  %x = arith.constant dense<1.0> : tensor<32x32xf32, #a>
  %y = ttg.convert_layout %x {allocation.offset = 0 : i32} : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
  tt.print "done" {hex = false, isSigned = array<i32>}
  tt.return
}
}

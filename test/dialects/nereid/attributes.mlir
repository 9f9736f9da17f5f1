// The launch attributes on tt.func and llvm.func kernels: custom and generic form, bytecode.
// RUN: nereid-opt %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --emit-bytecode %s | nereid-opt | FileCheck %s

// Absent options are not printed, and options have a fixed order.
// CHECK-DAG: #[[TILES:.+]] = affine_map<(d0) -> (d0 ceildiv 1024)>
// CHECK-DAG: #[[PRODUCT:.+]] = affine_map<(d0)[s0, s1] -> ((s0 ceildiv 128) * (s1 ceildiv 256), d0, 1)>
// CHECK-DAG: #[[FIXED:.+]] = affine_map<() -> (132)>
// CHECK: module attributes {nereid.metadata = "{}", nereid.options = #nereid.launch_options<num_warps = 8, num_stages = 3, maxnreg = 168, ptx_version = 87, cooperative = true, pdl = true, fp_fusion = false>
module attributes {"ttg.num-warps" = 8 : i32, nereid.options = #nereid.launch_options<pdl = true, num_stages = 3, num_warps = 8, num_ctas = 0, maxnreg = 168, cooperative = true, fp_fusion = false, ptx_version = 87>, nereid.metadata = "{}"} {
  // CHECK-LABEL: tt.func public @add
  // CHECK-SAME: attributes {nereid.grid = #nereid.grid<#[[TILES]], args = [1]>}
  tt.func public @add(%x: !tt.ptr<f32>, %n: i32) attributes {nereid.grid = #nereid.grid<affine_map<(n) -> (n ceildiv 1024)>, args = [1]>} {
    tt.return
  }

  // A grid of tiles: symbols may be multiplied. Persistent: at most two CTAs per SM.
  // CHECK-LABEL: tt.func public @matmul
  // CHECK-SAME: nereid.grid = #nereid.grid<#[[PRODUCT]], args = [4, 2, 3], per_sm = 2>
  tt.func public @matmul(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %m: i32, %n: i32, %batch: i64) attributes {nereid.grid = #nereid.grid<affine_map<(b)[m, n] -> ((m ceildiv 128) * (n ceildiv 256), b, 1)>, args = [4, 2, 3], per_sm = 2>} {
    tt.return
  }

  // A constant grid.
  // CHECK-LABEL: tt.func public @fixed
  // CHECK-SAME: nereid.grid = #nereid.grid<#[[FIXED]], args = []>
  tt.func public @fixed() attributes {nereid.grid = #nereid.grid<affine_map<() -> (132)>, args = []>} {
    tt.return
  }

  // CHECK-LABEL: tt.func public @descriptor
  // CHECK-SAME: !tt.tensordesc<tensor<128x64xf16>> {nereid.role = #nereid.role<descriptor, group = 0>}
  // CHECK-SAME: i32 {nereid.role = #nereid.role<shape, group = 0, dim = 0>}
  // CHECK-SAME: i64 {nereid.role = #nereid.role<stride, group = 0, dim = 1>}
  tt.func public @descriptor(%d: !tt.tensordesc<tensor<128x64xf16>> {nereid.role = #nereid.role<descriptor, group = 0>},
                             %d_0: i32 {nereid.role = #nereid.role<shape, group = 0, dim = 0>}, %d_1: i32 {nereid.role = #nereid.role<shape, group = 0, dim = 1>},
                             %d_2: i64 {nereid.role = #nereid.role<stride, group = 0, dim = 0>}, %d_3: i64 {nereid.role = #nereid.role<stride, group = 0, dim = 1>}) {
    tt.return
  }

  // A descriptor that was rewritten to a pointer.
  // CHECK-LABEL: tt.func public @pointer
  // CHECK-SAME: !tt.ptr<f16> {nereid.role = #nereid.role<base, group = 1>}
  // CHECK-SAME: i64 {nereid.role = #nereid.role<shape, group = 1, dim = 0>}
  // CHECK-SAME: i64 {nereid.role = #nereid.role<stride, group = 1, dim = 0>}
  // CHECK-SAME: i1 {nereid.role = #nereid.role<padding, group = 1>}
  tt.func public @pointer(%d: !tt.ptr<f16> {nereid.role = #nereid.role<base, group = 1>}, %d_0: i64 {nereid.role = #nereid.role<shape, group = 1, dim = 0>},
                          %d_1: i64 {nereid.role = #nereid.role<stride, group = 1, dim = 0>}, %d_2: i1 {nereid.role = #nereid.role<padding, group = 1>}) {
    tt.return
  }

  // CHECK-LABEL: llvm.func @lowered
  // CHECK-SAME: nereid.descriptor = #nereid.descriptor<element = f16, block = [64, 64], swizzle = 128, nan_padding = true>, nereid.role = #nereid.role<descriptor, group = 0>
  // CHECK-SAME: nereid.descriptor = #nereid.descriptor<element = i8, block = [16], fp4_padded = true>
  // CHECK-SAME: nereid.role = #nereid.role<global_scratch>
  // CHECK-SAME: nereid.role = #nereid.role<profile_scratch>
  llvm.func @lowered(%d: !llvm.ptr {nereid.role = #nereid.role<descriptor, group = 0>, nereid.descriptor = #nereid.descriptor<element = f16, block = [64, 64], swizzle = 128, nan_padding = true>},
                     %e: !llvm.ptr {nereid.descriptor = #nereid.descriptor<element = i8, block = [16], fp4_padded = true>},
                     %s: !llvm.ptr<1> {nereid.role = #nereid.role<global_scratch>}, %p: !llvm.ptr<1> {nereid.role = #nereid.role<profile_scratch>}) {
    llvm.return
  }
}

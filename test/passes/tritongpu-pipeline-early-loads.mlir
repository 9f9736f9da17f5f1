// tritongpu-pipeline issues small loads that follow a dot of warp groups, or the wait for its operands, before both.

// RUN: nereid-opt %s --tritongpu-pipeline | FileCheck %s
// RUN: nereid-opt %s --tritongpu-pipeline --remarks-filter-passed=tritongpu-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#tile = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#each = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#rows = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// With its address, before the wait for the copies.
// CHECK-LABEL: @scales
// CHECK: scf.for
// CHECK: %[[P:.*]] = tt.addptr
// CHECK-NEXT: tt.load %[[P]]
// CHECK-NEXT: ttg.async_wait
// CHECK: ttng.warp_group_dot
// REMARK: early-loads.mlir:[[# @LINE + 9]]:{{.*}}issued before the dots of its iteration
tt.func @scales(%n: i32, %s: tensor<64x!tt.ptr<f32>, #line>, %a: !ttg.memdesc<64x64xf16, #shared, #smem>, %z: tensor<64x64xf32, #mma>, %o: tensor<64x!tt.ptr<f32>, #line>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<64x64xf32, #mma>) : i32 {
    %w = ttg.async_wait {num = 1 : i32}
    %d = ttng.warp_group_dot %a, %a, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %k = tt.splat %i : i32 -> tensor<64xi32, #line>
    %p = tt.addptr %s, %k : tensor<64x!tt.ptr<f32>, #line>, tensor<64xi32, #line>
    %x = tt.load %p : tensor<64x!tt.ptr<f32>, #line>
    %c = ttg.convert_layout %x : tensor<64xf32, #line> -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
    %e = tt.expand_dims %c {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xf32, #mma>
    %b = tt.broadcast %e : tensor<1x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %m = arith.mulf %d, %b : tensor<64x64xf32, #mma>
    scf.yield %m : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// A load between the wait and the dot, next to a copy for a later iteration.
// CHECK-LABEL: @after_wait
// CHECK: scf.for
// CHECK: tt.load
// CHECK-NEXT: ttg.async_wait
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttng.warp_group_dot
tt.func @after_wait(%n: i32, %s: tensor<64x!tt.ptr<f32>, #line>, %t: tensor<64x64x!tt.ptr<f16>, #tile>, %a: !ttg.memdesc<64x64xf16, #shared, #smem>, %f: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %z: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<64x64xf32, #mma>) : i32 {
    %w = ttg.async_wait {num = 1 : i32}
    %q = ttg.async_copy_global_to_local %t, %f : tensor<64x64x!tt.ptr<f16>, #tile> -> <64x64xf16, #shared, #smem, mutable>
    %g = ttg.async_commit_group
    %k = tt.splat %i : i32 -> tensor<64xi32, #line>
    %p = tt.addptr %s, %k : tensor<64x!tt.ptr<f32>, #line>, tensor<64xi32, #line>
    %x = tt.load %p : tensor<64x!tt.ptr<f32>, #line>
    %d = ttng.warp_group_dot %a, %a, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %c = ttg.convert_layout %x : tensor<64xf32, #line> -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
    %e = tt.expand_dims %c {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xf32, #mma>
    %b = tt.broadcast %e : tensor<1x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %m = arith.mulf %d, %b : tensor<64x64xf32, #mma>
    scf.yield %m : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// Loads also precede the wait for an operand of mma.sync.
// CHECK-LABEL: @sync
// CHECK: scf.for
// CHECK: tt.load
// CHECK: tt.load
// CHECK-NEXT: ttg.async_wait
// CHECK: tt.dot
tt.func @sync(%n: i32, %s: tensor<64x!tt.ptr<f32>, #each>, %f: !ttg.memdesc<16x64xf16, #rows, #smem>, %b: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 2}>>, %z: tensor<16x64xf32, #mma2>) -> (tensor<16x64xf32, #mma2>, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %g = %zero) -> (tensor<16x64xf32, #mma2>, f32) : i32 {
    %w = ttg.async_wait {num = 1 : i32}
    %a = ttg.local_load %f token %w : !ttg.memdesc<16x64xf16, #rows, #smem> -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>>
    %k = tt.splat %i : i32 -> tensor<64xi32, #each>
    %p = tt.addptr %s, %k : tensor<64x!tt.ptr<f32>, #each>, tensor<64xi32, #each>
    %x = tt.load %p : tensor<64x!tt.ptr<f32>, #each>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 2}>> -> tensor<16x64xf32, #mma2>
    %q = tt.addptr %p, %k : tensor<64x!tt.ptr<f32>, #each>, tensor<64xi32, #each>
    %y = tt.load %q : tensor<64x!tt.ptr<f32>, #each>
    %t = arith.addf %x, %y : tensor<64xf32, #each>
    %u = "tt.reduce"(%t) <{axis = 0 : i32}> ({
    ^bb0(%l: f32, %m: f32):
      %v = arith.addf %l, %m : f32
      tt.reduce.return %v : f32
    }) : (tensor<64xf32, #each>) -> f32
    scf.yield %d, %u : tensor<16x64xf32, #mma2>, f32
  }
  tt.return %r#0, %r#1 : tensor<16x64xf32, #mma2>, f32
}

// Not over a store, which may write what is loaded.
// CHECK-LABEL: @stored
// CHECK: ttng.warp_group_dot
// CHECK: tt.store
// CHECK-NEXT: tt.load
tt.func @stored(%s: tensor<64x!tt.ptr<f32>, #line>, %v: tensor<64xf32, #line>, %a: !ttg.memdesc<64x64xf16, #shared, #smem>, %z: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64xf32, #line>) {
  %d = ttng.warp_group_dot %a, %a, %z {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
  tt.store %s, %v : tensor<64x!tt.ptr<f32>, #line>
  %x = tt.load %s : tensor<64x!tt.ptr<f32>, #line>
  tt.return %d, %x : tensor<64x64xf32, #mma>, tensor<64xf32, #line>
}

// A volatile load, one of many registers, and one whose address depends on the dot stay.
// CHECK-LABEL: @stay
// CHECK: ttng.warp_group_dot
// CHECK: tt.load {{.*}} {isVolatile = true}
// CHECK: tt.load {{.*}} : tensor<64x64x!tt.ptr<f32>, #blocked1>
// CHECK: arith.fptosi
// CHECK: tt.load
tt.func @stay(%s: tensor<64x!tt.ptr<f32>, #line>, %t: tensor<64x64x!tt.ptr<f32>, #tile>, %q: tensor<64x64x!tt.ptr<i1>, #mma>, %a: !ttg.memdesc<64x64xf16, #shared, #smem>, %z: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64xf32, #line>, tensor<64x64xf32, #tile>, tensor<64x64xi1, #mma>) {
  %d = ttng.warp_group_dot %a, %a, %z {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
  %x = tt.load %s {isVolatile = true} : tensor<64x!tt.ptr<f32>, #line>
  %y = tt.load %t : tensor<64x64x!tt.ptr<f32>, #tile>
  %i = arith.fptosi %d : tensor<64x64xf32, #mma> to tensor<64x64xi32, #mma>
  %p = tt.addptr %q, %i : tensor<64x64x!tt.ptr<i1>, #mma>, tensor<64x64xi32, #mma>
  %m = tt.load %p : tensor<64x64x!tt.ptr<i1>, #mma>
  tt.return %d, %x, %y, %m : tensor<64x64xf32, #mma>, tensor<64xf32, #line>, tensor<64x64xf32, #tile>, tensor<64x64xi1, #mma>
}

// Sixteen registers in all: the third load, of eight, stays.
// CHECK-LABEL: @many
// CHECK-COUNT-2: tt.load
// CHECK: ttng.warp_group_dot
// CHECK: tt.load
tt.func @many(%s: tensor<1024x!tt.ptr<f32>, #line>, %a: !ttg.memdesc<64x64xf16, #shared, #smem>, %z: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<1024xf32, #line>, tensor<1024xf32, #line>, tensor<1024xf32, #line>) {
  %d = ttng.warp_group_dot %a, %a, %z {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
  %x = tt.load %s : tensor<1024x!tt.ptr<f32>, #line>
  %y = tt.load %s : tensor<1024x!tt.ptr<f32>, #line>
  %w = tt.load %s : tensor<1024x!tt.ptr<f32>, #line>
  tt.return %d, %x, %y, %w : tensor<64x64xf32, #mma>, tensor<1024xf32, #line>, tensor<1024xf32, #line>, tensor<1024xf32, #line>
}
}

// Asynchronous copies: width, cache, predicate or zero fill, groups, and the synchronization after the wait.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s --check-prefixes=CHECK,NEW
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm="ptx-version=74" | FileCheck %s --check-prefixes=CHECK,OLD

#v1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#v4 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: llvm.func internal @whole(
// CHECK: "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"
// CHECK-NOT: cp.async.cg
// CHECK: "cp.async.commit_group;"
// CHECK: "cp.async.wait_group 0;"
// CHECK: bar.warp.sync
// CHECK: llvm.load
tt.func private @whole(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) -> tensor<512xf32, #v4> {
  %b = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #plain, #smem, mutable>
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #v4>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #v4>
  %q = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #v4>, tensor<512xi32, #v4>
  %t = ttg.async_copy_global_to_local %q, %b : tensor<512x!tt.ptr<f32>, #v4> -> <512xf32, #plain, #smem, mutable>
  %c = ttg.async_commit_group tokens %t
  %w = ttg.async_wait %c {num = 0 : i32}
  %x = ttg.local_load %b token %w : !ttg.memdesc<512xf32, #plain, #smem, mutable> -> tensor<512xf32, #v4>
  tt.return %x : tensor<512xf32, #v4>
}

// Masked-off elements: an ignored source, or one of 0 bytes, gives zeros, other values are stored; without `other` nothing
// is written.
// CHECK-LABEL: llvm.func internal @masked(
// NEW: llvm.xor
// NEW: "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,b"
// OLD: llvm.select
// OLD: "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r"
// CHECK: "@$2 cp.async.ca.shared.global [$0], [$1], 4;", "r,l,b"
// CHECK: "@$2 st.shared.b32 [$0], $1;", "r,r,b"
// CHECK: "@$2 cp.async.ca.shared.global [$0], [$1], 4;", "r,l,b"
// CHECK-NOT: st.shared
// CHECK: llvm.return
tt.func private @masked(%p: !tt.ptr<f32>, %m: tensor<128xi1, #v1>) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<f32>, #v1>, tensor<128xi32, #v1>
  %zero = arith.constant dense<0.0> : tensor<128xf32, #v1>
  %one = arith.constant dense<1.0> : tensor<128xf32, #v1>
  %t = ttg.async_copy_global_to_local %q, %a mask %m other %zero : tensor<128x!tt.ptr<f32>, #v1> -> <128xf32, #plain, #smem, mutable>
  %u = ttg.async_copy_global_to_local %q, %a mask %m other %one : tensor<128x!tt.ptr<f32>, #v1> -> <128xf32, #plain, #smem, mutable>
  %v = ttg.async_copy_global_to_local %q, %a mask %m : tensor<128x!tt.ptr<f32>, #v1> -> <128xf32, #plain, #smem, mutable>
  tt.return
}

// Of two threads with the same element, one copies.
// CHECK-LABEL: llvm.func internal @once(
// CHECK: llvm.icmp "eq"
// CHECK: "@$2 cp.async.ca.shared.global [$0], [$1], 4;", "r,l,b"
tt.func private @once(%p: !tt.ptr<f32>) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<64xf32, #plain, #smem, mutable>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #v1>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #v1>
  %q = tt.addptr %s, %r : tensor<64x!tt.ptr<f32>, #v1>, tensor<64xi32, #v1>
  %t = ttg.async_copy_global_to_local %q, %a : tensor<64x!tt.ptr<f32>, #v1> -> <64xf32, #plain, #smem, mutable>
  tt.return
}
}

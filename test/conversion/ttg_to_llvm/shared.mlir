// Buffers in shared memory: addresses of registers, views, barriers between dependent accesses.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#single = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#plain1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#turned = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#swizzled = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// A store, a barrier and a load by all threads, with 16-byte accesses.
// CHECK-LABEL: llvm.func internal @whole(
// CHECK-NOT: barrier
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: barrier
// CHECK-COUNT-16: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<3> -> f16
// CHECK-NOT: llvm.load
// CHECK: llvm.return
tt.func private @whole(%x: tensor<64x32xf16, #rows>) -> tensor<64x32xf16, #columns> {
  %b = ttg.local_alloc %x : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #swizzled, #smem>
  %y = ttg.local_load %b : !ttg.memdesc<64x32xf16, #swizzled, #smem> -> tensor<64x32xf16, #columns>
  tt.return %y : tensor<64x32xf16, #columns>
}

// A transposed view is the same memory in another order: no data movement.
// CHECK-LABEL: llvm.func internal @transposed(
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: barrier
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// CHECK: llvm.return
tt.func private @transposed(%x: tensor<64x32xf16, #rows>) -> tensor<32x64xf16, #columns> {
  %b = ttg.local_alloc %x : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #plain, #smem>
  %t = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #plain, #smem> -> !ttg.memdesc<32x64xf16, #turned, #smem>
  %y = ttg.local_load %t : !ttg.memdesc<32x64xf16, #turned, #smem> -> tensor<32x64xf16, #columns>
  tt.return %y : tensor<32x64xf16, #columns>
}

// A stage of a ring starts at a multiple of its size; a subslice at a constant offset.
// CHECK-LABEL: llvm.func internal @views(
// CHECK-DAG: %[[STRIDE:.*]] = llvm.mlir.constant(2048 : i32)
// CHECK: %[[AT:.*]] = llvm.mul %arg0, %[[STRIDE]]
// CHECK: %[[STAGE:.*]] = llvm.getelementptr %{{.*}}[%[[AT]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK: %[[SLICE:.*]] = llvm.getelementptr %[[STAGE]][1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK: llvm.getelementptr %[[SLICE]]
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
tt.func private @views(%i: i32) -> tensor<256xi32, #line> {
  %b = ttg.local_alloc : () -> !ttg.memdesc<3x512xi32, #plain1, #smem, mutable>
  %v = ttg.memdesc_index %b[%i] : !ttg.memdesc<3x512xi32, #plain1, #smem, mutable> -> !ttg.memdesc<512xi32, #plain1, #smem, mutable>
  %s = ttg.memdesc_subslice %v[256] : !ttg.memdesc<512xi32, #plain1, #smem, mutable> -> !ttg.memdesc<256xi32, #plain1, #smem, mutable, 512>
  %y = ttg.local_load %s : !ttg.memdesc<256xi32, #plain1, #smem, mutable, 512> -> tensor<256xi32, #line>
  ttg.local_dealloc %b : !ttg.memdesc<3x512xi32, #plain1, #smem, mutable>
  tt.return %y : tensor<256xi32, #line>
}

// CHECK-LABEL: llvm.func internal @same_bytes(
// CHECK: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<3>
// CHECK: barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<{{[24]}}xi32>
// CHECK: barrier
// CHECK: llvm.store
tt.func private @same_bytes(%x: tensor<512xi32, #line>) -> tensor<1024xi16, #line> {
  %b = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain1, #smem, mutable>
  %r = ttg.memdesc_reinterpret %b : !ttg.memdesc<512xi32, #plain1, #smem, mutable> -> !ttg.memdesc<1024xi16, #plain1, #smem, mutable>
  %y = ttg.local_load %r : !ttg.memdesc<1024xi16, #plain1, #smem, mutable> -> tensor<1024xi16, #line>
  ttg.local_store %x, %b : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain1, #smem, mutable>
  tt.return %y : tensor<1024xi16, #line>
}

// CHECK-LABEL: llvm.func internal @reshaped(
// CHECK: llvm.store
// CHECK: barrier
// CHECK: llvm.load
tt.func private @reshaped(%x: tensor<512xi32, #line>) -> tensor<16x32xi32, #rows> {
  %b = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain1, #smem>
  %r = ttg.memdesc_reshape %b : !ttg.memdesc<512xi32, #plain1, #smem> -> !ttg.memdesc<16x32xi32, #plain, #smem>
  %y = ttg.local_load %r : !ttg.memdesc<16x32xi32, #plain, #smem> -> tensor<16x32xi32, #rows>
  tt.return %y : tensor<16x32xi32, #rows>
}

// --- barriers ---

// No barrier between two loads or accesses of different buffers; one between a load and a later store.
// CHECK-LABEL: llvm.func internal @between(
// CHECK: llvm.store
// CHECK-NOT: barrier
// CHECK: llvm.store
// CHECK: barrier
// CHECK: {{llvm.load|ldmatrix}}
// CHECK-NOT: barrier
// CHECK: {{llvm.load|ldmatrix}}
// CHECK-NOT: barrier
// CHECK: {{llvm.load|ldmatrix}}
// CHECK: barrier
// CHECK: llvm.store
// CHECK-NOT: barrier
// CHECK: llvm.return
tt.func private @between(%x: tensor<512xi32, #line>) -> (tensor<512xi32, #single>, tensor<512xi32, #single>, tensor<512xi32, #single>) {
  %a = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain1, #smem, mutable>
  %b = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain1, #smem, mutable>
  %p = ttg.local_load %a : !ttg.memdesc<512xi32, #plain1, #smem, mutable> -> tensor<512xi32, #single>
  %q = ttg.local_load %a : !ttg.memdesc<512xi32, #plain1, #smem, mutable> -> tensor<512xi32, #single>
  %r = ttg.local_load %b : !ttg.memdesc<512xi32, #plain1, #smem, mutable> -> tensor<512xi32, #single>
  ttg.local_store %x, %a : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain1, #smem, mutable>
  tt.return %p, %q, %r : tensor<512xi32, #single>, tensor<512xi32, #single>, tensor<512xi32, #single>
}

// An existing barrier suffices.
// CHECK-LABEL: llvm.func internal @given(
// CHECK: llvm.store
// CHECK: barrier
// CHECK-NOT: barrier
// CHECK: llvm.load
tt.func private @given(%x: tensor<512xi32, #line>) -> tensor<512xi32, #line> {
  %a = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain1, #smem, mutable>
  ttg.local_barrier
  %p = ttg.local_load %a : !ttg.memdesc<512xi32, #plain1, #smem, mutable> -> tensor<512xi32, #line>
  tt.return %p : tensor<512xi32, #line>
}

// A warp barrier orders the load before the store of the next iteration, as each warp reads only its own elements.
// CHECK-LABEL: llvm.func internal @loop(
// CHECK: llvm.br ^[[LOOP:bb[0-9]+]]
// CHECK: ^[[LOOP]]
// CHECK-NOT: barrier
// CHECK: bar.warp.sync
// CHECK: llvm.store
// CHECK-NOT: barrier
// CHECK: bar.warp.sync
// CHECK: llvm.load
// CHECK: llvm.cond_br
tt.func private @loop(%x: tensor<512xi32, #line>, %n: i32) -> tensor<512xi32, #line> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain1, #smem, mutable>
  cf.br ^loop(%c0, %x : i32, tensor<512xi32, #line>)
^loop(%i: i32, %y: tensor<512xi32, #line>):
  ttg.local_store %y, %a : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain1, #smem, mutable>
  %z = ttg.local_load %a : !ttg.memdesc<512xi32, #plain1, #smem, mutable> -> tensor<512xi32, #line>
  %j = arith.addi %i, %c1 : i32
  %more = arith.cmpi slt, %j, %n : i32
  cf.cond_br %more, ^loop(%j, %z : i32, tensor<512xi32, #line>), ^done
^done:
  tt.return %z : tensor<512xi32, #line>
}

// A buffer selected from two.
// CHECK-LABEL: llvm.func internal @selected(
// CHECK: llvm.store
// CHECK: llvm.select
// CHECK: barrier
// CHECK: llvm.load
tt.func private @selected(%x: tensor<512xi32, #line>, %c: i1) -> tensor<512xi32, #line> {
  %a = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain1, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain1, #smem, mutable>
  %s = arith.select %c, %a, %b : !ttg.memdesc<512xi32, #plain1, #smem, mutable>
  %p = ttg.local_load %s : !ttg.memdesc<512xi32, #plain1, #smem, mutable> -> tensor<512xi32, #line>
  tt.return %p : tensor<512xi32, #line>
}
}

// Dots by FMA instructions: operands in registers, and in shared memory a few columns at a time.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#c = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#one = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
#a = #ttg.dot_op<{opIdx = 0, parent = #c}>
#b = #ttg.dot_op<{opIdx = 1, parent = #c}>
#oa = #ttg.dot_op<{opIdx = 0, parent = #one}>
#ob = #ttg.dot_op<{opIdx = 1, parent = #one}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: llvm.func internal @registers(
// CHECK-COUNT-8: llvm.intr.fma({{.*}}) : (f32, f32, f32) -> f32
// CHECK-NOT: fma
// CHECK: llvm.return
tt.func private @registers(%x: tensor<16x8xf32, #oa>, %y: tensor<8x8xf32, #ob>, %z: tensor<16x8xf32, #one>) -> tensor<16x8xf32, #one> {
  %d = tt.dot %x, %y, %z, inputPrecision = ieee : tensor<16x8xf32, #oa> * tensor<8x8xf32, #ob> -> tensor<16x8xf32, #one>
  tt.return %d : tensor<16x8xf32, #one>
}

// The lower 13 bits of tf32 operands are cleared, each once.
// CHECK-LABEL: llvm.func internal @tf32(
// CHECK: %[[MASK:.*]] = llvm.mlir.constant(-8192 : i32)
// CHECK-COUNT-16: llvm.and %{{.*}}, %[[MASK]]
// CHECK-NOT: llvm.and
// CHECK: llvm.return
tt.func private @tf32(%x: tensor<16x8xf32, #oa>, %y: tensor<8x8xf32, #ob>, %z: tensor<16x8xf32, #one>) -> tensor<16x8xf32, #one> {
  %d = tt.dot %x, %y, %z, inputPrecision = tf32 : tensor<16x8xf32, #oa> * tensor<8x8xf32, #ob> -> tensor<16x8xf32, #one>
  tt.return %d : tensor<16x8xf32, #one>
}

// CHECK-LABEL: llvm.func internal @integers(
// CHECK: llvm.sext %{{.*}} : i8 to i32
// CHECK: llvm.mul
// CHECK: llvm.add
tt.func private @integers(%x: tensor<16x8xi8, #oa>, %y: tensor<8x8xi8, #ob>, %z: tensor<16x8xi32, #one>) -> tensor<16x8xi32, #one> {
  %d = tt.dot %x, %y, %z : tensor<16x8xi8, #oa> * tensor<8x8xi8, #ob> -> tensor<16x8xi32, #one>
  tt.return %d : tensor<16x8xi32, #one>
}

// CHECK-LABEL: llvm.func internal @doubles(
// CHECK: llvm.intr.fma({{.*}}) : (f64, f64, f64) -> f64
tt.func private @doubles(%x: tensor<16x8xf64, #oa>, %y: tensor<8x8xf64, #ob>, %z: tensor<16x8xf64, #one>) -> tensor<16x8xf64, #one> {
  %d = tt.dot %x, %y, %z : tensor<16x8xf64, #oa> * tensor<8x8xf64, #ob> -> tensor<16x8xf64, #one>
  tt.return %d : tensor<16x8xf64, #one>
}

// Operands in shared memory are read in a loop that carries the accumulators: 16 registers, 32 columns, so 512 FMAs.
// CHECK-LABEL: llvm.func internal @shared(
// CHECK: barrier
// CHECK-NOT: llvm.load
// CHECK: llvm.br ^[[LOOP:bb[0-9]+]](
// CHECK: ^[[LOOP]](%[[K:.*]]: i32, %{{.*}}: f32
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-COUNT-512: llvm.intr.fma
// CHECK-NOT: fma
// CHECK: llvm.icmp "ult"
// CHECK: llvm.cond_br %{{.*}}, ^[[LOOP]](
tt.func private @shared(%x: tensor<64x64xf16, #c>, %y: tensor<64x32xf16, #c>, %z: tensor<64x32xf32, #c>) -> tensor<64x32xf32, #c> {
  %s = ttg.local_alloc %x : (tensor<64x64xf16, #c>) -> !ttg.memdesc<64x64xf16, #plain, #smem>
  %t = ttg.local_alloc %y : (tensor<64x32xf16, #c>) -> !ttg.memdesc<64x32xf16, #plain, #smem>
  %u = ttg.local_load %s : !ttg.memdesc<64x64xf16, #plain, #smem> -> tensor<64x64xf16, #a>
  %v = ttg.local_load %t : !ttg.memdesc<64x32xf16, #plain, #smem> -> tensor<64x32xf16, #b>
  %d = tt.dot %u, %v, %z : tensor<64x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<64x32xf32, #c>
  tt.return %d : tensor<64x32xf32, #c>
}

// Views of slots between the loads and the dot change nothing.
// CHECK-LABEL: llvm.func internal @slots(
// CHECK: llvm.br ^[[LOOP:bb[0-9]+]](
// CHECK: ^[[LOOP]](%[[K:.*]]: i32, %{{.*}}: f32
// CHECK-COUNT-512: llvm.intr.fma
// CHECK: llvm.cond_br %{{.*}}, ^[[LOOP]](
tt.func private @slots(%s: !ttg.memdesc<3x64x64xf16, #plain, #smem, mutable>, %t: !ttg.memdesc<3x64x32xf16, #plain, #smem, mutable>, %i: i32, %z: tensor<64x32xf32, #c>) -> tensor<64x32xf32, #c> {
  %p = ttg.memdesc_index %s[%i] : !ttg.memdesc<3x64x64xf16, #plain, #smem, mutable> -> !ttg.memdesc<64x64xf16, #plain, #smem, mutable>
  %u = ttg.local_load %p : !ttg.memdesc<64x64xf16, #plain, #smem, mutable> -> tensor<64x64xf16, #a>
  %q = ttg.memdesc_index %t[%i] : !ttg.memdesc<3x64x32xf16, #plain, #smem, mutable> -> !ttg.memdesc<64x32xf16, #plain, #smem, mutable>
  %v = ttg.local_load %q : !ttg.memdesc<64x32xf16, #plain, #smem, mutable> -> tensor<64x32xf16, #b>
  %d = tt.dot %u, %v, %z : tensor<64x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<64x32xf32, #c>
  tt.return %d : tensor<64x32xf32, #c>
}
}

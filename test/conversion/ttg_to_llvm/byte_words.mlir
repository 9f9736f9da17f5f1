// 8-bit elements that a buffer has in another order than the registers: whole words are stored, after permutations of
// bytes: two per word of a transposition of 4x4 bytes.
// RUN: nereid-opt %s --convert-scf-to-cf --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#columns = #ttg.linear<{register = [[0, 1], [0, 2], [1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [0, 4], [0, 8]], warp = [[0, 0], [0, 0]], block = []}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 8}>
#half = #ttg.linear<{register = [[0, 1], [1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [0, 2], [0, 4]], warp = [[0, 0], [0, 0]], block = []}>
#rows32 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#two = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#four = #ttg.blocked<{sizePerThread = [1, 2, 2], threadsPerWarp = [32, 1, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// The registers are unknown: bytes are packed one by one.
// CHECK-LABEL: llvm.func internal @bytes(
// CHECK-NOT: prmt
// CHECK-COUNT-4: llvm.store {{.*}} : i32, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
tt.func private @bytes(%x: tensor<32x16xf8E5M2, #columns>) {
  %b = ttg.local_alloc %x : (tensor<32x16xf8E5M2, #columns>) -> !ttg.memdesc<32x16xf8E5M2, #rows, #smem>
  tt.return
}

// Branches pass words of four bytes. Bytes of words are permuted.
// CHECK-LABEL: llvm.func internal @loop(
// CHECK: ^bb{{[0-9]+}}(%{{[^:]*}}: i32, %[[W:[^:]*]]: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32):
// CHECK: %[[P:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%[[W]], %{{.*}}, %{{.*}})
// CHECK: %[[Q:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%[[P]], %[[Q]], %{{.*}})
// CHECK: llvm.store %[[R]], %{{.*}} : i32, !llvm.ptr<3>
tt.func private @loop(%x: tensor<32x16xf8E5M2, #columns>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %b = ttg.local_alloc : () -> !ttg.memdesc<32x16xf8E5M2, #rows, #smem, mutable>
  %r = scf.for %i = %zero to %n step %one iter_args(%y = %x) -> (tensor<32x16xf8E5M2, #columns>) : i32 {
    ttg.local_store %y, %b : tensor<32x16xf8E5M2, #columns> -> !ttg.memdesc<32x16xf8E5M2, #rows, #smem, mutable>
    %l = ttg.local_load %b : !ttg.memdesc<32x16xf8E5M2, #rows, #smem, mutable> -> tensor<32x16xf8E5M2, #columns>
    scf.yield %l : tensor<32x16xf8E5M2, #columns>
  }
  tt.return
}

// Elements of 32 bits: the rows of a thread are one vector.
// CHECK-LABEL: llvm.func internal @floats(
// CHECK-COUNT-2: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK-COUNT-2: llvm.load {{.*}} -> vector<4xf32>
// CHECK-NOT: llvm.load
// CHECK: llvm.return
tt.func private @floats(%x: tensor<32x8xf32, #half>) -> tensor<32x8xf32, #half> {
  %b = ttg.local_alloc %x : (tensor<32x8xf32, #half>) -> !ttg.memdesc<32x8xf32, #rows32, #smem>
  %y = ttg.local_load %b : !ttg.memdesc<32x8xf32, #rows32, #smem> -> tensor<32x8xf32, #half>
  tt.return %y : tensor<32x8xf32, #half>
}

// Bytes that a program cuts from two words: one permutation packs them, without shifts.
// CHECK-LABEL: llvm.func internal @cut(
// CHECK: %[[S:.*]] = llvm.mlir.constant(21520 : i32) : i32
// CHECK: %[[P:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%{{.*}}, %{{.*}}, %[[S]])
// CHECK-NOT: llvm.insertelement
// CHECK: llvm.store %[[P]], %{{.*}} : i32, !llvm.ptr<3>
// CHECK: llvm.return
tt.func private @cut(%x: tensor<128xi32, #one>, %y: tensor<128xi32, #one>) {
  %eight = arith.constant dense<8> : tensor<128xi32, #one>
  %xs = arith.shrui %x, %eight : tensor<128xi32, #one>
  %ys = arith.shrsi %y, %eight : tensor<128xi32, #one>
  %x0 = arith.trunci %x : tensor<128xi32, #one> to tensor<128xi8, #one>
  %x1 = arith.trunci %xs : tensor<128xi32, #one> to tensor<128xi8, #one>
  %y0 = arith.trunci %y : tensor<128xi32, #one> to tensor<128xi8, #one>
  %y1 = arith.trunci %ys : tensor<128xi32, #one> to tensor<128xi8, #one>
  %xy0 = tt.join %x0, %y0 : tensor<128xi8, #one> -> tensor<128x2xi8, #two>
  %xy1 = tt.join %x1, %y1 : tensor<128xi8, #one> -> tensor<128x2xi8, #two>
  %all = tt.join %xy0, %xy1 : tensor<128x2xi8, #two> -> tensor<128x2x2xi8, #four>
  %b = ttg.local_alloc %all : (tensor<128x2x2xi8, #four>) -> !ttg.memdesc<128x2x2xi8, #plain, #smem>
  tt.return
}
}

// RUN: nereid-opt %s --tritongpu-reorder-instructions | FileCheck %s

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #c}>
#right = #ttg.dot_op<{opIdx = 1, parent = #c}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// The conversion and its operand sink to the store; nothing sinks into a loop.
// CHECK-LABEL: @down(
// CHECK: arith.mulf
// CHECK-NEXT: tt.splat
// CHECK-NEXT: tt.store
// CHECK-NEXT: tt.splat
// CHECK-NEXT: ttg.convert_layout
// CHECK-NEXT: tt.store
// CHECK-NEXT: ttg.convert_layout
// CHECK-NEXT: scf.for
tt.func public @down(%f: f32, %x: tensor<512xf32, #a>, %p: tensor<512x!tt.ptr<f32>, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = ttg.convert_layout %x : tensor<512xf32, #a> -> tensor<512xf32, #b>
  %s = tt.splat %f : f32 -> tensor<512xf32, #a>
  %c = ttg.convert_layout %s : tensor<512xf32, #a> -> tensor<512xf32, #b>
  %y = arith.mulf %x, %x : tensor<512xf32, #a>
  %q = tt.splat %f : f32 -> tensor<512xf32, #b>
  tt.store %p, %q : tensor<512x!tt.ptr<f32>, #b>
  tt.store %p, %c : tensor<512x!tt.ptr<f32>, #b>
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.store %p, %l : tensor<512x!tt.ptr<f32>, #b>
  }
  tt.return
}

// A dot by multiply-add reads buffers itself. A new buffer is no reason to stay before it.
// CHECK-LABEL: @operands(
// CHECK: ttg.local_alloc
// CHECK-NEXT: %[[A:.*]] = ttg.local_load
// CHECK-NEXT: %[[B:.*]] = ttg.local_load
// CHECK-NEXT: tt.dot %[[B]], %[[A]],
tt.func public @operands(%x: tensor<32x16xf32, #c>, %s: !ttg.memdesc<16x32xf32, #plain, #smem, mutable>, %z: tensor<32x32xf32, #c>) -> tensor<32x32xf32, #c> {
  %b = ttg.local_load %s : !ttg.memdesc<16x32xf32, #plain, #smem, mutable> -> tensor<16x32xf32, #right>
  %t = ttg.local_alloc %x : (tensor<32x16xf32, #c>) -> !ttg.memdesc<32x16xf32, #plain, #smem>
  %a = ttg.local_load %t : !ttg.memdesc<32x16xf32, #plain, #smem> -> tensor<32x16xf32, #left>
  %d = tt.dot %a, %b, %z : tensor<32x16xf32, #left> * tensor<16x32xf32, #right> -> tensor<32x32xf32, #c>
  tt.return %d : tensor<32x32xf32, #c>
}

// A store to the buffer is.
// CHECK-LABEL: @overwritten(
// CHECK: ttg.local_load
// CHECK-NEXT: ttg.local_store
// CHECK-NEXT: tt.dot
tt.func public @overwritten(%a: tensor<32x16xf32, #left>, %y: tensor<16x32xf32, #c>, %s: !ttg.memdesc<16x32xf32, #plain, #smem, mutable>, %z: tensor<32x32xf32, #c>) -> tensor<32x32xf32, #c> {
  %b = ttg.local_load %s : !ttg.memdesc<16x32xf32, #plain, #smem, mutable> -> tensor<16x32xf32, #right>
  ttg.local_store %y, %s : tensor<16x32xf32, #c> -> !ttg.memdesc<16x32xf32, #plain, #smem, mutable>
  %d = tt.dot %a, %b, %z : tensor<32x16xf32, #left> * tensor<16x32xf32, #right> -> tensor<32x32xf32, #c>
  tt.return %d : tensor<32x32xf32, #c>
}

// A small conversion of a value that is loaded before a dot of warp groups is executed while the dot is in flight; one of
// many registers after the wait, and so is one of row numbers and one of a value that is loaded after the dot.
// CHECK-LABEL: @beside_dot(
// CHECK: %[[X:.*]] = tt.load
// CHECK: %[[Y:.*]] = tt.load
// CHECK: %[[N:.*]] = tt.load
// CHECK-NEXT: ttng.warp_group_dot
// CHECK-NEXT: ttg.convert_layout %[[X]]
// CHECK-NEXT: ttng.warp_group_dot_wait
// CHECK: ttg.convert_layout %[[Y]]
// CHECK: ttg.convert_layout %[[N]]
// CHECK: %[[W:.*]] = tt.load
// CHECK-NEXT: ttg.convert_layout %[[W]]
tt.func public @beside_dot(%p: tensor<512x!tt.ptr<f32>, #a>, %q: tensor<4096x!tt.ptr<f32>, #a>, %l: !ttg.memdesc<64x64xf16, #wide, #smem>, %z: tensor<64x64xf32, #mma>, %o: tensor<512x!tt.ptr<f32>, #b>, %r: tensor<4096x!tt.ptr<f32>, #b>, %s: tensor<512x!tt.ptr<i32>, #a>, %t: tensor<512x!tt.ptr<i32>, #b>) -> tensor<64x64xf32, #mma> {
  %x = tt.load %p : tensor<512x!tt.ptr<f32>, #a>
  %y = tt.load %q : tensor<4096x!tt.ptr<f32>, #a>
  %n = tt.load %s : tensor<512x!tt.ptr<i32>, #a>
  %d = ttng.warp_group_dot %l, %l, %z {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #wide, #smem> * !ttg.memdesc<64x64xf16, #wide, #smem> -> tensor<64x64xf32, #mma>
  %w:2 = ttng.warp_group_dot_wait %d, %l {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #wide, #smem>
  %c = ttg.convert_layout %x : tensor<512xf32, #a> -> tensor<512xf32, #b>
  tt.store %o, %c : tensor<512x!tt.ptr<f32>, #b>
  %e = ttg.convert_layout %y : tensor<4096xf32, #a> -> tensor<4096xf32, #b>
  tt.store %r, %e : tensor<4096x!tt.ptr<f32>, #b>
  %m = ttg.convert_layout %n : tensor<512xi32, #a> -> tensor<512xi32, #b>
  tt.store %t, %m : tensor<512x!tt.ptr<i32>, #b>
  %u = tt.load %p : tensor<512x!tt.ptr<f32>, #a>
  %v = ttg.convert_layout %u : tensor<512xf32, #a> -> tensor<512xf32, #b>
  tt.store %o, %v : tensor<512x!tt.ptr<f32>, #b>
  tt.return %w#0 : tensor<64x64xf32, #mma>
}
}

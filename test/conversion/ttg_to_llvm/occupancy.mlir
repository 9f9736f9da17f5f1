// CTAs of attention that fit in shared memory, 48 KiB each, are four; the registers of its tensors fit in 128, so ptxas is asked for four.
// Without an operand in registers, with too many registers, or with ttg.maxnreg it is not.
// Loads of many bytes in a loop: one CTA as the lower bound lets ptxas use many registers; four in a loop that maps elements.
// RUN: nereid-opt %s --split-input-file --convert-scf-to-cf --convert-triton-gpu-to-llvm | FileCheck %s
// RUN: nereid-opt %s --split-input-file --convert-scf-to-cf --convert-triton-gpu-to-llvm --remarks-filter-passed=convert-triton-gpu-to-llvm -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// REMARK: :[[# @LINE + 11]]:{{.*}}occupancy{{.*}}ptxas is asked for 4 CTAs per multiprocessor, as many as fit in its shared memory with 128 registers per thread, of which tensors need about 64

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#op = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#wide_op = #ttg.dot_op<{opIdx = 0, parent = #wide, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", ttg.shared = 49152 : i32} {
// CHECK: llvm.func @attention
// CHECK-SAME: nvvm.minctasm = 4
tt.func public @attention(%p: tensor<64x64x!tt.ptr<f32>, #mma>) {
  %q = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %k = ttg.local_alloc {allocation.offset = 8192 : i32} : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %z = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %o = tt.load %p : tensor<64x64x!tt.ptr<f32>, #mma>
  %s = ttng.warp_group_dot %q, %k, %z {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
  %h = arith.truncf %s : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
  %w = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #op>
  %d = ttng.warp_group_dot %w, %k, %o {inputPrecision = 0 : i32} : tensor<64x64xf16, #op> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
  tt.store %p, %d : tensor<64x64x!tt.ptr<f32>, #mma>
  tt.return
}

// CHECK: llvm.func @from_memory
// CHECK-NOT: minctasm
// CHECK: llvm.return
tt.func public @from_memory(%p: tensor<64x64x!tt.ptr<f32>, #mma>) {
  %q = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %k = ttg.local_alloc {allocation.offset = 8192 : i32} : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %o = tt.load %p : tensor<64x64x!tt.ptr<f32>, #mma>
  %s = ttng.warp_group_dot %q, %k, %o {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
  %d = ttng.warp_group_dot %q, %k, %s {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
  tt.store %p, %d : tensor<64x64x!tt.ptr<f32>, #mma>
  tt.return
}

// 64 + 64 registers of tensors and others exceed 128; three CTAs have 168.
// CHECK: llvm.func @wider
// CHECK-SAME: nvvm.minctasm = 3
tt.func public @wider(%p: tensor<64x128x!tt.ptr<f32>, #wide>) {
  %q = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
  %k = ttg.local_alloc {allocation.offset = 16384 : i32} : () -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
  %z = arith.constant dense<0.0> : tensor<64x128xf32, #wide>
  %o = tt.load %p : tensor<64x128x!tt.ptr<f32>, #wide>
  %s = ttng.warp_group_dot %q, %k, %z {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xf16, #shared, #smem, mutable> * !ttg.memdesc<128x128xf16, #shared, #smem, mutable> -> tensor<64x128xf32, #wide>
  %h = arith.truncf %s : tensor<64x128xf32, #wide> to tensor<64x128xf16, #wide>
  %w = ttg.convert_layout %h : tensor<64x128xf16, #wide> -> tensor<64x128xf16, #wide_op>
  %d = ttng.warp_group_dot %w, %k, %o {inputPrecision = 0 : i32} : tensor<64x128xf16, #wide_op> * !ttg.memdesc<128x128xf16, #shared, #smem, mutable> -> tensor<64x128xf32, #wide>
  tt.store %p, %d : tensor<64x128x!tt.ptr<f32>, #wide>
  tt.return
}
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#op = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", ttg.shared = 49152 : i32, ttg.maxnreg = 160 : i32} {
// CHECK: llvm.func @limited
// CHECK-NOT: minctasm
// CHECK: llvm.return
tt.func public @limited(%p: tensor<64x64x!tt.ptr<f32>, #mma>) {
  %q = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %k = ttg.local_alloc {allocation.offset = 8192 : i32} : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %z = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %o = tt.load %p : tensor<64x64x!tt.ptr<f32>, #mma>
  %s = ttng.warp_group_dot %q, %k, %z {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
  %h = arith.truncf %s : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
  %w = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #op>
  %d = ttng.warp_group_dot %w, %k, %o {inputPrecision = 0 : i32} : tensor<64x64xf16, #op> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
  tt.store %p, %d : tensor<64x64x!tt.ptr<f32>, #mma>
  tt.return
}
}

// -----

#vectors = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK: llvm.func @sums
// CHECK-SAME: nvvm.minctasm = 1
tt.func public @sums(%p: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<2048xf32, #vectors>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>, #vectors>
  %o = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #vectors>
  %q = tt.addptr %s, %o : tensor<2048x!tt.ptr<f32>, #vectors>, tensor<2048xi32, #vectors>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<2048xf32, #vectors>) : i32 {
    %x = tt.load %q : tensor<2048x!tt.ptr<f32>, #vectors>
    %a = arith.addf %acc, %x : tensor<2048xf32, #vectors>
    scf.yield %a : tensor<2048xf32, #vectors>
  }
  tt.store %q, %r : tensor<2048x!tt.ptr<f32>, #vectors>
  tt.return
}

// CHECK: llvm.func @map
// CHECK-SAME: nvvm.minctasm = 4
tt.func public @map(%p: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>, #vectors>
  %o = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #vectors>
  %q = tt.addptr %s, %o : tensor<2048x!tt.ptr<f32>, #vectors>, tensor<2048xi32, #vectors>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %q : tensor<2048x!tt.ptr<f32>, #vectors>
    %e = math.exp %x : tensor<2048xf32, #vectors>
    tt.store %q, %e : tensor<2048x!tt.ptr<f32>, #vectors>
  }
  tt.return
}
}

// -----

#vectors = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [16], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 16 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// Of 16 warps, 64 bytes are too few.
// CHECK: llvm.func @some
// CHECK-NOT: minctasm
// CHECK: llvm.return
tt.func public @some(%p: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<8192x!tt.ptr<f32>, #vectors>
  %o = tt.make_range {end = 8192 : i32, start = 0 : i32} : tensor<8192xi32, #vectors>
  %q = tt.addptr %s, %o : tensor<8192x!tt.ptr<f32>, #vectors>, tensor<8192xi32, #vectors>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %q : tensor<8192x!tt.ptr<f32>, #vectors>
    tt.store %q, %x : tensor<8192x!tt.ptr<f32>, #vectors>
  }
  tt.return
}

// CHECK: llvm.func @many
// CHECK-SAME: nvvm.minctasm = 1
tt.func public @many(%p: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<32768x!tt.ptr<f32>, #vectors>
  %o = tt.make_range {end = 32768 : i32, start = 0 : i32} : tensor<32768xi32, #vectors>
  %q = tt.addptr %s, %o : tensor<32768x!tt.ptr<f32>, #vectors>, tensor<32768xi32, #vectors>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %q : tensor<32768x!tt.ptr<f32>, #vectors>
    tt.store %q, %x : tensor<32768x!tt.ptr<f32>, #vectors>
  }
  tt.return
}
}

// RUN: nereid-opt %s --split-input-file --verify-diagnostics --tritongpu-partition-loops

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// An edited division: partition 0 uses a value that only partition 1 computes.
tt.func public @edited(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{'arith.addi' op computes a value that partition 0 uses: expected 0 in ttg.partition}}
    %x = arith.addi %i, %c1 {ttg.partition = array<i32: 1>} : i32
    tt.store %p, %x {ttg.partition = array<i32: 0>} : !tt.ptr<i32>
  } {ttg.warp_specialize.tag = 0 : i32}
  tt.return
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// A partition other than the default region cannot get a tensor that is loaded before the loop.
tt.func public @tensor(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %pointers = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #blocked>
  %x = tt.load %pointers : tensor<128x!tt.ptr<i32>, #blocked>
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{uses a tensor from outside of the loop in partition 1, which can only get scalars and buffers: expected a tensor that is computed from them without side effects}}
    tt.store %pointers, %x {ttg.partition = array<i32: 1>} : tensor<128x!tt.ptr<i32>, #blocked>
  } {ttg.warp_specialize.tag = 0 : i32}
  tt.return
}
}

// -----

#linear = #ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128], [256]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @layout(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{has a layout that partition 1, with 4 instead of 8 warps, cannot use: expected blocked layouts, or as many warps in ttg.partition.warps as the kernel has}}
    %x = tt.splat %i {ttg.partition = array<i32: 1>} : i32 -> tensor<512xi32, #linear>
    %pointers = tt.splat %p {ttg.partition = array<i32: 1>} : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #linear>
    tt.store %pointers, %x {ttg.partition = array<i32: 1>} : tensor<512x!tt.ptr<i32>, #linear>
  } {ttg.partition.warps = array<i32: 8, 4>, ttg.warp_specialize.tag = 0 : i32}
  tt.return
}
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @number(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{has an invalid ttg.partition: expected an array of i32 from 0 to 7}}
    tt.store %p, %i {ttg.partition = array<i32: 8>} : !tt.ptr<i32>
  } {ttg.warp_specialize.tag = 0 : i32}
  tt.return
}
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @default_warps(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{has 8 warps for partition 0 in ttg.partition.warps: expected the 4 of the kernel, which execute it}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.store %p, %i {ttg.partition = array<i32: 0>} : !tt.ptr<i32>
  } {ttg.partition.warps = array<i32: 8, 4>, ttg.warp_specialize.tag = 0 : i32}
  tt.return
}
}

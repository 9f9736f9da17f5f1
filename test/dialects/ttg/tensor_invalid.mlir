// A tensor's encoding must match its shape and the threads, warps and CTAs of the module.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics

#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: f32) {
    // expected-error @+1 {{has an encoding for 16 threads per warp, but the module specifies 32}}
    %0 = tt.splat %arg0 : f32 -> tensor<64xf32, #e>
    tt.return
  }
}

// -----

#e = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 2], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: f32) {
    // expected-error @+1 {{has an encoding for 8 warps, but 4 execute it}}
    %0 = tt.splat %arg0 : f32 -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #e}>>
    tt.return
  }
}

// -----

#e = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]], block = [[0]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32} {
  tt.func @f(%arg0: f32) {
    // expected-error @+1 {{has an encoding for 2 CTAs, but the module specifies 1}}
    %0 = tt.splat %arg0 : f32 -> tensor<64xf32, #e>
    tt.return
  }
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
tt.func @f(%arg0: f32) {
  // expected-error @+1 {{has an encoding outside of any operation that sets `ttg.num-warps`}}
  %0 = tt.splat %arg0 : f32 -> tensor<64x64xf32, #mma>
  tt.return
}

// -----

#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: f32) {
    // expected-error @+1 {{has a tensor of rank 2 with an encoding of rank 1}}
    %0 = tt.splat %arg0 : f32 -> tensor<8x8xf32, #e>
    tt.return
  }
}

// -----

#e = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: f32) {
    // expected-error @+1 {{has a tensor whose encoding is one of shared memory}}
    %0 = tt.splat %arg0 : f32 -> tensor<64xf32, #e>
    tt.return
  }
}

// -----

// The number of warps of the function overrides that of the module.
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: f32) attributes {"ttg.num-warps" = 8 : i32} {
    // expected-error @+1 {{has an encoding for 4 warps, but 8 execute it}}
    %0 = tt.splat %arg0 : f32 -> tensor<64xf32, #e>
    tt.return
  }
}

// -----

// expected-error @+1 {{has attribute ttg.num-ctas, which is for modules only}}
tt.func @f() attributes {"ttg.num-ctas" = 2 : i32} {
  tt.return
}

// -----

tt.func @f(%arg0: i32) {
  // expected-error @+1 {{has attribute ttg.num-warps, which is for modules and tt.func only}}
  %0 = arith.addi %arg0, %arg0 {"ttg.num-warps" = 2 : i32} : i32
  tt.return
}

// -----

// expected-error @+1 {{ttg.num-warps must be a positive i32}}
module attributes {"ttg.num-warps" = 0 : i32} {
}

// -----

// expected-error @+1 {{ttg.target must be a string}}
module attributes {"ttg.target" = 90 : i32} {
}

// -----

tt.func @no_slot(%arg0: i32) {
  // expected-error @+1 {{ttg.partition.slots must be an integer from 1 to 128}}
  %0 = arith.addi %arg0, %arg0 {ttg.partition.slots = 0 : i32} : i32
  tt.return
}

// -----

tt.func @many_slots(%arg0: i32) {
  // expected-error @+1 {{ttg.partition.slots must be an integer from 1 to 128}}
  %0 = arith.addi %arg0, %arg0 {ttg.partition.slots = 2147483647 : i32} : i32
  tt.return
}

// -----

tt.func @partition_warps(%n: i32) {
  // expected-error @+1 {{ttg.partition.warps must be an i32 array of powers of two up to 32}}
  scf.for %i = %n to %n step %n : i32 {
  } {ttg.partition.warps = array<i32: 4, 3>}
  tt.return
}

// -----

tt.func @f(%arg0: i32) {
  // expected-error @+1 {{ttg.partition must list each partition once, in ascending order}}
  %0 = arith.addi %arg0, %arg0 {ttg.partition = array<i32: 1, 0>} : i32
  tt.return
}

// -----

tt.func @f(%arg0: i32, %arg1: i1) {
  // expected-error @+1 {{ttg.partition.outputs must be an array with one entry per result}}
  %0 = scf.if %arg1 -> i32 {
    scf.yield %arg0 : i32
  } else {
    scf.yield %arg0 : i32
  } {ttg.partition = array<i32: 0>, ttg.partition.outputs = []}
  tt.return
}

// -----

tt.func @f(%arg0: i32, %arg1: i1) {
  // expected-error @+1 {{ttg.partition.outputs contains partition 1, which ttg.partition does not list}}
  %0 = scf.if %arg1 -> i32 {
    scf.yield %arg0 : i32
  } else {
    scf.yield %arg0 : i32
  } {ttg.partition = array<i32: 0>, ttg.partition.outputs = [array<i32: 0, 1>]}
  tt.return
}

// -----

#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2147483647 : i32} {
  tt.func @f(%arg0: f32) {
    // expected-error @+1 {{has an encoding for 1 CTAs, but the module specifies 2147483648}}
    %0 = tt.splat %arg0 : f32 -> tensor<64xf32, #e>
    tt.return
  }
}

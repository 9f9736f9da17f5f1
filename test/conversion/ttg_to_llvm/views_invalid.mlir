// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-gpu-to-llvm

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @no_encoding() {
  // expected-error @below {{tensor<128xi32> has no encoding that distributes it over threads; run convert-triton-to-tritongpu first}}
  %a = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @no_type() {
  // expected-error @below {{'arith.constant' op has a result type that cannot be lowered: f128}}
  %a = arith.constant 1.0 : f128
  tt.return
}
}

// -----

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @elsewhere() {
  // expected-error @below {{has a value that is not a dense attribute}}
  %a = arith.constant dense_resource<blob> : tensor<4xi32, #line>
  tt.return
}
}
{-# dialect_resources: { builtin: { blob: "0x0400000001000000020000000300000004000000" } } #-}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @moves(%x: tensor<128xi32, #line>) {
  // expected-error @below {{moves elements between threads; convert the layout of its operand first}}
  %a = tt.reshape %x allow_reorder : tensor<128xi32, #line> -> tensor<64x2xi32, #columns>
  tt.return
}
}

// -----

// The same bits replicate elements, but in other lanes: lanes 1 and 2 hold different elements of the source.
#pairs = #ttg.linear<{register = [], lane = [[1], [0], [0], [0], [0]], warp = [], block = []}>
#sums = #ttg.linear<{register = [], lane = [[0, 1], [0, 1], [0, 0], [0, 0], [0, 0]], warp = [], block = []}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @other_replicas(%x: tensor<2xi32, #pairs>) {
  // expected-error @below {{moves elements between threads; convert the layout of its operand first}}
  %a = tt.reshape %x allow_reorder : tensor<2xi32, #pairs> -> tensor<1x2xi32, #sums>
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @no_type_of_poison() {
  // expected-error @below {{'ub.poison' op has a result type that cannot be lowered: f80}}
  %a = ub.poison : f80
  tt.return
}
}

// -----

#much = #ttg.blocked<{sizePerThread = [1048576], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @much(%x: i32) {
  // expected-error @below {{puts 2^20 elements into every thread: expected at most 2^16}}
  %a = tt.splat %x : i32 -> tensor<4xi32, #much>
  tt.return
}
}

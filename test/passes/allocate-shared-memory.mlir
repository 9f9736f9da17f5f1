// RUN: nereid-opt %s --split-input-file --verify-diagnostics --allocate-shared-memory | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
// A conversion that moves elements between warps has scratch; the module says how much is needed in all.
// CHECK: module attributes {{.*}}ttg.shared = 16384 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @exchange
  // CHECK: ttg.convert_layout %{{.*}} {allocation.offset = {{[0-9]+}} : i32} : tensor<64x64xf32
  tt.func public @exchange(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %q: tensor<64x64x!tt.ptr<f32>, #columns>) {
    %v = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
    %w = ttg.convert_layout %v : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    tt.store %q, %w : tensor<64x64x!tt.ptr<f32>, #columns>
    tt.return
  }
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK: module attributes {{.*}}ttg.shared = 0 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @nothing
  // CHECK-NOT: allocation.offset
  tt.func public @nothing(%p: tensor<128x!tt.ptr<f32>, #line>) {
    %v = tt.load %p : tensor<128x!tt.ptr<f32>, #line>
    tt.store %p, %v : tensor<128x!tt.ptr<f32>, #line>
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:86", "ttg.threads-per-warp" = 32 : i32} {
  // What fits on one target does not on another.
  tt.func public @large(%p: tensor<256x128x!tt.ptr<f32>, #rows>, %q: tensor<256x128x!tt.ptr<f32>, #columns>) {
    %v = tt.load %p : tensor<256x128x!tt.ptr<f32>, #rows>
    // expected-error@below {{needs 131072 bytes of shared memory for this conversion, the target has 101376}}
    %w = ttg.convert_layout %v : tensor<256x128xf32, #rows> -> tensor<256x128xf32, #columns>
    tt.store %q, %w : tensor<256x128x!tt.ptr<f32>, #columns>
    tt.return
  }
}

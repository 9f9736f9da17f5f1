// RUN: nereid-opt %s --split-input-file --verify-diagnostics --allocate-shared-memory --convert-triton-gpu-to-llvm

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
tt.func private @helper() {
  // expected-error @below {{'ttg.warp_specialize' op is in a function that is not a kernel: only kernels have warps for partitions}}
  ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @no_warps() {
  // expected-error @below {{'ttg.warp_specialize' op has no warps for its partitions: run tritongpu-allocate-warp-groups first}}
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
tt.func public @tensor() {
  %x = arith.constant dense<0> : tensor<128xi32, #line>
  // expected-error @below {{'ttg.warp_specialize' op captures a value of type tensor<128xi32, }}
  ttg.warp_specialize(%x) attributes {warpGroupStartIds = array<i32: 4>}
  default {
    ttg.warp_yield
  }
  partition0(%y: tensor<128xi32, #line>) num_warps(4) {
    ttg.warp_return
  } : (tensor<128xi32, #line>) -> ()
  tt.return
}
}

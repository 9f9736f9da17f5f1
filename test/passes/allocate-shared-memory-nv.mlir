// RUN: nereid-opt %s --allocate-shared-memory-nv="compute-capability=90 ptx-version=80" | FileCheck %s

// Triton's argument and options; the same pass as allocate-shared-memory.
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
// CHECK: module attributes {{.*}}ttg.shared = 512 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @kernel(%x: tensor<128xf32, #line>) {
    // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
    %a = ttg.local_alloc %x : (tensor<128xf32, #line>) -> !ttg.memdesc<128xf32, #shared, #smem>
    tt.return
  }
}

// RUN: nereid-opt %s --tritongpu-global-scratch-memory-allocation | FileCheck %s

// The size is a multiple of the largest alignment.
// CHECK: module attributes {{.*}}ttg.global_scratch_memory_alignment = 128 : i32, ttg.global_scratch_memory_size = 384 : i32
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 0 : i32
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 128 : i32
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 256 : i32
tt.func public @three() {
  %a = ttg.global_scratch_alloc {nbytes = 4 : i32, alignment = 4 : i32} : !tt.ptr<i8>
  %b = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  %c = ttg.global_scratch_alloc {nbytes = 20 : i32, alignment = 16 : i32} : !tt.ptr<i8>
  tt.return
}
}

// Program ids and counts. A cluster is one program.
// RUN: nereid-opt %s --split-input-file --convert-triton-gpu-to-llvm | FileCheck %s

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: llvm.func internal @ids(
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK: nvvm.read.ptx.sreg.ctaid.z
// CHECK: nvvm.read.ptx.sreg.nctaid.y
tt.func private @ids() -> (i32, i32, i32) {
  %x = tt.get_program_id x : i32
  %z = tt.get_program_id z : i32
  %n = tt.get_num_programs y : i32
  tt.return %x, %z, %n : i32, i32, i32
}

// CHECK-LABEL: llvm.func internal @barriers(
// CHECK-COUNT-2: nvvm.barrier
// CHECK-NOT: nvvm.barrier
tt.func private @barriers() {
  gpu.barrier
  ttg.local_barrier
  tt.return
}

// CHECK-LABEL: llvm.func internal @assume(
// CHECK: %[[C:.*]] = llvm.icmp "sgt" %arg0
// CHECK: llvm.intr.assume %[[C]] : i1
tt.func private @assume(%n: i32) {
  %zero = arith.constant 0 : i32
  %c = arith.cmpi sgt, %n, %zero : i32
  llvm.intr.assume %c : i1
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: llvm.func internal @cluster_ids(
// CHECK: nvvm.read.ptx.sreg.clusterid.y
// CHECK: nvvm.read.ptx.sreg.nclusterid.x
tt.func private @cluster_ids() -> (i32, i32) {
  %y = tt.get_program_id y : i32
  %n = tt.get_num_programs x : i32
  tt.return %y, %n : i32, i32
}
}

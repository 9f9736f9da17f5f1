// RUN: nereid-opt %S/tritongpu-partition-scheduling.mlir --split-input-file --tritongpu-automatic-warp-specialization=num-stages=2 --tritongpu-hoist-tmem-alloc | FileCheck %s

// The four steps at once. Two stages are three slots.
// CHECK-LABEL: @persistent
// CHECK: ttg.local_alloc {{.*}}3x64x64xf16
// CHECK: ttg.warp_specialize({{.*}}) attributes {requestedRegisters = array<i32: 24>}
// CHECK: partition0({{.*}}) num_warps(1)
// CHECK: ttng.async_tma_copy_global_to_local

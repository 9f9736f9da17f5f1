// Without options the target is that of the module, and cuda:90 without ttg.target: for the code, the limit of shared
// memory (227 KiB) and fences alike. An option overrides it. convert-triton-to-tritongpu keeps a ttg.target.
// RUN: nereid-opt %s --split-input-file --convert-triton-to-tritongpu --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s
// RUN: nereid-opt %s --split-input-file --convert-triton-to-tritongpu --allocate-shared-memory --convert-triton-gpu-to-llvm=compute-capability=80 | FileCheck %s --check-prefix=GIVEN
// RUN: nereid-opt %S/Inputs/large.mlir --allocate-shared-memory | FileCheck %s --check-prefix=LIMIT
// RUN: sed 's/"ttg.num-warps"/ttg.target = "cuda:86", &/' %S/Inputs/large.mlir | not nereid-opt --allocate-shared-memory 2>&1 | FileCheck %s --check-prefix=LESS
// RUN: nereid-opt %S/Inputs/large.mlir --triton-nvidia-gpu-fence-insertion | FileCheck %s --check-prefix=FENCE
// RUN: nereid-opt %S/Inputs/large.mlir --allocate-shared-memory --triton-nvidia-gpu-proxy-fence-insertion | FileCheck %s --check-prefix=FENCE
// RUN: sed 's/"ttg.num-warps"/ttg.target = "cuda:80", &/' %S/Inputs/large.mlir | nereid-opt --triton-nvidia-gpu-fence-insertion | FileCheck %s --check-prefix=UNFENCED

// LIMIT: ttg.shared = 229376 : i32
// LESS: needs 229376 bytes of shared memory{{.*}}, the target has 101376
// FENCE: ttng.fence_async_shared
// UNFENCED-NOT: ttng.fence_async_shared

// CHECK: ttg.target = "cuda:80"
// CHECK-LABEL: llvm.func internal @ampere(
// CHECK-NOT: llvm.nvvm.ff.to.e4m3x2.rn
module attributes {ttg.target = "cuda:80"} {
tt.func private @ampere(%x: f32) -> f8E4M3FN {
  %y = tt.fp_to_fp %x, rounding = rtne : f32 -> f8E4M3FN
  tt.return %y : f8E4M3FN
}
}

// -----

// CHECK: ttg.target = "cuda:90"
// CHECK-LABEL: llvm.func internal @none(
// CHECK: llvm.nvvm.ff.to.e4m3x2.rn
// GIVEN-LABEL: llvm.func internal @none(
// GIVEN-NOT: llvm.nvvm.ff.to.e4m3x2.rn
tt.func private @none(%x: f32) -> f8E4M3FN {
  %y = tt.fp_to_fp %x, rounding = rtne : f32 -> f8E4M3FN
  tt.return %y : f8E4M3FN
}

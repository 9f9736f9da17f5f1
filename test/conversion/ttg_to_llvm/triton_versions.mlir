// Operations added in Triton 3.7 (ttg.barrier) and 3.9.
// RUN: nereid-opt %s --convert-triton-gpu-to-llvm=compute-capability=90 | FileCheck %s
// RUN: not nereid-opt %s --convert-triton-gpu-to-llvm=compute-capability=80 2>&1 | FileCheck %s --check-prefix=SM80

// SM80: error: 'tt.grid_dependency_wait' op requires sm_90: earlier targets have no programmatic dependent launch

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.num-ctas" = 1 : i32, "ttng.two-ctas" = false} {
  // CHECK-LABEL: @quotient
  // CHECK: griddepcontrol.wait
  // CHECK: llvm.nvvm.div.approx.f
  // CHECK: nvvm.barrier
  // CHECK: nvvm.barrier
  // CHECK: griddepcontrol.launch.dependents
  tt.func public @quotient(%x: !tt.ptr<f32>, %d: f32) {
    tt.grid_dependency_wait
    %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #blocked>
    %base = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #blocked>
    %at = tt.addptr %base, %range : tensor<32x!tt.ptr<f32>, #blocked>, tensor<32xi32, #blocked>
    %value = tt.load %at : tensor<32x!tt.ptr<f32>, #blocked>
    %divisor = tt.splat %d : f32 -> tensor<32xf32, #blocked>
    %quotient = tt.approx_divf %value, %divisor : tensor<32xf32, #blocked>
    ttg.barrier all
    ttg.barrier local
    tt.store %at, %quotient : tensor<32x!tt.ptr<f32>, #blocked>
    tt.grid_dependency_launch_dependents
    tt.return
  }
}

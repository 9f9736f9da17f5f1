// Pass pipelines for Triton 3.6, with its options, run unchanged; passes without applicable ops change nothing.
// RUN: nereid-opt %s --pass-pipeline='builtin.module(inline,triton-rewrite-tensor-pointer,triton-rewrite-tensor-descriptor-to-pointer,canonicalize,triton-combine,triton-reorder-broadcast,cse,symbol-dce,triton-loop-unroll)' | FileCheck %s
// RUN: nereid-opt %s --pass-pipeline='builtin.module(convert-triton-to-tritongpu{target=cuda:90 num-warps=4 threads-per-warp=32 num-ctas=1 enable-source-remat=true},tritongpu-coalesce,tritongpu-remove-layout-conversions,tritongpu-optimize-thread-locality,triton-loop-aware-cse,triton-licm,tritongpu-combine-tensor-select-and-if,tritongpu-assign-latencies{num-stages=3},tritongpu-schedule-loops,tritongpu-pipeline{num-stages=3 dump-intermediate-steps=true},tritongpu-coalesce-async-copy,tritongpu-reduce-data-duplication,tritongpu-reorder-instructions,triton-nvidia-gpu-fence-insertion{compute-capability=90},sccp,cse,canonicalize)' -o %t.ttgir
// RUN: FileCheck %s --check-prefix=TTGIR --input-file=%t.ttgir
// RUN: nereid-opt %t.ttgir --mlir-print-debuginfo --pass-pipeline='builtin.module(convert-scf-to-cf,allocate-shared-memory-nv{compute-capability=90 ptx-version=83},tritongpu-global-scratch-memory-allocation,triton-nvidia-gpu-proxy-fence-insertion{compute-capability=90},convert-triton-gpu-to-llvm{compute-capability=90 ptx-version=83},canonicalize,cse,convert-nv-gpu-to-llvm,convert-warp-specialize-to-llvm,canonicalize,cse,symbol-dce,convert-nvvm-to-llvm,enable-line-info,extract-variable-info)' | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LL

// MLIR's conversion passes from scf to LLVM are registered, too.
// RUN: nereid-opt %s --pass-pipeline='builtin.module(convert-scf-to-cf,lift-cf-to-scf,reconcile-unrealized-casts,convert-arith-to-llvm,convert-math-to-llvm,convert-cf-to-llvm,convert-index-to-llvm,convert-func-to-llvm,convert-ub-to-llvm,convert-nvvm-to-llvm,llvm.func(llvm-optimize-for-nvvm-target))' -o /dev/null

// CHECK: tt.func public @k
// CHECK: tt.load
// TTGIR: "ttg.num-warps" = 4
// TTGIR: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, #
// LL: define ptx_kernel void @k(
// LL: !dbg
tt.func public @k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (f32) : i32 {
    %x = tt.load %a : tensor<1024x!tt.ptr<f32>>
    %y = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%l: f32, %q: f32):
      %z = arith.addf %l, %q : f32
      tt.reduce.return %z : f32
    }) : (tensor<1024xf32>) -> f32
    %u = arith.addf %t, %y : f32
    scf.yield %u : f32
  }
  tt.store %p, %sum : !tt.ptr<f32>
  tt.return
}

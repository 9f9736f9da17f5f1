// RUN: nereid-opt %s --convert-scf-to-cf --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s
// RUN: nereid-opt %s --convert-scf-to-cf --allocate-shared-memory --convert-triton-gpu-to-llvm=fp-fusion=false | FileCheck %s --check-prefix=EXACT

// A tensor becomes one value per register of a thread, not a struct; the kernel has the documented ABI.

#wide = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-NOT: llvm.struct
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @scale
  // CHECK-SAME: (%{{.*}}: !llvm.ptr<1> {tt.divisibility = 16 : i32}, %{{.*}}: f32, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>)
  // CHECK-SAME: nvvm.kernel
  // CHECK-SAME: nvvm.reqntid = array<i32: 128
  // CHECK: nvvm.read.ptx.sreg.tid.x
  // CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
  // CHECK-COUNT-4: llvm.fmul {{.*}}contract
  // CHECK-COUNT-4: llvm.fadd
  // CHECK-NOT: llvm.fadd
  // CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
  // CHECK: llvm.return
  // EXACT-LABEL: llvm.func @scale
  // EXACT-NOT: contract
  tt.func public @scale(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %a: f32) {
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #wide>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #wide>
    %q = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #wide>, tensor<512xi32, #wide>
    %v = tt.load %q : tensor<512x!tt.ptr<f32>, #wide>
    %b = tt.splat %a : f32 -> tensor<512xf32, #wide>
    %w = arith.mulf %v, %b : tensor<512xf32, #wide>
    %x = arith.addf %w, %b : tensor<512xf32, #wide>
    tt.store %q, %x : tensor<512x!tt.ptr<f32>, #wide>
    tt.return
  }
}

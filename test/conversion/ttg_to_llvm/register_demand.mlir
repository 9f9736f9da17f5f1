// The remark register-demand: the op before which live tensors need most registers, and these tensors, the largest first.
// RUN: nereid-opt %s --convert-scf-to-cf --allocate-shared-memory --convert-triton-gpu-to-llvm --remarks-filter-missed=convert-triton-gpu-to-llvm --remarks-filter-passed=convert-triton-gpu-to-llvm -o /dev/null 2>&1 | FileCheck %s

#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// 128 registers of %acc are live through the loop beside 64 of %x and 64 of %s before the last addition of the body. %late is
// not live there, and indices, addresses, splats and the constant do not count.
tt.func public @loop(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f64> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two = arith.constant dense<2.0> : tensor<8192xf32, #l>
  %r = tt.make_range {end = 8192 : i32, start = 0 : i32} : tensor<8192xi32, #l>
  %qs = tt.splat %q : !tt.ptr<f64> -> tensor<8192x!tt.ptr<f64>, #l>
  %qr = tt.addptr %qs, %r : tensor<8192x!tt.ptr<f64>, #l>, tensor<8192xi32, #l>
  %acc = tt.load %qr : tensor<8192x!tt.ptr<f64>, #l>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8192x!tt.ptr<f32>, #l>
  %pr = tt.addptr %ps, %r : tensor<8192x!tt.ptr<f32>, #l>, tensor<8192xi32, #l>
  %zero = arith.constant dense<0.0> : tensor<8192xf32, #l>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<8192xf32, #l>) : i32 {
    %x = tt.load %pr {isVolatile = true} : tensor<8192x!tt.ptr<f32>, #l>
    // CHECK: [[@LINE+1]]:{{.*}}Missed{{.*}}register-demand{{.*}}largest here: tensors need about 256 of 255 registers per thread: 128 for tensor<8192xf64> at {{[^ ]*}}register_demand.mlir:16:10, 64 for tensor<8192xf32> at {{[^ ]*}}register_demand.mlir:20:52, 64 for tensor<8192xf32> at {{[^ ]*}}register_demand.mlir:21:10"
    %t = arith.addf %s, %x : tensor<8192xf32, #l>
    scf.yield %t : tensor<8192xf32, #l>
  }
  tt.store %pr, %sum : tensor<8192x!tt.ptr<f32>, #l>
  tt.store %qr, %acc : tensor<8192x!tt.ptr<f64>, #l>
  tt.return
}

// The broadcast has the registers of its source, which is live as long as it is.
tt.func public @fits(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #l>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
  %pr = tt.addptr %ps, %r : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
  %x = tt.load %pr : tensor<512x!tt.ptr<f32>, #l>
  %y = arith.addf %x, %x : tensor<512xf32, #l>
  %same = ttg.convert_layout %x : tensor<512xf32, #l> -> tensor<512xf32, #l>
  // CHECK: [[@LINE+1]]:{{.*}}Passed{{.*}}register-demand{{.*}}largest here: tensors need about 8 of 255 registers per thread: 4 for tensor<512xf32> at {{[^ ]*}}register_demand.mlir:36:8, 4 for tensor<512xf32> at {{[^ ]*}}register_demand.mlir:37:8"
  %z = arith.mulf %same, %y : tensor<512xf32, #l>
  tt.store %pr, %z : tensor<512x!tt.ptr<f32>, #l>
  tt.return
}
}

// RUN: nereid-opt %s --convert-triton-to-tritongpu | FileCheck %s
// RUN: nereid-opt %s --convert-triton-to-tritongpu="num-warps=8 num-ctas=2 target=cuda:80" | FileCheck %s --check-prefix=OPTIONS
// RUN: nereid-opt %s --convert-triton-to-tritongpu | nereid-opt --convert-triton-to-tritongpu | FileCheck %s
// RUN: not nereid-opt %s --convert-triton-to-tritongpu=num-warps=3 2>&1 | FileCheck %s --check-prefix=WARPS

// Every tensor gets an encoding, the module its numbers of warps and threads; the pass is idempotent.

// CHECK-DAG: #[[LINE:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[COLUMN:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}
// OPTIONS: module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32}
// WARPS: error: {{.*}}power of two

// CHECK-LABEL: tt.func public @column
// CHECK: %[[RANGE:.*]] = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #[[LINE]]>
// CHECK: %[[SLICE:.*]] = ttg.convert_layout %[[RANGE]] : tensor<64xi32, #[[LINE]]> -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #[[COLUMN]]}>>
// CHECK: tt.expand_dims %[[SLICE]] {axis = 1 : i32} : {{.*}} -> tensor<64x1xi32, #[[COLUMN]]>
tt.func public @column() -> tensor<64x1xi32> {
  %0 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  tt.return %1 : tensor<64x1xi32>
}

// Control flow, with the types of region arguments; attributes are kept.
// CHECK-LABEL: tt.func public @loop
// CHECK-SAME: %{{.*}}: !tt.ptr<f32> {tt.divisibility = 16 : i32}
// CHECK: scf.for {{.*}} -> (tensor<128xf32, #[[LINE]]>)
// CHECK: arith.addf {{.*}} : tensor<128xf32, #[[LINE]]>
// CHECK: tt.num_stages = 3 : i32
tt.func public @loop(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<128xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%s = %x) -> (tensor<128xf32>) : i32 {
    %y = arith.addf %s, %x : tensor<128xf32>
    scf.yield %y : tensor<128xf32>
  } {tt.num_stages = 3 : i32}
  tt.return %r : tensor<128xf32>
}

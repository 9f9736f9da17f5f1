// RUN: nereid-opt %s --tritongpu-optimize-thread-locality | FileCheck %s

// The sums of a softmax between two dots, multiplied in each iteration: two groups of warps, which a producer feeds, combine
// their threads in each iteration.
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
#sums = #ttg.slice<{dim = 1, parent = #mma}>
#operand = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 8 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @chained(
// CHECK: scf.for
// CHECK-NOT: tt.reshape
// CHECK: arith.mulf %{{.*}}, %arg3 : tensor<128xf32
// CHECK-NOT: tt.reshape
// CHECK: tt.return
tt.func @chained(%q: !ttg.memdesc<128x64xf16, #shared, #smem>, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %v: !ttg.memdesc<64x64xf16, #shared, #smem>, %f: tensor<128xf32, #sums>, %n: i32) -> (tensor<128x64xf32, #mma>, tensor<128xf32, #sums>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
  %none = arith.constant dense<0.0> : tensor<128xf32, #sums>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %total = %none) -> (tensor<128x64xf32, #mma>, tensor<128xf32, #sums>) : i32 {
    %s = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
    %e = math.exp2 %s : tensor<128x64xf32, #mma>
    %kept = arith.mulf %total, %f : tensor<128xf32, #sums>
    %part = "tt.reduce"(%e) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<128x64xf32, #mma>) -> tensor<128xf32, #sums>
    %next = arith.addf %kept, %part : tensor<128xf32, #sums>
    %h = arith.truncf %e : tensor<128x64xf32, #mma> to tensor<128x64xf16, #mma>
    %p = ttg.convert_layout %h : tensor<128x64xf16, #mma> -> tensor<128x64xf16, #operand>
    %o = ttng.warp_group_dot %p, %v, %acc {inputPrecision = 0 : i32} : tensor<128x64xf16, #operand> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
    scf.yield %o, %next : tensor<128x64xf32, #mma>, tensor<128xf32, #sums>
  }
  tt.return %r#0, %r#1 : tensor<128x64xf32, #mma>, tensor<128xf32, #sums>
}
}

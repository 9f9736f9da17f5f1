// Dots of few rows, by mma.sync.
// RUN: nereid-opt %s --tritongpu-accelerate-matmul | FileCheck %s
// RUN: sed 's/cuda:90/cuda:89/' %s | nereid-opt --tritongpu-accelerate-matmul | FileCheck %s --check-prefix=SM89

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#bytes = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
// CHECK-DAG: #[[ROWS:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
// CHECK-DAG: #[[COLUMNS:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// sm_90 has no mma.sync of 8-bit floats: ptxas would convert the operands of each to f16. They are converted once, exactly.
// CHECK-LABEL: @fp8
// CHECK-COUNT-2: tt.fp_to_fp {{.*}} -> tensor<{{.*}}xf16
// CHECK: tt.dot {{.*}} tensor<16x64xf16, {{.*}}kWidth = 4
// SM89-LABEL: @fp8
// SM89-NOT: tt.fp_to_fp
// SM89: tt.dot {{.*}} tensor<16x64xf8E4M3FN, {{.*}}kWidth = 4
tt.func private @fp8(%x: tensor<16x64xf8E4M3FN, #row>, %y: tensor<64x32xf8E4M3FN, #column>, %c: tensor<16x32xf32, #blocked>) -> tensor<16x32xf32, #blocked> {
  %xa = ttg.convert_layout %x : tensor<16x64xf8E4M3FN, #row> -> tensor<16x64xf8E4M3FN, #a>
  %yb = ttg.convert_layout %y : tensor<64x32xf8E4M3FN, #column> -> tensor<64x32xf8E4M3FN, #b>
  %d = tt.dot %xa, %yb, %c : tensor<16x64xf8E4M3FN, #a> * tensor<64x32xf8E4M3FN, #b> -> tensor<16x32xf32, #blocked>
  tt.return %d : tensor<16x32xf32, #blocked>
}

// Attention of 16 rows: four warps along M would each compute all scores and their exponentials.
// CHECK-LABEL: @scores
// CHECK: tt.dot {{.*}} -> tensor<16x32xf32, #[[COLUMNS]]>
// CHECK: tt.dot {{.*}} -> tensor<16x64xf32, #[[COLUMNS]]>
tt.func private @scores(%q: tensor<16x64xf16, #row>, %k: tensor<64x32xf16, #column>, %v: tensor<32x64xf16, #row>, %c: tensor<16x64xf32, #blocked>) -> tensor<16x64xf32, #blocked> {
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #blocked>
  %qa = ttg.convert_layout %q : tensor<16x64xf16, #row> -> tensor<16x64xf16, #a>
  %kb = ttg.convert_layout %k : tensor<64x32xf16, #column> -> tensor<64x32xf16, #b>
  %vb = ttg.convert_layout %v : tensor<32x64xf16, #row> -> tensor<32x64xf16, #b>
  %s = tt.dot %qa, %kb, %zero : tensor<16x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<16x32xf32, #blocked>
  %m = "tt.reduce"(%s) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.maxnumf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<16x32xf32, #blocked>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  %e = tt.expand_dims %m {axis = 1 : i32} : tensor<16xf32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<16x1xf32, #blocked>
  %w = tt.broadcast %e : tensor<16x1xf32, #blocked> -> tensor<16x32xf32, #blocked>
  %t = arith.subf %s, %w : tensor<16x32xf32, #blocked>
  %p = math.exp2 %t : tensor<16x32xf32, #blocked>
  %h = arith.truncf %p : tensor<16x32xf32, #blocked> to tensor<16x32xf16, #blocked>
  %ha = ttg.convert_layout %h : tensor<16x32xf16, #blocked> -> tensor<16x32xf16, #a>
  %o = tt.dot %ha, %vb, %c : tensor<16x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<16x64xf32, #blocked>
  tt.return %o : tensor<16x64xf32, #blocked>
}

// With 16 keys, each warp computes all scores: an exchange would cost more. The second dot is divided by columns: all warps have
// its operand a.
// CHECK-LABEL: @few_keys
// CHECK: tt.dot {{.*}} -> tensor<16x16xf32, #[[ROWS]]>
// CHECK: tt.dot {{.*}} -> tensor<16x128xf32, #[[COLUMNS]]>
tt.func private @few_keys(%q: tensor<16x128xf16, #row>, %k: tensor<128x16xf16, #column>, %v: tensor<16x128xf16, #row>, %c: tensor<16x128xf32, #blocked>) -> tensor<16x128xf32, #blocked> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #blocked>
  %qa = ttg.convert_layout %q : tensor<16x128xf16, #row> -> tensor<16x128xf16, #a>
  %kb = ttg.convert_layout %k : tensor<128x16xf16, #column> -> tensor<128x16xf16, #b>
  %vb = ttg.convert_layout %v : tensor<16x128xf16, #row> -> tensor<16x128xf16, #b>
  %s = tt.dot %qa, %kb, %zero : tensor<16x128xf16, #a> * tensor<128x16xf16, #b> -> tensor<16x16xf32, #blocked>
  %m = "tt.reduce"(%s) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.maxnumf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<16x16xf32, #blocked>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  %e = tt.expand_dims %m {axis = 1 : i32} : tensor<16xf32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<16x1xf32, #blocked>
  %w = tt.broadcast %e : tensor<16x1xf32, #blocked> -> tensor<16x16xf32, #blocked>
  %t = arith.subf %s, %w : tensor<16x16xf32, #blocked>
  %p = math.exp2 %t : tensor<16x16xf32, #blocked>
  %h = arith.truncf %p : tensor<16x16xf32, #blocked> to tensor<16x16xf16, #blocked>
  %ha = ttg.convert_layout %h : tensor<16x16xf16, #blocked> -> tensor<16x16xf16, #a>
  %o = tt.dot %ha, %vb, %c : tensor<16x16xf16, #a> * tensor<16x128xf16, #b> -> tensor<16x128xf32, #blocked>
  tt.return %o : tensor<16x128xf32, #blocked>
}

// Weights of 8 bits with 16 rows: the transposed dot would store the widened weights to shared memory in each iteration.
// CHECK-LABEL: @weights
// CHECK: tt.dot {{.*}} -> tensor<16x64xf32, #[[COLUMNS]]>
tt.func private @weights(%x: tensor<16x64xf16, #row>, %p: tensor<64x64x!tt.ptr<i8>, #bytes>, %n: i32) -> tensor<16x64xf32, #blocked> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #blocked>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32, #blocked>) : i32 {
    %y = tt.load %p : tensor<64x64x!tt.ptr<i8>, #bytes>
    %w = arith.sitofp %y : tensor<64x64xi8, #bytes> to tensor<64x64xf16, #bytes>
    %xa = ttg.convert_layout %x : tensor<16x64xf16, #row> -> tensor<16x64xf16, #a>
    %wb = ttg.convert_layout %w : tensor<64x64xf16, #bytes> -> tensor<64x64xf16, #b>
    %d = tt.dot %xa, %wb, %acc : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<16x64xf32, #blocked>
    scf.yield %d : tensor<16x64xf32, #blocked>
  }
  tt.return %r : tensor<16x64xf32, #blocked>
}

// K is that of an instruction of f16, half of that of fp8.
// SM89-LABEL: @fp8_half_k
// SM89: tt.dot {{.*}} tensor<16x16xf16, {{.*}}kWidth = 2
tt.func private @fp8_half_k(%x: tensor<16x16xf8E4M3FN, #row>, %y: tensor<16x32xf8E4M3FN, #column>, %c: tensor<16x32xf32, #blocked>) -> tensor<16x32xf32, #blocked> {
  %xa = ttg.convert_layout %x : tensor<16x16xf8E4M3FN, #row> -> tensor<16x16xf8E4M3FN, #a>
  %yb = ttg.convert_layout %y : tensor<16x32xf8E4M3FN, #column> -> tensor<16x32xf8E4M3FN, #b>
  %d = tt.dot %xa, %yb, %c : tensor<16x16xf8E4M3FN, #a> * tensor<16x32xf8E4M3FN, #b> -> tensor<16x32xf32, #blocked>
  tt.return %d : tensor<16x32xf32, #blocked>
}
}

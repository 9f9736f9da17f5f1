// Where tensors are scanned along another dimension than the fastest, a thread's elements are adjacent along that one, too.
// RUN: nereid-opt %s --split-input-file --tritongpu-coalesce | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Four rows of lanes in four warps: 64 rows are four per thread.
  // CHECK-DAG: [[ROWS:#.*]] = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
  // CHECK-LABEL: tt.func public @along_rows
  // CHECK: tt.load {{.*}} : tensor<64x32x!tt.ptr<f32>, [[ROWS]]>
  // CHECK: tt.store {{.*}} : tensor<64x32x!tt.ptr<f32>, [[ROWS]]>
  tt.func public @along_rows(%p: tensor<64x32x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %o: tensor<64x32x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}) {
    %c0 = arith.constant dense<0> : tensor<64x32xi32, #blocked>
    %pp = tt.addptr %p, %c0 : tensor<64x32x!tt.ptr<f32>, #blocked>, tensor<64x32xi32, #blocked>
    %oo = tt.addptr %o, %c0 : tensor<64x32x!tt.ptr<f32>, #blocked>, tensor<64x32xi32, #blocked>
    %x = tt.load %pp : tensor<64x32x!tt.ptr<f32>, #blocked>
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.scan.return %c : f32
    }) : (tensor<64x32xf32, #blocked>) -> tensor<64x32xf32, #blocked>
    tt.store %oo, %s : tensor<64x32x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

// A scan along the fastest dimension, and none.
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: [[FASTEST:#.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
  // CHECK-LABEL: tt.func public @along_columns
  // CHECK: tt.load {{.*}} : tensor<64x32x!tt.ptr<f32>, [[FASTEST]]>
  tt.func public @along_columns(%p: tensor<64x32x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}) -> tensor<64x32xf32, #blocked> {
    %c0 = arith.constant dense<0> : tensor<64x32xi32, #blocked>
    %pp = tt.addptr %p, %c0 : tensor<64x32x!tt.ptr<f32>, #blocked>, tensor<64x32xi32, #blocked>
    %x = tt.load %pp : tensor<64x32x!tt.ptr<f32>, #blocked>
    %s = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.scan.return %c : f32
    }) : (tensor<64x32xf32, #blocked>) -> tensor<64x32xf32, #blocked>
    tt.return %s : tensor<64x32xf32, #blocked>
  }

  // CHECK-LABEL: tt.func public @not_scanned
  // CHECK: tt.load {{.*}} : tensor<64x32x!tt.ptr<f32>, [[FASTEST]]>
  tt.func public @not_scanned(%p: tensor<64x32x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}) -> tensor<64x32xf32, #blocked> {
    %c0 = arith.constant dense<0> : tensor<64x32xi32, #blocked>
    %pp = tt.addptr %p, %c0 : tensor<64x32x!tt.ptr<f32>, #blocked>, tensor<64x32xi32, #blocked>
    %x = tt.load %pp : tensor<64x32x!tt.ptr<f32>, #blocked>
    tt.return %x : tensor<64x32xf32, #blocked>
  }
}

// -----

// Operands of dots keep the layout that copies to shared memory use.
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: [[FASTEST:#.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
  // CHECK-LABEL: tt.func public @dot
  // CHECK: tt.load {{.*}} : tensor<64x32x!tt.ptr<f32>, [[FASTEST]]>
  tt.func public @dot(%p: tensor<64x32x!tt.ptr<f32>, #blocked> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x32xf32, #b>) -> tensor<64x32xf32, #blocked> {
    %c0 = arith.constant dense<0> : tensor<64x32xi32, #blocked>
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #blocked>
    %pp = tt.addptr %p, %c0 : tensor<64x32x!tt.ptr<f32>, #blocked>, tensor<64x32xi32, #blocked>
    %x = tt.load %pp : tensor<64x32x!tt.ptr<f32>, #blocked>
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%i: f32, %j: f32):
      %c = arith.addf %i, %j : f32
      tt.scan.return %c : f32
    }) : (tensor<64x32xf32, #blocked>) -> tensor<64x32xf32, #blocked>
    %v = ttg.convert_layout %s : tensor<64x32xf32, #blocked> -> tensor<64x32xf32, #a>
    %d = tt.dot %v, %y, %zero : tensor<64x32xf32, #a> * tensor<32x32xf32, #b> -> tensor<64x32xf32, #blocked>
    tt.return %d : tensor<64x32xf32, #blocked>
  }
}

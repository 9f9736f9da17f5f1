// RUN: nereid-opt %s --tritongpu-optimize-thread-locality --canonicalize | FileCheck %s
// RUN: nereid-opt %s --tritongpu-optimize-thread-locality --remarks-filter-passed=tritongpu-optimize-thread-locality -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-COUNT-5: partial results stay in the thread; threads combine once, after the loop
// REMARK-NOT: goes on within

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#sums = #ttg.slice<{dim = 1, parent = #rows}>
#mixed = #ttg.linear<{register = [[0, 1], [0, 64], [1, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = [[0, 128], [0, 256]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#mma_sums = #ttg.slice<{dim = 1, parent = #mma}>
#mixed_sums = #ttg.slice<{dim = 1, parent = #mixed}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// The bits of the column index: one of the register, five of the lane, two of the register. Register bits are reduced.
// CHECK-LABEL: @sums(
// CHECK: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : tensor<16x32xf32, #[[PARTS:.*]]>
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]])
// CHECK: %[[X:.*]] = tt.reshape {{.*}} -> tensor<16x2x32x4xf32
// CHECK: %[[Y:.*]] = "tt.reduce"(%[[X]]) <{axis = 3 : i32}>
// CHECK: -> tensor<16x2x32xf32
// CHECK: %[[Z:.*]] = "tt.reduce"(%[[Y]]) <{axis = 1 : i32}>
// CHECK: -> tensor<16x32xf32, #[[PARTS]]>
// CHECK: %[[NEXT:.*]] = arith.addf %[[Z]], %[[ACC]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: %[[R:.*]] = "tt.reduce"(%[[LOOP]]) <{axis = 1 : i32}>
// CHECK: %[[C:.*]] = ttg.convert_layout %[[R]]
// CHECK: %[[TOTAL:.*]] = arith.addf %arg1, %[[C]]
// CHECK: tt.return %[[TOTAL]]
tt.func public @sums(%x: tensor<16x256xf32, #rows>, %init: tensor<16xf32, #line>, %n: i32) -> tensor<16xf32, #line> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<16xf32, #line>) : i32 {
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x256xf32, #rows>) -> tensor<16xf32, #sums>
    %l = ttg.convert_layout %r : tensor<16xf32, #sums> -> tensor<16xf32, #line>
    %next = arith.addf %acc, %l : tensor<16xf32, #line>
    scf.yield %next : tensor<16xf32, #line>
  }
  tt.return %s : tensor<16xf32, #line>
}

// Through both loops, to a scalar. Each thread has one element.
// CHECK-LABEL: @nested(
// CHECK: %[[LEAST:.*]] = arith.constant dense<-2147483648> : tensor<128xi32, #[[LINE:.*]]>
// CHECK: %[[OUTER:.*]] = scf.for {{.*}} = %[[LEAST]]
// CHECK: %[[INNER:.*]] = scf.for {{.*}} = %[[LEAST]]
// CHECK: arith.maxsi %arg0
// CHECK: }
// CHECK-NOT: tt.reduce
// CHECK: arith.maxsi %[[INNER]]
// CHECK: %[[R:.*]] = "tt.reduce"(%[[OUTER]])
// CHECK: arith.maxsi %arg1, %[[R]]
tt.func public @nested(%x: tensor<128xi32, #line>, %init: i32, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %init) -> (i32) : i32 {
    %t = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %outer) -> (i32) : i32 {
      %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: i32, %b: i32):
        %c = arith.maxsi %a, %b : i32
        tt.reduce.return %c : i32
      }) : (tensor<128xi32, #line>) -> i32
      %next = arith.maxsi %r, %acc : i32
      scf.yield %next : i32
    }
    scf.yield %t : i32
  }
  tt.return %s : i32
}

// A register bit is between lane and warp bits, which are adjacent once it is reduced.
// CHECK-LABEL: @runs(
// CHECK: tt.reshape {{.*}} -> tensor<2x4x2x32x2xf32
// CHECK: "tt.reduce"({{.*}}) <{axis = 4 : i32}>
// CHECK: "tt.reduce"({{.*}}) <{axis = 2 : i32}>
// CHECK: tt.reshape {{.*}} : tensor<2x4x32xf32, {{.*}}> -> tensor<2x128xf32
// CHECK: scf.yield
// CHECK: "tt.reduce"({{.*}}) <{axis = 1 : i32}>
tt.func public @runs(%x: tensor<2x512xf32, #mixed>, %init: tensor<2xf32, #mixed_sums>, %n: i32) -> tensor<2xf32, #mixed_sums> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<2xf32, #mixed_sums>) : i32 {
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<2x512xf32, #mixed>) -> tensor<2xf32, #mixed_sums>
    %next = arith.addf %acc, %r : tensor<2xf32, #mixed_sums>
    scf.yield %next : tensor<2xf32, #mixed_sums>
  }
  tt.return %s : tensor<2xf32, #mixed_sums>
}

// The sums of a softmax, which a factor per row multiplies: so it does partial sums. The layout is that of tensor cores: two
// adjacent columns and columns 8 apart are of one thread.
// CHECK-LABEL: @scaled(
// CHECK: %[[NONE:.*]] = arith.constant dense<-0.000000e+00> : tensor<64x4xf32, #[[QUADS:.*]]>
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[NONE]])
// CHECK: tt.reshape {{.*}} -> tensor<64x8x4x2xf32
// CHECK-COUNT-2: "tt.reduce"
// CHECK: %[[FACTOR:.*]] = tt.broadcast {{.*}} -> tensor<64x4xf32, #[[QUADS]]>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[ACC]], %[[FACTOR]] fastmath<contract>
// CHECK: arith.addf %{{.*}}, %[[SCALED]]
// CHECK: scf.yield
// CHECK: "tt.reduce"
tt.func public @scaled(%x: tensor<64x64xf32, #mma>, %f: tensor<64xf32, #mma_sums>, %n: i32) -> tensor<64xf32, #mma_sums> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32, #mma_sums>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64xf32, #mma_sums>) : i32 {
    %old = arith.mulf %acc, %f fastmath<contract> : tensor<64xf32, #mma_sums>
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #mma_sums>
    %next = arith.addf %old, %r : tensor<64xf32, #mma_sums>
    scf.yield %next : tensor<64xf32, #mma_sums>
  }
  tt.return %s : tensor<64xf32, #mma_sums>
}

// With factors: an initial sum that is not zero would have to be multiplied by all of them, and maxima are not multiplied.
// CHECK-LABEL: @scaled_left(
// CHECK-NOT: tt.reshape
// CHECK: tt.return
tt.func public @scaled_left(%x: tensor<64x64xf32, #mma>, %f: tensor<64xf32, #mma_sums>, %init: tensor<64xf32, #mma_sums>, %n: i32) -> (tensor<64xf32, #mma_sums>, tensor<64xf32, #mma_sums>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32, #mma_sums>
  %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %init, %v = %zero) -> (tensor<64xf32, #mma_sums>, tensor<64xf32, #mma_sums>) : i32 {
    %old = arith.mulf %u, %f : tensor<64xf32, #mma_sums>
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #mma_sums>
    %next = arith.addf %old, %r : tensor<64xf32, #mma_sums>
    %most = arith.mulf %v, %f : tensor<64xf32, #mma_sums>
    %m = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #mma_sums>
    %max = arith.maxnumf %most, %m : tensor<64xf32, #mma_sums>
    scf.yield %next, %max : tensor<64xf32, #mma_sums>, tensor<64xf32, #mma_sums>
  }
  tt.return %s#0, %s#1 : tensor<64xf32, #mma_sums>, tensor<64xf32, #mma_sums>
}

// A product of sums is not a sum; a sum used in the loop is needed in each iteration; columns are thread-local.
// CHECK-LABEL: @left(
// CHECK: scf.for
// CHECK-COUNT-3: "tt.reduce"
// CHECK: scf.yield
// CHECK-NOT: tt.reduce
tt.func public @left(%x: tensor<16x256xf32, #rows>, %y: tensor<128x4xf32, #columns>, %p: tensor<16x!tt.ptr<f32>, #sums>, %n: i32) -> (tensor<16xf32, #sums>, tensor<16xf32, #sums>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #columns}>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<16xf32, #sums>
  %many = arith.constant dense<1.0> : tensor<128xf32, #ttg.slice<{dim = 1, parent = #columns}>>
  %s:3 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %one, %v = %one, %w = %many) -> (tensor<16xf32, #sums>, tensor<16xf32, #sums>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #columns}>>) : i32 {
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x256xf32, #rows>) -> tensor<16xf32, #sums>
    %product = arith.mulf %u, %r : tensor<16xf32, #sums>
    %t = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x256xf32, #rows>) -> tensor<16xf32, #sums>
    %sum = arith.addf %v, %t : tensor<16xf32, #sums>
    tt.store %p, %sum : tensor<16x!tt.ptr<f32>, #sums>
    %q = "tt.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<128x4xf32, #columns>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #columns}>>
    %near = arith.addf %w, %q : tensor<128xf32, #ttg.slice<{dim = 1, parent = #columns}>>
    scf.yield %product, %sum, %near : tensor<16xf32, #sums>, tensor<16xf32, #sums>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #columns}>>
  }
  tt.return %s#0, %s#1, %s#2 : tensor<16xf32, #sums>, tensor<16xf32, #sums>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #columns}>>
}
}

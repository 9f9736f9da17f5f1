// RUN: nereid-opt %s --split-input-file --tritongpu-remove-layout-conversions | FileCheck %s
// RUN: nereid-opt %s --split-input-file --tritongpu-remove-layout-conversions -o /dev/null \
// RUN:   --remarks-filter-passed=tritongpu-remove-layout-conversions 2>&1 | FileCheck %s --check-prefix=REMARK
// Layout-agnostic operations use the layout of their operands: coalesced loads are reduced, scanned and transposed
// without conversion. A remark reports a decrease of the costs, not an equal layout.
// REMARK: sunk{{.*}}uses its operands without conversion: conversions cost 69 instead of 194
// REMARK-NOT: instead of 0"

// CHECK: [[WIDE:#.*]] = #ttg.blocked<{sizePerThread = [1, 4]
#wide = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#plain = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Four elements are converted, not 1024; the range is created in their layout.
  // CHECK-LABEL: @reduce
  // CHECK: tt.load {{.*}}[[WIDE]]>
  // CHECK-NOT: convert_layout
  // CHECK: "tt.reduce"(%{{.*}}, %{{.*}})
  // CHECK: (tensor<4x256xf32, [[WIDE]]>, tensor<4x256xi32, [[WIDE]]>)
  // CHECK: ttg.convert_layout %{{.*}} : tensor<4xi32, #ttg.slice<{dim = 1, parent = [[WIDE]]}>> -> tensor<4xi32,
  tt.func public @reduce(%p: tensor<4x256x!tt.ptr<f32>, #wide>, %o: tensor<4x!tt.ptr<i32>, #row>) {
    %x = tt.load %p : tensor<4x256x!tt.ptr<f32>, #wide>
    %c = ttg.convert_layout %x : tensor<4x256xf32, #wide> -> tensor<4x256xf32, #plain>
    %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #plain}>>
    %e = tt.expand_dims %i {axis = 0 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #plain}>> -> tensor<1x256xi32, #plain>
    %b = tt.broadcast %e : tensor<1x256xi32, #plain> -> tensor<4x256xi32, #plain>
    %r:2 = "tt.reduce"(%c, %b) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %j: i32, %v: f32, %k: i32):
      %g = arith.cmpf ogt, %u, %v : f32
      %m = arith.select %g, %u, %v : f32
      %n = arith.select %g, %j, %k : i32
      tt.reduce.return %m, %n : f32, i32
    }) : (tensor<4x256xf32, #plain>, tensor<4x256xi32, #plain>) -> (tensor<4xf32, #ttg.slice<{dim = 1, parent = #plain}>>, tensor<4xi32, #ttg.slice<{dim = 1, parent = #plain}>>)
    %s = ttg.convert_layout %r#1 : tensor<4xi32, #ttg.slice<{dim = 1, parent = #plain}>> -> tensor<4xi32, #row>
    tt.store %o, %s : tensor<4x!tt.ptr<i32>, #row>
    tt.return
  }
  // CHECK-LABEL: @scan
  // CHECK-NOT: convert_layout
  // CHECK: "tt.scan"
  // CHECK: -> tensor<4x256xf32, [[WIDE]]>
  // CHECK-NOT: convert_layout
  // CHECK: tt.return
  tt.func public @scan(%p: tensor<4x256x!tt.ptr<f32>, #wide>) {
    %x = tt.load %p : tensor<4x256x!tt.ptr<f32>, #wide>
    %c = ttg.convert_layout %x : tensor<4x256xf32, #wide> -> tensor<4x256xf32, #plain>
    %r = "tt.scan"(%c) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%u: f32, %v: f32):
      %m = arith.addf %u, %v : f32
      tt.scan.return %m : f32
    }) : (tensor<4x256xf32, #plain>) -> tensor<4x256xf32, #plain>
    %s = ttg.convert_layout %r : tensor<4x256xf32, #plain> -> tensor<4x256xf32, #wide>
    tt.store %p, %s : tensor<4x256x!tt.ptr<f32>, #wide>
    tt.return
  }
}

// -----

// A transposition moves no data between threads; the load stays coalesced, so one conversion remains.
// CHECK: [[ROWS:#.*]] = #ttg.blocked<{sizePerThread = [1, 8]
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#plain = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [2, 2], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @transpose
  // CHECK: tt.load {{.*}}[[ROWS]]>
  // CHECK-COUNT-1: convert_layout
  // CHECK-NOT: convert_layout
  // CHECK: tt.return
  tt.func public @transpose(%p: !tt.ptr<f16>, %o: tensor<64x64x!tt.ptr<f16>, #rows>) {
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %e = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x64xi32, #rows>
    %b = tt.broadcast %e : tensor<1x64xi32, #rows> -> tensor<64x64xi32, #rows>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #rows>
    %a = tt.addptr %q, %b : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows>
    %x = tt.load %a : tensor<64x64x!tt.ptr<f16>, #rows>
    %c = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #plain>
    %t = tt.trans %c {order = array<i32: 1, 0>} : tensor<64x64xf16, #plain> -> tensor<64x64xf16, #turned>
    %s = ttg.convert_layout %t : tensor<64x64xf16, #turned> -> tensor<64x64xf16, #rows>
    tt.store %o, %s : tensor<64x64x!tt.ptr<f16>, #rows>
    tt.return
  }
}

// -----

// The weights come from a mask: recomputing them costs less than converting the loaded tensor.
// CHECK: [[WIDE:#.*]] = #ttg.blocked<{sizePerThread = [1, 8]
#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#plain = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @weights
  // CHECK: tt.load {{.*}}[[WIDE]]>
  // CHECK-NOT: convert_layout
  // CHECK: "tt.reduce"
  tt.func public @weights(%p: tensor<2x512x!tt.ptr<f16>, #wide>, %o: tensor<2x!tt.ptr<f32>, #rows>, %n: i32) {
    %x = tt.load %p : tensor<2x512x!tt.ptr<f16>, #wide>
    %c = ttg.convert_layout %x : tensor<2x512xf16, #wide> -> tensor<2x512xf16, #plain>
    %f = arith.extf %c : tensor<2x512xf16, #plain> to tensor<2x512xf32, #plain>
    %one = arith.constant dense<1.0> : tensor<1x512xf32, #plain>
    %none = arith.constant dense<0.0> : tensor<1x512xf32, #plain>
    %i = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #ttg.slice<{dim = 0, parent = #plain}>>
    %e = tt.expand_dims %i {axis = 0 : i32} : tensor<512xi32, #ttg.slice<{dim = 0, parent = #plain}>> -> tensor<1x512xi32, #plain>
    %s = tt.splat %n : i32 -> tensor<1x512xi32, #plain>
    %m = arith.cmpi slt, %e, %s : tensor<1x512xi32, #plain>
    %v = arith.select %m, %one, %none : tensor<1x512xi1, #plain>, tensor<1x512xf32, #plain>
    %w = tt.broadcast %v : tensor<1x512xf32, #plain> -> tensor<2x512xf32, #plain>
    %r:2 = "tt.reduce"(%f, %w) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %u: f32, %b: f32, %t: f32):
      %au = arith.mulf %a, %u : f32
      %bt = arith.mulf %b, %t : f32
      %sum = arith.addf %au, %bt : f32
      %both = arith.addf %u, %t : f32
      tt.reduce.return %sum, %both : f32, f32
    }) : (tensor<2x512xf32, #plain>, tensor<2x512xf32, #plain>) -> (tensor<2xf32, #ttg.slice<{dim = 1, parent = #plain}>>, tensor<2xf32, #ttg.slice<{dim = 1, parent = #plain}>>)
    %d = arith.divf %r#0, %r#1 : tensor<2xf32, #ttg.slice<{dim = 1, parent = #plain}>>
    %q = ttg.convert_layout %d : tensor<2xf32, #ttg.slice<{dim = 1, parent = #plain}>> -> tensor<2xf32, #rows>
    tt.store %o, %q : tensor<2x!tt.ptr<f32>, #rows>
    tt.return
  }
}

// -----

// The i32 store has more bytes than the f16 load, but the four reductions, which represent a sort, need fewer shuffles in
// the layout of the load.
// CHECK: [[EIGHT:#.*]] = #ttg.blocked<{sizePerThread = [8]
#eight = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#two = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#plain = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#cube = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [4, 2, 4], warpsPerCTA = [1, 1, 1], order = [2, 1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @pairs
  // CHECK-NOT: convert_layout
  // CHECK: ttg.convert_layout {{.*}} : tensor<512xi16, [[EIGHT]]> ->
  // CHECK-NEXT: arith.extsi
  tt.func public @pairs(%p: tensor<512x!tt.ptr<i16>, #eight>, %o: tensor<512x!tt.ptr<i32>, #two>) {
    %x = tt.load %p : tensor<512x!tt.ptr<i16>, #eight>
    %c = ttg.convert_layout %x : tensor<512xi16, #eight> -> tensor<512xi16, #plain>
    %y = tt.reshape %c : tensor<512xi16, #plain> -> tensor<64x2x4xi16, #cube>
    %a = "tt.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%u: i16, %v: i16):
      %s = arith.addi %u, %v : i16
      tt.reduce.return %s : i16
    }) : (tensor<64x2x4xi16, #cube>) -> tensor<64x4xi16, #ttg.slice<{dim = 1, parent = #cube}>>
    %b = "tt.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%u: i16, %v: i16):
      %s = arith.muli %u, %v : i16
      tt.reduce.return %s : i16
    }) : (tensor<64x2x4xi16, #cube>) -> tensor<64x4xi16, #ttg.slice<{dim = 1, parent = #cube}>>
    %ab = arith.xori %a, %b : tensor<64x4xi16, #ttg.slice<{dim = 1, parent = #cube}>>
    %e = tt.expand_dims %ab {axis = 1 : i32} : tensor<64x4xi16, #ttg.slice<{dim = 1, parent = #cube}>> -> tensor<64x1x4xi16, #cube>
    %w = tt.broadcast %e : tensor<64x1x4xi16, #cube> -> tensor<64x2x4xi16, #cube>
    %back = tt.reshape %w : tensor<64x2x4xi16, #cube> -> tensor<512xi16, #plain>
    %z = arith.xori %back, %c : tensor<512xi16, #plain>
    %y2 = tt.reshape %z : tensor<512xi16, #plain> -> tensor<64x2x4xi16, #cube>
    %a2 = "tt.reduce"(%y2) <{axis = 1 : i32}> ({
    ^bb0(%u: i16, %v: i16):
      %s = arith.addi %u, %v : i16
      tt.reduce.return %s : i16
    }) : (tensor<64x2x4xi16, #cube>) -> tensor<64x4xi16, #ttg.slice<{dim = 1, parent = #cube}>>
    %b2 = "tt.reduce"(%y2) <{axis = 1 : i32}> ({
    ^bb0(%u: i16, %v: i16):
      %s = arith.muli %u, %v : i16
      tt.reduce.return %s : i16
    }) : (tensor<64x2x4xi16, #cube>) -> tensor<64x4xi16, #ttg.slice<{dim = 1, parent = #cube}>>
    %ab2 = arith.xori %a2, %b2 : tensor<64x4xi16, #ttg.slice<{dim = 1, parent = #cube}>>
    %e2 = tt.expand_dims %ab2 {axis = 1 : i32} : tensor<64x4xi16, #ttg.slice<{dim = 1, parent = #cube}>> -> tensor<64x1x4xi16, #cube>
    %w2 = tt.broadcast %e2 : tensor<64x1x4xi16, #cube> -> tensor<64x2x4xi16, #cube>
    %back2 = tt.reshape %w2 : tensor<64x2x4xi16, #cube> -> tensor<512xi16, #plain>
    %z2 = arith.xori %back2, %z : tensor<512xi16, #plain>
    %l = arith.extsi %z2 : tensor<512xi16, #plain> to tensor<512xi32, #plain>
    %q = ttg.convert_layout %l : tensor<512xi32, #plain> -> tensor<512xi32, #two>
    tt.store %o, %q : tensor<512x!tt.ptr<i32>, #two>
    tt.return
  }
}

// -----

// A load is repeated in another coalesced layout, unless its memory is also written: a thread of the second load could
// then read an element that another thread has already overwritten.
#sixteen = #ttg.blocked<{sizePerThread = [16], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#eight = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @again
  // CHECK-COUNT-2: tt.load
  // CHECK-NOT: convert_layout
  // CHECK: tt.return
  tt.func public @again(%p: !tt.ptr<f16>, %o: tensor<1024x!tt.ptr<f16>, #sixteen>, %q: tensor<1024x!tt.ptr<f16>, #eight>) {
    %base = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #sixteen>
    %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #sixteen>
    %a = tt.addptr %base, %i : tensor<1024x!tt.ptr<f16>, #sixteen>, tensor<1024xi32, #sixteen>
    %x = tt.load %a : tensor<1024x!tt.ptr<f16>, #sixteen>
    tt.store %o, %x : tensor<1024x!tt.ptr<f16>, #sixteen>
    %c = ttg.convert_layout %x : tensor<1024xf16, #sixteen> -> tensor<1024xf16, #eight>
    tt.store %q, %c : tensor<1024x!tt.ptr<f16>, #eight>
    tt.return
  }
  // CHECK-LABEL: @written
  // CHECK: tt.load
  // CHECK-NOT: tt.load
  // CHECK: ttg.convert_layout %{{.*}} : tensor<1024xf16
  // CHECK-NOT: tt.load
  // CHECK: tt.return
  tt.func public @written(%p: !tt.ptr<f16>, %o: tensor<1024x!tt.ptr<f16>, #sixteen>) {
    %base = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #sixteen>
    %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #sixteen>
    %a = tt.addptr %base, %i : tensor<1024x!tt.ptr<f16>, #sixteen>, tensor<1024xi32, #sixteen>
    %x = tt.load %a : tensor<1024x!tt.ptr<f16>, #sixteen>
    tt.store %o, %x : tensor<1024x!tt.ptr<f16>, #sixteen>
    %c = ttg.convert_layout %x : tensor<1024xf16, #sixteen> -> tensor<1024xf16, #eight>
    %base8 = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #eight>
    %j = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #eight>
    %b = tt.addptr %base8, %j : tensor<1024x!tt.ptr<f16>, #eight>, tensor<1024xi32, #eight>
    tt.store %b, %c : tensor<1024x!tt.ptr<f16>, #eight>
    tt.return
  }
}

// -----

// A row that is loaded in one layout and added in another is converted before its broadcast to a matrix.
// CHECK-LABEL: @row
// Ops on the row stay before the conversion: after it, threads hold more (replicated) elements.
// CHECK: %[[X:.*]] = arith.mulf {{.*}} : tensor<1x256xf16, #[[FROM:.*]]>
// CHECK-NEXT: %[[Y:.*]] = ttg.convert_layout %[[X]] : tensor<1x256xf16, #[[FROM]]> -> tensor<1x256xf16, #mma>
// CHECK-NEXT: tt.broadcast %[[Y]]
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
#line = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @row(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %d: tensor<32x256xf16, #mma>) -> tensor<32x256xf16, #mma> {
    %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #line}>>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #line}>> -> tensor<1x256xi32, #line>
    %s = tt.splat %p : !tt.ptr<f16> -> tensor<1x256x!tt.ptr<f16>, #line>
    %q = tt.addptr %s, %e : tensor<1x256x!tt.ptr<f16>, #line>, tensor<1x256xi32, #line>
    %x = tt.load %q : tensor<1x256x!tt.ptr<f16>, #line>
    %h = arith.constant dense<5.000000e-01> : tensor<1x256xf16, #line>
    %y = arith.mulf %x, %h : tensor<1x256xf16, #line>
    %b = tt.broadcast %y : tensor<1x256xf16, #line> -> tensor<32x256xf16, #line>
    %c = ttg.convert_layout %b : tensor<32x256xf16, #line> -> tensor<32x256xf16, #mma>
    %z = arith.addf %c, %d : tensor<32x256xf16, #mma>
    tt.return %z : tensor<32x256xf16, #mma>
  }
}

// -----

// A reduction of values that any thread can compute uses the layout required of its result.
// CHECK-LABEL: @lefts
// CHECK: "tt.reduce"
// CHECK: (tensor<32x2x4xi32, #[[NEAR:.*]]>) -> tensor<32x4xi32, #ttg.slice<{dim = 1, parent = #[[NEAR]]}>>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
#near = #ttg.blocked<{sizePerThread = [1, 2, 1], threadsPerWarp = [8, 1, 4], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#far = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [8, 1, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @lefts(%p: tensor<32x4x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #near}>>) {
    %v = tt.load %p {isVolatile = true} : tensor<32x4x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #near}>>
    %r = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32, #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 2, parent = #far}>}>>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<2xi32, #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 2, parent = #far}>}>> -> tensor<1x2xi32, #ttg.slice<{dim = 2, parent = #far}>>
    %f = tt.expand_dims %e {axis = 2 : i32} : tensor<1x2xi32, #ttg.slice<{dim = 2, parent = #far}>> -> tensor<1x2x1xi32, #far>
    %three = arith.constant dense<3> : tensor<1x2x1xi32, #far>
    %m = arith.muli %f, %three : tensor<1x2x1xi32, #far>
    %b = tt.broadcast %m : tensor<1x2x1xi32, #far> -> tensor<32x2x4xi32, #far>
    %l = "tt.reduce"(%b) <{axis = 1 : i32}> ({
    ^bb0(%x: i32, %y: i32):
      %s = arith.addi %x, %y : i32
      tt.reduce.return %s : i32
    }) : (tensor<32x2x4xi32, #far>) -> tensor<32x4xi32, #ttg.slice<{dim = 1, parent = #far}>>
    %c = ttg.convert_layout %l : tensor<32x4xi32, #ttg.slice<{dim = 1, parent = #far}>> -> tensor<32x4xi32, #ttg.slice<{dim = 1, parent = #near}>>
    %a = arith.addi %c, %v : tensor<32x4xi32, #ttg.slice<{dim = 1, parent = #near}>>
    tt.store %p, %a : tensor<32x4x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #near}>>
    tt.return
  }
}

// -----

// A value is converted before its extension.
// CHECK-LABEL: @indices
// CHECK: ttg.convert_layout {{.*}} -> tensor<1024xi32,
// CHECK: arith.extsi
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
#four = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#two = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @indices(%p: tensor<1024x!tt.ptr<i32>, #four>) -> tensor<1024xi64, #two> {
    %v = tt.load %p {isVolatile = true} : tensor<1024x!tt.ptr<i32>, #four>
    tt.store %p, %v : tensor<1024x!tt.ptr<i32>, #four>
    %w = arith.extsi %v : tensor<1024xi32, #four> to tensor<1024xi64, #four>
    %c = ttg.convert_layout %w : tensor<1024xi64, #four> -> tensor<1024xi64, #two>
    tt.return %c : tensor<1024xi64, #two>
  }
}

// -----

// Every thread has the elements of both layouts: the conversion costs nothing, before and after the broadcast.
// CHECK-LABEL: @equal
#column = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#same = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @equal(%p: tensor<64x1x!tt.ptr<i32>, #column>) -> tensor<64x64xi32, #same> {
    %v = tt.load %p {isVolatile = true} : tensor<64x1x!tt.ptr<i32>, #column>
    %c = ttg.convert_layout %v : tensor<64x1xi32, #column> -> tensor<64x1xi32, #same>
    %b = tt.broadcast %c : tensor<64x1xi32, #same> -> tensor<64x64xi32, #same>
    tt.return %b : tensor<64x64xi32, #same>
  }
}

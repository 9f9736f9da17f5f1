// Ops that a backward slice includes; later slices reuse the results of remaining conversions.
// RUN: nereid-opt %s --tritongpu-remove-layout-conversions | FileCheck %s

#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [0, 1]}>
#ja = #ttg.blocked<{sizePerThread = [1, 4, 2], threadsPerWarp = [4, 8, 1], warpsPerCTA = [2, 1, 1], order = [2, 1, 0]}>
#jb = #ttg.blocked<{sizePerThread = [4, 1, 2], threadsPerWarp = [8, 4, 1], warpsPerCTA = [1, 2, 1], order = [2, 0, 1]}>
#fa = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#fb = #ttg.blocked<{sizePerThread = [4, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [0, 1]}>
#k = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [16, 2], warpsPerCTA = [2, 1], order = [1, 0]}>
#narrow = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [2, 1], order = [1, 0]}>
#groups = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 2, 1], order = [2, 1, 0]}>
#flat = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32]], block = []}>
#columns = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 2], order = [0, 1]}>
#short = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32]], block = []}>
#tall = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0]], block = []}>
#eight = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-warps" = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // A division may not be executed where it was not, but it may in another layout.
  // CHECK-LABEL: @division(
  // CHECK-NOT: ttg.convert_layout
  // CHECK: arith.divsi {{.*}} : tensor<64x32xi32, #[[B:blocked[0-9]*]]>
  // CHECK-NEXT: tt.return %{{.*}} : tensor<64x32xi32, #[[B]]>
  tt.func public @division(%n: i32) -> tensor<64x32xi32, #b> {
    %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>
    %j = tt.expand_dims %i {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x32xi32, #a>
    %k = tt.broadcast %j : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %m = tt.splat %n : i32 -> tensor<64x32xi32, #a>
    %d = arith.divsi %k, %m : tensor<64x32xi32, #a>
    %c = ttg.convert_layout %d : tensor<64x32xi32, #a> -> tensor<64x32xi32, #b>
    tt.return %c : tensor<64x32xi32, #b>
  }

  // The indices of a gather are computed in the result's layout; its source is unchanged.
  // CHECK-LABEL: @gather(
  // CHECK-NOT: ttg.convert_layout
  // CHECK: %[[I:.*]] = tt.make_range {{.*}} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #[[B:blocked[0-9]*]]}>>
  // CHECK: tt.gather %arg0[%{{.*}}] {axis = 0 : i32} : (tensor<64x32xf32, #{{.*}}>, tensor<1x32xi32, #[[B]]>) -> tensor<1x32xf32, #[[B]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @gather(%x: tensor<64x32xf32, #a>) -> tensor<1x32xf32, #b> {
    %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>
    %j = tt.expand_dims %i {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x32xi32, #a>
    %y = tt.gather %x[%j] {axis = 0 : i32} : (tensor<64x32xf32, #a>, tensor<1x32xi32, #a>) -> tensor<1x32xf32, #a>
    %z = ttg.convert_layout %y : tensor<1x32xf32, #a> -> tensor<1x32xf32, #b>
    tt.return %z : tensor<1x32xf32, #b>
  }

  // An efficient_layout gather is unchanged.
  // CHECK-LABEL: @gather_kept(
  // CHECK: %[[Y:.*]] = tt.gather {{.*}} efficient_layout
  // CHECK: ttg.convert_layout %[[Y]]
  tt.func public @gather_kept(%x: tensor<64x32xf32, #a>) -> tensor<1x32xf32, #b> {
    %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>
    %j = tt.expand_dims %i {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x32xi32, #a>
    %y = tt.gather %x[%j] {axis = 0 : i32, efficient_layout} : (tensor<64x32xf32, #a>, tensor<1x32xi32, #a>) -> tensor<1x32xf32, #a>
    %z = ttg.convert_layout %y : tensor<1x32xf32, #a> -> tensor<1x32xf32, #b>
    tt.return %z : tensor<1x32xf32, #b>
  }

  // The operands of a join are computed in the layout inferred from the requested result layout.
  // CHECK-LABEL: @join(
  // CHECK-NOT: ttg.convert_layout
  // CHECK: %[[J:.*]] = tt.join %arg0, %arg1 : tensor<64x32xf32, #{{.*}}> -> tensor<64x32x2xf32, #{{.*}}>
  // CHECK: tt.return %[[J]]
  tt.func public @join(%x: tensor<64x32xf32, #b>, %y: tensor<64x32xf32, #b>) -> tensor<64x32x2xf32, #jb> {
    %p = ttg.convert_layout %x : tensor<64x32xf32, #b> -> tensor<64x32xf32, #a>
    %q = ttg.convert_layout %y : tensor<64x32xf32, #b> -> tensor<64x32xf32, #a>
    %j = tt.join %p, %q : tensor<64x32xf32, #a> -> tensor<64x32x2xf32, #ja>
    %r = ttg.convert_layout %j : tensor<64x32x2xf32, #ja> -> tensor<64x32x2xf32, #jb>
    tt.return %r : tensor<64x32x2xf32, #jb>
  }

  // Packed fp4 has an eighth of the bytes of the unpacked tensor, so it is converted first.
  // CHECK-LABEL: @unpack(
  // CHECK: %[[P:.*]] = ttg.convert_layout %arg0 : tensor<64x32xi8,
  // CHECK: %[[U:.*]] = ttg.fp4_to_fp %[[P]]
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return %[[U]]
  tt.func public @unpack(%x: tensor<64x32xi8, #a>) -> tensor<64x64xf16, #fb> {
    %u = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<64x32xi8, #a> -> tensor<64x64xf16, #fa>
    %z = ttg.convert_layout %u : tensor<64x64xf16, #fa> -> tensor<64x64xf16, #fb>
    tt.return %z : tensor<64x64xf16, #fb>
  }

  // Packed fp4 is unpacked in the layout of its load, and scaled there: neither form is converted before the dot.
  // CHECK-LABEL: @unpack_scaled(
  // CHECK: %[[P:.*]] = tt.load
  // CHECK-NOT: ttg.convert_layout {{.*}}tensor<64x32xi8
  // CHECK: %[[U:.*]] = ttg.fp4_to_fp %[[P]]
  // CHECK-NOT: ttg.convert_layout {{.*}}tensor<64x64xf16
  // CHECK: %[[Y:.*]] = arith.mulf %[[U]]
  // CHECK: %[[A:.*]] = ttg.convert_layout %[[Y]]
  // CHECK: tt.dot %[[A]]
  tt.func public @unpack_scaled(%p: tensor<64x32x!tt.ptr<i8>, #k>, %f: tensor<64x2xf16, #ttg.slice<{dim = 2, parent = #groups}>>, %w: tensor<64x16xf16, #ttg.dot_op<{opIdx = 1, parent = #b}>>, %z: tensor<64x16xf32, #b>) -> tensor<64x16xf32, #b> {
    %x = tt.load %p {isVolatile = true} : tensor<64x32x!tt.ptr<i8>, #k>
    %c = ttg.convert_layout %x : tensor<64x32xi8, #k> -> tensor<64x32xi8, #narrow>
    %u = ttg.fp4_to_fp %c {axis = 1 : i32} : tensor<64x32xi8, #narrow> -> tensor<64x64xf16, #wide>
    %e = tt.expand_dims %f {axis = 2 : i32} : tensor<64x2xf16, #ttg.slice<{dim = 2, parent = #groups}>> -> tensor<64x2x1xf16, #groups>
    %b = tt.broadcast %e : tensor<64x2x1xf16, #groups> -> tensor<64x2x32xf16, #groups>
    %r = tt.reshape %b : tensor<64x2x32xf16, #groups> -> tensor<64x64xf16, #flat>
    %s = ttg.convert_layout %r : tensor<64x64xf16, #flat> -> tensor<64x64xf16, #wide>
    %y = arith.mulf %u, %s : tensor<64x64xf16, #wide>
    %a = ttg.convert_layout %y : tensor<64x64xf16, #wide> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #b}>>
    %d = tt.dot %a, %w, %z : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #b}>> * tensor<64x16xf16, #ttg.dot_op<{opIdx = 1, parent = #b}>> -> tensor<64x16xf32, #b>
    tt.return %d : tensor<64x16xf32, #b>
  }

  // Scales of a right operand are broadcast, reshaped and transposed; they are computed in the layout of its load.
  // CHECK-LABEL: @scaled_columns(
  // CHECK: %[[P:.*]] = tt.load
  // CHECK-NOT: ttg.convert_layout {{.*}}tensor<64x16xf8E5M2
  // CHECK-NOT: ttg.convert_layout {{.*}}tensor<64x16xf16
  // CHECK: %[[Y:.*]] = arith.mulf
  // CHECK: %[[B:.*]] = ttg.convert_layout %[[Y]]
  // CHECK: tt.dot %{{.*}}, %[[B]]
  tt.func public @scaled_columns(%p: tensor<64x16x!tt.ptr<f8E5M2>, #columns>, %f: tensor<16x2xf16, #ttg.slice<{dim = 2, parent = #groups}>>, %a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #b}>>, %z: tensor<64x16xf32, #b>) -> tensor<64x16xf32, #b> {
    %x = tt.load %p {isVolatile = true} : tensor<64x16x!tt.ptr<f8E5M2>, #columns>
    %c = ttg.convert_layout %x : tensor<64x16xf8E5M2, #columns> -> tensor<64x16xf8E5M2, #narrow>
    %u = tt.fp_to_fp %c : tensor<64x16xf8E5M2, #narrow> -> tensor<64x16xf16, #narrow>
    %e = tt.expand_dims %f {axis = 2 : i32} : tensor<16x2xf16, #ttg.slice<{dim = 2, parent = #groups}>> -> tensor<16x2x1xf16, #groups>
    %g = tt.broadcast %e : tensor<16x2x1xf16, #groups> -> tensor<16x2x32xf16, #groups>
    %r = tt.reshape %g : tensor<16x2x32xf16, #groups> -> tensor<16x64xf16, #short>
    %t = tt.trans %r {order = array<i32: 1, 0>} : tensor<16x64xf16, #short> -> tensor<64x16xf16, #tall>
    %s = ttg.convert_layout %t : tensor<64x16xf16, #tall> -> tensor<64x16xf16, #narrow>
    %y = arith.mulf %u, %s : tensor<64x16xf16, #narrow>
    %w = ttg.convert_layout %y : tensor<64x16xf16, #narrow> -> tensor<64x16xf16, #ttg.dot_op<{opIdx = 1, parent = #b}>>
    %d = tt.dot %a, %w, %z : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #b}>> * tensor<64x16xf16, #ttg.dot_op<{opIdx = 1, parent = #b}>> -> tensor<64x16xf32, #b>
    tt.return %d : tensor<64x16xf32, #b>
  }

  // A load of single elements stays: where each thread has eight of a row, a warp would load from eight times as many sectors.
  // CHECK-LABEL: @unaligned(
  // CHECK: %[[X:.*]] = tt.load %{{.*}} : tensor<32x64x!tt.ptr<i16>, #[[ONE:.*]]>
  // CHECK: ttg.convert_layout %[[X]] : tensor<32x64xi16, #[[ONE]]>
  tt.func public @unaligned(%p: tensor<32x64x!tt.ptr<i16>, #narrow>) -> tensor<32x64xi16, #eight> {
    %x = tt.load %p : tensor<32x64x!tt.ptr<i16>, #narrow>
    %y = ttg.convert_layout %x : tensor<32x64xi16, #narrow> -> tensor<32x64xi16, #eight>
    tt.return %y : tensor<32x64xi16, #eight>
  }

  // A load from shared memory uses the requested layout, through a transposition.
  // CHECK-LABEL: @read(
  // CHECK: ttg.local_load
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @read(%m: !ttg.memdesc<64x32xf32, #s, #smem, mutable>) -> tensor<32x64xf32, #a> {
    %x = ttg.local_load %m : !ttg.memdesc<64x32xf32, #s, #smem, mutable> -> tensor<64x32xf32, #a>
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf32, #a> -> tensor<32x64xf32, #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [0, 1]}>>
    %z = ttg.convert_layout %t : tensor<32x64xf32, #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [0, 1]}>> -> tensor<32x64xf32, #a>
    tt.return %z : tensor<32x64xf32, #a>
  }

  // The first conversion stays, and moves to dominate both uses; the second is replaced by a join in its layout.
  // CHECK-LABEL: @reused(
  // CHECK: %[[T:.*]] = tt.load
  // CHECK: %[[C:.*]] = ttg.convert_layout %[[T]]
  // CHECK-NOT: ttg.convert_layout
  // CHECK: %[[J:.*]] = tt.join %[[C]], %[[C]]
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return %[[C]], %[[J]]
  tt.func public @reused(%p: tensor<64x32x!tt.ptr<f32>, #a>) -> (tensor<64x32xf32, #b>, tensor<64x32x2xf32, #jb>) {
    %x = tt.load %p {isVolatile = true} : tensor<64x32x!tt.ptr<f32>, #a>
    %m = tt.join %x, %x : tensor<64x32xf32, #a> -> tensor<64x32x2xf32, #ja>
    %y = ttg.convert_layout %x : tensor<64x32xf32, #a> -> tensor<64x32xf32, #b>
    %z = ttg.convert_layout %m : tensor<64x32x2xf32, #ja> -> tensor<64x32x2xf32, #jb>
    tt.return %y, %z : tensor<64x32xf32, #b>, tensor<64x32x2xf32, #jb>
  }

  // A conditional conversion is not moved out of its branch.
  // CHECK-LABEL: @conditional(
  // CHECK: %[[T:.*]] = tt.load
  // CHECK: %[[C:.*]] = ttg.convert_layout %[[T]]
  // CHECK: tt.join %[[C]], %[[C]]
  // CHECK: scf.if
  // CHECK: ttg.convert_layout %[[T]]
  // CHECK: tt.store
  tt.func public @conditional(%c: i1, %q: tensor<64x32x!tt.ptr<f32>, #b>, %p: tensor<64x32x!tt.ptr<f32>, #a>) -> tensor<64x32x2xf32, #jb> {
    %x = tt.load %p {isVolatile = true} : tensor<64x32x!tt.ptr<f32>, #a>
    %m = tt.join %x, %x : tensor<64x32xf32, #a> -> tensor<64x32x2xf32, #ja>
    scf.if %c {
      %y = ttg.convert_layout %x : tensor<64x32xf32, #a> -> tensor<64x32xf32, #b>
      tt.store %q, %y : tensor<64x32x!tt.ptr<f32>, #b>
    }
    %z = ttg.convert_layout %m : tensor<64x32x2xf32, #ja> -> tensor<64x32x2xf32, #jb>
    tt.return %z : tensor<64x32x2xf32, #jb>
  }

  // A sum along rows is computed in the layout in which it is stored, where a thread has adjacent elements of a row. The value that
  // is stored besides is converted once.
  // CHECK-LABEL: @scan(
  // CHECK: ttg.convert_layout {{.*}} -> tensor<64x64xf32, #[[ROWS:blocked[0-9]*]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.scan
  // CHECK: (tensor<64x64xf32, #[[ROWS]]>) -> tensor<64x64xf32, #[[ROWS]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @scan(%x: tensor<64x64xf32, #b>, %p: tensor<64x64x!tt.ptr<f32>, #a>) {
    %y = math.exp %x : tensor<64x64xf32, #b>
    %c = ttg.convert_layout %y : tensor<64x64xf32, #b> -> tensor<64x64xf32, #a>
    tt.store %p, %c : tensor<64x64x!tt.ptr<f32>, #a>
    %r = "tt.scan"(%y) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%u: f32, %w: f32):
      %z = arith.addf %u, %w : f32
      tt.scan.return %z : f32
    }) : (tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b>
    %d = ttg.convert_layout %r : tensor<64x64xf32, #b> -> tensor<64x64xf32, #a>
    tt.store %p, %d : tensor<64x64x!tt.ptr<f32>, #a>
    tt.return
  }

  // Not where it exchanges more: columns, of which a thread has adjacent elements in the present layout.
  // CHECK-LABEL: @scan_of_columns(
  // CHECK: tt.scan
  // CHECK: (tensor<64x64xf32, #[[COLUMNS:blocked[0-9]*]]>) -> tensor<64x64xf32, #[[COLUMNS]]>
  // CHECK: ttg.convert_layout {{.*}} tensor<64x64xf32, #[[COLUMNS]]>
  tt.func public @scan_of_columns(%x: tensor<64x64xf32, #b>, %p: tensor<64x64x!tt.ptr<f32>, #a>) {
    %y = math.exp %x : tensor<64x64xf32, #b>
    %c = ttg.convert_layout %y : tensor<64x64xf32, #b> -> tensor<64x64xf32, #a>
    tt.store %p, %c : tensor<64x64x!tt.ptr<f32>, #a>
    %r = "tt.scan"(%y) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%u: f32, %w: f32):
      %z = arith.addf %u, %w : f32
      tt.scan.return %z : f32
    }) : (tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b>
    %d = ttg.convert_layout %r : tensor<64x64xf32, #b> -> tensor<64x64xf32, #a>
    tt.store %p, %d : tensor<64x64x!tt.ptr<f32>, #a>
    tt.return
  }

  // Not where the result is also used in the present layout: it would be computed twice.
  // CHECK-LABEL: @scan_twice(
  // CHECK: "tt.scan"(
  // CHECK-NOT: "tt.scan"(
  // CHECK: tt.return
  tt.func public @scan_twice(%x: tensor<64x64xf32, #b>, %p: tensor<64x64x!tt.ptr<f32>, #a>, %q: tensor<64x64x!tt.ptr<f32>, #b>) {
    %y = math.exp %x : tensor<64x64xf32, #b>
    %c = ttg.convert_layout %y : tensor<64x64xf32, #b> -> tensor<64x64xf32, #a>
    tt.store %p, %c : tensor<64x64x!tt.ptr<f32>, #a>
    %r = "tt.scan"(%y) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%u: f32, %w: f32):
      %z = arith.addf %u, %w : f32
      tt.scan.return %z : f32
    }) : (tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b>
    %d = ttg.convert_layout %r : tensor<64x64xf32, #b> -> tensor<64x64xf32, #a>
    tt.store %p, %d : tensor<64x64x!tt.ptr<f32>, #a>
    tt.store %q, %r : tensor<64x64x!tt.ptr<f32>, #b>
    tt.return
  }
}

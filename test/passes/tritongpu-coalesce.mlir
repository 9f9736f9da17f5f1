// RUN: nereid-opt %s --tritongpu-coalesce --split-input-file | FileCheck %s

// Contiguous pointers aligned to 16 bytes: four floats per thread, for the load and for the store.
// CHECK: #[[WIDE:.+]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @aligned
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @aligned(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %a = tt.splat %in : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %p = tt.addptr %a, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    // CHECK: %[[P:.+]] = ttg.convert_layout %{{.*}} -> tensor<1024x!tt.ptr<f32>, #[[WIDE]]>
    // CHECK: %[[X:.+]] = tt.load %[[P]] : tensor<1024x!tt.ptr<f32>, #[[WIDE]]>
    // CHECK: ttg.convert_layout %[[X]] : tensor<1024xf32, #[[WIDE]]> -> tensor<1024xf32, #{{.+}}>
    %x = tt.load %p : tensor<1024x!tt.ptr<f32>, #blocked>
    %b = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %q = tt.addptr %b, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    // CHECK: tt.store %{{.*}}, %{{.*}} : tensor<1024x!tt.ptr<f32>, #[[WIDE]]>
    tt.store %q, %x : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

// A load gets the elements per thread of the widest connected access; a store at most one vector store's.
// CHECK-DAG: #[[EIGHT:.+]] = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[FOUR:.+]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @connected
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @connected(%half: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %full: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %a = tt.splat %half : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #blocked>
    %p = tt.addptr %a, %r : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xi32, #blocked>
    %b = tt.splat %full : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %q = tt.addptr %b, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<1024x!tt.ptr<f16>, #[[EIGHT]]>
    %x = tt.load %p : tensor<1024x!tt.ptr<f16>, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<1024x!tt.ptr<f32>, #[[EIGHT]]>
    %y = tt.load %q : tensor<1024x!tt.ptr<f32>, #blocked>
    %z = arith.extf %x : tensor<1024xf16, #blocked> to tensor<1024xf32, #blocked>
    %s = arith.addf %y, %z : tensor<1024xf32, #blocked>
    // CHECK: tt.store %{{.*}}, %{{.*}} : tensor<1024x!tt.ptr<f32>, #[[FOUR]]>
    tt.store %q, %s : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

// Contiguous along dimension 0: the order is reversed, lanes follow the column. Unaligned: one element per access.
// CHECK: #[[COLUMN:.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [2, 2], order = [0, 1]}>
// CHECK-LABEL: @columns
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @columns(%in: !tt.ptr<f32>, %ld: i32) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %cols = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x32xi32, #blocked>
    %l = tt.splat %ld : i32 -> tensor<1x32xi32, #blocked>
    %s = arith.muli %cols, %l : tensor<1x32xi32, #blocked>
    %a = tt.broadcast %rows : tensor<64x1xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %b = tt.broadcast %s : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %o = arith.addi %a, %b : tensor<64x32xi32, #blocked>
    %p = tt.splat %in : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>, #blocked>
    %q = tt.addptr %p, %o : tensor<64x32x!tt.ptr<f32>, #blocked>, tensor<64x32xi32, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<64x32x!tt.ptr<f32>, #[[COLUMN]]>
    %x = tt.load %q : tensor<64x32x!tt.ptr<f32>, #blocked>
    // CHECK: tt.atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %{{.*}} : (tensor<64x32x!tt.ptr<f32>, #[[COLUMN]]>, tensor<64x32xf32, #[[COLUMN]]>)
    %y = tt.atomic_rmw fadd, acq_rel, gpu, %q, %x : (tensor<64x32x!tt.ptr<f32>, #blocked>, tensor<64x32xf32, #blocked>) -> tensor<64x32xf32, #blocked>
    tt.return
  }
}

// -----

// Two CTAs split the rows: the encoding keeps its CTA layout, and the computation uses the shape per CTA.
// CHECK: #[[HALF:.+]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0], {{.*}}}>
// CHECK-LABEL: @cluster
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0], CTAsPerCGA = [2, 1], CTASplitNum = [2, 1], CTAOrder = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @cluster(%p: tensor<16x64x!tt.ptr<f32>, #blocked> {tt.divisibility = dense<[4, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}) {
    // CHECK: tt.load %{{.*}} : tensor<16x64x!tt.ptr<f32>, #[[HALF]]>
    %x = tt.load %p : tensor<16x64x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

// Blocks of descriptor accesses: 16 bytes per thread along the last dimension, independent of axis info.
// CHECK: #[[BLOCK:.+]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: @descriptors
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @descriptors(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32) {
    // CHECK: %[[X:.+]] = tt.descriptor_load %{{.*}} -> tensor<64x64xf16, #[[BLOCK]]>
    // CHECK: ttg.convert_layout %[[X]]
    %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
    // CHECK: tt.descriptor_store %{{.*}} tensor<64x64xf16, #[[BLOCK]]>
    tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

// Dimensions of size 1 come last, so that accesses to one line share an encoding independent of their axis info.
// CHECK: #[[LINE:.+]] = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
// CHECK-LABEL: @line
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @line(%p: tensor<1024x1x!tt.ptr<f32>, #blocked> {tt.divisibility = dense<[16, 4]> : tensor<2xi32>, tt.contiguity = dense<[1024, 1]> : tensor<2xi32>}, %o: tensor<1024x1xi32, #blocked>) {
    %q = tt.addptr %p, %o : tensor<1024x1x!tt.ptr<f32>, #blocked>, tensor<1024x1xi32, #blocked>
    %z = arith.constant dense<0> : tensor<1024x1xi32, #blocked>
    %r = tt.addptr %p, %z : tensor<1024x1x!tt.ptr<f32>, #blocked>, tensor<1024x1xi32, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<1024x1x!tt.ptr<f32>, #[[LINE]]>
    // CHECK: tt.load %{{.*}} : tensor<1024x1x!tt.ptr<f32>, #[[LINE]]>
    %x = tt.load %q : tensor<1024x1x!tt.ptr<f32>, #blocked>
    %y = tt.load %r : tensor<1024x1x!tt.ptr<f32>, #blocked>
    %s = arith.addf %x, %y : tensor<1024x1xf32, #blocked>
    tt.return
  }
}

// -----

// No dimension is contiguous: the one with the smaller stride, 2 against 64 elements, is the fastest. With constant or
// unknown strides, the last dimension is the fastest.
// CHECK: #[[LAST:.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
// CHECK: #[[STEPS:.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-LABEL: @steps
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @steps(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %pointers = tt.splat %p : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>, #blocked>
    %c2 = arith.constant dense<2> : tensor<32x1xi32, #blocked>
    %c32 = arith.constant dense<32> : tensor<32x1xi32, #blocked>
    %c16 = arith.constant dense<16> : tensor<1x64xi32, #blocked>
    %c64 = arith.constant dense<64> : tensor<1x64xi32, #blocked>
    %c4096 = arith.constant dense<4096> : tensor<1x64xi32, #blocked>
    %i0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %j1 = tt.expand_dims %j0 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %i2 = arith.remsi %i1, %c32 : tensor<32x1xi32, #blocked>
    %i3 = arith.muli %i2, %c2 : tensor<32x1xi32, #blocked>
    %j2 = arith.remsi %j1, %c16 : tensor<1x64xi32, #blocked>
    %j3 = arith.muli %j2, %c64 : tensor<1x64xi32, #blocked>
    %j4 = arith.divsi %j1, %c16 : tensor<1x64xi32, #blocked>
    %j5 = arith.muli %j4, %c4096 : tensor<1x64xi32, #blocked>
    %j6 = arith.addi %j3, %j5 : tensor<1x64xi32, #blocked>
    %i = tt.broadcast %i3 : tensor<32x1xi32, #blocked> -> tensor<32x64xi32, #blocked>
    %j = tt.broadcast %j6 : tensor<1x64xi32, #blocked> -> tensor<32x64xi32, #blocked>
    %ij = arith.addi %i, %j : tensor<32x64xi32, #blocked>
    %a = tt.addptr %pointers, %ij : tensor<32x64x!tt.ptr<f32>, #blocked>, tensor<32x64xi32, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<32x64x!tt.ptr<f32>, #[[STEPS]]>
    %x = tt.load %a : tensor<32x64x!tt.ptr<f32>, #blocked>
    %b = tt.addptr %pointers, %i : tensor<32x64x!tt.ptr<f32>, #blocked>, tensor<32x64xi32, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<32x64x!tt.ptr<f32>, #[[LAST]]>
    %y = tt.load %b : tensor<32x64x!tt.ptr<f32>, #blocked>
    %n0 = tt.splat %n : i32 -> tensor<32x64xi32, #blocked>
    %nij = arith.muli %ij, %n0 : tensor<32x64xi32, #blocked>
    %c = tt.addptr %pointers, %nij : tensor<32x64x!tt.ptr<f32>, #blocked>, tensor<32x64xi32, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<32x64x!tt.ptr<f32>, #[[LAST]]>
    %z = tt.load %c : tensor<32x64x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

// Positions of an image whose width is an argument: adjacent rows of the tensor are mostly adjacent in memory, adjacent
// columns are a plane apart.
// CHECK: #[[PIXELS:.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
// CHECK-LABEL: @image
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @image(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %width: i32, %pitch: i32, %plane: i32) {
    %i0 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<256xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<256x1xi32, #blocked>
    %j1 = tt.expand_dims %j0 {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x16xi32, #blocked>
    %widths = tt.splat %width : i32 -> tensor<256x1xi32, #blocked>
    %pitches = tt.splat %pitch : i32 -> tensor<256x1xi32, #blocked>
    %planes = tt.splat %plane : i32 -> tensor<1x16xi32, #blocked>
    %line = arith.divsi %i1, %widths : tensor<256x1xi32, #blocked>
    %place = arith.remsi %i1, %widths : tensor<256x1xi32, #blocked>
    %start = arith.muli %line, %pitches : tensor<256x1xi32, #blocked>
    %pixel = arith.addi %start, %place : tensor<256x1xi32, #blocked>
    %channel = arith.muli %j1, %planes : tensor<1x16xi32, #blocked>
    %pixels = tt.broadcast %pixel : tensor<256x1xi32, #blocked> -> tensor<256x16xi32, #blocked>
    %channels = tt.broadcast %channel : tensor<1x16xi32, #blocked> -> tensor<256x16xi32, #blocked>
    %both = arith.addi %pixels, %channels : tensor<256x16xi32, #blocked>
    %pointers = tt.splat %p : !tt.ptr<f32> -> tensor<256x16x!tt.ptr<f32>, #blocked>
    %a = tt.addptr %pointers, %both : tensor<256x16x!tt.ptr<f32>, #blocked>, tensor<256x16xi32, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<256x16x!tt.ptr<f32>, #[[PIXELS]]>
    %x = tt.load %a : tensor<256x16x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

// One of three accesses is narrow, by an odd offset: 8 bytes per thread instead of 16. A row index with equal neighbours
// is not narrow.
// CHECK: #[[FOUR:.+]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @odd_offset
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @odd_offset(%in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %one = arith.constant dense<1> : tensor<1024xi32, #blocked>
    %width = arith.constant dense<64> : tensor<1024xi32, #blocked>
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %s = arith.addi %r, %one : tensor<1024xi32, #blocked>
    %row = arith.divsi %r, %width : tensor<1024xi32, #blocked>
    %a = tt.splat %in : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #blocked>
    %b = tt.splat %rows : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #blocked>
    %p = tt.addptr %a, %r : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xi32, #blocked>
    %q = tt.addptr %a, %s : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xi32, #blocked>
    %t = tt.addptr %b, %row : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xi32, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<1024x!tt.ptr<f16>, #[[FOUR]]>
    %x = tt.load %q : tensor<1024x!tt.ptr<f16>, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<1024x!tt.ptr<f16>, #[[FOUR]]>
    %y = tt.load %t : tensor<1024x!tt.ptr<f16>, #blocked>
    %z = arith.addf %x, %y : tensor<1024xf16, #blocked>
    // CHECK: tt.store %{{.*}} : tensor<1024x!tt.ptr<f16>, #[[FOUR]]>
    tt.store %p, %z : tensor<1024x!tt.ptr<f16>, #blocked>
    tt.return
  }
}

// -----

// The sum of neighbours: two of three accesses are narrow. Two elements of f16, or 4 bytes.
// CHECK: #[[TWO:.+]] = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @pairs_of_halves
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @pairs_of_halves(%in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %one = arith.constant dense<1> : tensor<1024xi32, #blocked>
    %two = arith.constant dense<2> : tensor<1024xi32, #blocked>
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %even = arith.muli %r, %two : tensor<1024xi32, #blocked>
    %odd = arith.addi %even, %one : tensor<1024xi32, #blocked>
    %a = tt.splat %in : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #blocked>
    %b = tt.splat %out : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #blocked>
    %p = tt.addptr %a, %even : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xi32, #blocked>
    %q = tt.addptr %a, %odd : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xi32, #blocked>
    %t = tt.addptr %b, %r : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xi32, #blocked>
    // CHECK-COUNT-2: tt.load %{{.*}} : tensor<1024x!tt.ptr<f16>, #[[TWO]]>
    %x = tt.load %p : tensor<1024x!tt.ptr<f16>, #blocked>
    %y = tt.load %q : tensor<1024x!tt.ptr<f16>, #blocked>
    %z = arith.addf %x, %y : tensor<1024xf16, #blocked>
    // CHECK: tt.store %{{.*}} : tensor<1024x!tt.ptr<f16>, #[[TWO]]>
    tt.store %t, %z : tensor<1024x!tt.ptr<f16>, #blocked>
    tt.return
  }
}

// -----

// The same in f32: two elements are 8 bytes.
// CHECK: #[[TWO:.+]] = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @pairs_of_floats
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @pairs_of_floats(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %one = arith.constant dense<1> : tensor<1024xi32, #blocked>
    %two = arith.constant dense<2> : tensor<1024xi32, #blocked>
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %even = arith.muli %r, %two : tensor<1024xi32, #blocked>
    %odd = arith.addi %even, %one : tensor<1024xi32, #blocked>
    %a = tt.splat %in : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %b = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %p = tt.addptr %a, %even : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    %q = tt.addptr %a, %odd : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    %t = tt.addptr %b, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    // CHECK-COUNT-2: tt.load %{{.*}} : tensor<1024x!tt.ptr<f32>, #[[TWO]]>
    %x = tt.load %p : tensor<1024x!tt.ptr<f32>, #blocked>
    %y = tt.load %q : tensor<1024x!tt.ptr<f32>, #blocked>
    %z = arith.addf %x, %y : tensor<1024xf32, #blocked>
    // CHECK: tt.store %{{.*}} : tensor<1024x!tt.ptr<f32>, #[[TWO]]>
    tt.store %t, %z : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

// A narrow operand of a dot does not bound the other one, which becomes a copy of 16 bytes.
// CHECK: #[[EIGHT:.+]] = #ttg.blocked<{sizePerThread = [1, 8],
// CHECK-LABEL: @operands
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #blocked}>
#column = #ttg.slice<{dim = 1, parent = #blocked}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @operands(%in: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x64xf32, #blocked> {
    %width = arith.constant dense<64> : tensor<64x1xi32, #blocked>
    %one = arith.constant dense<1> : tensor<64x64xi32, #blocked>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #blocked>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #column>
    %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #row>
    %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #blocked>
    %columns = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #blocked>
    %starts = arith.muli %rows, %width : tensor<64x1xi32, #blocked>
    %i = tt.broadcast %starts : tensor<64x1xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %j = tt.broadcast %columns : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %even = arith.addi %i, %j : tensor<64x64xi32, #blocked>
    %odd = arith.addi %even, %one : tensor<64x64xi32, #blocked>
    %a = tt.splat %in : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %p = tt.addptr %a, %even : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    %q = tt.addptr %a, %odd : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f16>, #[[EIGHT]]>
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
    %y = tt.load %q : tensor<64x64x!tt.ptr<f16>, #blocked>
    %u = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>
    %v = ttg.convert_layout %y : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>
    %d = tt.dot %u, %v, %zero : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

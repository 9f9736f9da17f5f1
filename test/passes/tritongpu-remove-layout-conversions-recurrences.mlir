// The matrix of a recurrence keeps the layout in which warps reduce it, and is converted before and after the loop, where its initial
// value is loaded and its final one stored. In another layout it is carried as it is loaded and stored.
// RUN: nereid-opt %s --tritongpu-remove-layout-conversions | FileCheck %s

// CHECK-DAG: #[[M:.*]] = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-DAG: #[[MEMORY:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#m = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#across = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#memory = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#each = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#linear = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @within_warps
  // CHECK: ttg.convert_layout %{{.*}} : tensor<64x32xf32, #[[MEMORY]]> -> tensor<64x32xf32, #[[M]]>
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[M]]>)
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield
  // CHECK: ttg.convert_layout %{{.*}} : tensor<64x32xf32, #[[M]]> -> tensor<64x32xf32, #[[MEMORY]]>
  tt.func public @within_warps(%p: tensor<64x32x!tt.ptr<f32>, #memory>, %q: tensor<64x32x!tt.ptr<f32>, #memory>, %scale: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<64x32x!tt.ptr<f32>, #memory>
    %initial = ttg.convert_layout %x : tensor<64x32xf32, #memory> -> tensor<64x32xf32, #m>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #m}>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %initial) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %scale : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %scaled = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %sum = "tt.reduce"(%scaled) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #m}>>
      tt.store %os, %sum : tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #m}>>
      %old = tt.expand_dims %sum {axis = 0 : i32} : tensor<32xf32, #ttg.slice<{dim = 0, parent = #m}>> -> tensor<1x32xf32, #m>
      %olds = tt.broadcast %old : tensor<1x32xf32, #m> -> tensor<64x32xf32, #m>
      %next = arith.subf %scaled, %olds : tensor<64x32xf32, #m>
      scf.yield %next : tensor<64x32xf32, #m>
    }
    %y = ttg.convert_layout %r : tensor<64x32xf32, #m> -> tensor<64x32xf32, #memory>
    tt.store %q, %y : tensor<64x32x!tt.ptr<f32>, #memory>
    tt.return
  }

  // A second layout of the matrix would repeat its update.
  // CHECK-LABEL: @decay_only
  // CHECK: ttg.convert_layout %{{.*}} : tensor<64x32xf32, #[[MEMORY]]> -> tensor<64x32xf32, #[[M]]>
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[M]]>)
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield
  // CHECK: ttg.convert_layout %{{.*}} : tensor<64x32xf32, #[[M]]> -> tensor<64x32xf32, #[[MEMORY]]>
  tt.func public @decay_only(%p: tensor<64x32x!tt.ptr<f32>, #memory>, %q: tensor<64x32x!tt.ptr<f32>, #memory>, %scale: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<64x32x!tt.ptr<f32>, #memory>
    %initial = ttg.convert_layout %x : tensor<64x32xf32, #memory> -> tensor<64x32xf32, #m>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #m}>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %initial) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %scale : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %next = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %sum = "tt.reduce"(%next) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #m}>>
      tt.store %os, %sum : tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #m}>>
      tt.store %os, %sum : tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #m}>>
      scf.yield %next : tensor<64x32xf32, #m>
    }
    %y = ttg.convert_layout %r : tensor<64x32xf32, #m> -> tensor<64x32xf32, #memory>
    tt.store %q, %y : tensor<64x32x!tt.ptr<f32>, #memory>
    tt.return
  }

  // Copies of a pipelined loop are its loads.
  // CHECK-LABEL: @copied
  // CHECK: ttg.convert_layout %{{.*}} : tensor<64x32xf32, #[[MEMORY]]> -> tensor<64x32xf32, #[[M]]>
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[M]]>)
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield
  // CHECK: ttg.convert_layout %{{.*}} : tensor<64x32xf32, #[[M]]> -> tensor<64x32xf32, #[[MEMORY]]>
  tt.func public @copied(%p: tensor<64x32x!tt.ptr<f32>, #memory>, %q: tensor<64x32x!tt.ptr<f32>, #memory>, %k: tensor<128x!tt.ptr<f32>, #each>, %slot: !ttg.memdesc<128xf32, #linear, #smem, mutable>, %g: f32, %o: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<64x32x!tt.ptr<f32>, #memory>
    %initial = ttg.convert_layout %x : tensor<64x32xf32, #memory> -> tensor<64x32xf32, #m>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #m}>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %initial) -> (tensor<64x32xf32, #m>) : i32 {
      %token = ttg.async_copy_global_to_local %k, %slot : tensor<128x!tt.ptr<f32>, #each> -> <128xf32, #linear, #smem, mutable>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %scaled = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %sum = "tt.reduce"(%scaled) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #m}>>
      tt.store %os, %sum : tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #m}>>
      %old = tt.expand_dims %sum {axis = 0 : i32} : tensor<32xf32, #ttg.slice<{dim = 0, parent = #m}>> -> tensor<1x32xf32, #m>
      %olds = tt.broadcast %old : tensor<1x32xf32, #m> -> tensor<64x32xf32, #m>
      %next = arith.subf %scaled, %olds : tensor<64x32xf32, #m>
      scf.yield %next : tensor<64x32xf32, #m>
    }
    %y = ttg.convert_layout %r : tensor<64x32xf32, #m> -> tensor<64x32xf32, #memory>
    tt.store %q, %y : tensor<64x32x!tt.ptr<f32>, #memory>
    tt.return
  }

  // CHECK-LABEL: @across_warps
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[MEMORY]]>)
  // CHECK: scf.yield
  tt.func public @across_warps(%p: tensor<64x32x!tt.ptr<f32>, #memory>, %q: tensor<64x32x!tt.ptr<f32>, #memory>, %scale: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<64x32x!tt.ptr<f32>, #memory>
    %initial = ttg.convert_layout %x : tensor<64x32xf32, #memory> -> tensor<64x32xf32, #across>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #across}>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %initial) -> (tensor<64x32xf32, #across>) : i32 {
      %g = tt.load %scale : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #across>
      %scaled = arith.mulf %h, %gs : tensor<64x32xf32, #across>
      %sum = "tt.reduce"(%scaled) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #across>) -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #across}>>
      tt.store %os, %sum : tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #across}>>
      %old = tt.expand_dims %sum {axis = 0 : i32} : tensor<32xf32, #ttg.slice<{dim = 0, parent = #across}>> -> tensor<1x32xf32, #across>
      %olds = tt.broadcast %old : tensor<1x32xf32, #across> -> tensor<64x32xf32, #across>
      %next = arith.subf %scaled, %olds : tensor<64x32xf32, #across>
      scf.yield %next : tensor<64x32xf32, #across>
    }
    %y = ttg.convert_layout %r : tensor<64x32xf32, #across> -> tensor<64x32xf32, #memory>
    tt.store %q, %y : tensor<64x32x!tt.ptr<f32>, #memory>
    tt.return
  }

  // CHECK-LABEL: @no_recurrence
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[MEMORY]]>)
  tt.func public @no_recurrence(%p: tensor<64x32x!tt.ptr<f32>, #memory>, %q: tensor<64x32x!tt.ptr<f32>, #memory>, %scale: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<64x32x!tt.ptr<f32>, #memory>
    %initial = ttg.convert_layout %x : tensor<64x32xf32, #memory> -> tensor<64x32xf32, #m>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #m}>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %initial) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %scale : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %scaled = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %sum = "tt.reduce"(%scaled) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #m}>>
      tt.store %os, %sum : tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #m}>>
      tt.store %q, %x : tensor<64x32x!tt.ptr<f32>, #memory>
      %old = tt.expand_dims %sum {axis = 0 : i32} : tensor<32xf32, #ttg.slice<{dim = 0, parent = #m}>> -> tensor<1x32xf32, #m>
      %olds = tt.broadcast %old : tensor<1x32xf32, #m> -> tensor<64x32xf32, #m>
      %next = arith.subf %scaled, %olds : tensor<64x32xf32, #m>
      scf.yield %next : tensor<64x32xf32, #m>
    }
    %y = ttg.convert_layout %r : tensor<64x32xf32, #m> -> tensor<64x32xf32, #memory>
    tt.store %q, %y : tensor<64x32x!tt.ptr<f32>, #memory>
    tt.return
  }

  // CHECK-LABEL: @two_dimensions
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[MEMORY]]>)
  tt.func public @two_dimensions(%p: tensor<64x32x!tt.ptr<f32>, #memory>, %q: tensor<64x32x!tt.ptr<f32>, #memory>, %scale: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<64x32x!tt.ptr<f32>, #memory>
    %initial = ttg.convert_layout %x : tensor<64x32xf32, #memory> -> tensor<64x32xf32, #m>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #m}>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %initial) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %scale : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %scaled = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %sum = "tt.reduce"(%scaled) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #m}>>
      tt.store %os, %sum : tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #m}>>
      %row_sum = "tt.reduce"(%scaled) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #m}>>
      %old = tt.expand_dims %sum {axis = 0 : i32} : tensor<32xf32, #ttg.slice<{dim = 0, parent = #m}>> -> tensor<1x32xf32, #m>
      %olds = tt.broadcast %old : tensor<1x32xf32, #m> -> tensor<64x32xf32, #m>
      %next = arith.subf %scaled, %olds : tensor<64x32xf32, #m>
      scf.yield %next : tensor<64x32xf32, #m>
    }
    %y = ttg.convert_layout %r : tensor<64x32xf32, #m> -> tensor<64x32xf32, #memory>
    tt.store %q, %y : tensor<64x32x!tt.ptr<f32>, #memory>
    tt.return
  }
}

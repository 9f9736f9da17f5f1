// Loops and branches carry values in a second layout instead of converting them in each iteration.
// RUN: nereid-opt %s --tritongpu-remove-layout-conversions | FileCheck %s

#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [0, 1]}>

module attributes {"ttg.num-warps" = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // The load needs the offsets in #a and the store the same offsets in #b: both are carried.
  // CHECK-LABEL: @two_layouts(
  // CHECK-NOT: ttg.convert_layout
  // CHECK: %[[F:.*]]:2 = scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}) -> (tensor<32x32xi32, #[[A:.*]]>, tensor<32x32xi32, #[[B:.*]]>)
  // CHECK: ttg.convert_layout {{.*}} : tensor<32x32xf32, #[[A]]> -> tensor<32x32xf32, #[[B]]>
  // CHECK: %[[M:.*]] = arith.addi %[[X]], %{{.*}} : tensor<32x32xi32, #[[A]]>
  // CHECK: %[[N:.*]] = arith.addi %[[Y]], %{{.*}} : tensor<32x32xi32, #[[B]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield %[[M]], %[[N]]
  // CHECK: tt.return
  tt.func public @two_layouts(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %step = arith.constant dense<1024> : tensor<32x32xi32, #a>
    %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x32xi32, #a>
    %o = tt.broadcast %e : tensor<1x32xi32, #a> -> tensor<32x32xi32, #a>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #a>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #b>
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%off = %o) -> (tensor<32x32xi32, #a>) : i32 {
      %pa = tt.addptr %ps, %off : tensor<32x32x!tt.ptr<f32>, #a>, tensor<32x32xi32, #a>
      %x = tt.load %pa {isVolatile = true} : tensor<32x32x!tt.ptr<f32>, #a>
      %ob = ttg.convert_layout %off : tensor<32x32xi32, #a> -> tensor<32x32xi32, #b>
      %xb = ttg.convert_layout %x : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
      %qb = tt.addptr %qs, %ob : tensor<32x32x!tt.ptr<f32>, #b>, tensor<32x32xi32, #b>
      tt.store %qb, %xb : tensor<32x32x!tt.ptr<f32>, #b>
      %next = arith.addi %off, %step : tensor<32x32xi32, #a>
      scf.yield %next : tensor<32x32xi32, #a>
    }
    tt.return
  }

  // The load is repeated in the layout of the store. Nothing needs the offsets in the other layout: their slot goes.
  // CHECK-LABEL: @replaced(
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.for {{.*}} iter_args(%[[X:[^ ]*]] = %{{[^ ]*}}) -> (tensor<32xi32, #ttg.slice<{dim = 0, parent = #[[B:.*]]}>>)
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield %{{[^ ]*}} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #[[B]]}>>
  // CHECK: tt.return
  tt.func public @replaced(%p: !tt.ptr<f32>, %q: tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #b}>>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %step = arith.constant dense<32> : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>
    %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #a}>>
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%off = %r) -> (tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>) : i32 {
      %pa = tt.addptr %ps, %off : tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #a}>>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>
      %x = tt.load %pa : tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #a}>>
      %xb = ttg.convert_layout %x : tensor<32xf32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #b}>>
      tt.atomic_rmw fadd, relaxed, gpu, %q, %xb : (tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #b}>>, tensor<32xf32, #ttg.slice<{dim = 0, parent = #b}>>) -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #b}>>
      %next = arith.addi %off, %step : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>
      scf.yield %next : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>
    }
    tt.return
  }

  // A loaded initial value is converted once, before the loop.
  // CHECK-LABEL: @initial(
  // CHECK: %[[V:.*]] = tt.load {{.*}} #[[A:.*]]>
  // CHECK-NEXT: %[[I:.*]] = ttg.convert_layout %[[V]] : tensor<32x32xf32, #[[A]]> -> tensor<32x32xf32, #[[B:.*]]>
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[V]], %{{.*}} = %[[I]])
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @initial(%p: tensor<32x32x!tt.ptr<f32>, #a>, %q: tensor<32x32x!tt.ptr<f32>, #b>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %half = arith.constant dense<5.0e-01> : tensor<32x32xf32, #a>
    %v = tt.load %p {isVolatile = true} : tensor<32x32x!tt.ptr<f32>, #a>
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%x = %v) -> (tensor<32x32xf32, #a>) : i32 {
      %next = arith.mulf %x, %half : tensor<32x32xf32, #a>
      %b = ttg.convert_layout %next : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
      tt.store %p, %next : tensor<32x32x!tt.ptr<f32>, #a>
      tt.store %q, %b : tensor<32x32x!tt.ptr<f32>, #b>
      scf.yield %next : tensor<32x32xf32, #a>
    }
    tt.return
  }

  // The loaded values are converted after the loop, once, and not in the loop.
  // CHECK-LABEL: @after_the_loop(
  // CHECK: scf.for
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield
  // CHECK: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @after_the_loop(%p: tensor<32x32x!tt.ptr<f32>, #a>, %n: i32) -> tensor<32x32xf32, #b> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32, #a>
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<32x32xf32, #a>) : i32 {
      %v = tt.load %p {isVolatile = true} : tensor<32x32x!tt.ptr<f32>, #a>
      %next = arith.addf %x, %v : tensor<32x32xf32, #a>
      scf.yield %next : tensor<32x32xf32, #a>
    }
    %b = ttg.convert_layout %end : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    tt.return %b : tensor<32x32xf32, #b>
  }

  // Slots that exchange their values, in nested loops, around a branch, are stored in both layouts.
  // CHECK-LABEL: @nested(
  // CHECK-NOT: ttg.convert_layout
  // CHECK: %[[O:.*]]:4 = scf.for
  // CHECK: %[[I:.*]]:4 = scf.for
  // CHECK: %[[U:.*]]:2 = scf.if {{.*}} -> (tensor<32x32xi32, #{{.*}}>, tensor<32x32xi32, #{{.*}}>)
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @nested(%p: !tt.ptr<f32>, %a: tensor<32x32x!tt.ptr<i32>, #a>, %v: tensor<32x32xf32, #b>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0> : tensor<32x32xi32, #a>
    %step = arith.constant dense<7> : tensor<32x32xi32, #a>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #b>
    %outer:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero, %y = %step) -> (tensor<32x32xi32, #a>, tensor<32x32xi32, #a>) : i32 {
      %inner:2 = scf.for %j = %c0 to %i step %c1 iter_args(%s = %x, %t = %y) -> (tensor<32x32xi32, #a>, tensor<32x32xi32, #a>) : i32 {
        %even = arith.cmpi eq, %j, %c0 : i32
        %u = scf.if %even -> (tensor<32x32xi32, #a>) {
          %sum = arith.addi %s, %step : tensor<32x32xi32, #a>
          scf.yield %sum : tensor<32x32xi32, #a>
        } else {
          scf.yield %s : tensor<32x32xi32, #a>
        }
        %w = ttg.convert_layout %u : tensor<32x32xi32, #a> -> tensor<32x32xi32, #b>
        %q = tt.addptr %ps, %w : tensor<32x32x!tt.ptr<f32>, #b>, tensor<32x32xi32, #b>
        tt.store %a, %u : tensor<32x32x!tt.ptr<i32>, #a>
        tt.store %q, %v : tensor<32x32x!tt.ptr<f32>, #b>
        scf.yield %t, %u : tensor<32x32xi32, #a>, tensor<32x32xi32, #a>
      }
      scf.yield %inner#1, %inner#0 : tensor<32x32xi32, #a>, tensor<32x32xi32, #a>
    }
    tt.return
  }

  // The results of a loop are used in both layouts, too.
  // CHECK-LABEL: @results(
  // CHECK-NOT: ttg.convert_layout
  // CHECK: %[[F:.*]]:4 = scf.for
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @results(%p: tensor<32x32x!tt.ptr<i32>, #a>, %q: tensor<32x32x!tt.ptr<i32>, #b>, %n: i32) -> (tensor<32x32xi32, #a>, tensor<32x32xi32, #a>, tensor<32x32xi32, #b>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %s = tt.splat %n : i32 -> tensor<32x32xi32, #a>
    %t = arith.constant dense<3> : tensor<32x32xi32, #a>
    %end:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %s, %y = %t) -> (tensor<32x32xi32, #a>, tensor<32x32xi32, #a>) : i32 {
      %m = arith.addi %x, %y : tensor<32x32xi32, #a>
      %b = ttg.convert_layout %m : tensor<32x32xi32, #a> -> tensor<32x32xi32, #b>
      tt.store %p, %m : tensor<32x32x!tt.ptr<i32>, #a>
      tt.store %q, %b : tensor<32x32x!tt.ptr<i32>, #b>
      scf.yield %m, %x : tensor<32x32xi32, #a>, tensor<32x32xi32, #a>
    }
    %b = ttg.convert_layout %end#1 : tensor<32x32xi32, #a> -> tensor<32x32xi32, #b>
    tt.return %end#0, %end#1, %b : tensor<32x32xi32, #a>, tensor<32x32xi32, #a>, tensor<32x32xi32, #b>
  }
}

// Functions whose recurrences have another layout already, or whose loops are not recurrences, and those with operations that
// derive encodings from the one of the matrix, keep it.
// RUN: nereid-opt %s --split-input-file --nereid-recurrence-layout | FileCheck %s
// RUN: nereid-opt %s --split-input-file --nereid-recurrence-layout --remarks-filter-passed=nereid-recurrence-layout 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK --allow-empty
// REMARK-NOT: remark:

// CHECK-DAG: #[[BEFORE:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#m = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #m}>
#columns = #ttg.slice<{dim = 0, parent = #m}>
#each = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#square = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#pairs = #ttg.blocked<{sizePerThread = [1, 1, 2], threadsPerWarp = [2, 16, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // 64 lanes would have a column.
  // CHECK-LABEL: @more_than_a_warp
  // CHECK: scf.for {{.*}} -> (tensor<64x2xf32, #[[BEFORE]]>)
  tt.func public @more_than_a_warp(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x2xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x2xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x2xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x2xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x2xf32, #m>) -> tensor<2xf32, #columns>
      scf.yield %x : tensor<64x2xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @fewer_rows_than_lanes
  // CHECK: scf.for {{.*}} -> (tensor<4x16xf32, #[[BEFORE]]>)
  tt.func public @fewer_rows_than_lanes(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<4x16xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<4x16xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<4x16xf32, #m>
      %x = arith.mulf %h, %gs : tensor<4x16xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<4x16xf32, #m>) -> tensor<16xf32, #columns>
      scf.yield %x : tensor<4x16xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @two_dimensions
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @two_dimensions(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      %o2 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<64xf32, #rows>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @integers
  // CHECK: scf.for {{.*}} -> (tensor<64x32xi32, #[[BEFORE]]>)
  tt.func public @integers(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %none = arith.constant dense<0> : tensor<64x32xi32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %none) -> (tensor<64x32xi32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %o = "tt.reduce"(%h) <{axis = 0 : i32}> ({
      ^bb0(%a: i32, %b: i32): %s = arith.addi %a, %b : i32 tt.reduce.return %s : i32
      }) : (tensor<64x32xi32, #m>) -> tensor<32xi32, #columns>
      scf.yield %h : tensor<64x32xi32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @another_loop_of_a_matrix
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @another_loop_of_a_matrix(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    %second = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @another_dimension
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @another_dimension(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    %second = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<64xf32, #rows>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @another_shape
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @another_shape(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    %other = arith.constant dense<0.0> : tensor<32x32xf32, #m>
    %second = scf.for %i = %c0 to %n step %c1 iter_args(%h = %other) -> (tensor<32x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<32x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<32x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<32x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<32x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @without_load
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @without_load(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %x = arith.addf %h, %h : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @without_reduction
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @without_reduction(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @loads_long_vector
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @loads_long_vector(%p: !tt.ptr<f32>, %n: i32, %v: tensor<1024x!tt.ptr<f32>, #each>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      %e = tt.load %v : tensor<1024x!tt.ptr<f32>, #each>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @stores_long_vector
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @stores_long_vector(%p: !tt.ptr<f32>, %n: i32, %v: tensor<1024x!tt.ptr<f32>, #each>, %w: tensor<1024xf32, #each>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      tt.store %v, %w : tensor<1024x!tt.ptr<f32>, #each>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @loads_matrix
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @loads_matrix(%p: !tt.ptr<f32>, %n: i32, %v: tensor<16x16x!tt.ptr<f32>, #square>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      %e = tt.load %v : tensor<16x16x!tt.ptr<f32>, #square>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @stores_matrix
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @stores_matrix(%p: !tt.ptr<f32>, %n: i32, %v: tensor<16x16x!tt.ptr<f32>, #square>, %w: tensor<16x16xf32, #square>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      tt.store %v, %w : tensor<16x16x!tt.ptr<f32>, #square>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @loads_block
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @loads_block(%p: !tt.ptr<f32>, %n: i32, %d: !tt.tensordesc<tensor<16x16xf32>>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      %e = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<tensor<16x16xf32>> -> tensor<16x16xf32, #square>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @stores_block
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @stores_block(%p: !tt.ptr<f32>, %n: i32, %d: !tt.tensordesc<tensor<16x16xf32>>, %w: tensor<16x16xf32, #square>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      tt.descriptor_store %d[%c0, %c0], %w : !tt.tensordesc<tensor<16x16xf32>>, tensor<16x16xf32, #square>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @inner_for
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @inner_for(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.for %j = %c0 to %n step %c1 : i32 {
      }
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @inner_while
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @inner_while(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.while : () -> () {
        %true = arith.constant true
        scf.condition(%true)
      } do {
        scf.yield
      }
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  tt.func private @callee() {
    tt.return
  }

  // The function has an operation that derives an encoding of another shape.
  // CHECK-LABEL: @beside_call
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @beside_call(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.call @callee() : () -> ()
    tt.return
  }

  // CHECK-LABEL: @beside_cat
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @beside_cat(%p: !tt.ptr<f32>, %n: i32, %v: tensor<64xf32, #each>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    %e = tt.cat %v, %v : tensor<64xf32, #each> -> tensor<128xf32, #each>
    tt.return
  }

  // CHECK-LABEL: @beside_dot
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @beside_dot(%p: !tt.ptr<f32>, %n: i32, %y: tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #square}>>, %z: tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #square}>>, %c: tensor<16x16xf32, #square>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    %e = tt.dot %y, %z, %c : tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #square}>> * tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #square}>> -> tensor<16x16xf32, #square>
    tt.return
  }

  // CHECK-LABEL: @beside_dot_scaled
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @beside_dot_scaled(%p: !tt.ptr<f32>, %n: i32, %y: tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #square}>>, %z: tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #square}>>, %c: tensor<16x16xf32, #square>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    %e = tt.dot_scaled %y, %z, %c lhs = fp16 rhs = fp16 {fastMath = false} : tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #square}>> * tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #square}>> -> tensor<16x16xf32, #square>
    tt.return
  }

  // CHECK-LABEL: @beside_gather
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @beside_gather(%p: !tt.ptr<f32>, %n: i32, %v: tensor<64xf32, #each>, %w: tensor<64xi32, #each>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    %e = tt.gather %v[%w] {axis = 0 : i32} : (tensor<64xf32, #each>, tensor<64xi32, #each>) -> tensor<64xf32, #each>
    tt.return
  }

  // CHECK-LABEL: @beside_join
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @beside_join(%p: !tt.ptr<f32>, %n: i32, %w: tensor<16x16xf32, #square>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    %e = tt.join %w, %w : tensor<16x16xf32, #square> -> tensor<16x16x2xf32, #pairs>
    tt.return
  }

  // CHECK-LABEL: @beside_reshape
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @beside_reshape(%p: !tt.ptr<f32>, %n: i32, %v: tensor<64xf32, #each>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    %e = tt.reshape %v : tensor<64xf32, #each> -> tensor<2x32xf32, #m>
    tt.return
  }

  // CHECK-LABEL: @beside_split
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @beside_split(%p: !tt.ptr<f32>, %n: i32, %w: tensor<16x16x2xf32, #pairs>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    %e:2 = tt.split %w : tensor<16x16x2xf32, #pairs> -> tensor<16x16xf32, #square>
    tt.return
  }

  // CHECK-LABEL: @beside_trans
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @beside_trans(%p: !tt.ptr<f32>, %n: i32, %w: tensor<16x16xf32, #square>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    %e = tt.trans %w {order = array<i32: 1, 0>} : tensor<16x16xf32, #square> -> tensor<16x16xf32, #turned>
    tt.return
  }

  // Calls depend on the layout of an argument.
  // CHECK-LABEL: @argument
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[BEFORE]]>)
  tt.func public @argument(%p: !tt.ptr<f32>, %n: i32, %h0: tensor<64x32xf32, #m>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %h0) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }
}

// -----

// The matrix has the layout already.
// CHECK: #[[SAME:.*]] = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#m = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#rows = #ttg.slice<{dim = 1, parent = #m}>
#columns = #ttg.slice<{dim = 0, parent = #m}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @same
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[SAME]]>)
  tt.func public @same(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }
}

// -----

// CHECK: #[[PARTS:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = {{.*}}>
#m = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#rows = #ttg.slice<{dim = 1, parent = #m}>
#columns = #ttg.slice<{dim = 0, parent = #m}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @cluster
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[PARTS]]>)
  tt.func public @cluster(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }
}

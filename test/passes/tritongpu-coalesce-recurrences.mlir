// The vector to which a recurrence reduces its matrix is stored by the threads that have it: another encoding would exchange
// its elements through shared memory in each iteration.
// RUN: nereid-opt %s --split-input-file --tritongpu-coalesce | FileCheck %s

// CHECK: #[[M:.*]] = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#m = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#each = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#columns = #ttg.slice<{dim = 0, parent = #m}>
#rows = #ttg.slice<{dim = 1, parent = #m}>
#square = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Loads, and stores of other vectors, have an encoding of their own.
  // CHECK-LABEL: @stored
  // CHECK: tt.store %{{.*}} : tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #[[M]]}>>
  // CHECK: tt.load %{{.*}} : tensor<32x!tt.ptr<f32>, #blocked{{[0-9]*}}>
  tt.func public @stored(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<f32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %q32 = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      %c = ttg.convert_layout %o : tensor<32xf32, #columns> -> tensor<32xf32, #each>
      tt.store %q32, %c : tensor<32x!tt.ptr<f32>, #each>
      %l = tt.load %q32 : tensor<32x!tt.ptr<f32>, #each>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @reduced_dimension
  // CHECK: tt.store %{{.*}} : tensor<64x!tt.ptr<f32>, #blocked{{[0-9]*}}>
  tt.func public @reduced_dimension(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<f32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %q64 = tt.splat %q : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      %l = tt.load %q64 : tensor<64x!tt.ptr<f32>, #each>
      tt.store %q64, %l : tensor<64x!tt.ptr<f32>, #each>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @scalar
  // CHECK: tt.store %{{.*}} : !tt.ptr<f32>
  // CHECK: tt.store %{{.*}} : tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #[[M]]}>>
  tt.func public @scalar(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<f32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %q32 = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      tt.store %q, %g : !tt.ptr<f32>
      %c = ttg.convert_layout %o : tensor<32xf32, #columns> -> tensor<32xf32, #each>
      tt.store %q32, %c : tensor<32x!tt.ptr<f32>, #each>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @under_condition
  // CHECK: tt.store %{{.*}} : tensor<32x!tt.ptr<f32>, #blocked{{[0-9]*}}>
  tt.func public @under_condition(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<f32>, %condition: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %q32 = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.if %condition {
        %c = ttg.convert_layout %o : tensor<32xf32, #columns> -> tensor<32xf32, #each>
        tt.store %q32, %c : tensor<32x!tt.ptr<f32>, #each>
      }
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @after_loop
  // CHECK: tt.store %{{.*}} : tensor<32x!tt.ptr<f32>, #blocked{{[0-9]*}}>
  tt.func public @after_loop(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<f32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %q32 = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    %o = arith.constant dense<1.0> : tensor<32xf32, #each>
    tt.store %q32, %o : tensor<32x!tt.ptr<f32>, #each>
    tt.return
  }

  // CHECK-LABEL: @two_dimensions
  // CHECK: tt.store %{{.*}} : tensor<32x!tt.ptr<f32>, #blocked{{[0-9]*}}>
  tt.func public @two_dimensions(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<f32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %q32 = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #each>
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
      %c = ttg.convert_layout %o : tensor<32xf32, #columns> -> tensor<32xf32, #each>
      tt.store %q32, %c : tensor<32x!tt.ptr<f32>, #each>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // A carried vector that is reduced is not a matrix.
  // CHECK-LABEL: @vector
  // CHECK: tt.store %{{.*}} : tensor<32x!tt.ptr<f32>, #blocked{{[0-9]*}}>
  tt.func public @vector(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<f32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %q32 = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #each>
    %none = arith.constant dense<0.0> : tensor<32xf32, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %none) -> (tensor<32xf32, #each>) : i32 {
      %l = tt.load %q32 : tensor<32x!tt.ptr<f32>, #each>
      %w = arith.addf %v, %l : tensor<32xf32, #each>
      %o = "tt.reduce"(%w) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<32xf32, #each>) -> f32
      tt.store %q32, %w : tensor<32x!tt.ptr<f32>, #each>
      scf.yield %w : tensor<32xf32, #each>
    }
    tt.return
  }

  // A thread would store four elements, and most threads none.
  // CHECK-LABEL: @four_elements
  // CHECK: tt.store %{{.*}} : tensor<128x!tt.ptr<f32>, #blocked{{[0-9]*}}>
  tt.func public @four_elements(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<f32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #wide>
    %q128 = tt.splat %q : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x128xf32, #wide>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x128xf32, #wide>
      %x = arith.mulf %h, %gs : tensor<64x128xf32, #wide>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x128xf32, #wide>) -> tensor<128xf32, #ttg.slice<{dim = 0, parent = #wide}>>
      %c = ttg.convert_layout %o : tensor<128xf32, #ttg.slice<{dim = 0, parent = #wide}>> -> tensor<128xf32, #each>
      tt.store %q128, %c : tensor<128x!tt.ptr<f32>, #each>
      scf.yield %x : tensor<64x128xf32, #wide>
    }
    tt.return
  }

  // Loops with these operations are not recurrences.
  // CHECK-LABEL: @with_dot
  // CHECK: tt.store %{{.*}} : tensor<32x!tt.ptr<f32>, #blocked{{[0-9]*}}>
  tt.func public @with_dot(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<f32>, %y: tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #square}>>, %z: tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #square}>>, %u: tensor<16x16xf32, #square>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %q32 = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      %c = ttg.convert_layout %o : tensor<32xf32, #columns> -> tensor<32xf32, #each>
      tt.store %q32, %c : tensor<32x!tt.ptr<f32>, #each>
      %e = tt.dot %y, %z, %u : tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #square}>> * tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #square}>> -> tensor<16x16xf32, #square>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @with_dot_scaled
  // CHECK: tt.store %{{.*}} : tensor<32x!tt.ptr<f32>, #blocked{{[0-9]*}}>
  tt.func public @with_dot_scaled(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<f32>, %y: tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #square}>>, %z: tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #square}>>, %u: tensor<16x16xf32, #square>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %q32 = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      %c = ttg.convert_layout %o : tensor<32xf32, #columns> -> tensor<32xf32, #each>
      tt.store %q32, %c : tensor<32x!tt.ptr<f32>, #each>
      %e = tt.dot_scaled %y, %z, %u lhs = fp16 rhs = fp16 {fastMath = false} : tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #square}>> * tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #square}>> -> tensor<16x16xf32, #square>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @with_call
  // CHECK: tt.store %{{.*}} : tensor<32x!tt.ptr<f32>, #blocked{{[0-9]*}}>
  tt.func public @with_call(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<f32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %q32 = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      %c = ttg.convert_layout %o : tensor<32xf32, #columns> -> tensor<32xf32, #each>
      tt.store %q32, %c : tensor<32x!tt.ptr<f32>, #each>
      tt.call @callee() : () -> ()
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  tt.func private @callee() {
    tt.return
  }
}

// -----

// The CTAs of a cluster have other elements of the matrix than of the stored vector.
#m = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1], CGALayout = [[0, 1]]}>
#each = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[0]]}>
#columns = #ttg.slice<{dim = 0, parent = #m}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @parts
  // CHECK: tt.store %{{.*}} : tensor<32x!tt.ptr<f32>, #blocked{{[0-9]*}}>
  tt.func public @parts(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<f32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %q32 = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      %c = ttg.convert_layout %o : tensor<32xf32, #columns> -> tensor<32xf32, #each>
      tt.store %q32, %c : tensor<32x!tt.ptr<f32>, #each>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }
}

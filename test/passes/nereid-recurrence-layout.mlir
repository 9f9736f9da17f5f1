// The matrix of a recurrence is distributed so that one warp has all elements that are reduced to one, up to eight adjacent ones in a
// thread.
// RUN: nereid-opt %s --split-input-file --nereid-recurrence-layout | FileCheck %s
// RUN: nereid-opt %s --split-input-file --nereid-recurrence-layout --remarks-filter-passed=nereid-recurrence-layout 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: :[[# @LINE + 20]]:{{.*}}remark: [Passed] recurrence {{.*}}the matrix that a loop carries is distributed so that a warp reduces it
// REMARK-COUNT-12: remark: [Passed] recurrence
// REMARK-NOT: remark:

// CHECK-DAG: #[[ROWS:.*]] = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-DAG: #[[COLUMNS:.*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[FEW:.*]] = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-DAG: #[[TALL:.*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[WIDE:.*]] = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [0, 1]}>
#m = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #m}>
#columns = #ttg.slice<{dim = 0, parent = #m}>
#each = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Four lanes have a column of 64 elements: each one twice eight of them. Vectors and constants follow.
  // CHECK-LABEL: @rows
  // CHECK: arith.constant dense<0.000000e+00> : tensor<64x32xf32, #[[ROWS]]>
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[ROWS]]>)
  // CHECK: tt.load %{{.*}} : tensor<64x!tt.ptr<bf16>, #ttg.slice<{dim = 1, parent = #[[ROWS]]}>>
  // CHECK: tt.store %{{.*}} : tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #[[ROWS]]}>>
  tt.func public @rows(%p: !tt.ptr<f32>, %n: i32, %k: !tt.ptr<bf16>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %ps = tt.splat %k : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>, #rows>
    %qs = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #columns>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %y = tt.load %ps : tensor<64x!tt.ptr<bf16>, #rows>
      %ye = tt.expand_dims %y {axis = 1 : i32} : tensor<64xbf16, #rows> -> tensor<64x1xbf16, #m>
      %yf = arith.extf %ye : tensor<64x1xbf16, #m> to tensor<64x1xf32, #m>
      %yb = tt.broadcast %yf : tensor<64x1xf32, #m> -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %yb : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      tt.store %qs, %o : tensor<32x!tt.ptr<f32>, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @columns
  // CHECK: scf.for {{.*}} -> (tensor<32x64xf32, #[[COLUMNS]]>)
  tt.func public @columns(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<32x64xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<32x64xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<32x64xf32, #m>
      %x = arith.mulf %h, %gs : tensor<32x64xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<32x64xf32, #m>) -> tensor<32xf32, #rows>
      scf.yield %x : tensor<32x64xf32, #m>
    }
    tt.return
  }

  // Four lanes have a column of 16.
  // CHECK-LABEL: @few_elements
  // CHECK: scf.for {{.*}} -> (tensor<16x32xf32, #[[FEW]]>)
  tt.func public @few_elements(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<16x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<16x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<16x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<16x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<16x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<16x32xf32, #m>
    }
    tt.return
  }

  // More columns than threads: a thread has whole columns.
  // CHECK-LABEL: @many_columns
  // CHECK: scf.for {{.*}} -> (tensor<16x256xf32, #[[WIDE]]>)
  tt.func public @many_columns(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<16x256xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<16x256xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<16x256xf32, #m>
      %x = arith.mulf %h, %gs : tensor<16x256xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<16x256xf32, #m>) -> tensor<256xf32, #columns>
      scf.yield %x : tensor<16x256xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @two_reductions
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[ROWS]]>)
  tt.func public @two_reductions(%p: !tt.ptr<f32>, %n: i32) {
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
      %o2 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // Only reductions of the matrix count: not those of a narrower one, and of a vector, along the other dimension.
  // CHECK-LABEL: @other_reductions
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[TALL]]>)
  tt.func public @other_reductions(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<64xf32, #rows>
      %w = arith.constant dense<1.0> : tensor<64x16xf32, #m>
      %o2 = "tt.reduce"(%w) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x16xf32, #m>) -> tensor<16xf32, #columns>
      %v = arith.constant dense<1.0> : tensor<64xf32, #rows>
      %o3 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64xf32, #rows>) -> f32
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @vector_and_matrix
  // CHECK: scf.for {{.*}} -> (tensor<64xf32, {{.*}}>, tensor<64x32xf32, #[[ROWS]]>)
  tt.func public @vector_and_matrix(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %none = arith.constant dense<0.0> : tensor<64xf32, #rows>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %none, %h = %zero) -> (tensor<64xf32, #rows>, tensor<64x32xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %x = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %v, %x : tensor<64xf32, #rows>, tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @another_loop_of_a_vector
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[ROWS]]>)
  tt.func public @another_loop_of_a_vector(%p: !tt.ptr<f32>, %n: i32) {
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
    %none = arith.constant dense<0.0> : tensor<32xf32, #columns>
    %second = scf.for %i = %c0 to %n step %c1 iter_args(%v = %none) -> (tensor<32xf32, #columns>) : i32 {
      %w = arith.addf %v, %v : tensor<32xf32, #columns>
      scf.yield %w : tensor<32xf32, #columns>
    }
    tt.return
  }

  // CHECK-LABEL: @another_recurrence
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[ROWS]]>)
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[ROWS]]>)
  tt.func public @another_recurrence(%p: !tt.ptr<f32>, %n: i32) {
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
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }

  // CHECK-LABEL: @vectors_of_512
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[ROWS]]>)
  tt.func public @vectors_of_512(%p: !tt.ptr<f32>, %n: i32, %v: tensor<512x!tt.ptr<f32>, #each>) {
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
      %e = tt.load %v : tensor<512x!tt.ptr<f32>, #each>
      tt.store %v, %e : tensor<512x!tt.ptr<f32>, #each>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }
}

// -----

// One warp has whole columns, or halves of them.
// CHECK-DAG: #[[WHOLE:.*]] = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [0, 1]}>
// CHECK-DAG: #[[HALVES:.*]] = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 1], order = [0, 1]}>
#m = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #m}>
#columns = #ttg.slice<{dim = 0, parent = #m}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @one_warp
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[WHOLE]]>)
  tt.func public @one_warp(%p: !tt.ptr<f32>, %n: i32) {
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

  // CHECK-LABEL: @one_warp_of_halves
  // CHECK: scf.for {{.*}} -> (tensor<32x16xf32, #[[HALVES]]>)
  tt.func public @one_warp_of_halves(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<32x16xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<32x16xf32, #m>) : i32 {
      %g = tt.load %p : !tt.ptr<f32>
      %gs = tt.splat %g : f32 -> tensor<32x16xf32, #m>
      %x = arith.mulf %h, %gs : tensor<32x16xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<32x16xf32, #m>) -> tensor<16xf32, #columns>
      scf.yield %x : tensor<32x16xf32, #m>
    }
    tt.return
  }
}

// -----

// The sum needs no exchange for its store, and scratch memory in the new layout.
// CHECK-DAG: #[[COLUMNS:.*]] = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#m = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#twin = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [0, 1]}>
#columns = #ttg.slice<{dim = 0, parent = #m}>
#other = #ttg.slice<{dim = 0, parent = #twin}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @stored_elsewhere
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[COLUMNS]]>)
  // CHECK: ttg.convert_layout
  tt.func public @stored_elsewhere(%p: !tt.ptr<f32>, %n: i32, %q: tensor<32x!tt.ptr<f32>, #other>) {
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
      %c = ttg.convert_layout %o : tensor<32xf32, #columns> -> tensor<32xf32, #other>
      tt.store %q, %c : tensor<32x!tt.ptr<f32>, #other>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return
  }
}

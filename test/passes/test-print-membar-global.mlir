// RUN: nereid-opt %s --test-print-membar | FileCheck %s
// RUN: nereid-opt %s --test-print-membar=global-order=false | FileCheck %s --check-prefix=OFF

// A barrier orders dependent accesses to global memory by different threads.
// OFF-NOT: ttg.local_barrier

#rows = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#lanes = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#tile = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, "ttg.num-ctas" = 1 : i32} {

// CHECK-LABEL: @other_arguments
// CHECK-NOT: local_barrier
// CHECK: tt.return
tt.func public @other_arguments(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  tt.store %y, %v : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: @scalar
// CHECK: tt.load
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: tt.store
tt.func public @scalar(%x: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  tt.store %x, %v : !tt.ptr<f32>
  tt.return
}

// One thread stores both.
// CHECK-LABEL: @two_stores
// CHECK-NOT: local_barrier
// CHECK: tt.return
tt.func public @two_stores(%x: !tt.ptr<f32>, %v: f32, %w: f32) {
  tt.store %x, %v : !tt.ptr<f32>
  tt.store %x, %w : !tt.ptr<f32>
  tt.return
}

// Each thread reads and writes its own elements.
// CHECK-LABEL: @in_place
// CHECK-NOT: local_barrier
// CHECK: tt.return
tt.func public @in_place(%x: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #rows>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #rows>
  %p = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #rows>, tensor<512xi32, #rows>
  %v = tt.load %p : tensor<512x!tt.ptr<f32>, #rows>
  tt.store %p, %v : tensor<512x!tt.ptr<f32>, #rows>
  tt.return
}

// Two warps hold the same elements; the first stores them.
// CHECK-LABEL: @copies
// CHECK: tt.load
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: tt.store
tt.func public @copies(%x: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #lanes>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #lanes>
  %p = tt.addptr %s, %r : tensor<64x!tt.ptr<f32>, #lanes>, tensor<64xi32, #lanes>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>, #lanes>
  tt.store %p, %v : tensor<64x!tt.ptr<f32>, #lanes>
  tt.return
}

// CHECK-LABEL: @other_layout
// CHECK: tt.store
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: tt.load
tt.func public @other_layout(%x: !tt.ptr<f32>, %v: tensor<512xf32, #rows>) -> tensor<512xf32, #lanes> {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #rows>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #rows>
  %p = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #rows>, tensor<512xi32, #rows>
  tt.store %p, %v : tensor<512x!tt.ptr<f32>, #rows>
  %r1 = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #lanes>
  %s1 = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #lanes>
  %p1 = tt.addptr %s1, %r1 : tensor<512x!tt.ptr<f32>, #lanes>, tensor<512xi32, #lanes>
  %w = tt.load %p1 : tensor<512x!tt.ptr<f32>, #lanes>
  tt.return %w : tensor<512xf32, #lanes>
}

// The halves of a row.
// CHECK-LABEL: @halves
// CHECK-NOT: local_barrier
// CHECK: tt.return
tt.func public @halves(%x: !tt.ptr<f32>) {
  %pid = tt.get_program_id x : i32
  %c1024 = arith.constant 1024 : i32
  %c512 = arith.constant dense<512> : tensor<512xi32, #rows>
  %row = arith.muli %pid, %c1024 : i32
  %base = tt.addptr %x, %row : !tt.ptr<f32>, i32
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #rows>
  %q = arith.addi %r, %c512 : tensor<512xi32, #rows>
  %s = tt.splat %base : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #rows>
  %p0 = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #rows>, tensor<512xi32, #rows>
  %p1 = tt.addptr %s, %q : tensor<512x!tt.ptr<f32>, #rows>, tensor<512xi32, #rows>
  %v = tt.load %p0 : tensor<512x!tt.ptr<f32>, #rows>
  tt.store %p1, %v : tensor<512x!tt.ptr<f32>, #rows>
  tt.return
}

// Tiles of a loop that do not overlap.
// CHECK-LABEL: @tiles
// CHECK-NOT: local_barrier
// CHECK: tt.return
tt.func public @tiles(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #rows>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #rows>
  scf.for %i = %c0 to %n step %c512 : i32 {
    %is = tt.splat %i : i32 -> tensor<512xi32, #rows>
    %at = arith.addi %is, %r : tensor<512xi32, #rows>
    %p = tt.addptr %s, %at : tensor<512x!tt.ptr<f32>, #rows>, tensor<512xi32, #rows>
    %c = arith.constant dense<1.0> : tensor<512xf32, #rows>
    tt.store %p, %c : tensor<512x!tt.ptr<f32>, #rows>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #rows>
    tt.store %p, %v : tensor<512x!tt.ptr<f32>, #rows>
  }
  tt.return
}

// The same with loop-carried pointers.
// CHECK-LABEL: @moving
// CHECK: scf.for
// CHECK-NOT: local_barrier
// CHECK: tt.return
tt.func public @moving(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<512> : tensor<512xi32, #rows>
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #rows>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #rows>
  %first = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #rows>, tensor<512xi32, #rows>
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%p = %first) -> (tensor<512x!tt.ptr<f32>, #rows>) : i32 {
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #rows>
    tt.store %p, %v : tensor<512x!tt.ptr<f32>, #rows>
    %next = tt.addptr %p, %step : tensor<512x!tt.ptr<f32>, #rows>, tensor<512xi32, #rows>
    scf.yield %next : tensor<512x!tt.ptr<f32>, #rows>
  }
  tt.return
}

// Windows that overlap, by half.
// CHECK-LABEL: @windows
// CHECK: scf.for
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: tt.load
// CHECK-NEXT: tt.store
tt.func public @windows(%x: !tt.ptr<f32>, %n: i32, %hop: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #rows>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #rows>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %start = arith.muli %i, %hop : i32
    %is = tt.splat %start : i32 -> tensor<512xi32, #rows>
    %at = arith.addi %is, %r : tensor<512xi32, #rows>
    %p = tt.addptr %s, %at : tensor<512x!tt.ptr<f32>, #rows>, tensor<512xi32, #rows>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #rows>
    tt.store %p, %v : tensor<512x!tt.ptr<f32>, #rows>
  }
  tt.return
}

// Tiles of a matrix with an unknown stride: rows are disjoint.
// CHECK-LABEL: @matrix
// CHECK: scf.for
// CHECK-NOT: local_barrier
// CHECK: tt.return
tt.func public @matrix(%x: !tt.ptr<f32>, %n: i32, %stride: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %pid = tt.get_program_id x : i32
  %c16 = arith.constant 16 : i32
  %row = arith.muli %pid, %c16 : i32
  %rows0 = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #tile}>>
  %rowsp = tt.splat %row : i32 -> tensor<16xi32, #ttg.slice<{dim = 1, parent = #tile}>>
  %rows1 = arith.addi %rows0, %rowsp : tensor<16xi32, #ttg.slice<{dim = 1, parent = #tile}>>
  %rows2 = tt.expand_dims %rows1 {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #tile}>> -> tensor<16x1xi32, #tile>
  %strides = tt.splat %stride : i32 -> tensor<16x1xi32, #tile>
  %rows3 = arith.muli %rows2, %strides : tensor<16x1xi32, #tile>
  %rows = tt.broadcast %rows3 : tensor<16x1xi32, #tile> -> tensor<16x32xi32, #tile>
  %columns0 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #tile}>>
  %columns1 = tt.expand_dims %columns0 {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #tile}>> -> tensor<1x32xi32, #tile>
  %columns = tt.broadcast %columns1 : tensor<1x32xi32, #tile> -> tensor<16x32xi32, #tile>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>, #tile>
  scf.for %i = %c0 to %n step %c32 : i32 {
    %is = tt.splat %i : i32 -> tensor<16x32xi32, #tile>
    %a = arith.addi %rows, %columns : tensor<16x32xi32, #tile>
    %at = arith.addi %a, %is : tensor<16x32xi32, #tile>
    %p = tt.addptr %s, %at : tensor<16x32x!tt.ptr<f32>, #tile>, tensor<16x32xi32, #tile>
    %v = tt.load %p : tensor<16x32x!tt.ptr<f32>, #tile>
    tt.store %p, %v : tensor<16x32x!tt.ptr<f32>, #tile>
  }
  tt.return
}

// One barrier before the loop, and one in it for the dependence between iterations.
// CHECK-LABEL: @before_loop
// CHECK: tt.store
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: scf.for
// CHECK-NOT: local_barrier
// CHECK: tt.atomic_rmw
// CHECK: }
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: tt.load
tt.func public @before_loop(%x: !tt.ptr<i32>, %w: tensor<128xi32, #lanes>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1> : tensor<128xi32, #lanes>
  %yes = arith.constant dense<true> : tensor<128xi1, #lanes>
  tt.store %x, %c0 : !tt.ptr<i32>
  %s = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #lanes>
  %p = tt.addptr %s, %w : tensor<128x!tt.ptr<i32>, #lanes>, tensor<128xi32, #lanes>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %u = tt.atomic_rmw add, relaxed, gpu, %p, %one, %yes : (tensor<128x!tt.ptr<i32>, #lanes>, tensor<128xi32, #lanes>, tensor<128xi1, #lanes>) -> tensor<128xi32, #lanes>
  }
  %v = tt.load %x : !tt.ptr<i32>
  tt.return %v : i32
}

// A used result depends on earlier atomics.
// CHECK-LABEL: @used_atomics
// CHECK: tt.atomic_rmw
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: tt.atomic_rmw
tt.func public @used_atomics(%x: !tt.ptr<i32>, %w: tensor<128xi32, #lanes>) -> tensor<128xi32, #lanes> {
  %one = arith.constant dense<1> : tensor<128xi32, #lanes>
  %yes = arith.constant dense<true> : tensor<128xi1, #lanes>
  %s = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #lanes>
  %p = tt.addptr %s, %w : tensor<128x!tt.ptr<i32>, #lanes>, tensor<128xi32, #lanes>
  %u = tt.atomic_rmw add, relaxed, gpu, %p, %one, %yes : (tensor<128x!tt.ptr<i32>, #lanes>, tensor<128xi32, #lanes>, tensor<128xi1, #lanes>) -> tensor<128xi32, #lanes>
  %v = tt.atomic_rmw add, relaxed, gpu, %p, %one, %yes : (tensor<128x!tt.ptr<i32>, #lanes>, tensor<128xi32, #lanes>, tensor<128xi1, #lanes>) -> tensor<128xi32, #lanes>
  tt.return %v : tensor<128xi32, #lanes>
}

// Calls: both pointer arguments are the same pointer of the caller.
// CHECK-LABEL: @copy
// CHECK: tt.load
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: tt.store
tt.func private @copy(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>) attributes {noinline = true} {
  %v = tt.load %from : !tt.ptr<f32>
  tt.store %to, %v : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: @calls
// CHECK: tt.call @copy
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: tt.load
tt.func public @calls(%x: !tt.ptr<f32>, %i: i32) -> f32 {
  %p = tt.addptr %x, %i : !tt.ptr<f32>, i32
  tt.call @copy(%x, %p) : (!tt.ptr<f32>, !tt.ptr<f32>) -> ()
  %v = tt.load %x : !tt.ptr<f32>
  tt.return %v : f32
}

// A loaded address may point anywhere.
// CHECK-LABEL: @unknown
// CHECK: tt.store
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: tt.load
tt.func public @unknown(%table: !tt.ptr<i64>, %x: !tt.ptr<f32>, %f: f32) -> f32 {
  %n = tt.load %table : !tt.ptr<i64>
  %p = tt.int_to_ptr %n : i64 -> !tt.ptr<f32>
  tt.store %p, %f : !tt.ptr<f32>
  %v = tt.load %x : !tt.ptr<f32>
  tt.return %v : f32
}

// Pointer arguments into one buffer at an unknown distance.
// CHECK-LABEL: @parts
// CHECK: tt.store
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: tt.load
tt.func private @parts(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %v: tensor<512xf32, #rows>) -> tensor<512xf32, #rows> attributes {noinline = true} {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #rows>
  %s = tt.splat %a : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #rows>
  %p = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #rows>, tensor<512xi32, #rows>
  %t = tt.splat %b : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #rows>
  %q = tt.addptr %t, %r : tensor<512x!tt.ptr<f32>, #rows>, tensor<512xi32, #rows>
  tt.store %p, %v : tensor<512x!tt.ptr<f32>, #rows>
  %w = tt.load %q : tensor<512x!tt.ptr<f32>, #rows>
  tt.return %w : tensor<512xf32, #rows>
}

// CHECK-LABEL: @passes_parts
tt.func public @passes_parts(%x: !tt.ptr<f32>, %v: tensor<512xf32, #rows>) {
  %c = arith.constant 3 : i32
  %y = tt.addptr %x, %c : !tt.ptr<f32>, i32
  %w = tt.call @parts(%y, %x, %v) : (!tt.ptr<f32>, !tt.ptr<f32>, tensor<512xf32, #rows>) -> tensor<512xf32, #rows>
  tt.return
}

// A tensor argument may contain any pointers.
// CHECK-LABEL: @pointers
// CHECK: tt.store
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: tt.load
tt.func private @pointers(%p: tensor<512x!tt.ptr<f32>, #rows>, %v: tensor<512xf32, #rows>) -> tensor<512xf32, #rows> attributes {noinline = true} {
  %c = arith.constant dense<1> : tensor<512xi32, #rows>
  %q = tt.addptr %p, %c : tensor<512x!tt.ptr<f32>, #rows>, tensor<512xi32, #rows>
  tt.store %p, %v : tensor<512x!tt.ptr<f32>, #rows>
  %w = tt.load %q : tensor<512x!tt.ptr<f32>, #rows>
  tt.return %w : tensor<512xf32, #rows>
}

}

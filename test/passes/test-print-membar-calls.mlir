// Calls: accesses pending at function exit, accesses from function entry, bytes of frames and of buffer arguments.
// RUN: nereid-opt %s --allocate-shared-memory --test-print-membar | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#single = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#plain2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "cuda:80"} {

// CHECK-LABEL: @converts
// CHECK-NOT: local_barrier
// CHECK: tt.return
tt.func private @converts(%x: tensor<512xi32, #line>) -> tensor<512xi32, #single> attributes {noinline = true} {
  %y = ttg.convert_layout %x : tensor<512xi32, #line> -> tensor<512xi32, #single>
  tt.return %y : tensor<512xi32, #single>
}

// CHECK-LABEL: @waits
tt.func private @waits() attributes {noinline = true} {
  ttg.local_barrier
  tt.return
}

// CHECK-LABEL: @stores
// CHECK-NOT: local_barrier
// CHECK: tt.return
tt.func private @stores(%x: tensor<512xi32, #line>, %b: !ttg.memdesc<512xi32, #plain, #smem, mutable>) attributes {noinline = true} {
  ttg.local_store %x, %b : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  tt.return
}

// Both arguments may be the same buffer: see @twice.
// CHECK-LABEL: @moves
// CHECK: local_load
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_store
tt.func private @moves(%x: tensor<512xi32, #line>, %a: !ttg.memdesc<512xi32, #plain, #smem, mutable>, %b: !ttg.memdesc<512xi32, #plain, #smem, mutable>) attributes {noinline = true} {
  %y = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  ttg.local_store %x, %b : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  tt.return
}

// Two elements of one buffer are disjoint.
// CHECK-LABEL: @moves_apart
// CHECK-NOT: local_barrier
// CHECK: tt.return
tt.func private @moves_apart(%x: tensor<512xi32, #line>, %a: !ttg.memdesc<512xi32, #plain, #smem, mutable>, %b: !ttg.memdesc<512xi32, #plain, #smem, mutable>) attributes {noinline = true} {
  %y = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  ttg.local_store %x, %b : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  tt.return
}

// The frame of a callee is above live buffers: no barrier is required. Its scratch may still be read at the next call.
// CHECK-LABEL: @live_frame
// CHECK: local_alloc
// CHECK-NEXT: call @converts
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: call @converts
// CHECK-NEXT: local_load
tt.func @live_frame(%x: tensor<512xi32, #line>) {
  %a = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %y = tt.call @converts(%x) : (tensor<512xi32, #line>) -> tensor<512xi32, #single>
  %z = tt.call @converts(%x) : (tensor<512xi32, #line>) -> tensor<512xi32, #single>
  %w = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  tt.return
}

// A barrier in the callee orders the caller's accesses.
// CHECK-LABEL: @barrier_below
// CHECK: call @waits
// CHECK-NEXT: local_load
// CHECK-NEXT: tt.return
tt.func @barrier_below(%x: tensor<512xi32, #line>) {
  %a = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  tt.call @waits() : () -> ()
  %w = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  tt.return
}

// Accesses of the callee affect its buffer argument and no other; warps of both sides are compared, too.
// CHECK-LABEL: @passed
// CHECK: local_load
// CHECK-NEXT: call @stores
// CHECK-NEXT: ttg.local_barrier warp
// CHECK-NEXT: local_load
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: call @stores
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
tt.func @passed(%x: tensor<512xi32, #line>) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %p = ttg.local_load %b : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  tt.call @stores(%x, %a) : (tensor<512xi32, #line>, !ttg.memdesc<512xi32, #plain, #smem, mutable>) -> ()
  %q = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #line>
  tt.call @stores(%x, %b) : (tensor<512xi32, #line>, !ttg.memdesc<512xi32, #plain, #smem, mutable>) -> ()
  %r = ttg.local_load %b : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  tt.return
}

// CHECK-LABEL: @twice
tt.func @twice(%x: tensor<512xi32, #line>) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  tt.call @moves(%x, %a, %a) : (tensor<512xi32, #line>, !ttg.memdesc<512xi32, #plain, #smem, mutable>, !ttg.memdesc<512xi32, #plain, #smem, mutable>) -> ()
  tt.return
}

// CHECK-LABEL: @apart
tt.func @apart(%x: tensor<512xi32, #line>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = ttg.local_alloc : () -> !ttg.memdesc<2x512xi32, #plain, #smem, mutable>
  %e0 = ttg.memdesc_index %a[%c0] : !ttg.memdesc<2x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %e1 = ttg.memdesc_index %a[%c1] : !ttg.memdesc<2x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  tt.call @moves_apart(%x, %e0, %e1) : (tensor<512xi32, #line>, !ttg.memdesc<512xi32, #plain, #smem, mutable>, !ttg.memdesc<512xi32, #plain, #smem, mutable>) -> ()
  tt.return
}

// A call in a loop is compared with that of the previous iteration.
// CHECK-LABEL: @loop
// CHECK: scf.for
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: call @converts
tt.func @loop(%x: tensor<512xi32, #line>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %y = tt.call @converts(%x) : (tensor<512xi32, #line>) -> tensor<512xi32, #single>
  }
  tt.return
}

// The caller's copies are in flight at the callee's wait: other threads' copies are visible after a barrier.
// CHECK-LABEL: @waits_and_loads
// CHECK: async_wait
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
tt.func private @waits_and_loads(%b: !ttg.memdesc<512xi32, #plain, #smem, mutable>) attributes {noinline = true} {
  %w = ttg.async_wait {num = 0 : i32}
  %y = ttg.local_load %b : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  tt.return
}

// CHECK-LABEL: @only_waits
tt.func private @only_waits() attributes {noinline = true} {
  %w = ttg.async_wait {num = 0 : i32}
  tt.return
}

// CHECK-LABEL: @copies
// CHECK: call @only_waits
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
tt.func @copies(%p: tensor<512x!tt.ptr<i32>, #line>) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %t = ttg.async_copy_global_to_local %p, %a : tensor<512x!tt.ptr<i32>, #line> -> <512xi32, #plain, #smem, mutable>
  %g = ttg.async_commit_group tokens %t
  tt.call @only_waits() : () -> ()
  %y = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  tt.call @waits_and_loads(%a) : (!ttg.memdesc<512xi32, #plain, #smem, mutable>) -> ()
  tt.return
}

// The wait is in a callee of the callee.
// CHECK-LABEL: @waits_below_and_loads
// CHECK: call @only_waits
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
tt.func private @waits_below_and_loads(%b: !ttg.memdesc<512xi32, #plain, #smem, mutable>) attributes {noinline = true} {
  tt.call @only_waits() : () -> ()
  %y = ttg.local_load %b : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  tt.return
}

// CHECK-LABEL: @copies_above
tt.func @copies_above(%p: tensor<512x!tt.ptr<i32>, #line>) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %t = ttg.async_copy_global_to_local %p, %a : tensor<512x!tt.ptr<i32>, #line> -> <512xi32, #plain, #smem, mutable>
  %g = ttg.async_commit_group tokens %t
  tt.call @waits_below_and_loads(%a) : (!ttg.memdesc<512xi32, #plain, #smem, mutable>) -> ()
  tt.return
}

// No operation is in flight on the arguments of this call.
// CHECK-LABEL: @waits_for_nothing
// CHECK: async_wait
// CHECK-NEXT: local_load
tt.func private @waits_for_nothing(%b: !ttg.memdesc<512xi32, #plain, #smem, mutable>) attributes {noinline = true} {
  %w = ttg.async_wait {num = 0 : i32}
  %y = ttg.local_load %b : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  tt.return
}

// CHECK-LABEL: @nothing_above
tt.func @nothing_above(%x: tensor<512xi32, #line>) {
  %a = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  tt.call @waits_for_nothing(%a) : (!ttg.memdesc<512xi32, #plain, #smem, mutable>) -> ()
  tt.return
}

// The callee's buffer reuses the bytes of a dead buffer: same bytes, same warps.
// CHECK-LABEL: @stores_own
tt.func private @stores_own(%x: tensor<512xi32, #line>) attributes {noinline = true} {
  %a = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  tt.return
}

// CHECK-LABEL: @same_place
// CHECK: local_alloc %{{.*}} {allocation.offset = [[PLACE:[1-9][0-9]*]] : i32}
// CHECK: ttg.local_barrier warp
// CHECK-NEXT: local_load
// CHECK-NEXT: ttg.local_barrier warp
// CHECK-NEXT: call @stores_own{{.*}}allocation.offset = [[PLACE]] : i32
tt.func @same_place(%x: tensor<512xi32, #line>) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<1024xi32, #plain, #smem, mutable>
  %a = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %y = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #line>
  tt.call @stores_own(%x) : (tensor<512xi32, #line>) -> ()
  ttg.local_dealloc %b : !ttg.memdesc<1024xi32, #plain, #smem, mutable>
  tt.return
}

// Slot indices of a callee's ring are not compared across calls.
// CHECK-LABEL: @goes_round
tt.func private @goes_round(%x: tensor<512xi32, #line>, %n: i32) attributes {noinline = true} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x512xi32, #plain, #smem, mutable>
    scf.for %j = %c0 to %n step %c1 iter_args(%get = %c0) -> (i32) : i32 {
      %get1 = arith.addi %get, %c1 : i32
      %last = arith.cmpi eq, %get1, %c3 : i32
      %put = arith.select %last, %c0, %get1 : i32
      %into = ttg.memdesc_index %ring[%put] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
      ttg.local_store %x, %into : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
      ttg.local_barrier
      %from = ttg.memdesc_index %ring[%get] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
      %y = ttg.local_load %from : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
      scf.yield %put : i32
    }
  tt.return
}

// CHECK-LABEL: @round_twice
// CHECK: call @goes_round
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: call @goes_round
tt.func @round_twice(%x: tensor<512xi32, #line>, %n: i32) {
  tt.call @goes_round(%x, %n) : (tensor<512xi32, #line>, i32) -> ()
  tt.call @goes_round(%x, %n) : (tensor<512xi32, #line>, i32) -> ()
  tt.return
}

// A ring passed as a whole: the callee may access any slot.
// CHECK-LABEL: @fills
tt.func private @fills(%x: tensor<512xi32, #line>, %n: i32, %ring: !ttg.memdesc<3x512xi32, #plain, #smem, mutable>) attributes {noinline = true} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  scf.for %j = %c0 to %n step %c1 iter_args(%put = %c0) -> (i32) : i32 {
    %put1 = arith.addi %put, %c1 : i32
    %next = arith.remui %put1, %c3 : i32
    %into = ttg.memdesc_index %ring[%put] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    ttg.local_store %x, %into : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    scf.yield %next : i32
  }
  tt.return
}

// CHECK-LABEL: @filled
// CHECK: local_load
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: call @fills
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
tt.func @filled(%x: tensor<512xi32, #line>, %n: i32) {
  %c2 = arith.constant 2 : i32
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x512xi32, #plain, #smem, mutable>
  %slot = ttg.memdesc_index %ring[%c2] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %y = ttg.local_load %slot : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  tt.call @fills(%x, %n, %ring) : (tensor<512xi32, #line>, i32, !ttg.memdesc<3x512xi32, #plain, #smem, mutable>) -> ()
  %z = ttg.local_load %slot : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  tt.return
}

// Byte ranges are relative to the offset of a buffer: here 2176, in the middle of warp 1's part of the reusing buffer.
// CHECK-LABEL: @stores_words
tt.func private @stores_words(%x: tensor<512xi32, #single>, %b: !ttg.memdesc<512xi32, #plain, #smem, mutable>) attributes {noinline = true} {
  ttg.local_store %x, %b : tensor<512xi32, #single> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  tt.return
}

// CHECK-LABEL: @place_of_argument
// CHECK: local_alloc {allocation.offset = 2176 : i32}
// CHECK-NEXT: call @stores_words
// CHECK: local_alloc {allocation.offset = 0 : i32}
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_store
tt.func @place_of_argument(%x: tensor<512xi32, #single>, %y: tensor<2048xi32, #single>) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<17x128xi8, #plain2, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  tt.call @stores_words(%x, %b) : (tensor<512xi32, #single>, !ttg.memdesc<512xi32, #plain, #smem, mutable>) -> ()
  ttg.local_dealloc %b : !ttg.memdesc<512xi32, #plain, #smem, mutable>
  ttg.local_dealloc %a : !ttg.memdesc<17x128xi8, #plain2, #smem, mutable>
  %c = ttg.local_alloc : () -> !ttg.memdesc<2048xi32, #plain, #smem, mutable>
  ttg.local_store %y, %c : tensor<2048xi32, #single> -> !ttg.memdesc<2048xi32, #plain, #smem, mutable>
  tt.return
}
}

// Slots of rings: accesses of provably different slots need no barrier. The same for structured loops and branches.
// RUN: nereid-opt %s --allocate-shared-memory --test-print-membar | FileCheck %s
// RUN: nereid-opt %s --convert-scf-to-cf --allocate-shared-memory --test-print-membar | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#single = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "cuda:80"} {

// Three slots, two copies ahead: the copy overwrites the slot that the previous iteration read. The barrier after the
// wait orders those reads. One barrier in the loop.
// CHECK-LABEL: @pipeline
// CHECK: async_wait {{.*}}num = 1
// CHECK-NEXT: memdesc_index
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
// CHECK-NOT: local_barrier
// CHECK: tt.return
tt.func @pipeline(%p: tensor<512x!tt.ptr<i32>, #line>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x512xi32, #plain, #smem, mutable>
  %s0 = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %t0 = ttg.async_copy_global_to_local %p, %s0 : tensor<512x!tt.ptr<i32>, #line> -> <512xi32, #plain, #smem, mutable>
  %g0 = ttg.async_commit_group tokens %t0
  %s1 = ttg.memdesc_index %ring[%c1] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %t1 = ttg.async_copy_global_to_local %p, %s1 : tensor<512x!tt.ptr<i32>, #line> -> <512xi32, #plain, #smem, mutable>
  %g1 = ttg.async_commit_group tokens %t1
  scf.for %i = %c0 to %n step %c1 iter_args(%get = %c0, %put = %c2) -> (i32, i32) : i32 {
    %w = ttg.async_wait {num = 1 : i32}
    %from = ttg.memdesc_index %ring[%get] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    %x = ttg.local_load %from : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
    %into = ttg.memdesc_index %ring[%put] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %into : tensor<512x!tt.ptr<i32>, #line> -> <512xi32, #plain, #smem, mutable>
    %g = ttg.async_commit_group tokens %t
    %get1 = arith.addi %get, %c1 : i32
    %get_last = arith.cmpi sge, %get1, %c3 : i32
    %get_next = arith.select %get_last, %c0, %get1 : i32
    %put1 = arith.addi %put, %c1 : i32
    %put_next = arith.remsi %put1, %c3 : i32
    scf.yield %get_next, %put_next : i32, i32
  }
  tt.return
}

// A counter that has the value of another one an iteration later: one barrier.
// CHECK-LABEL: @delayed
// CHECK: async_wait
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
// CHECK-NOT: local_barrier
// CHECK: tt.return
tt.func @delayed(%p: tensor<512x!tt.ptr<i32>, #line>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x512xi32, #plain, #smem, mutable>
  scf.for %i = %c0 to %n step %c1 iter_args(%next = %c1, %get = %c0, %put = %c2) -> (i32, i32, i32) : i32 {
    %w = ttg.async_wait {num = 1 : i32}
    %from = ttg.memdesc_index %ring[%get] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    %x = ttg.local_load %from : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
    %into = ttg.memdesc_index %ring[%put] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %into : tensor<512x!tt.ptr<i32>, #line> -> <512xi32, #plain, #smem, mutable>
    %g = ttg.async_commit_group tokens %t
    %next1 = arith.addi %next, %c1 : i32
    %next_next = arith.remsi %next1, %c3 : i32
    %put1 = arith.addi %put, %c1 : i32
    %put_next = arith.remsi %put1, %c3 : i32
    scf.yield %next_next, %next, %put_next : i32, i32, i32
  }
  tt.return
}

// In the first iteration it has another value: the copy may write the slot that is read.
// CHECK-LABEL: @delayed_from_elsewhere
// CHECK: ttg.local_barrier{{$}}
// CHECK: local_load
// CHECK: ttg.local_barrier{{$}}
// CHECK: async_copy_global_to_local
tt.func @delayed_from_elsewhere(%p: tensor<512x!tt.ptr<i32>, #line>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x512xi32, #plain, #smem, mutable>
  scf.for %i = %c0 to %n step %c1 iter_args(%next = %c1, %get = %c2, %put = %c2) -> (i32, i32, i32) : i32 {
    %w = ttg.async_wait {num = 1 : i32}
    %from = ttg.memdesc_index %ring[%get] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    %x = ttg.local_load %from : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
    %into = ttg.memdesc_index %ring[%put] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %into : tensor<512x!tt.ptr<i32>, #line> -> <512xi32, #plain, #smem, mutable>
    %g = ttg.async_commit_group tokens %t
    %next1 = arith.addi %next, %c1 : i32
    %next_next = arith.remsi %next1, %c3 : i32
    %put1 = arith.addi %put, %c1 : i32
    %put_next = arith.remsi %put1, %c3 : i32
    scf.yield %next_next, %next, %put_next : i32, i32, i32
  }
  tt.return
}

// Two slots, and the copy writes the slot that this iteration reads: a second barrier.
// CHECK-LABEL: @same_slot
// CHECK: async_wait
// CHECK: ttg.local_barrier{{$}}
// CHECK: local_load
// CHECK: ttg.local_barrier{{$}}
// CHECK: async_copy_global_to_local
tt.func @same_slot(%p: tensor<512x!tt.ptr<i32>, #line>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x512xi32, #plain, #smem, mutable>
  scf.for %i = %c0 to %n step %c1 iter_args(%get = %c0) -> (i32) : i32 {
    %w = ttg.async_wait {num = 1 : i32}
    %slot = ttg.memdesc_index %ring[%get] : !ttg.memdesc<2x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    %x = ttg.local_load %slot : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
    %t = ttg.async_copy_global_to_local %p, %slot : tensor<512x!tt.ptr<i32>, #line> -> <512xi32, #plain, #smem, mutable>
    %g = ttg.async_commit_group tokens %t
    %get1 = arith.addi %get, %c1 : i32
    %more = arith.cmpi slt, %get1, %c2 : i32
    %get_next = arith.select %more, %get1, %c0 : i32
    scf.yield %get_next : i32
  }
  tt.return
}

// Counters that start at the same unknown value, one of them advanced: different in each iteration. A store and a load of
// different slots; the load of the next iteration reads the stored slot.
// CHECK-LABEL: @unknown_start
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
// CHECK-NOT: local_barrier
// CHECK: tt.return
tt.func @unknown_start(%x: tensor<512xi32, #line>, %start: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x512xi32, #plain, #smem, mutable>
  scf.for %i = %c0 to %n step %c1 iter_args(%get = %start) -> (i32) : i32 {
    %get1 = arith.addi %get, %c1 : i32
    %last = arith.cmpi eq, %get1, %c3 : i32
    %put = arith.select %last, %c0, %get1 : i32
    %from = ttg.memdesc_index %ring[%get] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    %y = ttg.local_load %from : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
    %into = ttg.memdesc_index %ring[%put] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    ttg.local_store %x, %into : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    scf.yield %put : i32
  }
  tt.return
}

// The counter wraps at a value other than the number of slots: slots may be equal.
// CHECK-LABEL: @other_modulus
// CHECK: ttg.local_barrier{{$}}
// CHECK: local_load
// CHECK: ttg.local_barrier{{$}}
// CHECK: local_store
tt.func @other_modulus(%x: tensor<512xi32, #line>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x512xi32, #plain, #smem, mutable>
  scf.for %i = %c0 to %n step %c1 iter_args(%get = %c0) -> (i32) : i32 {
    %get1 = arith.addi %get, %c1 : i32
    %last = arith.cmpi eq, %get1, %c2 : i32
    %put = arith.select %last, %c0, %get1 : i32
    %from = ttg.memdesc_index %ring[%get] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    %y = ttg.local_load %from : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
    %into = ttg.memdesc_index %ring[%put] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    ttg.local_store %x, %into : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    scf.yield %put : i32
  }
  tt.return
}

// After the loop, any slot may be the last one.
// CHECK-LABEL: @behind
// CHECK: local_store
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
// CHECK-NEXT: tt.return
tt.func @behind(%x: tensor<512xi32, #line>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x512xi32, #plain, #smem, mutable>
  %first = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  scf.for %i = %c0 to %n step %c1 iter_args(%put = %c1) -> (i32) : i32 {
    %put1 = arith.addi %put, %c1 : i32
    %next = arith.remui %put1, %c3 : i32
    %into = ttg.memdesc_index %ring[%put] : !ttg.memdesc<3x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    ttg.local_store %x, %into : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    scf.yield %next : i32
  }
  %y = ttg.local_load %first : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  tt.return
}

// No barrier is between the load and the store of the next iteration; a restarted loop may begin at the last load's slot.
// CHECK-LABEL: @once
// CHECK-NOT: ttg.local_barrier
// CHECK: local_store
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK: local_load
// CHECK-NOT: ttg.local_barrier
// CHECK: tt.return
tt.func @once(%x: tensor<512xi32, #line>, %n: i32) {
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

// CHECK-LABEL: @again
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: local_store
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK: local_load
tt.func @again(%x: tensor<512xi32, #line>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x512xi32, #plain, #smem, mutable>
  scf.for %i = %c0 to %n step %c1 : i32 {
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
  }
  tt.return
}
}

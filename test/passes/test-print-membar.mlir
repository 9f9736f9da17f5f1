// Barriers between dependent accesses of shared memory only. #line: 128 contiguous elements per warp; #single: four times 32.
// RUN: nereid-opt %s --allocate-shared-memory --test-print-membar | FileCheck %s
// RUN: nereid-opt %s --allocate-shared-memory --test-print-membar=any-thread=true | FileCheck %s --check-prefix=ANY

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#single = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#plain2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#pattern = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "cuda:80"} {

// Read after write, write after read and write after write of one buffer; no barrier between reads or disjoint buffers.
// CHECK-LABEL: @one_buffer
// CHECK: local_alloc
// CHECK-NEXT: local_alloc
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
// CHECK-NEXT: local_load
// CHECK-NEXT: local_load
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_store
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_store
// CHECK-NEXT: tt.return
tt.func @one_buffer(%x: tensor<512xi32, #line>, %y: tensor<512xi32, #single>) {
  %a = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %b = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %p = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  %q = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  %r = ttg.local_load %b : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  ttg.local_store %x, %a : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  ttg.local_store %y, %a : tensor<512xi32, #single> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  tt.return
}

// Each warp reads elements that it wrote: one warp barrier.
// CHECK-LABEL: @same_warp
// CHECK: local_alloc
// CHECK-NEXT: ttg.local_barrier warp
// CHECK-NEXT: local_load
// CHECK-NEXT: tt.addptr
// CHECK-NEXT: local_load
// CHECK-NEXT: tt.return
// ANY-LABEL: @same_warp
// ANY: ttg.local_barrier{{$}}
tt.func @same_warp(%x: tensor<512xi32, #line>, %p: !tt.ptr<i32>, %n: i32) {
  %a = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %y = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #line>
  %q = tt.addptr %p, %n : !tt.ptr<i32>, i32
  %z = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #line>
  tt.return
}

// All warps write the whole buffer.
// CHECK-LABEL: @copies
// CHECK: local_alloc
// CHECK-NEXT: ttg.local_barrier{{$}}
tt.func @copies(%x: tensor<32xi32, #single>) {
  %a = ttg.local_alloc %x : (tensor<32xi32, #single>) -> !ttg.memdesc<32xi32, #plain, #smem, mutable>
  %y = ttg.local_load %a : !ttg.memdesc<32xi32, #plain, #smem, mutable> -> tensor<32xi32, #single>
  tt.return
}

// Disjoint subviews: the left half's bytes are interleaved with the right half's.
// CHECK-LABEL: @halves
// CHECK: local_store
// CHECK-NEXT: local_load
// CHECK-NEXT: addi
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
tt.func @halves(%x: tensor<32x16xf16, #rows>, %n: i32) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #plain2, #smem, mutable>
  %left = ttg.memdesc_subslice %a[0, 0] : !ttg.memdesc<32x32xf16, #plain2, #smem, mutable> -> !ttg.memdesc<32x16xf16, #plain2, #smem, mutable, 32x32>
  %right = ttg.memdesc_subslice %a[0, 16] : !ttg.memdesc<32x32xf16, #plain2, #smem, mutable> -> !ttg.memdesc<32x16xf16, #plain2, #smem, mutable, 32x32>
  %low = ttg.memdesc_subslice %right[16, 0] : !ttg.memdesc<32x16xf16, #plain2, #smem, mutable, 32x32> -> !ttg.memdesc<16x16xf16, #plain2, #smem, mutable, 32x32>
  ttg.local_store %x, %left : tensor<32x16xf16, #rows> -> !ttg.memdesc<32x16xf16, #plain2, #smem, mutable, 32x32>
  %y = ttg.local_load %low : !ttg.memdesc<16x16xf16, #plain2, #smem, mutable, 32x32> -> tensor<16x16xf16, #columns>
  %m = arith.addi %n, %n : i32
  %z = ttg.local_load %a : !ttg.memdesc<32x32xf16, #plain2, #smem, mutable> -> tensor<32x32xf16, #columns>
  tt.return
}

// The same halves inside a swizzle pattern.
// CHECK-LABEL: @swizzled_halves
// CHECK: local_store
// CHECK-NEXT: local_load
// CHECK-NEXT: addi
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
tt.func @swizzled_halves(%x: tensor<32x16xf16, #rows>, %n: i32) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #pattern, #smem, mutable>
  %left = ttg.memdesc_subslice %a[0, 0] : !ttg.memdesc<32x32xf16, #pattern, #smem, mutable> -> !ttg.memdesc<32x16xf16, #pattern, #smem, mutable, 32x32>
  %right = ttg.memdesc_subslice %a[0, 16] : !ttg.memdesc<32x32xf16, #pattern, #smem, mutable> -> !ttg.memdesc<32x16xf16, #pattern, #smem, mutable, 32x32>
  ttg.local_store %x, %right : tensor<32x16xf16, #rows> -> !ttg.memdesc<32x16xf16, #pattern, #smem, mutable, 32x32>
  %y = ttg.local_load %left : !ttg.memdesc<32x16xf16, #pattern, #smem, mutable, 32x32> -> tensor<32x16xf16, #columns>
  %m = arith.addi %n, %n : i32
  %z = ttg.local_load %right : !ttg.memdesc<32x16xf16, #pattern, #smem, mutable, 32x32> -> tensor<32x16xf16, #columns>
  tt.return
}

// The barrier of consecutive loads is before the first, so that each load may move to its use.
// CHECK-LABEL: @row
// CHECK: local_alloc
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
// CHECK-NEXT: local_load
// CHECK-NEXT: tt.return
tt.func @row(%x: tensor<512xi32, #line>) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %a = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %y = ttg.local_load %b : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  %z = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  tt.return
}

// Elements of a buffer by number.
// CHECK-LABEL: @elements
// CHECK: local_store
// CHECK-NEXT: local_load
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
tt.func @elements(%x: tensor<512xi32, #line>, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = ttg.local_alloc : () -> !ttg.memdesc<2x512xi32, #plain, #smem, mutable>
  %e0 = ttg.memdesc_index %a[%c0] : !ttg.memdesc<2x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %e1 = ttg.memdesc_index %a[%c1] : !ttg.memdesc<2x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  ttg.local_store %x, %e0 : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %y = ttg.local_load %e1 : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  %ei = ttg.memdesc_index %a[%i] : !ttg.memdesc<2x512xi32, #plain, #smem, mutable> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %n = arith.addi %i, %c1 : i32
  %z = ttg.local_load %ei : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  tt.return
}

// Scratch that reuses the bytes of a buffer: the conversion's own barrier orders the rest.
// CHECK-LABEL: @scratch
// CHECK: local_load
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: convert_layout
// CHECK-NEXT: local_store
// CHECK-NEXT: tt.return
tt.func @scratch(%x: tensor<512xi32, #line>) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %a = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %y = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  %z = ttg.convert_layout %x : tensor<512xi32, #line> -> tensor<512xi32, #single>
  ttg.local_store %z, %b : tensor<512xi32, #single> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  tt.return
}

// If only one branch has a barrier, another is required after them. If both have one, none is.
// CHECK-LABEL: @branches
// CHECK: scf.if
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
// CHECK: scf.if
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: local_store
// CHECK: } else {
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: }
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_store
tt.func @branches(%x: tensor<512xi32, #line>, %c: i1) {
  %a = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  scf.if %c {
    %p = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  }
  %q = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  scf.if %c {
    ttg.local_store %x, %a : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  } else {
    ttg.local_barrier
  }
  ttg.local_store %q, %a : tensor<512xi32, #single> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  tt.return
}

// Around the loop: the load is read before the next store.
// CHECK-LABEL: @loop
// CHECK: scf.for
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_store
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
// CHECK-NEXT: }
tt.func @loop(%x: tensor<512xi32, #line>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  scf.for %i = %c0 to %n step %c1 : i32 {
    ttg.local_store %x, %a : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    %y = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  }
  tt.return
}

// Barriers that are there count: of the dialects, of an atomic of the whole program. An assertion has one only sometimes.
// CHECK-LABEL: @given
// CHECK: gpu.barrier
// CHECK-NEXT: local_load
// CHECK-NEXT: tt.atomic_rmw
// CHECK-NEXT: local_store
// CHECK-NEXT: tt.assert
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
// CHECK-NEXT: tt.return
tt.func @given(%x: tensor<512xi32, #line>, %p: !tt.ptr<i32>, %n: i32, %c: tensor<512xi1, #line>) {
  %t = arith.constant true
  %a = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  gpu.barrier
  %q = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  %o = tt.atomic_rmw add, acquire, gpu, %p, %n, %t : (!tt.ptr<i32>, i32, i1) -> i32
  ttg.local_store %x, %a : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  tt.assert %c, "no" : tensor<512xi1, #line>
  %r = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  tt.return
}

// A selection may be either buffer.
// CHECK-LABEL: @selected
// CHECK: arith.select
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
tt.func @selected(%x: tensor<512xi32, #line>, %c: i1) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %b = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %s = arith.select %c, %a, %b : !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %p = ttg.local_load %s : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #line>
  tt.return
}

// Any thread accesses the elements at indices. Atomics are writes.
// CHECK-LABEL: @indices
// CHECK: local_alloc
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_gather
// CHECK-NEXT: local_load
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_scatter
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_atomic_scatter_rmw
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
// CHECK-NEXT: tt.return
tt.func @indices(%x: tensor<512xi32, #line>) {
  %a = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %p = ttg.local_gather %a[%x] {axis = 0 : i32} : !ttg.memdesc<512xi32, #plain, #smem, mutable>, tensor<512xi32, #line> -> tensor<512xi32, #line>
  %q = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #line>
  ttg.local_scatter %a[%x], %x {axis = 0 : i32} : !ttg.memdesc<512xi32, #plain, #smem, mutable>, tensor<512xi32, #line>, tensor<512xi32, #line>
  %r = ttg.local_atomic_scatter_rmw add, %a[%x], %x {axis = 0 : i32} : (!ttg.memdesc<512xi32, #plain, #smem, mutable>, tensor<512xi32, #line>, tensor<512xi32, #line>) -> tensor<512xi32, #line>
  %s = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #line>
  tt.return
}
}

// RUN: nereid-opt %s --tritongpu-assign-latencies | FileCheck %s
// RUN: nereid-opt %s --tritongpu-assign-latencies --remarks-filter-missed=tritongpu-assign-latencies --remarks-filter-passed=tritongpu-assign-latencies 2>&1 | FileCheck %s --check-prefix=REMARK

#v4 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#sq = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @loads
tt.func public @loads(%p: tensor<512x!tt.ptr<f32>, #v4>, %h: tensor<512x!tt.ptr<f16>, #v4>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<512xf32, #v4>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %none) -> (tensor<512xf32, #v4>) : i32 {
    %o = tt.splat %i : i32 -> tensor<512xi32, #v4>
    %q = tt.addptr %p, %o : tensor<512x!tt.ptr<f32>, #v4>, tensor<512xi32, #v4>
    // CHECK: tt.load %{{.*}} {tt.latency = 1 : i32} : tensor<512x!tt.ptr<f32>
    // REMARK-DAG: loads 1 iterations ahead
    %x = tt.load %q : tensor<512x!tt.ptr<f32>, #v4>
    // A loaded address: the two loads share three iterations.
    // CHECK: tt.load %{{.*}} {tt.latency = 2 : i32} : tensor<512x!tt.ptr<f32>
    // REMARK-DAG: loads 2 iterations ahead
    %b = tt.bitcast %x : tensor<512xf32, #v4> -> tensor<512xi32, #v4>
    %s = tt.addptr %p, %b : tensor<512x!tt.ptr<f32>, #v4>, tensor<512xi32, #v4>
    %y = tt.load %s : tensor<512x!tt.ptr<f32>, #v4>
    // Two bytes at a time.
    // CHECK: tt.load %{{[^{]*}} : tensor<512x!tt.ptr<f16>
    // REMARK-DAG: not pipelined: less than 4 bytes are contiguous and aligned
    %g = tt.load %h : tensor<512x!tt.ptr<f16>, #v4>
    %e = arith.extf %g : tensor<512xf16, #v4> to tensor<512xf32, #v4>
    %a = arith.addf %x, %y : tensor<512xf32, #v4>
    %d = arith.addf %a, %e : tensor<512xf32, #v4>
    %t = arith.addf %sum, %d : tensor<512xf32, #v4>
    scf.yield %t : tensor<512xf32, #v4>
  } {tt.num_stages = 4 : i32}
  tt.store %p, %r : tensor<512x!tt.ptr<f32>, #v4>
  tt.return
}

// A single load is issued num_stages - 1 iterations ahead. An address that the loop carries and loads cannot be computed
// ahead.
// CHECK-LABEL: @chain
tt.func public @chain(%p: tensor<512x!tt.ptr<i32>, #v4>, %q: tensor<512x!tt.ptr<i32>, #v4>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 iter_args(%at = %p) -> (tensor<512x!tt.ptr<i32>, #v4>) : i32 {
    // CHECK: tt.load %{{.*}} {tt.latency = 3 : i32} : tensor<512x!tt.ptr<i32>
    // REMARK-DAG: loads 3 iterations ahead
    %x = tt.load %q : tensor<512x!tt.ptr<i32>, #v4>
    // CHECK: tt.atomic_rmw
    // CHECK: tt.load %{{[^{]*}} : tensor<512x!tt.ptr<i32>
    // REMARK-DAG: not pipelined: its address depends on an operation that cannot be executed ahead
    %o = tt.atomic_rmw add, acq_rel, gpu, %p, %x : (tensor<512x!tt.ptr<i32>, #v4>, tensor<512xi32, #v4>) -> tensor<512xi32, #v4>
    %a = tt.addptr %at, %o : tensor<512x!tt.ptr<i32>, #v4>, tensor<512xi32, #v4>
    %y = tt.load %a : tensor<512x!tt.ptr<i32>, #v4>
    tt.store %q, %y : tensor<512x!tt.ptr<i32>, #v4>
    scf.yield %a : tensor<512x!tt.ptr<i32>, #v4>
  } {tt.num_stages = 4 : i32}
  tt.return
}

// A loop without num_stages is unchanged.
// CHECK-LABEL: @silent
// CHECK-NOT: tt.latency
tt.func public @silent(%p: tensor<512x!tt.ptr<f32>, #v4>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<512xf32, #v4>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %none) -> (tensor<512xf32, #v4>) : i32 {
    %o = tt.splat %i : i32 -> tensor<512xi32, #v4>
    %q = tt.addptr %p, %o : tensor<512x!tt.ptr<f32>, #v4>, tensor<512xi32, #v4>
    // REMARK-DAG: not pipelined: its loop does not request it: tt.num_stages is less than 2 or missing
    %x = tt.load %q : tensor<512x!tt.ptr<f32>, #v4>
    %t = arith.addf %sum, %x : tensor<512xf32, #v4>
    scf.yield %t : tensor<512xf32, #v4>
  }
  tt.store %p, %r : tensor<512x!tt.ptr<f32>, #v4>
  tt.return
}

// A conditional load, a volatile load, a ring that does not fit; loads of an inner loop belong to that loop.
// CHECK-LABEL: @obstacles
tt.func public @obstacles(%p: tensor<512x!tt.ptr<f32>, #v4>, %q: tensor<32768x!tt.ptr<f32>, #v4>, %c: i1, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<512xf32, #v4>
  scf.for %i = %c0 to %n step %c1 : i32 {
    // CHECK: tt.load %{{[^{]*}} {isVolatile = true} : tensor<512x!tt.ptr<f32>
    // REMARK-DAG: not pipelined: it is volatile, or loads pointers
    %x = tt.load %p {isVolatile = true} : tensor<512x!tt.ptr<f32>, #v4>
    // REMARK-DAG: not pipelined: there is not enough shared memory
    %y = tt.load %q : tensor<32768x!tt.ptr<f32>, #v4>
    %z = scf.if %c -> (tensor<512xf32, #v4>) {
      // REMARK-DAG: not pipelined: it is not executed in every iteration
      %w = tt.load %p : tensor<512x!tt.ptr<f32>, #v4>
      scf.yield %w : tensor<512xf32, #v4>
    } else {
      scf.yield %none : tensor<512xf32, #v4>
    }
    %s = arith.addf %x, %z : tensor<512xf32, #v4>
    tt.store %p, %s : tensor<512x!tt.ptr<f32>, #v4>
    tt.store %q, %y : tensor<32768x!tt.ptr<f32>, #v4>
  } {tt.num_stages = 4 : i32}
  tt.return
}

// Both operands of a dot.
// CHECK-LABEL: @product
tt.func public @product(%p: tensor<16x16x!tt.ptr<f16>, #sq> {tt.contiguity = dense<[1, 16]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %acc: tensor<16x16xf32, #sq>, %o: tensor<16x16x!tt.ptr<f32>, #sq>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<16x16xf32, #sq>) : i32 {
    // CHECK: tt.load %{{.*}} {tt.latency = 2 : i32}
    %x = tt.load %p : tensor<16x16x!tt.ptr<f16>, #sq>
    %a = ttg.convert_layout %x : tensor<16x16xf16, #sq> -> tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #sq}>>
    %b = ttg.convert_layout %x : tensor<16x16xf16, #sq> -> tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #sq}>>
    %d = tt.dot %a, %b, %sum : tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #sq}>> * tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #sq}>> -> tensor<16x16xf32, #sq>
    scf.yield %d : tensor<16x16xf32, #sq>
  } {tt.num_stages = 3 : i32}
  tt.store %o, %r : tensor<16x16x!tt.ptr<f32>, #sq>
  tt.return
}

// A loop that stores to another buffer: pointers that it advances have the base of their initial values.
// CHECK-LABEL: @stored_elsewhere
tt.func public @stored_elsewhere(%p: tensor<16x16x!tt.ptr<f16>, #sq> {tt.contiguity = dense<[1, 16]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<16x16x!tt.ptr<f16>, #sq>, %acc: tensor<16x16xf32, #sq>, %o: tensor<16x16x!tt.ptr<f32>, #sq>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<256> : tensor<16x16xi32, #sq>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc, %from = %p, %to = %q) -> (tensor<16x16xf32, #sq>, tensor<16x16x!tt.ptr<f16>, #sq>, tensor<16x16x!tt.ptr<f16>, #sq>) : i32 {
    // CHECK: tt.load %{{.*}} {tt.latency = 2 : i32}
    %x = tt.load %from : tensor<16x16x!tt.ptr<f16>, #sq>
    %a = ttg.convert_layout %x : tensor<16x16xf16, #sq> -> tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #sq}>>
    %b = ttg.convert_layout %x : tensor<16x16xf16, #sq> -> tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #sq}>>
    %d = tt.dot %a, %b, %sum : tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #sq}>> * tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #sq}>> -> tensor<16x16xf32, #sq>
    tt.store %to, %x : tensor<16x16x!tt.ptr<f16>, #sq>
    %next_from = tt.addptr %from, %step : tensor<16x16x!tt.ptr<f16>, #sq>, tensor<16x16xi32, #sq>
    %next_to = tt.addptr %to, %step : tensor<16x16x!tt.ptr<f16>, #sq>, tensor<16x16xi32, #sq>
    scf.yield %d, %next_from, %next_to : tensor<16x16xf32, #sq>, tensor<16x16x!tt.ptr<f16>, #sq>, tensor<16x16x!tt.ptr<f16>, #sq>
  }
  tt.store %o, %r#0 : tensor<16x16x!tt.ptr<f32>, #sq>
  tt.return
}

// A loop that stores to the buffer that it loads.
// CHECK-LABEL: @stored_to_loaded
tt.func public @stored_to_loaded(%p: tensor<16x16x!tt.ptr<f16>, #sq> {tt.contiguity = dense<[1, 16]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<16x16x!tt.ptr<f16>, #sq>, %acc: tensor<16x16xf32, #sq>, %o: tensor<16x16x!tt.ptr<f32>, #sq>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<256> : tensor<16x16xi32, #sq>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc, %from = %p, %to = %p) -> (tensor<16x16xf32, #sq>, tensor<16x16x!tt.ptr<f16>, #sq>, tensor<16x16x!tt.ptr<f16>, #sq>) : i32 {
    // CHECK-NOT: tt.latency
    // CHECK: tt.load
    // REMARK-DAG: [[@LINE+1]]:{{.*}}not pipelined
    %x = tt.load %from : tensor<16x16x!tt.ptr<f16>, #sq>
    %a = ttg.convert_layout %x : tensor<16x16xf16, #sq> -> tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #sq}>>
    %b = ttg.convert_layout %x : tensor<16x16xf16, #sq> -> tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #sq}>>
    %d = tt.dot %a, %b, %sum : tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #sq}>> * tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #sq}>> -> tensor<16x16xf32, #sq>
    tt.store %to, %x : tensor<16x16x!tt.ptr<f16>, #sq>
    %next_from = tt.addptr %from, %step : tensor<16x16x!tt.ptr<f16>, #sq>, tensor<16x16xi32, #sq>
    %next_to = tt.addptr %to, %step : tensor<16x16x!tt.ptr<f16>, #sq>, tensor<16x16xi32, #sq>
    scf.yield %d, %next_from, %next_to : tensor<16x16xf32, #sq>, tensor<16x16x!tt.ptr<f16>, #sq>, tensor<16x16x!tt.ptr<f16>, #sq>
  }
  tt.store %o, %r#0 : tensor<16x16x!tt.ptr<f32>, #sq>
  tt.return
}

// A loop that can end after any iteration has no safe prefetch distance.
// CHECK-LABEL: @uncounted
// CHECK-NOT: tt.latency
tt.func public @uncounted(%p: tensor<512x!tt.ptr<f32>, #v4>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    // REMARK-DAG: [[@LINE+1]]:{{.*}}not pipelined: its loop may end after any iteration
    %x = tt.load %p : tensor<512x!tt.ptr<f32>, #v4>
    tt.store %p, %x : tensor<512x!tt.ptr<f32>, #v4>
    %next = arith.addi %i, %c1 : i32
    scf.yield %next : i32
  }
  tt.return
}
}

// The first slices of the operands of a dot are loaded one iteration ahead, between the wait and the dot of the last slice.
// RUN: nereid-opt %s --tritongpu-prefetch --split-input-file | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#a4 = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b4 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#rows = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#wide = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#bytes = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {

// Three slots. The wait of the next iteration counts the group that the next iteration commits before it.
// CHECK-LABEL: tt.func @ring
// CHECK: %[[FIRST:.*]] = ttg.memdesc_index %{{.*}}[%[[ZERO:.*]]]
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK: %[[CUT:.*]] = ttg.memdesc_subslice %[[FIRST]][0, 0]
// CHECK: ttg.local_load %[[CUT]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %[[AT:.*]] = %[[ZERO]], %{{.*}} = %{{.*}}, %[[X0:.*]] = %{{.*}}, %[[Y0:.*]] = %{{.*}}) ->
// CHECK: ttg.async_commit_group
// CHECK: %[[SLOT:.*]] = ttg.memdesc_index %{{.*}}[%[[AT]]]
// CHECK: ttg.memdesc_subslice %[[SLOT]][0, 16]
// CHECK: %[[X1:.*]] = ttg.local_load
// CHECK: %[[Y1:.*]] = ttg.local_load
// CHECK: %[[HALF:.*]] = tt.dot %[[X0]], %[[Y0]],
// CHECK: %[[NEXT:.*]] = arith.select
// CHECK: ttg.memdesc_index %{{.*}}[%[[NEXT]]]
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK: %[[NEXT_X:.*]] = ttg.local_load
// CHECK: %[[NEXT_Y:.*]] = ttg.local_load
// CHECK-NEXT: %[[D:.*]] = tt.dot %[[X1]], %[[Y1]], %[[HALF]]
// CHECK-NEXT: scf.yield %[[D]], %[[NEXT]], %{{.*}}, %[[NEXT_X]], %[[NEXT_Y]]
tt.func @ring(%n: i32, %x: !ttg.memdesc<3x64x32xf16, #rows, #smem, mutable>, %y: !ttg.memdesc<3x32x64xf16, #wide, #smem, mutable>) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%c = %none, %at = %zero) -> (tensor<64x64xf32, #mma>, i32) : i32 {
    %g = ttg.async_commit_group
    %t = ttg.async_wait {num = 2 : i32}
    %xs = ttg.memdesc_index %x[%at] : !ttg.memdesc<3x64x32xf16, #rows, #smem, mutable> -> !ttg.memdesc<64x32xf16, #rows, #smem, mutable>
    %xv = ttg.local_load %xs token %t : !ttg.memdesc<64x32xf16, #rows, #smem, mutable> -> tensor<64x32xf16, #a>
    %ys = ttg.memdesc_index %y[%at] : !ttg.memdesc<3x32x64xf16, #wide, #smem, mutable> -> !ttg.memdesc<32x64xf16, #wide, #smem, mutable>
    %yv = ttg.local_load %ys token %t : !ttg.memdesc<32x64xf16, #wide, #smem, mutable> -> tensor<32x64xf16, #b>
    %d = tt.dot %xv, %yv, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    %up = arith.addi %at, %one : i32
    %over = arith.cmpi sge, %up, %three : i32
    %next = arith.select %over, %zero, %up : i32
    scf.yield %d, %next : tensor<64x64xf32, #mma>, i32
  }
  tt.return %r#0 : tensor<64x64xf32, #mma>
}

// A widened operand: the conversion of the first slice is in the iteration before, too. An operand that the loop does not
// change is cut before the loop. The accumulator that a flag clears is that of the first slice; the second dot stays.
// CHECK-LABEL: tt.func @widened
// CHECK: %[[A0:.*]] = ttg.local_load %{{.*}} -> tensor<64x32xf16
// CHECK: %[[A1:.*]] = ttg.local_load %{{.*}} -> tensor<64x32xf16
// CHECK: %[[W:.*]] = ttg.local_load %{{.*}} -> tensor<32x64xi8
// CHECK: arith.addi %[[W]], %{{.*}} : tensor<32x64xi8
// CHECK: %[[B0:.*]] = arith.sitofp
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}, %[[X:.*]] = %[[B0]]) ->
// CHECK: %[[START:.*]] = arith.select
// CHECK: %[[B1:.*]] = arith.sitofp %{{.*}} : tensor<32x64xi8
// CHECK: %[[FIRST:.*]] = tt.dot %[[A0]], %[[X]], %[[START]]
// CHECK: tt.dot %{{.*}} : tensor<64x64xf16
// CHECK: %[[NEXT:.*]] = arith.sitofp
// CHECK: %[[D:.*]] = tt.dot %[[A1]], %[[B1]], %[[FIRST]]
// CHECK-NEXT: scf.yield %[[D]], %{{.*}}, %[[NEXT]]
tt.func @widened(%n: i32, %flag: tensor<64x64xi1, #mma>, %p: !ttg.memdesc<64x64xf16, #wide, #smem, mutable>, %y: !ttg.memdesc<2x64x64xi8, #bytes, #smem, mutable>, %q: tensor<64x64xf16, #b4>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %shift = arith.constant dense<3> : tensor<64x64xi8, #b4>
  %a = ttg.local_load %p : !ttg.memdesc<64x64xf16, #wide, #smem, mutable> -> tensor<64x64xf16, #a4>
  %a2 = ttg.local_load %p : !ttg.memdesc<64x64xf16, #wide, #smem, mutable> -> tensor<64x64xf16, #a4>
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%c = %none, %e = %none) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %at = arith.remsi %i, %one : i32
    %ys = ttg.memdesc_index %y[%at] : !ttg.memdesc<2x64x64xi8, #bytes, #smem, mutable> -> !ttg.memdesc<64x64xi8, #bytes, #smem, mutable>
    %yv = ttg.local_load %ys : !ttg.memdesc<64x64xi8, #bytes, #smem, mutable> -> tensor<64x64xi8, #b4>
    %moved = arith.addi %yv, %shift : tensor<64x64xi8, #b4>
    %b = arith.sitofp %moved : tensor<64x64xi8, #b4> to tensor<64x64xf16, #b4>
    %start = arith.select %flag, %none, %c : tensor<64x64xi1, #mma>, tensor<64x64xf32, #mma>
    %d = tt.dot %a, %b, %start : tensor<64x64xf16, #a4> * tensor<64x64xf16, #b4> -> tensor<64x64xf32, #mma>
    %f = tt.dot %a2, %q, %e : tensor<64x64xf16, #a4> * tensor<64x64xf16, #b4> -> tensor<64x64xf32, #mma>
    scf.yield %d, %f : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// Not ahead of a store to shared memory.
// CHECK-LABEL: tt.func @stored
// CHECK: scf.for {{.*}} iter_args(%{{[^,]*}}) ->
// CHECK: ttg.local_store
// CHECK: ttg.local_load
tt.func @stored(%n: i32, %x: !ttg.memdesc<64x32xf16, #rows, #smem, mutable>, %v: tensor<64x32xf16, #a>, %y: !ttg.memdesc<32x64xf16, #wide, #smem, mutable>) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<64x64xf32, #mma>) : i32 {
    ttg.local_store %v, %x : tensor<64x32xf16, #a> -> !ttg.memdesc<64x32xf16, #rows, #smem, mutable>
    %xv = ttg.local_load %x : !ttg.memdesc<64x32xf16, #rows, #smem, mutable> -> tensor<64x32xf16, #a>
    %yv = ttg.local_load %y : !ttg.memdesc<32x64xf16, #wide, #smem, mutable> -> tensor<32x64xf16, #b>
    %d = tt.dot %xv, %yv, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// Nor where the dot follows a store to shared memory: its loads would move to the dot.
// CHECK-LABEL: tt.func @stored_after_loads
// CHECK: scf.for {{.*}} iter_args(%{{[^,]*}}) ->
// CHECK: ttg.local_load
// CHECK: ttg.local_load
// CHECK: ttg.local_store
tt.func @stored_after_loads(%n: i32, %x: !ttg.memdesc<64x32xf16, #rows, #smem, mutable>, %v: tensor<64x32xf16, #a>, %y: !ttg.memdesc<32x64xf16, #wide, #smem, mutable>) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<64x64xf32, #mma>) : i32 {
    %xv = ttg.local_load %x : !ttg.memdesc<64x32xf16, #rows, #smem, mutable> -> tensor<64x32xf16, #a>
    %yv = ttg.local_load %y : !ttg.memdesc<32x64xf16, #wide, #smem, mutable> -> tensor<32x64xf16, #b>
    ttg.local_store %v, %x : tensor<64x32xf16, #a> -> !ttg.memdesc<64x32xf16, #rows, #smem, mutable>
    %d = tt.dot %xv, %yv, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// Not where the iteration uses the result: its loads overlap other work.
// CHECK-LABEL: tt.func @used
// CHECK: scf.for {{.*}} iter_args(%{{[^,]*}}) ->
tt.func @used(%n: i32, %x: !ttg.memdesc<64x32xf16, #rows, #smem, mutable>, %y: !ttg.memdesc<32x64xf16, #wide, #smem, mutable>) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<64x64xf32, #mma>) : i32 {
    %xv = ttg.local_load %x : !ttg.memdesc<64x32xf16, #rows, #smem, mutable> -> tensor<64x32xf16, #a>
    %yv = ttg.local_load %y : !ttg.memdesc<32x64xf16, #wide, #smem, mutable> -> tensor<32x64xf16, #b>
    %d = tt.dot %xv, %yv, %none : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    %s = arith.addf %d, %c : tensor<64x64xf32, #mma>
    scf.yield %s : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}
}

// -----

// Not where accumulators and two slices exceed the registers.
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#rows = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 1 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
// CHECK-LABEL: tt.func @large
// CHECK: scf.for {{.*}} iter_args(%{{[^,]*}}) ->
tt.func @large(%n: i32, %x: !ttg.memdesc<64x32xf16, #rows, #smem, mutable>, %y: !ttg.memdesc<32x128xf16, #rows, #smem, mutable>) -> tensor<64x128xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  %r = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<64x128xf32, #mma>) : i32 {
    %xv = ttg.local_load %x : !ttg.memdesc<64x32xf16, #rows, #smem, mutable> -> tensor<64x32xf16, #a>
    %yv = ttg.local_load %y : !ttg.memdesc<32x128xf16, #rows, #smem, mutable> -> tensor<32x128xf16, #b>
    %d = tt.dot %xv, %yv, %c : tensor<64x32xf16, #a> * tensor<32x128xf16, #b> -> tensor<64x128xf32, #mma>
    scf.yield %d : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}
}

// -----

// Not in a cluster: a buffer that spans CTAs has no parts.
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], CGALayout = [[1, 0]], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#rows = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0], CGALayout = [[1, 0]]}>
#both = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], CGALayout = [[0, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: tt.func @cluster
// CHECK: scf.for {{.*}} iter_args(%{{[^,]*}}) ->
tt.func @cluster(%n: i32, %x: !ttg.memdesc<128x32xf16, #rows, #smem, mutable>, %y: !ttg.memdesc<32x64xf16, #both, #smem, mutable>) -> tensor<128x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
  %r = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<128x64xf32, #mma>) : i32 {
    %xv = ttg.local_load %x : !ttg.memdesc<128x32xf16, #rows, #smem, mutable> -> tensor<128x32xf16, #a>
    %yv = ttg.local_load %y : !ttg.memdesc<32x64xf16, #both, #smem, mutable> -> tensor<32x64xf16, #b>
    %d = tt.dot %xv, %yv, %c : tensor<128x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<128x64xf32, #mma>
    scf.yield %d : tensor<128x64xf32, #mma>
  }
  tt.return %r : tensor<128x64xf32, #mma>
}
}

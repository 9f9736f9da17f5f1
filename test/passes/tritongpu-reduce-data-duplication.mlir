// RUN: nereid-opt %s --tritongpu-reduce-data-duplication | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
// Buffers have the order of the stored tensor.
// CHECK-DAG: #[[COLUMN:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
// CHECK-DAG: #[[ROWS:.*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
// CHECK-DAG: #[[COLUMNS:.*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// CHECK-DAG: #[[ROW:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// The loads are before their only user.
// CHECK-LABEL: @product
// CHECK: %[[A:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x32xf16, {{.*}}>) -> !ttg.memdesc<64x32xf16, #[[ROW]], #smem>
// CHECK: %[[B:.*]] = ttg.local_alloc %{{.*}} : (tensor<32x64xf16, {{.*}}>) -> !ttg.memdesc<32x64xf16, #[[COLUMN]], #smem>
// CHECK: %[[X:.*]] = ttg.local_load %[[A]]
// CHECK-NEXT: %[[Y:.*]] = ttg.local_load %[[B]]
// CHECK-NEXT: tt.dot %[[X]], %[[Y]]
tt.func private @product(%x: tensor<64x32xf16, #blocked>, %y: tensor<32x64xf16, #column>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %xa = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
  %yb = ttg.convert_layout %y : tensor<32x64xf16, #column> -> tensor<32x64xf16, #b>
  %d = tt.dot %xa, %yb, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}
// Two dots by multiply-add each get a load: a shared one would hold the whole operand in registers.
// CHECK-LABEL: @shared_operand
// CHECK: %[[A:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x32xf16, {{.*}}>) -> !ttg.memdesc<64x32xf16, #[[ROW]], #smem>
// CHECK-NOT: ttg.local_load %[[A]]
// CHECK: %[[X:.*]] = ttg.local_load %[[A]]
// CHECK-NEXT: %[[D:.*]] = tt.dot %[[X]],
// CHECK: %[[X2:.*]] = ttg.local_load %[[A]]
// CHECK-NEXT: tt.dot %[[X2]], %{{.*}}, %[[D]]
tt.func private @shared_operand(%x: tensor<64x32xf16, #blocked>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %xa = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
  %d = tt.dot %xa, %y, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
  %e = tt.dot %xa, %y, %d : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
  tt.return %e : tensor<64x64xf32, #blocked>
}
// Other conversions stay; with more than one user the load stays where the conversion was.
// CHECK-LABEL: @others
// CHECK: ttg.convert_layout
// CHECK: ttg.local_alloc
// CHECK-NEXT: ttg.local_load
// CHECK-NEXT: arith.addf
tt.func private @others(%x: tensor<64x32xf16, #blocked>) -> (tensor<64x32xf16, #column>, tensor<64x32xf16, #a>) {
  %c = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #column>
  %xa = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
  %s = arith.addf %xa, %xa : tensor<64x32xf16, #a>
  tt.return %c, %s : tensor<64x32xf16, #column>, tensor<64x32xf16, #a>
}
// mma.sync: 8 rows of 16 bytes, which a phase of ldmatrix reads, are in different banks. Rows are 64 or 128 bytes.
// CHECK-LABEL: @swizzled
// CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x32xf16, #[[ROWS]], #smem>
// CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<32x64xf16, #[[COLUMNS]], #smem>
tt.func private @swizzled(%x: tensor<64x32xf16, #blocked>, %y: tensor<32x64xf16, #blocked>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %xa = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
  %yb = ttg.convert_layout %y : tensor<32x64xf16, #blocked> -> tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
  %d = tt.dot %xa, %yb, %c : tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}
// An operand that a loop does not change is stored once, and each dot of the loop reads the buffer.
// CHECK-LABEL: @invariant
// CHECK: %[[S:.*]] = ttg.local_alloc %arg0
// CHECK: scf.for
// CHECK-NEXT: %[[X:.*]] = ttg.local_load %[[S]]
// CHECK-NEXT: tt.dot %[[X]],
tt.func private @invariant(%x: tensor<64x32xf16, #blocked>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #blocked> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %xa = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c) -> (tensor<64x64xf32, #blocked>) : i32 {
    %d = tt.dot %xa, %y, %s : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
    scf.yield %d : tensor<64x64xf32, #blocked>
  }
  tt.return %r : tensor<64x64xf32, #blocked>
}
// The conversion may be in the loop: the store is before it.
// CHECK-LABEL: @invariant_inside
// CHECK: %[[S:.*]] = ttg.local_alloc %arg0
// CHECK: scf.for
// CHECK-NEXT: %[[X:.*]] = ttg.local_load %[[S]]
// CHECK-NEXT: tt.dot %[[X]],
tt.func private @invariant_inside(%x: tensor<64x32xf16, #blocked>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #blocked> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c) -> (tensor<64x64xf32, #blocked>) : i32 {
    %xa = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
    %d = tt.dot %xa, %y, %s : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
    scf.yield %d : tensor<64x64xf32, #blocked>
  }
  tt.return %r : tensor<64x64xf32, #blocked>
}
// Also when the conversion is in a branch of the loop. A branch without a loop keeps it.
// CHECK-LABEL: @invariant_branch
// CHECK: %[[S:.*]] = ttg.local_alloc %arg0
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: ttg.local_load %[[S]]
// CHECK: scf.if
// CHECK-NEXT: ttg.local_alloc %arg0
tt.func private @invariant_branch(%x: tensor<64x32xf16, #blocked>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #blocked>, %n: i32, %q: i1) -> tensor<64x64xf32, #blocked> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c) -> (tensor<64x64xf32, #blocked>) : i32 {
    %e = scf.if %q -> (tensor<64x64xf32, #blocked>) {
      %xa = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
      %d = tt.dot %xa, %y, %s : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
      scf.yield %d : tensor<64x64xf32, #blocked>
    } else {
      scf.yield %s : tensor<64x64xf32, #blocked>
    }
    scf.yield %e : tensor<64x64xf32, #blocked>
  }
  %f = scf.if %q -> (tensor<64x64xf32, #blocked>) {
    %xb = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
    %d = tt.dot %xb, %y, %r : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
    scf.yield %d : tensor<64x64xf32, #blocked>
  } else {
    scf.yield %r : tensor<64x64xf32, #blocked>
  }
  tt.return %f : tensor<64x64xf32, #blocked>
}
}

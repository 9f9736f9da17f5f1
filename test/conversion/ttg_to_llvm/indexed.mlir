// Elements of buffers at indices: one access per element; bits of the index beyond the buffer are ignored.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#plain2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#swizzled = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: llvm.func {{.*}}@gather(
// CHECK-DAG: %[[LAST:.*]] = llvm.mlir.constant(255 : i32)
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[INDEX:.*]] = llvm.zext %{{.*}} : i16 to i32
// CHECK: %[[IN:.*]] = llvm.and %[[INDEX]], %[[LAST]]
// CHECK: %[[BYTES:.*]] = llvm.shl %[[IN]], %[[TWO]]
// CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[BYTES]]]
// CHECK: llvm.load %[[AT]] {{.*}}-> f32
tt.func private @gather(%i: tensor<128xi16, #line>) -> tensor<128xf32, #line> {
  %m = ttg.local_alloc : () -> !ttg.memdesc<256xf32, #plain, #smem, mutable>
  %y = ttg.local_gather %m[%i] {axis = 0 : i32} : !ttg.memdesc<256xf32, #plain, #smem, mutable>, tensor<128xi16, #line> -> tensor<128xf32, #line>
  tt.return %y : tensor<128xf32, #line>
}

// The row determines the swizzle of the column: two shifts of the index, combined with the thread's column by xor.
// CHECK-LABEL: llvm.func {{.*}}@swizzled(
// CHECK: llvm.shl
// CHECK: llvm.shl
// CHECK: llvm.xor
// CHECK: llvm.xor
// CHECK: llvm.getelementptr
// CHECK: llvm.store {{.*}} : f32
tt.func private @swizzled(%x: tensor<8x16xf32, #rows>, %i: tensor<8x16xi32, #rows>) {
  %m = ttg.local_alloc : () -> !ttg.memdesc<32x16xf32, #swizzled, #smem, mutable>
  ttg.local_scatter %m[%i], %x {axis = 0 : i32} : !ttg.memdesc<32x16xf32, #swizzled, #smem, mutable>, tensor<8x16xi32, #rows>, tensor<8x16xf32, #rows>
  tt.return
}

// A dimension of one element takes no index.
// CHECK-LABEL: llvm.func {{.*}}@one_row(
// CHECK-NOT: llvm.trunc
// CHECK: llvm.load
tt.func private @one_row(%i: tensor<8x16xi64, #rows>) -> tensor<8x16xf32, #rows> {
  %m = ttg.local_alloc : () -> !ttg.memdesc<1x16xf32, #plain2, #smem, mutable>
  %y = ttg.local_gather %m[%i] {axis = 0 : i32} : !ttg.memdesc<1x16xf32, #plain2, #smem, mutable>, tensor<8x16xi64, #rows> -> tensor<8x16xf32, #rows>
  tt.return %y : tensor<8x16xf32, #rows>
}

// One of the threads that hold an element changes it, and passes the result to the others.
// CHECK-LABEL: llvm.func {{.*}}@atomics(
// CHECK: llvm.inline_asm {{.*}}"@$3 atom.shared.cta.relaxed.add.f32 $0, [$1], $2;", "=r,r,r,b,0"
// CHECK: nvvm.barrier
// CHECK: llvm.load
// CHECK: llvm.inline_asm {{.*}}"@$3 atom.shared.cta.relaxed.exch.b32 $0, [$1], $2;"
tt.func private @atomics(%x: tensor<32xf32, #line>, %i: tensor<32xi32, #line>, %mask: tensor<32xi1, #line>) -> tensor<32xf32, #line> {
  %m = ttg.local_alloc : () -> !ttg.memdesc<64xf32, #plain, #smem, mutable>
  %y = ttg.local_atomic_scatter_rmw fadd, %m[%i], %x {axis = 0 : i32} : (!ttg.memdesc<64xf32, #plain, #smem, mutable>, tensor<32xf32, #line>, tensor<32xi32, #line>) -> tensor<32xf32, #line>
  %z = ttg.local_atomic_scatter_rmw exch, %m[%i], %x, %mask {axis = 0 : i32} : (!ttg.memdesc<64xf32, #plain, #smem, mutable>, tensor<32xf32, #line>, tensor<32xi32, #line>, tensor<32xi1, #line>) -> tensor<32xf32, #line>
  tt.return %y : tensor<32xf32, #line>
}

// CHECK-LABEL: llvm.func {{.*}}@loop(
// CHECK: "ld.relaxed.cta.shared.b16 $0, [$1];", "=h,r"
// CHECK: "atom.relaxed.cta.shared.cas.b16 $0, [$1], $2, $3;", "=h,r,h,h"
tt.func private @loop(%x: tensor<128xi16, #line>, %i: tensor<128xi32, #line>) {
  %m = ttg.local_alloc : () -> !ttg.memdesc<64xi16, #plain, #smem, mutable>
  %y = ttg.local_atomic_scatter_rmw umax, %m[%i], %x {axis = 0 : i32} : (!ttg.memdesc<64xi16, #plain, #smem, mutable>, tensor<128xi16, #line>, tensor<128xi32, #line>) -> tensor<128xi16, #line>
  tt.return
}
}

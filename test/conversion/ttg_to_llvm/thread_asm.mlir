// ttg.inline_asm: one execution per thread, with a register per element and no packing.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: llvm.func internal @bytes(
// CHECK: %[[ALL:.*]] = llvm.inline_asm "cvt.u16.u16 $0, $3; cvt.u16.u16 $1, $4; add.u32 $2, $5, 1;", "=h,=h,=r,h,h,r" %arg0, %arg1, %arg2 : (i8, i8, i32) -> !llvm.struct<(i8, i8, i32)>
// CHECK: llvm.extractvalue %[[ALL]][0]
// CHECK: llvm.extractvalue %[[ALL]][1]
// CHECK: llvm.extractvalue %[[ALL]][2]
tt.func private @bytes(%x: tensor<256xi8, #b>, %n: i32) -> (tensor<256xi8, #b>, i32) {
  %y:2 = ttg.inline_asm "cvt.u16.u16 $0, $3; cvt.u16.u16 $1, $4; add.u32 $2, $5, 1;" {constraints = "=h,=h,=r,h,h,r", pure = true} %x, %n : (tensor<256xi8, #b>, i32) -> (tensor<256xi8, #b>, i32)
  tt.return %y#0, %y#1 : tensor<256xi8, #b>, i32
}

// A view has the address of its first element: 16 columns of two bytes from the start.
// CHECK-LABEL: llvm.func internal @buffer(
// CHECK: %[[VIEW:.*]] = llvm.getelementptr %{{.*}}[32]
// CHECK: %[[AT:.*]] = llvm.ptrtoint %[[VIEW]] : !llvm.ptr<3> to i32
// CHECK: llvm.inline_asm has_side_effects "st.shared.u32 [$0], $1;", "r,r" %[[AT]], %arg0 : (i32, i32) -> ()
tt.func private @buffer(%n: i32) {
  %m = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #s, #smem, mutable>
  %v = ttg.memdesc_subslice %m[0, 16] : !ttg.memdesc<32x32xf16, #s, #smem, mutable> -> !ttg.memdesc<32x16xf16, #s, #smem, mutable, 32x32>
  ttg.inline_asm "st.shared.u32 [$0], $1;" {constraints = "r,r", pure = false} %v, %n : (!ttg.memdesc<32x16xf16, #s, #smem, mutable, 32x32>, i32) -> ()
  tt.return
}
}

// Dots that stay in flight while threads only copy are loops: two iterations, a group each, for which waits wait.
// RUN: nereid-opt %s --split-input-file --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>
#narrow = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>
#fp8 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#op = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#t = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#s8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#t8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#s64 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked8 = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// Two steps of K per iteration. The second half of K is 64 bytes behind the first: 4 units of 16.
// CHECK-LABEL: llvm.func internal @loop(
// CHECK: mov.b32 low_a, $64; mov.b32 low_b, $65; mov.b32 i, 0;
// CHECK-SAME: again: .pragma \22nounroll\22;\0Awgmma.fence.sync.aligned;\0Amov.b64 a, {low_a, 1073741888};
// CHECK-SAME: mov.b64 b, {low_b, 1073741888};
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0,$1,{{[$0-9,]*}},$31}, a, b, yes, 1, 1, 0, 0;
// CHECK-SAME: add.s32 low, low_a, 2; mov.b64 a, {low, 1073741888};
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0,$1,{{[$0-9,]*}},$31}, a, b, yes, 1, 1, 0, 0;
// CHECK-SAME: wgmma.commit_group.sync.aligned;\0Aadd.s32 low_a, low_a, 4; add.s32 low_b, low_b, 4; add.s32 i, i, 1;
// CHECK-SAME: setp.lt.u32 more, i, 2; @more bra again;\0A}"
// CHECK: "wgmma.wait_group.sync.aligned 2;"
tt.func private @loop(%a: !ttg.memdesc<64x64xf16, #s, #smem>, %b: !ttg.memdesc<64x64xf16, #t, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #t, #smem> -> tensor<64x64xf32, #mma>
  %e:2 = ttng.warp_group_dot_wait %d, %a {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #s, #smem>
  tt.return %e#0 : tensor<64x64xf32, #mma>
}

// A flag decides whether the first instruction adds the accumulator.
// CHECK-LABEL: llvm.func internal @flag(
// CHECK: mov.pred adds, $66;\0Aagain:
// CHECK-SAME: , a, b, adds, 1, 1, 0, 0;
// CHECK-SAME: , a, b, yes, 1, 1, 0, 0;
// CHECK-SAME: mov.pred adds, yes; add.s32 i, i, 1;
tt.func private @flag(%a: !ttg.memdesc<64x64xf16, #s, #smem>, %b: !ttg.memdesc<64x64xf16, #t, #smem>, %c: tensor<64x64xf32, #mma>, %use: i1) -> tensor<64x64xf32, #mma> {
  %d = ttng.warp_group_dot %a, %b, %c, %use {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #t, #smem> -> tensor<64x64xf32, #mma>
  %e:2 = ttng.warp_group_dot_wait %d, %a {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #s, #smem>
  tt.return %e#0 : tensor<64x64xf32, #mma>
}

// A dot that sets its registers is a sequence, which commits as many groups.
// CHECK-LABEL: llvm.func internal @sets(
// CHECK: bra again;
// CHECK: 0, 0;\0Awgmma.fence
// CHECK-SAME: , a, b, no, 1, 1, 0, 0;
// CHECK-SAME: , a, b, yes, 1, 1, 0, 0;
// CHECK-SAME: wgmma.commit_group
// CHECK-SAME: wgmma.commit_group.sync.aligned;\0A}"
tt.func private @sets(%a: !ttg.memdesc<64x64xf16, #s, #smem>, %b: !ttg.memdesc<64x64xf16, #t, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %no = arith.constant false
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #t, #smem> -> tensor<64x64xf32, #mma>
  %f = ttng.warp_group_dot %a, %b, %c, %no {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #t, #smem> -> tensor<64x64xf32, #mma>
  %e:2 = ttng.warp_group_dot_wait %d, %a {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #s, #smem>
  %g = ttng.warp_group_dot_wait %f {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  %sum = arith.addf %e#0, %g : tensor<64x64xf32, #mma>
  tt.return %sum : tensor<64x64xf32, #mma>
}

// 8-bit elements that threads store do not prevent it.
// CHECK-LABEL: llvm.func internal @stores_bytes(
// CHECK: again:
// CHECK: "wgmma.wait_group.sync.aligned 2;"
tt.func private @stores_bytes(%a: !ttg.memdesc<64x128xf8E5M2, #s8, #smem>, %b: !ttg.memdesc<128x64xf8E5M2, #t8, #smem>, %c: tensor<64x64xf32, #fp8>, %x: tensor<64x128xf8E5M2, #blocked8>, %to: !ttg.memdesc<64x128xf8E5M2, #s8, #smem, mutable>) -> tensor<64x64xf32, #fp8> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x128xf8E5M2, #s8, #smem> * !ttg.memdesc<128x64xf8E5M2, #t8, #smem> -> tensor<64x64xf32, #fp8>
  ttg.local_store %x, %to : tensor<64x128xf8E5M2, #blocked8> -> !ttg.memdesc<64x128xf8E5M2, #s8, #smem, mutable>
  %e:2 = ttng.warp_group_dot_wait %d, %a {pendings = 1 : i32} : tensor<64x64xf32, #fp8>, !ttg.memdesc<64x128xf8E5M2, #s8, #smem>
  tt.return %e#0 : tensor<64x64xf32, #fp8>
}

// Others do: the loop would separate that work from the dot.
// CHECK-LABEL: llvm.func internal @stores(
// CHECK-NOT: again:
// CHECK: "wgmma.wait_group.sync.aligned 1;"
tt.func private @stores(%a: !ttg.memdesc<64x64xf16, #s, #smem>, %b: !ttg.memdesc<64x64xf16, #t, #smem>, %c: tensor<64x64xf32, #mma>, %x: tensor<64x64xf16, #blocked>, %to: !ttg.memdesc<64x64xf16, #s, #smem, mutable>) -> tensor<64x64xf32, #mma> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #t, #smem> -> tensor<64x64xf32, #mma>
  ttg.local_store %x, %to : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
  %e:2 = ttng.warp_group_dot_wait %d, %a {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #s, #smem>
  tt.return %e#0 : tensor<64x64xf32, #mma>
}

// So do loads from shared memory,
// CHECK-LABEL: llvm.func internal @loads(
// CHECK-NOT: again:
// CHECK: "wgmma.wait_group.sync.aligned 1;"
tt.func private @loads(%a: !ttg.memdesc<64x64xf16, #s, #smem>, %b: !ttg.memdesc<64x64xf16, #t, #smem>, %c: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf16, #blocked>) {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #t, #smem> -> tensor<64x64xf32, #mma>
  %x = ttg.local_load %a : !ttg.memdesc<64x64xf16, #s, #smem> -> tensor<64x64xf16, #blocked>
  %e:2 = ttng.warp_group_dot_wait %d, %a {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #s, #smem>
  tt.return %e#0, %x : tensor<64x64xf32, #mma>, tensor<64x64xf16, #blocked>
}

// copies after the dot,
// CHECK-LABEL: llvm.func internal @copies_later(
// CHECK-NOT: again:
// CHECK: "wgmma.wait_group.sync.aligned 1;"
tt.func private @copies_later(%a: !ttg.memdesc<64x64xf16, #s, #smem>, %b: !ttg.memdesc<64x64xf16, #t, #smem>, %c: tensor<64x64xf32, #mma>, %p: tensor<64x64x!tt.ptr<f16>, #blocked>, %to: !ttg.memdesc<64x64xf16, #s, #smem, mutable>) -> tensor<64x64xf32, #mma> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #t, #smem> -> tensor<64x64xf32, #mma>
  %e:2 = ttng.warp_group_dot_wait %d, %a {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #s, #smem>
  %token = ttg.async_copy_global_to_local %p, %to {contiguity = 8 : i32} : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #s, #smem, mutable>
  tt.return %e#0 : tensor<64x64xf32, #mma>
}

// in a later block of the loop, too,
// CHECK-LABEL: llvm.func internal @copies_in_later_block(
// CHECK-NOT: again:
// CHECK: "wgmma.wait_group.sync.aligned 1;"
tt.func private @copies_in_later_block(%a: !ttg.memdesc<64x64xf16, #s, #smem>, %b: !ttg.memdesc<64x64xf16, #t, #smem>, %c: tensor<64x64xf32, #mma>, %p: tensor<64x64x!tt.ptr<f16>, #blocked>, %to: !ttg.memdesc<64x64xf16, #s, #smem, mutable>, %again: i1) -> tensor<64x64xf32, #mma> {
  cf.br ^loop(%c : tensor<64x64xf32, #mma>)
^loop(%acc: tensor<64x64xf32, #mma>):
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #t, #smem> -> tensor<64x64xf32, #mma>
  %e:2 = ttng.warp_group_dot_wait %d, %a {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #s, #smem>
  cf.cond_br %again, ^copy, ^other
^other:
  cf.br ^copy
^copy:
  %token = ttg.async_copy_global_to_local %p, %to {contiguity = 8 : i32} : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #s, #smem, mutable>
  cf.cond_br %again, ^loop(%e#0 : tensor<64x64xf32, #mma>), ^end
^end:
  tt.return %e#0 : tensor<64x64xf32, #mma>
}

// but not those after the loop,
// CHECK-LABEL: llvm.func internal @copies_after_loop(
// CHECK: again:
// CHECK: "wgmma.wait_group.sync.aligned 2;"
tt.func private @copies_after_loop(%a: !ttg.memdesc<64x64xf16, #s, #smem>, %b: !ttg.memdesc<64x64xf16, #t, #smem>, %c: tensor<64x64xf32, #mma>, %p: tensor<64x64x!tt.ptr<f16>, #blocked>, %to: !ttg.memdesc<64x64xf16, #s, #smem, mutable>, %again: i1) -> tensor<64x64xf32, #mma> {
  cf.br ^loop(%c : tensor<64x64xf32, #mma>)
^loop(%acc: tensor<64x64xf32, #mma>):
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #t, #smem> -> tensor<64x64xf32, #mma>
  %e:2 = ttng.warp_group_dot_wait %d, %a {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #s, #smem>
  cf.cond_br %again, ^loop(%e#0 : tensor<64x64xf32, #mma>), ^end
^end:
  %token = ttg.async_copy_global_to_local %p, %to {contiguity = 8 : i32} : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #s, #smem, mutable>
  tt.return %e#0 : tensor<64x64xf32, #mma>
}

// results that do not fit in registers,
// CHECK-LABEL: llvm.func internal @large_result(
// CHECK-NOT: again:
// CHECK: "wgmma.wait_group.sync.aligned 1;"
tt.func private @large_result(%a: !ttg.memdesc<128x64xf16, #s, #smem>, %b: !ttg.memdesc<64x256xf16, #t, #smem>, %c: tensor<128x256xf32, #wide>) -> tensor<128x256xf32, #wide> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<128x64xf16, #s, #smem> * !ttg.memdesc<64x256xf16, #t, #smem> -> tensor<128x256xf32, #wide>
  %e:2 = ttng.warp_group_dot_wait %d, %a {pendings = 1 : i32} : tensor<128x256xf32, #wide>, !ttg.memdesc<128x64xf16, #s, #smem>
  tt.return %e#0 : tensor<128x256xf32, #wide>
}

// operands in registers,
// CHECK-LABEL: llvm.func internal @registers(
// CHECK-NOT: again:
// CHECK: "wgmma.wait_group.sync.aligned 1;"
tt.func private @registers(%a: tensor<64x64xf16, #op>, %b: !ttg.memdesc<64x64xf16, #t, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xf16, #op> * !ttg.memdesc<64x64xf16, #t, #smem> -> tensor<64x64xf32, #mma>
  %e:2 = ttng.warp_group_dot_wait %d, %b {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #t, #smem>
  tt.return %e#0 : tensor<64x64xf32, #mma>
}

// instructions of few columns,
// CHECK-LABEL: llvm.func internal @few_columns(
// CHECK-NOT: again:
// CHECK: "wgmma.wait_group.sync.aligned 1;"
tt.func private @few_columns(%a: !ttg.memdesc<64x64xf16, #s, #smem>, %b: !ttg.memdesc<64x32xf16, #t, #smem>, %c: tensor<64x32xf32, #narrow>) -> tensor<64x32xf32, #narrow> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x32xf16, #t, #smem> -> tensor<64x32xf32, #narrow>
  %e:2 = ttng.warp_group_dot_wait %d, %a {pendings = 1 : i32} : tensor<64x32xf32, #narrow>, !ttg.memdesc<64x64xf16, #s, #smem>
  tt.return %e#0 : tensor<64x32xf32, #narrow>
}

// few steps of K,
// CHECK-LABEL: llvm.func internal @few_steps(
// CHECK-NOT: again:
// CHECK: "wgmma.wait_group.sync.aligned 1;"
tt.func private @few_steps(%a: !ttg.memdesc<64x32xf16, #s64, #smem>, %b: !ttg.memdesc<32x64xf16, #s, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x32xf16, #s64, #smem> * !ttg.memdesc<32x64xf16, #s, #smem> -> tensor<64x64xf32, #mma>
  %e:2 = ttng.warp_group_dot_wait %d, %a {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x32xf16, #s64, #smem>
  tt.return %e#0 : tensor<64x64xf32, #mma>
}

// sums of 8-bit floats in parts,
// CHECK-LABEL: llvm.func internal @parts(
// CHECK-NOT: again:
// CHECK: llvm.return
tt.func private @parts(%a: !ttg.memdesc<64x128xf8E5M2, #s8, #smem>, %b: !ttg.memdesc<128x64xf8E5M2, #t8, #smem>, %c: tensor<64x64xf32, #fp8>) -> tensor<64x64xf32, #fp8> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 32 : i32} : !ttg.memdesc<64x128xf8E5M2, #s8, #smem> * !ttg.memdesc<128x64xf8E5M2, #t8, #smem> -> tensor<64x64xf32, #fp8>
  %e:2 = ttng.warp_group_dot_wait %d, %a {pendings = 1 : i32} : tensor<64x64xf32, #fp8>, !ttg.memdesc<64x128xf8E5M2, #s8, #smem>
  tt.return %e#0 : tensor<64x64xf32, #fp8>
}

// and dots that no wait leaves in flight.
// CHECK-LABEL: llvm.func internal @completed(
// CHECK-NOT: again:
// CHECK: "wgmma.wait_group.sync.aligned 0;"
tt.func private @completed(%a: !ttg.memdesc<64x64xf16, #s, #smem>, %b: !ttg.memdesc<64x64xf16, #t, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #t, #smem> -> tensor<64x64xf32, #mma>
  %e = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  tt.return %e : tensor<64x64xf32, #mma>
}
}

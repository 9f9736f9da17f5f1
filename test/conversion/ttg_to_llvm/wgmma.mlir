// Dots of warp groups: one statement holds the fence, the instructions of all tiles and k, and the commit.
// RUN: nereid-opt %s --split-input-file --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#narrow = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>
#fp8 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16, 32]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s64 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#t32 = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 16}>
#s8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#t8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
#op = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// K of A is contiguous: 1024 bytes to the next 8 rows, 32 bytes to the next k. N of B is contiguous: 16 k are 2048 bytes.
// CHECK-LABEL: llvm.func internal @plain(
// CHECK-NOT: shfl
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: wgmma.fence.sync.aligned;
// CHECK-SAME: mov.b64 a, {$64, 1073741888};\0A
// CHECK-SAME: mov.b64 b, {$65, 1073741888};\0A
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0,$1,{{[$0-9,]*}},$31}, a, b, yes, 1, 1, 0, 1;
// CHECK-SAME: add.s32 low, $64, 2; mov.b64 a, {low, 1073741888};
// CHECK-SAME: add.s32 low, $65, 128; mov.b64 b, {low, 1073741888};
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0,$1,{{[$0-9,]*}},$31}, a, b, yes, 1, 1, 0, 1;
// CHECK-SAME: wgmma.commit_group.sync.aligned;\0Awgmma.wait_group.sync.aligned 0;\0A}"
// CHECK-SAME: "=f,{{.*}}=f,0,1,{{.*}},30,31,r,r,~{memory}"
// CHECK-NOT: inline_asm
// CHECK: llvm.return
tt.func private @plain(%a: !ttg.memdesc<64x64xf16, #s, #smem>, %b: !ttg.memdesc<64x64xf16, #s, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #s, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// Asynchronous: the wait takes the registers; f16 accumulators are pairs.
// CHECK-LABEL: llvm.func internal @asynchronous(
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {$0,$1}, a, b, $6, 1, 1, 0, 0;
// CHECK-NOT: wgmma.wait_group
// CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 1;", "=r,=r,0,1,~{memory}"
tt.func private @asynchronous(%a: !ttg.memdesc<64x32xf16, #s64, #smem>, %b: !ttg.memdesc<32x8xf16, #t32, #smem>, %c: tensor<64x8xf16, #narrow>, %use: i1) -> tensor<64x8xf16, #narrow> {
  %d = ttng.warp_group_dot %a, %b, %c, %use {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x32xf16, #s64, #smem> * !ttg.memdesc<32x8xf16, #t32, #smem> -> tensor<64x8xf16, #narrow>
  %e:2 = ttng.warp_group_dot_wait %d, %a {pendings = 1 : i32} : tensor<64x8xf16, #narrow>, !ttg.memdesc<64x32xf16, #s64, #smem>
  tt.return %e#0 : tensor<64x8xf16, #narrow>
}

// A wait names the registers of a repeated operand once: a second name would be a copy before the wait.
// CHECK-LABEL: llvm.func internal @repeated(
// CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "=r,=r,0,1,~{memory}"
tt.func private @repeated(%a: !ttg.memdesc<64x32xf16, #s64, #smem>, %b: !ttg.memdesc<32x8xf16, #t32, #smem>, %c: tensor<64x8xf16, #narrow>) -> (tensor<64x8xf16, #narrow>, tensor<64x8xf16, #narrow>) {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x32xf16, #s64, #smem> * !ttg.memdesc<32x8xf16, #t32, #smem> -> tensor<64x8xf16, #narrow>
  %e:3 = ttng.warp_group_dot_wait %d, %a, %d {pendings = 0 : i32} : tensor<64x8xf16, #narrow>, !ttg.memdesc<64x32xf16, #s64, #smem>, tensor<64x8xf16, #narrow>
  tt.return %e#0, %e#2 : tensor<64x8xf16, #narrow>, tensor<64x8xf16, #narrow>
}

// A in registers: four of each k. An accumulator that is not added has no registers before.
// CHECK-LABEL: llvm.func internal @registers(
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{.*}},$31}, {$32,$33,$34,$35}, b, no, 1, 1, 1;
// CHECK-SAME: {{{.*}},$31}, {$36,$37,$38,$39}, b, yes, 1, 1, 1;
// CHECK-SAME: "=f,{{.*}},=f,r,r,r,r,r,r,r,r,r,~{memory}"
tt.func private @registers(%a: tensor<64x32xf16, #op>, %b: !ttg.memdesc<32x64xf16, #s, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %false = arith.constant false
  %d = ttng.warp_group_dot %a, %b, %c, %false {inputPrecision = 0 : i32} : tensor<64x32xf16, #op> * !ttg.memdesc<32x64xf16, #s, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// 8-bit floats: every 32 k are summed from zero and added in f32.
// CHECK-LABEL: llvm.func internal @parts(
// CHECK: wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e5m2 {$0,$1,$2,$3,$4,$5,$6,$7}, a, b, no, 1, 1;
// CHECK-NOT: wgmma.mma
// CHECK-COUNT-8: llvm.fadd
// CHECK-NOT: llvm.fadd
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: llvm.fadd
// CHECK-NOT: llvm.fadd
// CHECK: llvm.return
tt.func private @parts(%a: !ttg.memdesc<64x64xf8E4M3FN, #s8, #smem>, %b: !ttg.memdesc<64x16xf8E5M2, #t8, #smem>, %c: tensor<64x16xf32, #fp8>) -> tensor<64x16xf32, #fp8> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, maxNumImpreciseAcc = 32 : i32} : !ttg.memdesc<64x64xf8E4M3FN, #s8, #smem> * !ttg.memdesc<64x16xf8E5M2, #t8, #smem> -> tensor<64x16xf32, #fp8>
  tt.return %d : tensor<64x16xf32, #fp8>
}

// The third part takes over the registers of the first one, which has been added.
// CHECK-LABEL: llvm.func internal @three_parts(
// CHECK: llvm.inline_asm {{.*}} "=f,=f,=f,=f,=f,=f,=f,=f,{{[^0-9]*}}"
// CHECK: llvm.inline_asm {{.*}} "=f,=f,=f,=f,=f,=f,=f,=f,{{[^0-9]*}}"
// CHECK: llvm.inline_asm {{.*}} "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,
// CHECK: llvm.return
tt.func private @three_parts(%a: !ttg.memdesc<64x128xf8E4M3FN, #s8, #smem>, %b: !ttg.memdesc<128x16xf8E5M2, #t8, #smem>, %c: tensor<64x16xf32, #fp8>) -> tensor<64x16xf32, #fp8> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, maxNumImpreciseAcc = 32 : i32} : !ttg.memdesc<64x128xf8E4M3FN, #s8, #smem> * !ttg.memdesc<128x16xf8E5M2, #t8, #smem> -> tensor<64x16xf32, #fp8>
  tt.return %d : tensor<64x16xf32, #fp8>
}

// The sum of all k is limited, too: the next dot would go on adding to it.
// CHECK-LABEL: llvm.func internal @one_part(
// CHECK: {$0,$1,$2,$3,$4,$5,$6,$7}, a, b, no, 1, 1;
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: llvm.fadd {{.*}} {fastmathFlags = #llvm.fastmath<contract>}
// CHECK-NOT: llvm.fadd
// CHECK: llvm.return
tt.func private @one_part(%a: !ttg.memdesc<64x64xf8E4M3FN, #s8, #smem>, %b: !ttg.memdesc<64x16xf8E5M2, #t8, #smem>, %c: tensor<64x16xf32, #fp8>) -> tensor<64x16xf32, #fp8> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, maxNumImpreciseAcc = 64 : i32} : !ttg.memdesc<64x64xf8E4M3FN, #s8, #smem> * !ttg.memdesc<64x16xf8E5M2, #t8, #smem> -> tensor<64x16xf32, #fp8>
  tt.return %d : tensor<64x16xf32, #fp8>
}
}

// -----

#two = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 16, 16]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 8 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// The second warp group reads the next 64 rows of A; its number comes from the first lane, once.
// CHECK-LABEL: llvm.func internal @groups(
// CHECK-COUNT-1: llvm.nvvm.shfl.sync.idx.i32
// CHECK-NOT: shfl
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16
tt.func private @groups(%a: !ttg.memdesc<128x16xbf16, #s, #smem>, %b: !ttg.memdesc<16x16xbf16, #s, #smem>, %c: tensor<128x16xf32, #two>) -> tensor<128x16xf32, #two> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32} : !ttg.memdesc<128x16xbf16, #s, #smem> * !ttg.memdesc<16x16xbf16, #s, #smem> -> tensor<128x16xf32, #two>
  %e = ttng.warp_group_dot %a, %b, %d {inputPrecision = 0 : i32} : !ttg.memdesc<128x16xbf16, #s, #smem> * !ttg.memdesc<16x16xbf16, #s, #smem> -> tensor<128x16xf32, #two>
  tt.return %e : tensor<128x16xf32, #two>
}
}

// -----

#batch = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [1, 4, 1], instrShape = [16, 16, 16]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16, rank = 3}>
#op = #ttg.dot_op<{opIdx = 0, parent = #batch, kWidth = 2}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// The matrices of a batch: 64 rows of 32 bytes of A, 16 rows of B further.
// CHECK-LABEL: llvm.func internal @batch(
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0,$1,$2,$3,$4,$5,$6,$7}, a, b, yes
// CHECK-SAME: add.s32 low, $32, 128; mov.b64 a, {low, {{[0-9]+}}};
// CHECK-SAME: add.s32 low, $33, 32; mov.b64 b, {low, {{[0-9]+}}};
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$8,$9,$10,$11,$12,$13,$14,$15}, a, b, yes
// CHECK-SAME: wgmma.commit_group
tt.func private @batch(%a: !ttg.memdesc<2x64x16xbf16, #s, #smem>, %b: !ttg.memdesc<2x16x16xbf16, #s, #smem>, %c: tensor<2x64x16xf32, #batch>) -> tensor<2x64x16xf32, #batch> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32} : !ttg.memdesc<2x64x16xbf16, #s, #smem> * !ttg.memdesc<2x16x16xbf16, #s, #smem> -> tensor<2x64x16xf32, #batch>
  tt.return %d : tensor<2x64x16xf32, #batch>
}
// CHECK-LABEL: llvm.func internal @batch_in_registers(
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0,$1,$2,$3,$4,$5,$6,$7}, {$32,$33,$34,$35}, b, yes
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$8,$9,$10,$11,$12,$13,$14,$15}, {$36,$37,$38,$39}, b, yes
tt.func private @batch_in_registers(%a: tensor<2x64x16xbf16, #op>, %b: !ttg.memdesc<2x16x16xbf16, #s, #smem>, %c: tensor<2x64x16xf32, #batch>) -> tensor<2x64x16xf32, #batch> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32} : tensor<2x64x16xbf16, #op> * !ttg.memdesc<2x16x16xbf16, #s, #smem> -> tensor<2x64x16xf32, #batch>
  tt.return %d : tensor<2x64x16xf32, #batch>
}
}

// -----

#groups = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [2, 4, 1], instrShape = [16, 16, 16]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16, rank = 3}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 8 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// Each warp group multiplies one matrix.
// CHECK-LABEL: llvm.func internal @batch_of_groups(
// CHECK-COUNT-1: llvm.nvvm.shfl.sync.idx.i32
// CHECK-COUNT-1: wgmma.mma_async.sync.aligned.m64n16k16
// CHECK-NOT: wgmma.mma
// CHECK: llvm.return
tt.func private @batch_of_groups(%a: !ttg.memdesc<2x64x16xbf16, #s, #smem>, %b: !ttg.memdesc<2x16x16xbf16, #s, #smem>, %c: tensor<2x64x16xf32, #groups>) -> tensor<2x64x16xf32, #groups> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32} : !ttg.memdesc<2x64x16xbf16, #s, #smem> * !ttg.memdesc<2x16x16xbf16, #s, #smem> -> tensor<2x64x16xf32, #groups>
  tt.return %d : tensor<2x64x16xf32, #groups>
}
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], CGALayout = [[1, 0]], instrShape = [16, 64, 16]}>
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
#b = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0]]}>
#smem = #ttg.shared_memory

// In a cluster the upper byte of a shared address is the CTA's rank, which must not reach the fields above the start address.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: llvm.func internal @in_a_cluster(
// CHECK-DAG: %[[MASK:.*]] = llvm.mlir.constant(262143 : i32)
// CHECK: %[[A:.*]] = llvm.ptrtoint
// CHECK-NEXT: %[[LOW_A:.*]] = llvm.and %[[A]], %[[MASK]]
// CHECK-NEXT: llvm.lshr %[[LOW_A]],
// CHECK: %[[B:.*]] = llvm.ptrtoint
// CHECK-NEXT: %[[LOW_B:.*]] = llvm.and %[[B]], %[[MASK]]
// CHECK-NEXT: llvm.lshr %[[LOW_B]],
// CHECK: wgmma.mma_async
tt.func private @in_a_cluster(%a: !ttg.memdesc<128x64xf16, #a, #smem>, %b: !ttg.memdesc<64x64xf16, #b, #smem>, %c: tensor<128x64xf32, #mma>) -> tensor<128x64xf32, #mma> {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #a, #smem> * !ttg.memdesc<64x64xf16, #b, #smem> -> tensor<128x64xf32, #mma>
  tt.return %d : tensor<128x64xf32, #mma>
}
}

// Operands of mma.sync come by ldmatrix where 16 bytes of a row belong to four lanes; else by vectors.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#c = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a2 = #ttg.dot_op<{opIdx = 0, parent = #c, kWidth = 2}>
#b2 = #ttg.dot_op<{opIdx = 1, parent = #c, kWidth = 2}>
#b1 = #ttg.dot_op<{opIdx = 1, parent = #c, kWidth = 1}>
#a4 = #ttg.dot_op<{opIdx = 0, parent = #c, kWidth = 4}>
#rows = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#columns = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [0, 1]}>
#one = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {

// A is 64x32: a warp has 16 rows, two instructions of four tiles, at two addresses that differ by an xor.
// CHECK-LABEL: llvm.func internal @rows(
// CHECK: ldmatrix.sync.aligned.m8n8.x4.b16"(%[[A:.*]])
// CHECK: %[[OFFSET:.*]] = llvm.xor
// CHECK: %[[B:.*]] = llvm.getelementptr %{{.*}}[%[[OFFSET]]]
// CHECK: ldmatrix.sync.aligned.m8n8.x4.b16"(%[[B]])
// CHECK-NOT: {{ldmatrix|llvm.load}}
// CHECK: llvm.return
tt.func private @rows(%x: !ttg.memdesc<64x32xf16, #rows, #smem>) -> tensor<64x32xf16, #a2> {
  %a = ttg.local_load %x : !ttg.memdesc<64x32xf16, #rows, #smem> -> tensor<64x32xf16, #a2>
  tt.return %a : tensor<64x32xf16, #a2>
}

// The right half starts inside the swizzle pattern: its offset, 32 bytes, is xored with the offset of the lane.
// CHECK-LABEL: llvm.func internal @half(
// CHECK: %[[START:.*]] = llvm.mlir.constant(32 : i32)
// CHECK: %[[LANE:.*]] = llvm.xor %{{.*}}, %[[START]]
// CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[LANE]]]
// CHECK: ldmatrix.sync.aligned.m8n8.x4.b16"(%[[AT]])
// CHECK-NOT: {{ldmatrix|llvm.load}}
// CHECK: llvm.return
tt.func private @half(%x: !ttg.memdesc<64x32xf16, #rows, #smem>) -> tensor<64x16xf16, #a2> {
  %h = ttg.memdesc_subslice %x[0, 16] : !ttg.memdesc<64x32xf16, #rows, #smem> -> !ttg.memdesc<64x16xf16, #rows, #smem, 64x32>
  %a = ttg.local_load %h : !ttg.memdesc<64x16xf16, #rows, #smem, 64x32> -> tensor<64x16xf16, #a2>
  tt.return %a : tensor<64x16xf16, #a2>
}

// B with columns along k, and with columns along n: transposed.
// CHECK-LABEL: llvm.func internal @transposed(
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.b16
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.b16
// CHECK-NOT: {{ldmatrix|llvm.load}}
// CHECK: llvm.return
tt.func private @transposed(%x: !ttg.memdesc<16x32xf16, #rows, #smem>) -> tensor<16x32xf16, #b2> {
  %b = ttg.local_load %x : !ttg.memdesc<16x32xf16, #rows, #smem> -> tensor<16x32xf16, #b2>
  tt.return %b : tensor<16x32xf16, #b2>
}

// One tile takes the instruction of two words.
// CHECK-LABEL: llvm.func internal @two_words(
// CHECK: ldmatrix.sync.aligned.m8n8.x2.trans.b16
// CHECK-NOT: {{ldmatrix|llvm.load}}
// CHECK: llvm.return
tt.func private @two_words(%x: !ttg.memdesc<16x8xf16, #one, #smem>) -> tensor<16x8xf16, #b2> {
  %b = ttg.local_load %x : !ttg.memdesc<16x8xf16, #one, #smem> -> tensor<16x8xf16, #b2>
  tt.return %b : tensor<16x8xf16, #b2>
}

// Words of f32 along k are like pairs of f16.
// CHECK-LABEL: llvm.func internal @words(
// CHECK: ldmatrix.sync.aligned.m8n8.x4.b16
// CHECK-NOT: {{ldmatrix|llvm.load}}
// CHECK: llvm.return
tt.func private @words(%x: !ttg.memdesc<16x8xf32, #columns, #smem>) -> tensor<16x8xf32, #b1> {
  %b = ttg.local_load %x : !ttg.memdesc<16x8xf32, #columns, #smem> -> tensor<16x8xf32, #b1>
  tt.return %b : tensor<16x8xf32, #b1>
}

// A lane has four f16 in a row: vectors of 8 bytes.
// CHECK-LABEL: llvm.func internal @wide(
// CHECK-NOT: ldmatrix
// CHECK: llvm.load {{.*}} vector<2xi32>
// CHECK: llvm.return
tt.func private @wide(%x: !ttg.memdesc<64x32xf16, #rows, #smem>) -> tensor<64x32xf16, #a4> {
  %a = ttg.local_load %x : !ttg.memdesc<64x32xf16, #rows, #smem> -> tensor<64x32xf16, #a4>
  tt.return %a : tensor<64x32xf16, #a4>
}

// A slice of a buffer begins at a row of 16 bytes.
// CHECK-LABEL: llvm.func internal @slice(
// CHECK: ldmatrix
// CHECK-NOT: llvm.load
// CHECK: llvm.return
tt.func private @slice(%x: !ttg.memdesc<128x32xf16, #rows, #smem>) -> tensor<64x32xf16, #a2> {
  %s = ttg.memdesc_subslice %x[64, 0] : !ttg.memdesc<128x32xf16, #rows, #smem> -> !ttg.memdesc<64x32xf16, #rows, #smem, 128x32>
  %a = ttg.local_load %s : !ttg.memdesc<64x32xf16, #rows, #smem, 128x32> -> tensor<64x32xf16, #a2>
  tt.return %a : tensor<64x32xf16, #a2>
}
}

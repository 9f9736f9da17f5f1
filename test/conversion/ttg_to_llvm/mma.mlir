// Dots by mma.sync.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#c = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a2 = #ttg.dot_op<{opIdx = 0, parent = #c, kWidth = 2}>
#b2 = #ttg.dot_op<{opIdx = 1, parent = #c, kWidth = 2}>
#a4 = #ttg.dot_op<{opIdx = 0, parent = #c, kWidth = 4}>
#b4 = #ttg.dot_op<{opIdx = 1, parent = #c, kWidth = 4}>
#a1 = #ttg.dot_op<{opIdx = 0, parent = #c, kWidth = 1}>
#b1 = #ttg.dot_op<{opIdx = 1, parent = #c, kWidth = 1}>
#c8 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [8, 8]}>
#a8 = #ttg.dot_op<{opIdx = 0, parent = #c8, kWidth = 1}>
#b8 = #ttg.dot_op<{opIdx = 1, parent = #c8, kWidth = 1}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// Two tiles, k = 32 is two instructions each.
// CHECK-LABEL: llvm.func internal @halves(
// CHECK-COUNT-4: llvm.inline_asm has_side_effects "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0,$1,$2,$3}, {$8,$9,$10,$11}, {$12,$13}, {$4,$5,$6,$7};", "=f,=f,=f,=f,f,f,f,f,r,r,r,r,r,r"
// CHECK-NOT: inline_asm
// CHECK: llvm.return
tt.func private @halves(%x: tensor<64x32xf16, #a2>, %y: tensor<32x16xf16, #b2>, %z: tensor<64x16xf32, #c>) -> tensor<64x16xf32, #c> {
  %d = tt.dot %x, %y, %z : tensor<64x32xf16, #a2> * tensor<32x16xf16, #b2> -> tensor<64x16xf32, #c>
  tt.return %d : tensor<64x16xf32, #c>
}

// Sums of f16 are pairs.
// CHECK-LABEL: llvm.func internal @half_sums(
// CHECK: llvm.inline_asm has_side_effects "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {$0,$1}, {$4,$5,$6,$7}, {$8,$9}, {$2,$3};", "=r,=r,r,r,r,r,r,r,r,r"
tt.func private @half_sums(%x: tensor<64x16xf16, #a2>, %y: tensor<16x8xf16, #b2>, %z: tensor<64x8xf16, #c>) -> tensor<64x8xf16, #c> {
  %d = tt.dot %x, %y, %z : tensor<64x16xf16, #a2> * tensor<16x8xf16, #b2> -> tensor<64x8xf16, #c>
  tt.return %d : tensor<64x8xf16, #c>
}

// Eight k take the smaller instruction.
// CHECK-LABEL: llvm.func internal @short(
// CHECK: "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {$0,$1,$2,$3}, {$8,$9}, {$10}, {$4,$5,$6,$7};"
tt.func private @short(%x: tensor<64x8xbf16, #a2>, %y: tensor<8x8xbf16, #b2>, %z: tensor<64x8xf32, #c>) -> tensor<64x8xf32, #c> {
  %d = tt.dot %x, %y, %z : tensor<64x8xbf16, #a2> * tensor<8x8xbf16, #b2> -> tensor<64x8xf32, #c>
  tt.return %d : tensor<64x8xf32, #c>
}

// The instruction ignores the lower 13 bits of f32: operands are not rounded.
// CHECK-LABEL: llvm.func internal @tf32(
// CHECK-NOT: setp
// CHECK-NOT: cvt
// CHECK: "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
tt.func private @tf32(%x: tensor<64x8xf32, #a1>, %y: tensor<8x8xf32, #b1>, %z: tensor<64x8xf32, #c>) -> tensor<64x8xf32, #c> {
  %d = tt.dot %x, %y, %z, inputPrecision = tf32 : tensor<64x8xf32, #a1> * tensor<8x8xf32, #b1> -> tensor<64x8xf32, #c>
  tt.return %d : tensor<64x8xf32, #c>
}

// CHECK-LABEL: llvm.func internal @bytes(
// CHECK: "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32
// CHECK-LABEL: llvm.func internal @floats(
// CHECK: "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32
tt.func private @bytes(%x: tensor<64x32xi8, #a4>, %y: tensor<32x8xi8, #b4>, %z: tensor<64x8xi32, #c>) -> tensor<64x8xi32, #c> {
  %d = tt.dot %x, %y, %z : tensor<64x32xi8, #a4> * tensor<32x8xi8, #b4> -> tensor<64x8xi32, #c>
  tt.return %d : tensor<64x8xi32, #c>
}
tt.func private @floats(%x: tensor<64x32xf8E4M3FN, #a4>, %y: tensor<32x8xf8E5M2, #b4>, %z: tensor<64x8xf32, #c>) -> tensor<64x8xf32, #c> {
  %d = tt.dot %x, %y, %z : tensor<64x32xf8E4M3FN, #a4> * tensor<32x8xf8E5M2, #b4> -> tensor<64x8xf32, #c>
  tt.return %d : tensor<64x8xf32, #c>
}

// CHECK-LABEL: llvm.func internal @doubles(
// CHECK: "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {$0,$1,$2,$3}, {$8,$9,$10,$11,$12,$13,$14,$15}, {$16,$17,$18,$19}, {$4,$5,$6,$7};", "=d
tt.func private @doubles(%x: tensor<64x16xf64, #a1>, %y: tensor<16x8xf64, #b1>, %z: tensor<64x8xf64, #c>) -> tensor<64x8xf64, #c> {
  %d = tt.dot %x, %y, %z : tensor<64x16xf64, #a1> * tensor<16x8xf64, #b1> -> tensor<64x8xf64, #c>
  tt.return %d : tensor<64x8xf64, #c>
}

// The encoding of Triton 3.7 and later: two tiles of 8 rows, two steps of 4 columns.
// CHECK-LABEL: llvm.func internal @doubles_of_8_rows(
// CHECK-COUNT-4: "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {$0,$1}, {$4}, {$5}, {$2,$3};", "=d,=d,d,d,d,d"
// CHECK-NOT: mma.sync
// CHECK: llvm.return
tt.func private @doubles_of_8_rows(%x: tensor<64x8xf64, #a8>, %y: tensor<8x8xf64, #b8>, %z: tensor<64x8xf64, #c8>) -> tensor<64x8xf64, #c8> {
  %d = tt.dot %x, %y, %z : tensor<64x8xf64, #a8> * tensor<8x8xf64, #b8> -> tensor<64x8xf64, #c8>
  tt.return %d : tensor<64x8xf64, #c8>
}

// Fewer rows than the instruction has: its other rows are copies.
// CHECK-LABEL: llvm.func internal @few_rows(
// CHECK-COUNT-2: mma.sync.aligned.m16n8k16
// CHECK-NOT: mma.sync
// CHECK: llvm.return
tt.func private @few_rows(%x: tensor<8x16xf16, #a2>, %y: tensor<16x16xf16, #b2>, %z: tensor<8x16xf32, #c>) -> tensor<8x16xf32, #c> {
  %d = tt.dot %x, %y, %z : tensor<8x16xf16, #a2> * tensor<16x16xf16, #b2> -> tensor<8x16xf32, #c>
  tt.return %d : tensor<8x16xf32, #c>
}
}

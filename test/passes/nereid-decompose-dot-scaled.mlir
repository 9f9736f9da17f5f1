// RUN: nereid-opt %s --nereid-decompose-dot-scaled | FileCheck %s

// A scale is converted to a power of two, broadcast to its 32 elements and multiplied; bf16 holds 8 significand bits.
// CHECK-LABEL: @scaled(
// CHECK: %[[A:.*]] = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<16x32xi8> -> tensor<16x64xbf16>
// CHECK: %[[BITS:.*]] = arith.shli {{.*}} : tensor<16x2xi16>
// CHECK: %[[SMALL:.*]] = arith.select {{.*}}, %[[BITS]]
// CHECK: %[[NAN:.*]] = arith.select {{.*}}, %[[SMALL]]
// CHECK: %[[S:.*]] = tt.bitcast %[[NAN]] : tensor<16x2xi16> -> tensor<16x2xbf16>
// CHECK: tt.expand_dims %[[S]] {axis = 2 : i32}
// CHECK: tt.broadcast {{.*}} -> tensor<16x2x32xbf16>
// CHECK: %[[WIDE:.*]] = tt.reshape {{.*}} -> tensor<16x64xbf16>
// CHECK: %[[L:.*]] = arith.mulf %[[A]], %[[WIDE]]
// CHECK: %[[B:.*]] = tt.fp_to_fp %arg2 : tensor<64x8xf8E4M3FN> -> tensor<64x8xbf16>
// CHECK: %[[T:.*]] = tt.trans
// CHECK: %[[R:.*]] = arith.mulf %[[B]], %[[T]]
// CHECK: tt.dot %[[L]], %[[R]], %arg4 : tensor<16x64xbf16> * tensor<64x8xbf16> -> tensor<16x8xf32>
tt.func public @scaled(%a: tensor<16x32xi8>, %as: tensor<16x2xi8>, %b: tensor<64x8xf8E4M3FN>, %bs: tensor<8x2xi8>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %d = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e2m1 rhs = e4m3 {fastMath = false} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x8xf8E4M3FN>, tensor<8x2xi8> -> tensor<16x8xf32>
  tt.return %d : tensor<16x8xf32>
}

// Two elements per byte may be packed along rows. With fastMath no scale is NaN.
// CHECK-LABEL: @packed_rows(
// CHECK: ttg.fp4_to_fp %arg0 {axis = 0 : i32} : tensor<8x64xi8> -> tensor<16x64xbf16>
// CHECK-COUNT-1: arith.select
// CHECK-NOT: arith.select
// CHECK: ttg.fp4_to_fp %arg2 {axis = 1 : i32} : tensor<64x4xi8> -> tensor<64x8xbf16>
tt.func public @packed_rows(%a: tensor<8x64xi8>, %as: tensor<16x2xi8>, %b: tensor<64x4xi8>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %d = tt.dot_scaled %a scale %as, %b, %c lhs = e2m1 rhs = e2m1 {fastMath = true, lhs_k_pack = false, rhs_k_pack = false} : tensor<8x64xi8>, tensor<16x2xi8> * tensor<64x4xi8> -> tensor<16x8xf32>
  tt.return %d : tensor<16x8xf32>
}

// f16 represents fp8. Scales are powers of two in bf16 first, then f16. Beside bf16, f16 is widened to tf32.
// CHECK-LABEL: @halves(
// CHECK: %[[D:.*]] = tt.dot {{.*}} : tensor<16x32xf16> * tensor<32x8xf16>
// CHECK: %[[P:.*]] = tt.bitcast {{.*}} : tensor<16x1xi16> -> tensor<16x1xbf16>
// CHECK: %[[W:.*]] = arith.extf %[[P]]
// CHECK: arith.truncf %[[W]] : tensor<16x1xf32> to tensor<16x1xf16>
// CHECK: %[[E:.*]] = tt.dot {{.*}}, {{.*}}, %[[D]] : tensor<16x32xf16> * tensor<32x8xf16>
// CHECK: tt.dot {{.*}}, {{.*}}, %[[E]], inputPrecision = tf32 : tensor<16x32xf32> * tensor<32x8xf32>
tt.func public @halves(%a: tensor<16x32xf16>, %as: tensor<16x1xi8>, %b: tensor<32x8xi8>, %w: tensor<32x8xbf16>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %d = tt.dot_scaled %a, %b, %c lhs = fp16 rhs = e5m2 {fastMath = false} : tensor<16x32xf16> * tensor<32x8xi8> -> tensor<16x8xf32>
  %e = tt.dot_scaled %a scale %as, %b, %d lhs = fp16 rhs = e5m2 {fastMath = false} : tensor<16x32xf16>, tensor<16x1xi8> * tensor<32x8xi8> -> tensor<16x8xf32>
  %f = tt.dot_scaled %a scale %as, %w, %e lhs = fp16 rhs = bf16 {fastMath = false} : tensor<16x32xf16>, tensor<16x1xi8> * tensor<32x8xbf16> -> tensor<16x8xf32>
  tt.return %f : tensor<16x8xf32>
}

// Scales that are 1 are left out, so that bf16 holds both operands: NVFP4 weights beside unscaled activations.
// CHECK-LABEL: @ones(
// CHECK: %[[B:.*]] = ttg.fp4_to_fp %arg1 {axis = 0 : i32} : tensor<16x8xi8> -> tensor<32x8xbf16>
// CHECK: %[[R:.*]] = arith.mulf %[[B]]
// CHECK: %[[D:.*]] = tt.dot %arg0, %[[R]], %arg3 : tensor<16x32xbf16> * tensor<32x8xbf16> -> tensor<16x8xf32>
// CHECK: %[[E:.*]] = tt.dot %arg0, %{{.*}}, %[[D]] : tensor<16x32xbf16> * tensor<32x8xbf16> -> tensor<16x8xf32>
tt.func public @ones(%a: tensor<16x32xbf16>, %b: tensor<16x8xi8>, %bs: tensor<8x2xf8E4M3FN>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %one = arith.constant 1.0 : f32
  %small = tt.fp_to_fp %one, rounding = rtne : f32 -> f8E4M3FN
  %ones = tt.splat %small : f8E4M3FN -> tensor<16x2xf8E4M3FN>
  %d = tt.dot_scaled %a scale %ones, %b scale %bs, %c lhs = bf16 rhs = e2m1 {fastMath = false} : tensor<16x32xbf16>, tensor<16x2xf8E4M3FN> * tensor<16x8xi8>, tensor<8x2xf8E4M3FN> -> tensor<16x8xf32>
  %bytes = arith.constant dense<127> : tensor<16x1xi8>
  %e = tt.dot_scaled %a scale %bytes, %b, %d lhs = bf16 rhs = e2m1 {fastMath = false} : tensor<16x32xbf16>, tensor<16x1xi8> * tensor<16x8xi8> -> tensor<16x8xf32>
  tt.return %e : tensor<16x8xf32>
}

// Floating-point scales add significand bits: 8 + 4 bits exceed tf32.
// CHECK-LABEL: @number_scales(
// CHECK: tt.dot {{.*}}, %arg3 : tensor<16x32xf32> * tensor<32x8xf32>
tt.func public @number_scales(%a: tensor<16x32xbf16>, %as: tensor<16x2xf8E4M3FN>, %b: tensor<32x8xbf16>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %d = tt.dot_scaled %a scale %as, %b, %c lhs = bf16 rhs = bf16 {fastMath = false} : tensor<16x32xbf16>, tensor<16x2xf8E4M3FN> * tensor<32x8xbf16> -> tensor<16x8xf32>
  tt.return %d : tensor<16x8xf32>
}

// Tensors already have layouts. A converted operand keeps its layout or a derived one (both elements of a byte in its
// thread). Scales are broadcast where a thread has one element, and converted to the operand's layout. The dot requires
// operand layouts that match its accumulator. Tensor core accumulators are unchanged.
#sum = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#bytes = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#scales = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @laid_out(
// CHECK: %[[A:.*]] = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<16x32xi8, #[[BYTES:.*]]> -> tensor<16x64xbf16, #[[PAIRS:.*]]>
// CHECK: %[[S:.*]] = ttg.convert_layout %{{.*}} : tensor<16x2xbf16, #[[SCALES:.*]]> -> tensor<16x2xbf16, #ttg.slice<{dim = 2, parent = #[[GROUPS:.*]]}>>
// CHECK: tt.expand_dims %[[S]]
// CHECK: %[[W:.*]] = tt.reshape %{{.*}} : tensor<16x2x32xbf16, #[[GROUPS]]> -> tensor<16x64xbf16, #[[FLAT:.*]]>
// CHECK: %[[M:.*]] = ttg.convert_layout %[[W]] : tensor<16x64xbf16, #[[FLAT]]> -> tensor<16x64xbf16, #[[PAIRS]]>
// CHECK: %[[X:.*]] = arith.mulf %[[A]], %[[M]]
// CHECK: %[[B:.*]] = tt.fp_to_fp %arg2
// CHECK: %[[L:.*]] = ttg.convert_layout %[[X]] : {{.*}} -> tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #[[SUM:.*]]}>>
// CHECK: %[[R:.*]] = ttg.convert_layout %[[B]] : {{.*}} -> tensor<64x8xbf16, #ttg.dot_op<{opIdx = 1, parent = #[[SUM]]}>>
// CHECK: tt.dot %[[L]], %[[R]], %arg3 {{.*}} -> tensor<16x8xf32, #[[SUM]]>
tt.func public @laid_out(%a: tensor<16x32xi8, #bytes>, %as: tensor<16x2xi8, #scales>, %b: tensor<64x8xf8E4M3FN, #sum>, %c: tensor<16x8xf32, #sum>) -> tensor<16x8xf32, #sum> {
  %d = tt.dot_scaled %a scale %as, %b, %c lhs = e2m1 rhs = e4m3 {fastMath = true} : tensor<16x32xi8, #bytes>, tensor<16x2xi8, #scales> * tensor<64x8xf8E4M3FN, #sum> -> tensor<16x8xf32, #sum>
  tt.return %d : tensor<16x8xf32, #sum>
}
// CHECK-LABEL: @tensor_cores(
// CHECK: tt.dot_scaled
tt.func public @tensor_cores(%a: tensor<16x32xi8, #bytes>, %as: tensor<16x2xi8, #scales>, %b: tensor<64x8xf8E4M3FN, #sum>, %c: tensor<16x8xf32, #mma>) -> tensor<16x8xf32, #mma> {
  %d = tt.dot_scaled %a scale %as, %b, %c lhs = e2m1 rhs = e4m3 {fastMath = true} : tensor<16x32xi8, #bytes>, tensor<16x2xi8, #scales> * tensor<64x8xf8E4M3FN, #sum> -> tensor<16x8xf32, #mma>
  tt.return %d : tensor<16x8xf32, #mma>
}
}

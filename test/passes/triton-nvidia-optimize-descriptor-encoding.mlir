// RUN: nereid-opt %s --triton-nvidia-optimize-descriptor-encoding --remarks-filter-missed=triton-nvidia-optimize-descriptor-encoding -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir

// A second run changes nothing.
// RUN: nereid-opt %t.mlir --triton-nvidia-optimize-descriptor-encoding | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#narrow = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>
#single = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>
#vectors = #ttg.blocked<{sizePerThread = [1, 1, 8], threadsPerWarp = [1, 8, 4], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>
#halves = #ttg.blocked<{sizePerThread = [1, 1, 8], threadsPerWarp = [1, 4, 8], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-DAG: #[[NARROW:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[WIDE:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[BYTES:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
// CHECK-DAG: #[[FEW:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32, rank = 3}>

// The encoding of a buffer; the widest swizzle where there is none, or one that TMA cannot store; none for few rows.
// CHECK-LABEL: tt.func public @k(
// CHECK-SAME: !tt.tensordesc<tensor<64x64xf16, #[[NARROW]]>> {nereid.descriptor = #nereid.descriptor<element = f16, block = [64, 64], swizzle = 64>}
// CHECK-SAME: !tt.tensordesc<tensor<64x128xsi8, #[[BYTES]]>> {nereid.descriptor = #nereid.descriptor<element = i8, block = [64, 128], swizzle = 128>}
// CHECK-SAME: !tt.tensordesc<tensor<64x64xf16, #[[WIDE]]>> {nereid.descriptor = #nereid.descriptor<element = f16, block = [64, 64], swizzle = 128>}
// CHECK-SAME: !tt.tensordesc<tensor<1x4x64xf32, #[[FEW]]>> {nereid.descriptor = #nereid.descriptor<element = f32, block = [1, 4, 64]>}
// CHECK: tt.descriptor_load %{{.*}} : !tt.tensordesc<tensor<64x64xf16, #[[NARROW]]>> -> tensor<64x64xf16, #blocked>
// REMARK: the buffer is filled through registers: TMA cannot store rows in the encoding {{.*}}transposed = true
tt.func public @k(%d: !tt.tensordesc<tensor<64x64xf16>>, %e: !tt.tensordesc<tensor<64x128xsi8>>, %s: !tt.tensordesc<tensor<64x64xf16>>, %few: !tt.tensordesc<tensor<1x4x64xf32>>, %i: i32) {
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #b>
  %a = ttg.local_alloc %x : (tensor<64x64xf16, #b>) -> !ttg.memdesc<64x64xf16, #narrow, #smem>
  %y = tt.descriptor_load %e[%i, %i] : !tt.tensordesc<tensor<64x128xsi8>> -> tensor<64x128xi8, #b>
  %c = ttg.local_alloc %y : (tensor<64x128xi8, #b>) -> !ttg.memdesc<64x128xi8, #turned, #smem>
  tt.descriptor_store %s[%i, %i], %x : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16, #b>
  tt.return
}

// The map at an address: the attribute of the argument decides.
// CHECK-LABEL: tt.func public @given(
// CHECK-SAME: swizzle = 64>
// CHECK: ttng.reinterpret_tensor_descriptor {{.*}} to !tt.tensordesc<tensor<64x64xf16, #[[NARROW]]>>
tt.func public @given(%p: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32, nereid.descriptor = #nereid.descriptor<element = f16, block = [64, 64], swizzle = 64>}, %i: i32) -> tensor<64x64xf16, #b> {
  %d = ttng.reinterpret_tensor_descriptor %p : !tt.ptr<i8> to !tt.tensordesc<tensor<64x64xf16>>
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #b>
  tt.return %x : tensor<64x64xf16, #b>
}

// A store takes the tensor as the dot leaves it: a reshape creates the dimension, in the same threads.
// CHECK-LABEL: tt.func public @expanded(
// CHECK-NEXT: %[[V:.*]] = tt.reshape %{{.*}} : tensor<64x32xf16, #mma> -> tensor<1x64x32xf16, #linear{{[0-9]*}}>
// CHECK-NEXT: tt.descriptor_store %{{.*}}, %[[V]] :
// CHECK-NEXT: tt.return
tt.func public @expanded(%d: !tt.tensordesc<tensor<1x64x32xf16>>, %i: i32, %x: tensor<64x32xf16, #mma>) {
  %s = ttg.convert_layout %x : tensor<64x32xf16, #mma> -> tensor<64x32xf16, #ttg.slice<{dim = 0, parent = #single}>>
  %e = tt.expand_dims %s {axis = 0 : i32} : tensor<64x32xf16, #ttg.slice<{dim = 0, parent = #single}>> -> tensor<1x64x32xf16, #single>
  %v = ttg.convert_layout %e : tensor<1x64x32xf16, #single> -> tensor<1x64x32xf16, #vectors>
  tt.descriptor_store %d[%i, %i, %i], %v : !tt.tensordesc<tensor<1x64x32xf16>>, tensor<1x64x32xf16, #vectors>
  tt.return
}

// Also where a reshape divides a dimension. A reshape that may reorder elements stays.
// CHECK-LABEL: tt.func public @reshaped(
// CHECK-NEXT: %[[V:.*]] = tt.reshape %{{.*}} : tensor<64x32xf16, #mma> -> tensor<2x32x32xf16, #linear{{[0-9]*}}>
// CHECK-NEXT: tt.descriptor_store %{{.*}}, %[[V]] :
// CHECK-NEXT: ttg.convert_layout
// CHECK-NEXT: %[[W:.*]] = tt.reshape %{{.*}} allow_reorder
// CHECK-NEXT: tt.descriptor_reduce add, %{{.*}}, %[[W]] :
tt.func public @reshaped(%d: !tt.tensordesc<tensor<2x32x32xf16>>, %i: i32, %x: tensor<64x32xf16, #mma>) {
  %s = ttg.convert_layout %x : tensor<64x32xf16, #mma> -> tensor<64x32xf16, #b>
  %r = tt.reshape %s : tensor<64x32xf16, #b> -> tensor<2x32x32xf16, #halves>
  tt.descriptor_store %d[%i, %i, %i], %r : !tt.tensordesc<tensor<2x32x32xf16>>, tensor<2x32x32xf16, #halves>
  %t = ttg.convert_layout %x : tensor<64x32xf16, #mma> -> tensor<64x32xf16, #b>
  %w = tt.reshape %t allow_reorder : tensor<64x32xf16, #b> -> tensor<2x32x32xf16, #single>
  tt.descriptor_reduce add, %d[%i, %i, %i], %w : !tt.tensordesc<tensor<2x32x32xf16>>, tensor<2x32x32xf16, #single>
  tt.return
}
}

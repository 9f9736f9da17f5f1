// RUN: nereid-opt %s --triton-nvidia-optimize-descriptor-encoding --remarks-filter-missed=triton-nvidia-optimize-descriptor-encoding -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir

// A second run changes nothing.
// RUN: nereid-opt %t.mlir --triton-nvidia-optimize-descriptor-encoding | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#narrow = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
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
}

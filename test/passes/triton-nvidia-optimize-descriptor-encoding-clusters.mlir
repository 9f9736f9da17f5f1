// RUN: nereid-opt %s --triton-nvidia-optimize-descriptor-encoding -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// A second run changes nothing.
// RUN: nereid-opt %t.mlir --triton-nvidia-optimize-descriptor-encoding | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0], [0, 0]]}>
#columns = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 0], [0, 1]]}>
#both = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0], [0, 1]]}>
#same = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 0], [0, 0]]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [4, 0], [8, 0], [16, 0]], lane = [[0, 8], [1, 0], [2, 0], [32, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = [[64, 0], [0, 0]]}>
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0], [0, 0]]}>
#half = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0], [0, 1]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-DAG: #[[A:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = {{\[\[}}1, 0], [2, 0]]}>
// CHECK-DAG: #[[B:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = {{\[\[}}0, 1]]}>
// CHECK-DAG: #[[C:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = {{\[\[}}1, 0], [0, 1]]}>

// A: each pair of CTAs needs the same half of 64 rows, of which each can load 32 rows: boxes of a quarter of the rows. B: the
// half of the columns has two boxes already. C: each CTA stores a quarter. Boxes fit the parts of all accesses.
// CHECK-LABEL: tt.func public @dot(
// CHECK-SAME: !tt.tensordesc<tensor<128x64xf16, #[[A]]>> {nereid.descriptor = #nereid.descriptor<element = f16, block = [32, 64], swizzle = 128>}
// CHECK-SAME: !tt.tensordesc<tensor<64x256xf16, #[[B]]>> {nereid.descriptor = #nereid.descriptor<element = f16, block = [64, 128], swizzle = 128>}
// CHECK-SAME: !tt.tensordesc<tensor<128x256xf16, #[[C]]>> {nereid.descriptor = #nereid.descriptor<element = f16, block = [64, 128], swizzle = 128>}
tt.func public @dot(%a: !tt.tensordesc<tensor<128x64xf16>>, %b: !tt.tensordesc<tensor<64x256xf16>>, %c: !tt.tensordesc<tensor<128x256xf16>>, %i: i32, %t: tensor<128x256xf16, #both>) -> tensor<64x256xf16, #columns> {
  %x = tt.descriptor_load %a[%i, %i] : !tt.tensordesc<tensor<128x64xf16>> -> tensor<128x64xf16, #rows>
  %l = ttg.local_alloc %x : (tensor<128x64xf16, #rows>) -> !ttg.memdesc<128x64xf16, #wide, #smem>
  %y = tt.descriptor_load %b[%i, %i] : !tt.tensordesc<tensor<64x256xf16>> -> tensor<64x256xf16, #columns>
  tt.descriptor_store %c[%i, %i], %t : !tt.tensordesc<tensor<128x256xf16>>, tensor<128x256xf16, #both>
  tt.return %y : tensor<64x256xf16, #columns>
}

// A linear encoding states the part in elements. Few rows are not divided further; the swizzle fits the boxes.
// CHECK-LABEL: tt.func public @others(
// CHECK-SAME: block = [64, 64], swizzle = 128>
// CHECK-SAME: block = [8, 16], swizzle = 32>
tt.func public @others(%a: !tt.tensordesc<tensor<128x64xf16>>, %b: !tt.tensordesc<tensor<8x16xf16>>, %i: i32, %t: tensor<128x64xf16, #linear>) -> tensor<8x16xf16, #same> {
  tt.descriptor_store %a[%i, %i], %t : !tt.tensordesc<tensor<128x64xf16>>, tensor<128x64xf16, #linear>
  %y = tt.descriptor_load %b[%i, %i] : !tt.tensordesc<tensor<8x16xf16>> -> tensor<8x16xf16, #same>
  tt.return %y : tensor<8x16xf16, #same>
}

// The swizzle of a buffer is not wider than the rows of boxes that fit the parts of all accesses.
// CHECK-LABEL: tt.func public @narrow(
// CHECK-SAME: block = [32, 32], swizzle = 64>
tt.func public @narrow(%a: !tt.tensordesc<tensor<128x64xf16>>, %i: i32) {
  %x = tt.descriptor_load %a[%i, %i] : !tt.tensordesc<tensor<128x64xf16>> -> tensor<128x64xf16, #columns>
  %l = ttg.local_alloc %x : (tensor<128x64xf16, #columns>) -> !ttg.memdesc<128x64xf16, #half, #smem>
  %y = tt.descriptor_load %a[%i, %i] : !tt.tensordesc<tensor<128x64xf16>> -> tensor<128x64xf16, #rows>
  %m = ttg.local_alloc %y : (tensor<128x64xf16, #rows>) -> !ttg.memdesc<128x64xf16, #wide, #smem>
  tt.return
}
}

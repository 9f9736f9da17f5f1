// Dots of rank 3: wgmma multiplies the matrices of a batch one after the other, or each warp group some of them.
// RUN: nereid-opt %s --tritongpu-accelerate-matmul --remarks-filter-passed=tritongpu-accelerate-matmul 2>%t \
// RUN:   | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: sed 's/cuda:90/cuda:80/' %s | nereid-opt --tritongpu-accelerate-matmul | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: sed 's/"ttg.num-warps" = 4/"ttg.num-warps" = 8/; s/warpsPerCTA = \[1, 4, 1\]/warpsPerCTA = [1, 8, 1]/' %s \
// RUN:   | nereid-opt --tritongpu-accelerate-matmul | FileCheck %s --check-prefix=WARPS8

#blocked = #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [1, 2, 16], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1, 1, 8], threadsPerWarp = [1, 4, 8], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>
#column = #ttg.blocked<{sizePerThread = [1, 8, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [1, 4, 1], order = [1, 2, 0]}>
#matrix = #ttg.blocked<{sizePerThread = [2, 1, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 4, 1], order = [0, 2, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// SM90-DAG: #[[WG64:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [1, 4, 1], instrShape = [16, 64, 16]}>
// SM90-DAG: #[[ROWS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
// SM90-DAG: #[[COLUMNS:.*]] = #ttg.shared_linear<{offset = {{\[\[}}0, 1, 0], [0, 2, 0], [0, 4, 0], [0, 8, 0], [0, 16, 0], [0, 32, 0], [0, 8, 1], [0, 16, 2], [0, 32, 4], [0, 0, 8], [0, 0, 16], [0, 0, 32], [1, 0, 0]]}, alignment = 1024>
// SM90-DAG: #[[PATCH:.*]] = #ttg.blocked<{sizePerThread = [1, 4, 4], threadsPerWarp = [1, 8, 4], warpsPerCTA = [1, 1, 4], order = [2, 1, 0]}>
// SM80-DAG: #[[M221:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2, 1], instrShape = [1, 16, 8]}>
// WARPS8-DAG: #[[GROUPS:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [2, 4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @half
// SM90: %[[A:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<2x64x64xf16, #[[ROWS]], #smem>
// SM90: %[[B:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<2x64x64xf16, #[[COLUMNS]], #smem>
// SM90: ttng.warp_group_dot %[[A]], %[[B]], %{{.*}} -> tensor<2x64x64xf32, #[[WG64]]>
// SM80: tt.dot {{.*}} -> tensor<2x64x64xf32, #[[M221]]>
// REMARK: wgmma of 64x64x16, warps 1x4x1, a from shared memory: 8 instructions per thread, 32768 bytes read from shared memory, 64 accumulator registers
// Each of two warp groups multiplies one of the matrices, whose 64 rows are those of one group.
// WARPS8-LABEL: @half
// WARPS8: ttng.warp_group_dot {{.*}} -> tensor<2x64x64xf32, #[[GROUPS]]>
tt.func private @half(%x: tensor<2x64x64xf16, #row>, %y: tensor<2x64x64xf16, #column>, %c: tensor<2x64x64xf32, #blocked>) -> tensor<2x64x64xf32, #blocked> {
  %xa = ttg.convert_layout %x : tensor<2x64x64xf16, #row> -> tensor<2x64x64xf16, #a>
  %yb = ttg.convert_layout %y : tensor<2x64x64xf16, #column> -> tensor<2x64x64xf16, #b>
  %d = tt.dot %xa, %yb, %c : tensor<2x64x64xf16, #a> * tensor<2x64x64xf16, #b> -> tensor<2x64x64xf32, #blocked>
  tt.return %d : tensor<2x64x64xf32, #blocked>
}
// A batch of one matrix, and values whose matrices are adjacent in registers.
// CHECK-LABEL: @one
// SM90: ttg.local_alloc %{{.*}} -> !ttg.memdesc<1x64x64xf16, #[[ROWS]], #smem>
// SM90: ttng.warp_group_dot {{.*}} -> tensor<1x64x64xf32, #[[WG64]]>
// SM80: tt.dot {{.*}} -> tensor<1x64x64xf32, #{{mma.*}}>
tt.func private @one(%x: tensor<1x64x64xf16, #matrix>, %y: tensor<1x64x64xf16, #row>, %c: tensor<1x64x64xf32, #blocked>) -> tensor<1x64x64xf32, #blocked> {
  %xa = ttg.convert_layout %x : tensor<1x64x64xf16, #matrix> -> tensor<1x64x64xf16, #a>
  %yb = ttg.convert_layout %y : tensor<1x64x64xf16, #row> -> tensor<1x64x64xf16, #b>
  %d = tt.dot %xa, %yb, %c : tensor<1x64x64xf16, #a> * tensor<1x64x64xf16, #b> -> tensor<1x64x64xf32, #blocked>
  tt.return %d : tensor<1x64x64xf32, #blocked>
}
// Few rows: the transposed matrices have enough of them.
// CHECK-LABEL: @few_rows
// SM90: tt.trans {{.*}} {order = array<i32: 0, 2, 1>}
// SM90: ttng.warp_group_dot {{.*}} -> tensor<4x64x16xf32, #{{mma.*}}>
// SM80: tt.dot {{.*}} -> tensor<4x16x64xf32, #{{mma.*}}>
// REMARK: the transposed dot, b^T a^T, has enough rows for wgmma
tt.func private @few_rows(%x: tensor<4x16x64xf16, #row>, %y: tensor<4x64x64xf16, #row>, %c: tensor<4x16x64xf32, #blocked>, %n: i32, %c0: i32, %c1: i32) -> tensor<4x16x64xf32, #blocked> {
  %xa = ttg.convert_layout %x : tensor<4x16x64xf16, #row> -> tensor<4x16x64xf16, #a>
  %yb = ttg.convert_layout %y : tensor<4x64x64xf16, #row> -> tensor<4x64x64xf16, #b>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c) -> (tensor<4x16x64xf32, #blocked>) : i32 {
    %d = tt.dot %xa, %yb, %s : tensor<4x16x64xf16, #a> * tensor<4x64x64xf16, #b> -> tensor<4x16x64xf32, #blocked>
    scf.yield %d : tensor<4x16x64xf32, #blocked>
  }
  tt.return %r : tensor<4x16x64xf32, #blocked>
}
// f32 is read with K contiguous: the load in the other order has patches.
// CHECK-LABEL: @patches
// SM90: %[[Y:.*]] = tt.load %{{.*}} : tensor<2x32x64x!tt.ptr<f32>, #[[PATCH]]>
// SM90: ttg.local_alloc %[[Y]] : (tensor<2x32x64xf32, #[[PATCH]]>)
// SM90: ttng.warp_group_dot {{.*}} -> tensor<2x64x64xf32
// REMARK: operand b, whose elements wgmma reads with K contiguous, is loaded in patches and transposed in registers
tt.func private @patches(%x: tensor<2x64x32xf32, #row>, %p: tensor<2x32x64x!tt.ptr<f32>, #row>, %c: tensor<2x64x64xf32, #blocked>) -> tensor<2x64x64xf32, #blocked> {
  %y = tt.load %p : tensor<2x32x64x!tt.ptr<f32>, #row>
  %xa = ttg.convert_layout %x : tensor<2x64x32xf32, #row> -> tensor<2x64x32xf32, #a>
  %yb = ttg.convert_layout %y : tensor<2x32x64xf32, #row> -> tensor<2x32x64xf32, #b>
  %d = tt.dot %xa, %yb, %c, inputPrecision = tf32 : tensor<2x64x32xf32, #a> * tensor<2x32x64xf32, #b> -> tensor<2x64x64xf32, #blocked>
  tt.return %d : tensor<2x64x64xf32, #blocked>
}
// Computed operands stay in registers.
// CHECK-LABEL: @computed
// SM90: ttng.warp_group_dot %{{.*}} : tensor<2x64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[WG64]], kWidth = 2}>> * !ttg.memdesc<2x64x64xf16,
// REMARK: wgmma of 64x64x16, warps 1x4x1, a from registers
tt.func private @computed(%p: tensor<2x64x64x!tt.ptr<i8>, #row>, %y: tensor<2x64x64xf16, #row>, %c: tensor<2x64x64xf32, #blocked>) -> tensor<2x64x64xf32, #blocked> {
  %x = tt.load %p : tensor<2x64x64x!tt.ptr<i8>, #row>
  %h = arith.sitofp %x : tensor<2x64x64xi8, #row> to tensor<2x64x64xf16, #row>
  %xa = ttg.convert_layout %h : tensor<2x64x64xf16, #row> -> tensor<2x64x64xf16, #a>
  %yb = ttg.convert_layout %y : tensor<2x64x64xf16, #row> -> tensor<2x64x64xf16, #b>
  %d = tt.dot %xa, %yb, %c : tensor<2x64x64xf16, #a> * tensor<2x64x64xf16, #b> -> tensor<2x64x64xf32, #blocked>
  tt.return %d : tensor<2x64x64xf32, #blocked>
}
}

// RUN: nereid-opt %s --tritongpu-optimize-dot-operands | FileCheck %s
// RUN: nereid-opt %s --tritongpu-optimize-dot-operands --remarks-filter-missed=tritongpu-optimize-dot-operands 2>&1 >/dev/null | FileCheck %s --check-prefix=MISSED
// RUN: nereid-opt %s --tritongpu-optimize-dot-operands=hoist-layout-conversion=0 | FileCheck %s --check-prefix=STAYS

// CHECK-DAG: #[[ROWS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false
// CHECK-DAG: #[[COLUMNS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#columns = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
#column2 = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#blocked2 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
#along_m = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#all = #ttg.dot_op<{opIdx = 1, parent = #along_m, kWidth = 4}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// The tensor is stored as it was loaded; the view has the type of the old buffer.
// CHECK-LABEL: @view(
// CHECK: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[S:.*]] = ttg.local_alloc %[[X]] : {{.*}} -> !ttg.memdesc<64x32xf16, #[[ROWS]], #smem>
// CHECK-NEXT: %[[B:.*]] = ttg.memdesc_trans %[[S]] {order = array<i32: 1, 0>} : {{.*}} -> !ttg.memdesc<32x64xf16, #[[COLUMNS]], #smem>
// CHECK-NEXT: ttng.warp_group_dot %{{.*}}, %[[B]],
tt.func public @view(%p: tensor<64x32x!tt.ptr<f16>, #blocked>, %q: !ttg.memdesc<64x32xf16, #rows, #smem>, %acc: tensor<64x64xf32, #wide>) -> tensor<64x64xf32, #wide> {
  %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf16, #blocked> -> tensor<32x64xf16, #column>
  %b = ttg.local_alloc %t : (tensor<32x64xf16, #column>) -> !ttg.memdesc<32x64xf16, #columns, #smem>
  %d = ttng.warp_group_dot %q, %b, %acc : !ttg.memdesc<64x32xf16, #rows, #smem> * !ttg.memdesc<32x64xf16, #columns, #smem> -> tensor<64x64xf32, #wide>
  tt.return %d : tensor<64x64xf32, #wide>
}

// The dot reads the buffer along the rows of the transposed tensor, and the load has its columns.
// CHECK-LABEL: @other_order(
// CHECK: tt.trans
// CHECK: ttg.local_alloc
// MISSED-DAG: remark: [Missed] transposition
tt.func public @other_order(%p: tensor<64x32x!tt.ptr<f8E4M3FN>, #column2>) -> !ttg.memdesc<32x64xf8E4M3FN, #bytes, #smem> {
  %x = tt.load %p : tensor<64x32x!tt.ptr<f8E4M3FN>, #column2>
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf8E4M3FN, #column2> -> tensor<32x64xf8E4M3FN, #blocked2>
  %b = ttg.local_alloc %t : (tensor<32x64xf8E4M3FN, #blocked2>) -> !ttg.memdesc<32x64xf8E4M3FN, #bytes, #smem>
  tt.return %b : !ttg.memdesc<32x64xf8E4M3FN, #bytes, #smem>
}

// A tensor from before a loop is stored once, before the loop.
// CHECK-LABEL: @before_loop(
// CHECK: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[S:.*]] = ttg.local_alloc %[[X]]
// CHECK-NEXT: %[[V:.*]] = ttg.memdesc_trans %[[S]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: ttg.local_load %[[V]] : {{.*}} -> tensor<32x64xf16, #ttg.dot_op
tt.func public @before_loop(%p: tensor<64x32x!tt.ptr<f16>, #blocked>, %left: tensor<64x32xf16, #a>, %acc: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf16, #blocked> -> tensor<32x64xf16, #column>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%carried = %acc) -> (tensor<64x64xf32, #mma>) : i32 {
    %b = ttg.convert_layout %t : tensor<32x64xf16, #column> -> tensor<32x64xf16, #b>
    %d = tt.dot %left, %b, %carried : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// mma.sync: ldmatrix.trans reads the view.
// CHECK-LABEL: @registers(
// CHECK: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[S:.*]] = ttg.local_alloc %[[X]] : {{.*}} -> !ttg.memdesc<64x32xf16, #[[SWIZZLED:.*]], #smem>
// CHECK-NEXT: %[[V:.*]] = ttg.memdesc_trans %[[S]]
// CHECK-NEXT: ttg.local_load %[[V]] : {{.*}} -> tensor<32x64xf16, #ttg.dot_op
// CHECK-NOT: tt.trans
tt.func public @registers(%p: tensor<64x32x!tt.ptr<f16>, #blocked>) -> tensor<32x64xf16, #b> {
  %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf16, #blocked> -> tensor<32x64xf16, #column>
  %b = ttg.convert_layout %t : tensor<32x64xf16, #column> -> tensor<32x64xf16, #b>
  tt.return %b : tensor<32x64xf16, #b>
}

// The same of a tile that a descriptor loads: its buffer is as TMA fills it.
// CHECK-LABEL: @described(
// CHECK: %[[X:.*]] = tt.descriptor_load
// CHECK-NEXT: %[[S:.*]] = ttg.local_alloc %[[X]] : {{.*}} -> !ttg.memdesc<64x32xf16, #[[ROWS]], #smem>
// CHECK-NEXT: %[[V:.*]] = ttg.memdesc_trans %[[S]] {{.*}} -> !ttg.memdesc<32x64xf16, #[[COLUMNS]], #smem>
// CHECK-NEXT: ttg.local_load %[[V]] : {{.*}} -> tensor<32x64xf16, #ttg.dot_op
// CHECK-NOT: tt.trans
tt.func public @described(%d: !tt.tensordesc<tensor<64x32xf16>>, %i: i32) -> tensor<32x64xf16, #b> {
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #blocked>
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf16, #blocked> -> tensor<32x64xf16, #column>
  %b = ttg.convert_layout %t : tensor<32x64xf16, #column> -> tensor<32x64xf16, #b>
  tt.return %b : tensor<32x64xf16, #b>
}

// Half of the bytes are converted.
// CHECK-LABEL: @widened(
// CHECK: ttg.convert_layout %{{.*}} : tensor<64x32xi8, #{{.*}}> -> tensor<64x32xi8, #ttg.dot_op<{opIdx = 0
// CHECK-NEXT: arith.sitofp {{.*}} to tensor<64x32xf16, #ttg.dot_op<{opIdx = 0
// CHECK-NEXT: tt.return
// STAYS-LABEL: @widened(
// STAYS: arith.sitofp
// STAYS-NEXT: ttg.convert_layout %{{.*}} : tensor<64x32xf16
tt.func public @widened(%p: tensor<64x32x!tt.ptr<i8>, #blocked> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<8> : tensor<2xi32>}) -> tensor<64x32xf16, #a> {
  %x = tt.load %p : tensor<64x32x!tt.ptr<i8>, #blocked>
  %t = arith.sitofp %x  : tensor<64x32xi8, #blocked> to tensor<64x32xf16, #blocked>
  %b = ttg.convert_layout %t : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
  tt.return %b : tensor<64x32xf16, #a>
}

// The scales are converted before they are broadcast.
// CHECK-LABEL: @scaled(
// CHECK-DAG: ttg.convert_layout %{{.*}} : tensor<64xf16, {{.*}}> -> tensor<64xf16, #ttg.slice<{dim = 1, parent = #ttg.dot_op
// CHECK-DAG: ttg.convert_layout %{{.*}} : tensor<64x32xi8, {{.*}}> -> tensor<64x32xi8, #ttg.dot_op
// CHECK: tt.broadcast {{.*}} -> tensor<64x32xf16, #ttg.dot_op
// CHECK: arith.mulf {{.*}} : tensor<64x32xf16, #ttg.dot_op
// CHECK-NEXT: tt.return
tt.func public @scaled(%p: tensor<64x32x!tt.ptr<i8>, #blocked> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<8> : tensor<2xi32>}, %s: tensor<64xf16, #ttg.slice<{dim = 1, parent = #blocked}>>) -> tensor<64x32xf16, #a> {
  %x = tt.load %p : tensor<64x32x!tt.ptr<i8>, #blocked>
  %t = arith.sitofp %x  : tensor<64x32xi8, #blocked> to tensor<64x32xf16, #blocked>
  %e = tt.expand_dims %s {axis = 1 : i32} : tensor<64xf16, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xf16, #blocked>
  %f = tt.broadcast %e : tensor<64x1xf16, #blocked> -> tensor<64x32xf16, #blocked>
  %m = arith.mulf %t, %f : tensor<64x32xf16, #blocked>
  %b = ttg.convert_layout %m : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
  tt.return %b : tensor<64x32xf16, #a>
}

// cp.async cannot copy single elements of scales and zero points: each conversion would be a trip through shared memory,
// instead of one for the result.
// CHECK-LABEL: @dequantized(
// CHECK-NOT: ttg.convert_layout
// CHECK: arith.mulf %{{.*}} : tensor<64x32xf16, #blocked>
// CHECK-NEXT: ttg.convert_layout %{{.*}} : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #ttg.dot_op
// CHECK-NEXT: tt.return
tt.func public @dequantized(%p: tensor<64x32x!tt.ptr<i8>, #blocked> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<8> : tensor<2xi32>}, %s: tensor<64x32x!tt.ptr<f16>, #blocked>, %z: tensor<64x32x!tt.ptr<i8>, #blocked>) -> tensor<64x32xf16, #a> {
  %x = tt.load %p : tensor<64x32x!tt.ptr<i8>, #blocked>
  %scale = tt.load %s : tensor<64x32x!tt.ptr<f16>, #blocked>
  %zero = tt.load %z : tensor<64x32x!tt.ptr<i8>, #blocked>
  %d = arith.subi %x, %zero : tensor<64x32xi8, #blocked>
  %t = arith.sitofp %d : tensor<64x32xi8, #blocked> to tensor<64x32xf16, #blocked>
  %m = arith.mulf %t, %scale : tensor<64x32xf16, #blocked>
  %b = ttg.convert_layout %m : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
  tt.return %b : tensor<64x32xf16, #a>
}

// Each thread would load 128 bytes one by one, as N is contiguous; its 32 elements are converted once, and matrix loads transpose
// the result. Bytes that are adjacent along K are loaded in words.
// CHECK-LABEL: @bytes(
// CHECK: arith.sitofp %{{.*}} : tensor<64x64xi8, #{{.*}}> to tensor<64x64xf16, #blocked
// CHECK: arith.sitofp %{{.*}} : tensor<64x64xi8, #ttg.dot_op<{{.*}}> to tensor<64x64xf16, #ttg.dot_op
tt.func public @bytes(%p: tensor<64x64x!tt.ptr<i8>, #blocked> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<8> : tensor<2xi32>}, %q: tensor<64x64x!tt.ptr<i8>, #column> {tt.contiguity = dense<[8, 1]> : tensor<2xi32>, tt.divisibility = dense<8> : tensor<2xi32>}) -> (tensor<64x64xf16, #all>, tensor<64x64xf16, #all>) {
  %x = tt.load %p : tensor<64x64x!tt.ptr<i8>, #blocked>
  %h = arith.sitofp %x : tensor<64x64xi8, #blocked> to tensor<64x64xf16, #blocked>
  %a = ttg.convert_layout %h : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #all>
  %y = tt.load %q : tensor<64x64x!tt.ptr<i8>, #column>
  %k = arith.sitofp %y : tensor<64x64xi8, #column> to tensor<64x64xf16, #column>
  %b = ttg.convert_layout %k : tensor<64x64xf16, #column> -> tensor<64x64xf16, #all>
  tt.return %a, %b : tensor<64x64xf16, #all>, tensor<64x64xf16, #all>
}

// Two warps would compute each exponential.
// CHECK-LABEL: @repeated(
// CHECK: math.exp %{{.*}} : tensor<64x32xf16, #blocked>
// CHECK-NEXT: ttg.convert_layout
// MISSED-DAG: remark: [Missed] elementwise {{.*}} costs 192 instructions per thread, the conversion 124
tt.func public @repeated(%p: tensor<64x32x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}) -> tensor<64x32xf16, #a> {
  %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
  %y = math.exp %x : tensor<64x32xf16, #blocked>
  %b = ttg.convert_layout %y : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
  tt.return %b : tensor<64x32xf16, #a>
}

// A slot of a ring: the view is read where the slot was read.
// CHECK-LABEL: @slot(
// CHECK: %[[V:.*]] = ttg.memdesc_trans %arg0
// CHECK-NEXT: ttg.local_load %[[V]] : {{.*}} -> tensor<32x64xf16, #ttg.dot_op
// CHECK-NEXT: tt.return
tt.func public @slot(%s: !ttg.memdesc<64x32xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>, #smem, mutable>) -> tensor<32x64xf16, #b> {
  %x = ttg.local_load %s : !ttg.memdesc<64x32xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>, #smem, mutable> -> tensor<64x32xf16, #blocked>
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf16, #blocked> -> tensor<32x64xf16, #column>
  %b = ttg.convert_layout %t : tensor<32x64xf16, #column> -> tensor<32x64xf16, #b>
  tt.return %b : tensor<32x64xf16, #b>
}
}

// Layout conversions: register renaming when every thread holds its elements, selects and shuffles when its warp does,
// otherwise shared memory with a barrier: single elements, vectors or matrices.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#line = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#same = #ttg.linear<{register = [[256], [1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}>
#all = #ttg.linear<{register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#crossed = #ttg.linear<{register = [[1]], lane = [[32], [2], [4], [8], [16]], warp = [[64], [128]], block = []}>

#pairs = #ttg.linear<{register = [[1]], lane = [[0], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>
#turned = #ttg.linear<{register = [], lane = [[2], [1], [4], [8], [16]], warp = [[32], [64]], block = []}>

#columns = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#fragment = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#wide = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [16, 0], [32, 0]], warp = [[4, 0], [8, 0]], block = []}>
#across = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}>
#down = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0]], lane = [[8, 0], [0, 1], [0, 2], [0, 4], [0, 8]], warp = [[16, 0], [32, 0]], block = []}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-DAG: llvm.mlir.global external @global_smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>

// Registers 1 and 2 are exchanged.
// CHECK-LABEL: llvm.func internal @rename(%arg0: i32, %arg1: i32, %arg2: i32, %arg3: i32
// CHECK-NOT: barrier
// CHECK: llvm.insertvalue %arg0, %{{.*}}[0]
// CHECK: llvm.insertvalue %arg2, %{{.*}}[1]
// CHECK: llvm.insertvalue %arg1, %{{.*}}[2]
// CHECK: llvm.insertvalue %arg3, %{{.*}}[3]
tt.func private @rename(%x: tensor<512xi32, #line>) -> tensor<512xi32, #same> {
  %y = ttg.convert_layout %x : tensor<512xi32, #line> -> tensor<512xi32, #same>
  tt.return %y : tensor<512xi32, #same>
}

// Rows to columns: different lanes store the elements of a vector load.
// CHECK-LABEL: llvm.func internal @exchange(
// CHECK-COUNT-8: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: barrier
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: llvm.load
// CHECK: llvm.return
tt.func private @exchange(%x: tensor<32x32xf32, #a>) -> tensor<32x32xf32, #b> {
  %y = ttg.convert_layout %x : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
  tt.return %y : tensor<32x32xf32, #b>
}

// f16 elements are transposed by ldmatrix: both sides access 16 bytes.
// CHECK-LABEL: llvm.func internal @transposes(
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: barrier
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16"
// CHECK-NOT: {{llvm.load|ldmatrix}}
// CHECK: llvm.return
tt.func private @transposes(%x: tensor<64x64xf16, #columns>) -> tensor<64x64xf16, #rows> {
  %y = ttg.convert_layout %x : tensor<64x64xf16, #columns> -> tensor<64x64xf16, #rows>
  tt.return %y : tensor<64x64xf16, #rows>
}

// The reverse, with and without transposition: stmatrix.
// CHECK-LABEL: llvm.func internal @stores(
// CHECK: llvm.call_intrinsic "llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16"
// CHECK-NOT: {{llvm.store|stmatrix}}
// CHECK: barrier
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT: llvm.load
// CHECK: llvm.return
tt.func private @stores(%x: tensor<64x16xf16, #fragment>) -> tensor<64x16xf16, #wide> {
  %y = ttg.convert_layout %x : tensor<64x16xf16, #fragment> -> tensor<64x16xf16, #wide>
  tt.return %y : tensor<64x16xf16, #wide>
}

// No exchange between warps, and no CTA barrier.
// CHECK-LABEL: llvm.func internal @own_warp(
// CHECK-NOT: barrier
// CHECK: llvm.call_intrinsic "llvm.nvvm.bar.warp.sync"
// CHECK-NOT: barrier
// CHECK: llvm.return
tt.func private @own_warp(%x: tensor<64x16xf32, #across>) -> tensor<64x16xf32, #down> {
  %y = ttg.convert_layout %x : tensor<64x16xf32, #across> -> tensor<64x16xf32, #down>
  tt.return %y : tensor<64x16xf32, #down>
}

// In shared memory, i1 is a byte and a pointer an integer.
// CHECK-LABEL: llvm.func internal @types(
// CHECK: llvm.zext %{{.*}} : i1 to i8
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<8xi8>
// CHECK: llvm.trunc %{{.*}} : i8 to i1
// CHECK: llvm.ptrtoint %{{.*}} : !llvm.ptr<1> to i64
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<2xi64>
// CHECK: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
tt.func private @types(%x: tensor<32x32xi1, #a>, %p: tensor<32x32x!tt.ptr<f32>, #a>) -> (tensor<32x32xi1, #b>, tensor<32x32x!tt.ptr<f32>, #b>) {
  %y = ttg.convert_layout %x : tensor<32x32xi1, #a> -> tensor<32x32xi1, #b>
  %q = ttg.convert_layout %p : tensor<32x32x!tt.ptr<f32>, #a> -> tensor<32x32x!tt.ptr<f32>, #b>
  tt.return %y, %q : tensor<32x32xi1, #b>, tensor<32x32x!tt.ptr<f32>, #b>
}

// Every thread has all four elements: its lane selects one.
// CHECK-LABEL: llvm.func internal @select(
// CHECK-NOT: {{shfl|barrier}}
// CHECK-COUNT-3: llvm.select
// CHECK-NOT: {{shfl|barrier|select}}
// CHECK: llvm.return
tt.func private @select(%x: tensor<4xi32, #all>) -> tensor<4xi32, #one> {
  %y = ttg.convert_layout %x : tensor<4xi32, #all> -> tensor<4xi32, #one>
  tt.return %y : tensor<4xi32, #one>
}

// The lanes of a warp hold the same elements in another order.
// CHECK-LABEL: llvm.func internal @shuffle(
// CHECK-NOT: barrier
// CHECK-COUNT-2: shfl.sync.idx.i32
// CHECK-NOT: {{shfl|barrier|select}}
// CHECK: llvm.return
tt.func private @shuffle(%x: tensor<256xi32, #line>) -> tensor<256xi32, #crossed> {
  %y = ttg.convert_layout %x : tensor<256xi32, #line> -> tensor<256xi32, #crossed>
  tt.return %y : tensor<256xi32, #crossed>
}

// Lanes 2i and 2i + 1 have the same two elements: each selects one for one reader, so that one is shuffled. Lane bit 0 of the reader is
// bit 1 of the lane that it reads, lane bit 1 is bit 0.
// CHECK-LABEL: llvm.func internal @copies(%arg0: i32, %arg1: i32
// CHECK: %[[ID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK-COUNT-2: llvm.xor
// CHECK: %[[BIT:.*]] = llvm.and %[[ID]], %[[ONE]] : i32
// CHECK-NEXT: %[[SET:.*]] = llvm.icmp "ne" %[[BIT]]
// CHECK-NEXT: %[[VALUE:.*]] = llvm.select %[[SET]], %arg1, %arg0 : i1, i32
// CHECK-NEXT: shfl.sync.idx.i32"(%{{.*}}, %[[VALUE]],
// CHECK-NOT: {{shfl|barrier|select}}
// CHECK: llvm.return
tt.func private @copies(%x: tensor<128xi32, #pairs>) -> tensor<128xi32, #turned> {
  %y = ttg.convert_layout %x : tensor<128xi32, #pairs> -> tensor<128xi32, #turned>
  tt.return %y : tensor<128xi32, #turned>
}

// A kernel's frame starts at the base of dynamic shared memory, a function's at the address that its caller passes.
// CHECK-LABEL: llvm.func @kernel(
// CHECK: %[[BASE:.*]] = llvm.mlir.addressof @global_smem : !llvm.ptr<3>
// CHECK: llvm.call @exchange({{.*}}, %[[BASE]])
tt.func public @kernel(%p: !tt.ptr<f32>) {
  %x = arith.constant dense<1.0> : tensor<32x32xf32, #a>
  %y = tt.call @exchange(%x) : (tensor<32x32xf32, #a>) -> tensor<32x32xf32, #b>
  tt.return
}
}

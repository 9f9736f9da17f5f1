// RUN: nereid-opt %s --tritongpu-remove-layout-conversions | FileCheck %s --check-prefixes=CHECK,FINAL
// RUN: nereid-opt %s --tritongpu-remove-layout-conversions=provisional-dots=1 | FileCheck %s --check-prefixes=CHECK,EARLY

#blocked = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-DAG: #[[DOT:.*]] = #ttg.blocked<{sizePerThread = [4, 4]
// EARLY-DAG: #[[ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 8]

// In #a sixteen lanes hold the same rows and would compute the same exponentials, 256 values per thread instead of 16.
// CHECK-LABEL: @probabilities
// CHECK: math.exp %{{.*}} : tensor<64x32xf32, #blocked>
// CHECK: ttg.convert_layout %{{.*}} : tensor<64x32xf32, #blocked> -> tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>
// CHECK: tt.dot
tt.func public @probabilities(%x: tensor<64x64xf32, #a>, %y: tensor<64x32xf32, #b>, %v: tensor<32x64xf32, #b>, %c: tensor<64x32xf32, #blocked>, %acc: tensor<64x64xf32, #blocked>, %p: tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #a}>>) -> tensor<64x64xf32, #blocked> {
  %s = tt.dot %x, %y, %c : tensor<64x64xf32, #a> * tensor<64x32xf32, #b> -> tensor<64x32xf32, #blocked>
  %t = ttg.convert_layout %s : tensor<64x32xf32, #blocked> -> tensor<64x32xf32, #a>
  %e = math.exp %t : tensor<64x32xf32, #a>
  %sum = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%u: f32, %w: f32):
    %z = arith.addf %u, %w : f32
    tt.reduce.return %z : f32
  }) : (tensor<64x32xf32, #a>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #a}>>
  tt.store %p, %sum : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #a}>>
  %d = tt.dot %e, %v, %acc : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}

// The layout of a dot that may move to tensor cores attracts no load. That of multiply-adds does: 64 bits at a time and no
// conversion.
// CHECK-LABEL: @epilogue
// EARLY: %[[G:.*]] = tt.load %{{.*}} : tensor<64x64x!tt.ptr<f16>, #[[ROWS]]>
// EARLY: ttg.convert_layout %[[G]] : tensor<64x64xf16, #[[ROWS]]> -> tensor<64x64xf16, #[[DOT]]>
// FINAL: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f16>, #[[DOT]]>
// FINAL-NOT: ttg.convert_layout
tt.func public @epilogue(%x: tensor<64x32xf16, #a>, %y: tensor<32x64xf16, #b>, %acc: tensor<64x64xf32, #blocked>, %gate: !tt.ptr<f16>) -> tensor<64x64xf32, #blocked> {
  %stride = arith.constant dense<64> : tensor<64x1xi32, #rows>
  %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>>
  %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>>
  %row = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<64x1xi32, #rows>
  %column = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x64xi32, #rows>
  %offset = arith.muli %row, %stride : tensor<64x1xi32, #rows>
  %offsets = tt.broadcast %offset : tensor<64x1xi32, #rows> -> tensor<64x64xi32, #rows>
  %columns = tt.broadcast %column : tensor<1x64xi32, #rows> -> tensor<64x64xi32, #rows>
  %at = arith.addi %offsets, %columns : tensor<64x64xi32, #rows>
  %base = tt.splat %gate : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #rows>
  %p = tt.addptr %base, %at : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows>
  %g = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
  %c = ttg.convert_layout %g : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #blocked>
  %w = arith.extf %c : tensor<64x64xf16, #blocked> to tensor<64x64xf32, #blocked>
  %m = arith.mulf %d, %w : tensor<64x64xf32, #blocked>
  tt.return %m : tensor<64x64xf32, #blocked>
}

// The sum of exchanged dots stays in their layout in the loop, whatever the stores after it vote for.
// CHECK-LABEL: @exchanged
// CHECK: scf.for
// CHECK: ttng.warp_group_dot
// CHECK: tt.trans
// CHECK-NOT: ttg.convert_layout
// CHECK: scf.yield
// CHECK: ttg.convert_layout
tt.func public @exchanged(%n: i32, %k: !ttg.memdesc<128x64xf16, #shared, #smem>, %q: !ttg.memdesc<64x32xf16, #shared, #smem>, %p: tensor<32x128x!tt.ptr<f32>, #line>, %m: tensor<32x128xi1, #line>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x32xf32, #mma>
  %none = arith.constant dense<0.0> : tensor<32x128xf32, #line>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> (tensor<32x128xf32, #line>) : i32 {
    %d = ttng.warp_group_dot %k, %q, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<128x32xf32, #mma>
    %c = ttg.convert_layout %d : tensor<128x32xf32, #mma> -> tensor<128x32xf32, #columns>
    %t = tt.trans %c {order = array<i32: 1, 0>} : tensor<128x32xf32, #columns> -> tensor<32x128xf32, #line>
    %e = math.exp %t : tensor<32x128xf32, #line>
    %s = arith.addf %acc, %e : tensor<32x128xf32, #line>
    scf.yield %s : tensor<32x128xf32, #line>
  }
  %x = arith.select %m, %r, %none : tensor<32x128xi1, #line>, tensor<32x128xf32, #line>
  tt.store %p, %x, %m : tensor<32x128x!tt.ptr<f32>, #line>
  tt.store %p, %r, %m : tensor<32x128x!tt.ptr<f32>, #line>
  tt.return
}

// Two dots use the widened operand. Before tritongpu-accelerate-matmul it is widened in the layout of its load: each thread would
// widen 256 elements in #b, and still do so when the dots read a buffer.
// CHECK-LABEL: @widened
// EARLY: arith.extf %{{.*}} : tensor<64x32xbf16, #[[ROWS]]> to
// EARLY: ttg.convert_layout %{{.*}} : tensor<64x32xf32, #[[ROWS]]>
// FINAL: arith.extf %{{.*}} : tensor<64x32xbf16, #ttg.dot_op
tt.func public @widened(%x: tensor<64x64xf32, #a>, %z: tensor<64x64xf32, #a>, %p: tensor<64x32x!tt.ptr<bf16>, #rows>, %c: tensor<64x32xf32, #blocked>) -> (tensor<64x32xf32, #blocked>, tensor<64x32xf32, #blocked>) {
  %y = tt.load %p : tensor<64x32x!tt.ptr<bf16>, #rows>
  %t = ttg.convert_layout %y : tensor<64x32xbf16, #rows> -> tensor<64x32xbf16, #line>
  %w = arith.extf %t : tensor<64x32xbf16, #line> to tensor<64x32xf32, #line>
  %u = ttg.convert_layout %w : tensor<64x32xf32, #line> -> tensor<64x32xf32, #b>
  %d = tt.dot %x, %u, %c, inputPrecision = tf32 : tensor<64x64xf32, #a> * tensor<64x32xf32, #b> -> tensor<64x32xf32, #blocked>
  %v = ttg.convert_layout %w : tensor<64x32xf32, #line> -> tensor<64x32xf32, #b>
  %e = tt.dot %z, %v, %c, inputPrecision = tf32 : tensor<64x64xf32, #a> * tensor<64x32xf32, #b> -> tensor<64x32xf32, #blocked>
  tt.return %d, %e : tensor<64x32xf32, #blocked>, tensor<64x32xf32, #blocked>
}

// A loaded tensor is added to the result of a dot in the layout of its load: the result is converted, the tensor need not be.
// CHECK-LABEL: @added
// FINAL: ttng.warp_group_dot
// FINAL: %[[D:.*]] = ttg.convert_layout %{{.*}} : tensor<64x32xf16, #mma>
// FINAL: arith.addf %[[D]], %{{.*}} : tensor<64x32xf16, #[[ROW:.*]]>
// FINAL-NOT: ttg.convert_layout
// FINAL: tt.return
tt.func public @added(%a: !ttg.memdesc<64x32xf16, #shared, #smem>, %b: !ttg.memdesc<32x32xf16, #shared, #smem>, %p: tensor<64x32x!tt.ptr<f16>, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x32xf32, #mma>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> (tensor<64x32xf32, #mma>) : i32 {
    %e = ttng.warp_group_dot %a, %b, %acc : !ttg.memdesc<64x32xf16, #shared, #smem> * !ttg.memdesc<32x32xf16, #shared, #smem> -> tensor<64x32xf32, #mma>
    scf.yield %e : tensor<64x32xf32, #mma>
  }
  %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #rows>
  %t = arith.truncf %d : tensor<64x32xf32, #mma> to tensor<64x32xf16, #mma>
  %y = ttg.convert_layout %x : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #mma>
  %s = arith.addf %t, %y : tensor<64x32xf16, #mma>
  %r = ttg.convert_layout %s : tensor<64x32xf16, #mma> -> tensor<64x32xf16, #rows>
  tt.store %p, %r : tensor<64x32x!tt.ptr<f16>, #rows>
  tt.return
}
}

// RUN: nereid-opt %s --tritongpu-accelerate-matmul | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: sed 's/cuda:90/cuda:80/' %s | nereid-opt --tritongpu-accelerate-matmul | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: sed 's/cuda:90/cuda:89/' %s | nereid-opt --tritongpu-accelerate-matmul | FileCheck %s --check-prefixes=CHECK,SM89
// RUN: nereid-opt %s --tritongpu-accelerate-matmul --remarks-filter-passed=tritongpu-accelerate-matmul \
// RUN:   --remarks-filter-missed=tritongpu-accelerate-matmul -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#column4 = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// SM90-DAG: #[[WG64:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
// SM90-DAG: #[[ROWS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// SM90-DAG: #[[COLUMNS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// SM90-DAG: #[[BYTES:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
// SM90-DAG: #[[PATCH8:.*]] = #ttg.blocked<{sizePerThread = [16, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [1, 0]}>
// SM90-DAG: #[[PATCH32:.*]] = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [0, 1]}>
// SM80-DAG: #[[M22:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
// SM80-DAG: #[[M41:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// Buffers have the order of what is stored: both orders can be read.
// CHECK-LABEL: @half
// SM90: %[[A:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x64xf16, #[[ROWS]], #smem>
// SM90: %[[B:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x64xf16, #[[COLUMNS]], #smem>
// SM90: %[[C:.*]] = ttg.convert_layout %{{.*}} -> tensor<64x64xf32, #[[WG64]]>
// SM90: ttng.warp_group_dot %[[A]], %[[B]], %[[C]]
// SM80: tt.dot {{.*}} tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[M22]], kWidth = 2}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #[[M22]], kWidth = 2}>> -> tensor<64x64xf32, #[[M22]]>
// REMARK: wgmma of 64x64x16, warps 4x1, a from shared memory: 4 instructions per thread, 16384 bytes read from shared memory, 32 accumulator registers
tt.func private @half(%x: tensor<64x64xf16, #row>, %y: tensor<64x64xf16, #column>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %xa = ttg.convert_layout %x : tensor<64x64xf16, #row> -> tensor<64x64xf16, #a>
  %yb = ttg.convert_layout %y : tensor<64x64xf16, #column> -> tensor<64x64xf16, #b>
  %d = tt.dot %xa, %yb, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}
// 8-bit operands of wgmma are stored with K contiguous. Before sm_89, 8-bit floats are widened, exactly.
// CHECK-LABEL: @fp8
// SM90: ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x64xf8E4M3FN, #{{.*}}, #smem>
// SM90: ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x64xf8E5M2, #[[BYTES]], #smem>
// SM90: ttng.warp_group_dot {{.*}}maxNumImpreciseAcc = 32
// SM80-COUNT-2: tt.fp_to_fp {{.*}} -> tensor<64x64xf16
// SM80: tt.dot {{.*}} kWidth = 4{{.*}}f16{{.*}}kWidth = 4
// SM89-NOT: tt.fp_to_fp
// SM89: tt.dot {{.*}} kWidth = 4{{.*}}f8E5M2{{.*}}kWidth = 4
// REMARK: wgmma of 64x64x32
tt.func private @fp8(%x: tensor<64x64xf8E4M3FN, #row>, %y: tensor<64x64xf8E5M2, #row>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %xa = ttg.convert_layout %x : tensor<64x64xf8E4M3FN, #row> -> tensor<64x64xf8E4M3FN, #a>
  %yb = ttg.convert_layout %y : tensor<64x64xf8E5M2, #row> -> tensor<64x64xf8E5M2, #b>
  %d = tt.dot %xa, %yb, %c : tensor<64x64xf8E4M3FN, #a> * tensor<64x64xf8E5M2, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}
// CHECK-LABEL: @integers
// SM90: ttng.warp_group_dot {{.*}} -> tensor<64x64xi32
// SM80: tt.dot {{.*}} kWidth = 4{{.*}} -> tensor<64x64xi32, #[[M22]]>
tt.func private @integers(%x: tensor<64x64xi8, #row>, %y: tensor<64x64xi8, #column>, %c: tensor<64x64xi32, #blocked>) -> tensor<64x64xi32, #blocked> {
  %xa = ttg.convert_layout %x : tensor<64x64xi8, #row> -> tensor<64x64xi8, #a>
  %yb = ttg.convert_layout %y : tensor<64x64xi8, #column> -> tensor<64x64xi8, #b>
  %d = tt.dot %xa, %yb, %c : tensor<64x64xi8, #a> * tensor<64x64xi8, #b> -> tensor<64x64xi32, #blocked>
  tt.return %d : tensor<64x64xi32, #blocked>
}
// CHECK-LABEL: @doubles
// CHECK: tt.dot {{.*}} kWidth = 1{{.*}} -> tensor<64x64xf64, #{{mma.*}}>
// REMARK: mma.sync of 16x8x4{{.*}}; not wgmma: wgmma does not multiply f64
tt.func private @doubles(%x: tensor<64x64xf64, #row>, %y: tensor<64x64xf64, #column>, %c: tensor<64x64xf64, #blocked>) -> tensor<64x64xf64, #blocked> {
  %xa = ttg.convert_layout %x : tensor<64x64xf64, #row> -> tensor<64x64xf64, #a>
  %yb = ttg.convert_layout %y : tensor<64x64xf64, #column> -> tensor<64x64xf64, #b>
  %d = tt.dot %xa, %yb, %c : tensor<64x64xf64, #a> * tensor<64x64xf64, #b> -> tensor<64x64xf64, #blocked>
  tt.return %d : tensor<64x64xf64, #blocked>
}
// f32 has an instruction as tf32, and none in ieee precision.
// CHECK-LABEL: @precisions
// SM90: ttng.warp_group_dot {{.*}}xf32
// SM80: tt.dot {{.*}} kWidth = 1{{.*}} -> tensor<64x64xf32, #[[M22]]>
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #blocked{{.*}}>
// REMARK: multiply-adds for f32 by f32 into f32, M = 64, N = 64, K = 64: f32 has a tensor core instruction with inputPrecision tf32, tf32x3, bf16x3 or bf16x6 only
tt.func private @precisions(%x: tensor<64x64xf32, #row>, %y: tensor<64x64xf32, #column>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %xa = ttg.convert_layout %x : tensor<64x64xf32, #row> -> tensor<64x64xf32, #a>
  %yb = ttg.convert_layout %y : tensor<64x64xf32, #column> -> tensor<64x64xf32, #b>
  %d = tt.dot %xa, %yb, %c, inputPrecision = tf32 : tensor<64x64xf32, #a> * tensor<64x64xf32, #b> -> tensor<64x64xf32, #blocked>
  %e = tt.dot %xa, %yb, %d, inputPrecision = ieee : tensor<64x64xf32, #a> * tensor<64x64xf32, #b> -> tensor<64x64xf32, #blocked>
  tt.return %e : tensor<64x64xf32, #blocked>
}
// A sum that no instruction has is kept in f32.
// CHECK-LABEL: @rounded_sum
// CHECK: arith.extf %{{.*}} : tensor<64x64xbf16, [[MMA:#.*]]> to tensor<64x64xf32, [[MMA]]>
// CHECK: arith.truncf %{{.*}} : tensor<64x64xf32, [[MMA]]> to tensor<64x64xbf16, [[MMA]]>
tt.func private @rounded_sum(%x: tensor<64x64xbf16, #row>, %y: tensor<64x64xbf16, #column>, %c: tensor<64x64xbf16, #blocked>) -> tensor<64x64xbf16, #blocked> {
  %xa = ttg.convert_layout %x : tensor<64x64xbf16, #row> -> tensor<64x64xbf16, #a>
  %yb = ttg.convert_layout %y : tensor<64x64xbf16, #column> -> tensor<64x64xbf16, #b>
  %d = tt.dot %xa, %yb, %c : tensor<64x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<64x64xbf16, #blocked>
  tt.return %d : tensor<64x64xbf16, #blocked>
}
// Few rows: the transposed dot has enough of them for wgmma.
// CHECK-LABEL: @few_rows
// SM90-COUNT-3: tt.trans
// SM90: ttng.warp_group_dot {{.*}} -> tensor<64x16xf32, #{{mma.*}}>
// SM90: tt.trans {{.*}} -> tensor<16x64xf32,
// SM80: tt.dot {{.*}} -> tensor<16x64xf32, #{{mma.*}}>
// REMARK: the transposed dot, b^T a^T, has enough rows for wgmma
// REMARK: wgmma of 64x16x16, warps 4x1
tt.func private @few_rows(%x: tensor<16x64xf16, #row>, %y: tensor<64x64xf16, #row>, %c: tensor<16x64xf32, #blocked>) -> tensor<16x64xf32, #blocked> {
  %xa = ttg.convert_layout %x : tensor<16x64xf16, #row> -> tensor<16x64xf16, #a>
  %yb = ttg.convert_layout %y : tensor<64x64xf16, #row> -> tensor<64x64xf16, #b>
  %d = tt.dot %xa, %yb, %c : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<16x64xf32, #blocked>
  tt.return %d : tensor<16x64xf32, #blocked>
}
// A loop that only accumulates carries the transposed accumulator; a use of it in the loop gets a transposition.
// CHECK-LABEL: @carried
// SM90: %[[INIT:.*]] = tt.trans %{{.*}} : tensor<16x64xf32,
// SM90: %[[R:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[INIT]]) -> (tensor<64x16xf32,
// SM90: %[[C:.*]] = ttg.convert_layout %[[ACC]]
// SM90: ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[C]]
// SM90-NOT: tt.trans
// SM90: scf.yield {{.*}} : tensor<64x16xf32
// SM90: tt.trans %[[R]]
// SM90: scf.for {{.*}} -> (tensor<16x64xf32,
// SM90: ttng.warp_group_dot
// SM90: tt.trans {{.*}} -> tensor<16x64xf32,
// SM90: scf.yield {{.*}} : tensor<16x64xf32
tt.func private @carried(%p: tensor<16x64x!tt.ptr<f16>, #row>, %y: tensor<64x64xf16, #row>, %c: tensor<16x64xf32, #blocked>, %n: i32) -> (tensor<16x64xf32, #blocked>, tensor<16x64xf32, #blocked>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %yb = ttg.convert_layout %y : tensor<64x64xf16, #row> -> tensor<64x64xf16, #b>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<16x64xf32, #blocked>) : i32 {
    %x = tt.load %p : tensor<16x64x!tt.ptr<f16>, #row>
    %xa = ttg.convert_layout %x : tensor<16x64xf16, #row> -> tensor<16x64xf16, #a>
    %d = tt.dot %xa, %yb, %acc : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<16x64xf32, #blocked>
    scf.yield %d : tensor<16x64xf32, #blocked>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<16x64xf32, #blocked>) : i32 {
    %x = tt.load %p : tensor<16x64x!tt.ptr<f16>, #row>
    %xa = ttg.convert_layout %x : tensor<16x64xf16, #row> -> tensor<16x64xf16, #a>
    %d = tt.dot %xa, %yb, %acc : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<16x64xf32, #blocked>
    %e = arith.addf %d, %acc : tensor<16x64xf32, #blocked>
    scf.yield %e : tensor<16x64xf32, #blocked>
  }
  tt.return %r, %s : tensor<16x64xf32, #blocked>, tensor<16x64xf32, #blocked>
}
// Few rows and columns: mma.sync on every target.
// CHECK-LABEL: @few(
// CHECK: tt.dot {{.*}} -> tensor<16x32xf32, #{{mma.*}}>
// REMARK: mma.sync of 16x8x16, warps 1x4{{.*}}; not wgmma: wgmma needs M of at least 64
tt.func private @few(%x: tensor<16x64xf16, #row>, %y: tensor<64x32xf16, #row>, %c: tensor<16x32xf32, #blocked>) -> tensor<16x32xf32, #blocked> {
  %xa = ttg.convert_layout %x : tensor<16x64xf16, #row> -> tensor<16x64xf16, #a>
  %yb = ttg.convert_layout %y : tensor<64x32xf16, #row> -> tensor<64x32xf16, #b>
  %d = tt.dot %xa, %yb, %c : tensor<16x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<16x32xf32, #blocked>
  tt.return %d : tensor<16x32xf32, #blocked>
}
// REMARK: multiply-adds for f16 by f16 into f32, M = 64, N = 64, K = 8: K is below 16, the K of one instruction
// CHECK-LABEL: @small_k
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #blocked{{.*}}>
tt.func private @small_k(%x: tensor<64x8xf16, #row>, %y: tensor<8x64xf16, #row>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %xa = ttg.convert_layout %x : tensor<64x8xf16, #row> -> tensor<64x8xf16, #a>
  %yb = ttg.convert_layout %y : tensor<8x64xf16, #row> -> tensor<8x64xf16, #b>
  %d = tt.dot %xa, %yb, %c : tensor<64x8xf16, #a> * tensor<8x64xf16, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}
// A loop stores an invariant operand once, and feeds the result of the first dot to the second in registers. All warps
// are along M, so that rows are reduced within warps.
// CHECK-LABEL: @chained
// SM90: ttg.local_alloc %{{.*}}64x64xf16
// CHECK: scf.for
// SM90: ttg.local_alloc
// SM90: %[[S:.*]] = ttng.warp_group_dot
// SM90: %[[P:.*]] = ttg.convert_layout %{{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[WG64]], kWidth = 2}>>
// SM90: ttng.warp_group_dot %[[P]]
// SM80-COUNT-2: tt.dot {{.*}} #[[M41]]>
tt.func private @chained(%q: tensor<64x64xf16, #row>, %k: tensor<64x64xf16, #column>, %v: tensor<64x64x!tt.ptr<f16>, #row>, %n: i32) -> tensor<64x64xf32, #blocked> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #blocked>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #blocked>) : i32 {
    %y = tt.load %v : tensor<64x64x!tt.ptr<f16>, #row>
    %qa = ttg.convert_layout %q : tensor<64x64xf16, #row> -> tensor<64x64xf16, #a>
    %yb = ttg.convert_layout %y : tensor<64x64xf16, #row> -> tensor<64x64xf16, #b>
    %s = tt.dot %qa, %yb, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    %e = math.exp2 %s : tensor<64x64xf32, #blocked>
    %p = arith.truncf %e : tensor<64x64xf32, #blocked> to tensor<64x64xf16, #blocked>
    %pa = ttg.convert_layout %p : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    %kb = ttg.convert_layout %k : tensor<64x64xf16, #column> -> tensor<64x64xf16, #b>
    %d = tt.dot %pa, %kb, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    scf.yield %d : tensor<64x64xf32, #blocked>
  }
  tt.return %r : tensor<64x64xf32, #blocked>
}
// Through a loop, too: scores that are summed over blocks of K.
// CHECK-LABEL: @chained_through_loop
// SM90: scf.for
// SM90: ttng.warp_group_dot
// SM90: %[[P:.*]] = ttg.convert_layout %{{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[WG64]], kWidth = 2}>>
// SM90: ttng.warp_group_dot %[[P]]
tt.func private @chained_through_loop(%q: tensor<64x64xf16, #row>, %v: tensor<64x64x!tt.ptr<f16>, #row>, %n: i32) -> tensor<64x64xf32, #blocked> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #blocked>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %y = tt.load %v : tensor<64x64x!tt.ptr<f16>, #row>
  %yb = ttg.convert_layout %y : tensor<64x64xf16, #row> -> tensor<64x64xf16, #b>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #blocked>) : i32 {
    %qa = ttg.convert_layout %q : tensor<64x64xf16, #row> -> tensor<64x64xf16, #a>
    %s = tt.dot %qa, %yb, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    scf.yield %s : tensor<64x64xf32, #blocked>
  }
  %e = math.exp2 %r : tensor<64x64xf32, #blocked>
  %p = arith.truncf %e : tensor<64x64xf32, #blocked> to tensor<64x64xf16, #blocked>
  %pa = ttg.convert_layout %p : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
  %d = tt.dot %pa, %yb, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}
// Through a branch, too: a mask that only some iterations need.
// CHECK-LABEL: @chained_through_branch
// SM90: ttng.warp_group_dot
// SM90: scf.if
// SM90: %[[P:.*]] = ttg.convert_layout %{{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[WG64]], kWidth = 2}>>
// SM90: ttng.warp_group_dot %[[P]]
tt.func private @chained_through_branch(%q: tensor<64x64xf16, #row>, %v: tensor<64x64x!tt.ptr<f16>, #row>, %n: i32) -> tensor<64x64xf32, #blocked> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #blocked>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #blocked>) : i32 {
    %y = tt.load %v : tensor<64x64x!tt.ptr<f16>, #row>
    %qa = ttg.convert_layout %q : tensor<64x64xf16, #row> -> tensor<64x64xf16, #a>
    %yb = ttg.convert_layout %y : tensor<64x64xf16, #row> -> tensor<64x64xf16, #b>
    %s = tt.dot %qa, %yb, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    %is_first = arith.cmpi eq, %i, %c0 : i32
    %m = scf.if %is_first -> (tensor<64x64xf32, #blocked>) {
      %t = arith.addf %s, %s : tensor<64x64xf32, #blocked>
      scf.yield %t : tensor<64x64xf32, #blocked>
    } else {
      scf.yield %s : tensor<64x64xf32, #blocked>
    }
    %e = math.exp2 %m : tensor<64x64xf32, #blocked>
    %p = arith.truncf %e : tensor<64x64xf32, #blocked> to tensor<64x64xf16, #blocked>
    %pa = ttg.convert_layout %p : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    %d = tt.dot %pa, %yb, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    scf.yield %d : tensor<64x64xf32, #blocked>
  }
  tt.return %r : tensor<64x64xf32, #blocked>
}
// CARRIED-LABEL: @epilogue
// CARRIED: scf.for {{.*}} -> (tensor<64x64xf32, #mma{{[0-9]*}}>)
// CARRIED-NOT: ttg.convert_layout
// CARRIED: scf.yield
tt.func private @epilogue(%p: tensor<64x64x!tt.ptr<f16>, #row>, %c: tensor<64x64x!tt.ptr<f32>, #row>, %e: tensor<64x64x!tt.ptr<f32>, #row>, %f: tensor<64x64x!tt.ptr<f32>, #row>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #blocked>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #blocked>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #row>
    %xa = ttg.convert_layout %x : tensor<64x64xf16, #row> -> tensor<64x64xf16, #a>
    %xb = ttg.convert_layout %x : tensor<64x64xf16, #row> -> tensor<64x64xf16, #b>
    %d = tt.dot %xa, %xb, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    scf.yield %d : tensor<64x64xf32, #blocked>
  }
  %u = tt.load %c : tensor<64x64x!tt.ptr<f32>, #row>
  %v = tt.load %e : tensor<64x64x!tt.ptr<f32>, #row>
  %uc = ttg.convert_layout %u : tensor<64x64xf32, #row> -> tensor<64x64xf32, #blocked>
  %vc = ttg.convert_layout %v : tensor<64x64xf32, #row> -> tensor<64x64xf32, #blocked>
  %s = arith.addf %r, %uc : tensor<64x64xf32, #blocked>
  %t = arith.mulf %s, %vc : tensor<64x64xf32, #blocked>
  %o = ttg.convert_layout %t : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #row>
  tt.store %f, %o : tensor<64x64x!tt.ptr<f32>, #row>
  tt.store %e, %o : tensor<64x64x!tt.ptr<f32>, #row>
  tt.return
}

// Elements of 8 and 32 bits are read with K contiguous. A load in the other order gets patches of 16 bytes along K and 4
// elements along N, the layout of its addresses; a load with another use keeps its layout.
// CHECK-LABEL: @patches
// SM90: %[[P:.*]] = ttg.convert_layout %{{.*}} -> tensor<128x64x!tt.ptr<i8>, #[[PATCH8]]>
// SM90: %[[Y:.*]] = tt.load %[[P]] : tensor<128x64x!tt.ptr<i8>, #[[PATCH8]]>
// SM90: ttg.local_alloc %[[Y]] : (tensor<128x64xi8, #[[PATCH8]]>)
// SM80-NOT: -> tensor<128x64x!tt.ptr<i8>
// REMARK: operand b, whose elements wgmma reads with K contiguous, is loaded in patches and transposed in registers
tt.func private @patches(%x: tensor<64x128xi8, #row>, %p: tensor<128x64x!tt.ptr<i8>, #row>, %c: tensor<64x64xi32, #blocked>) -> tensor<64x64xi32, #blocked> {
  %y = tt.load %p : tensor<128x64x!tt.ptr<i8>, #row>
  %xa = ttg.convert_layout %x : tensor<64x128xi8, #row> -> tensor<64x128xi8, #a>
  %yb = ttg.convert_layout %y : tensor<128x64xi8, #row> -> tensor<128x64xi8, #b>
  %d = tt.dot %xa, %yb, %c : tensor<64x128xi8, #a> * tensor<128x64xi8, #b> -> tensor<64x64xi32, #blocked>
  tt.return %d : tensor<64x64xi32, #blocked>
}
// CHECK-LABEL: @patches_of_a
// SM90: tt.load %{{.*}} : tensor<64x32x!tt.ptr<f32>, #[[PATCH32]]>
tt.func private @patches_of_a(%p: tensor<64x32x!tt.ptr<f32>, #column4>, %y: tensor<32x64xf32, #column4>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %x = tt.load %p : tensor<64x32x!tt.ptr<f32>, #column4>
  %xa = ttg.convert_layout %x : tensor<64x32xf32, #column4> -> tensor<64x32xf32, #a>
  %yb = ttg.convert_layout %y : tensor<32x64xf32, #column4> -> tensor<32x64xf32, #b>
  %d = tt.dot %xa, %yb, %c, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}
// CHECK-LABEL: @no_patches
// SM90-NOT: -> tensor<128x64x!tt.ptr<i8>
// SM90: ttng.warp_group_dot
tt.func private @no_patches(%x: tensor<64x128xi8, #row>, %p: tensor<128x64x!tt.ptr<i8>, #row>, %c: tensor<64x64xi32, #blocked>) -> (tensor<64x64xi32, #blocked>, tensor<128x64xi8, #row>) {
  %y = tt.load %p : tensor<128x64x!tt.ptr<i8>, #row>
  %xa = ttg.convert_layout %x : tensor<64x128xi8, #row> -> tensor<64x128xi8, #a>
  %yb = ttg.convert_layout %y : tensor<128x64xi8, #row> -> tensor<128x64xi8, #b>
  %d = tt.dot %xa, %yb, %c : tensor<64x128xi8, #a> * tensor<128x64xi8, #b> -> tensor<64x64xi32, #blocked>
  tt.return %d, %y : tensor<64x64xi32, #blocked>, tensor<128x64xi8, #row>
}
}

// RUN: nereid-opt %s --tritongpu-remove-layout-conversions=mma-only=true | FileCheck %s --check-prefix=NONE
// NONE: ttg.convert_layout %{{.*}} -> tensor<64x64xf16, #ttg.dot_op

// The loop carries the accumulator without a conversion, although more of the epilogue has another layout.
// RUN: nereid-opt %s --tritongpu-accelerate-matmul --tritongpu-remove-layout-conversions | FileCheck %s --check-prefix=CARRIED

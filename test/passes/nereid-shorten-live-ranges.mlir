// RUN: nereid-opt %s --split-input-file --nereid-shorten-live-ranges | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
#narrow = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#transposed = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#smem = #ttg.shared_memory
// Each tile of 64x128 elements takes 128 of 255 registers of the only warp.
module attributes {"ttg.num-warps" = 1 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// The first tile is stored before the second one is loaded, and that before the dot, with the loads that belong to it.
// CHECK-LABEL: @early(
// CHECK: %[[K:.*]] = tt.load
// CHECK-NEXT: ttg.local_alloc %[[K]]
// CHECK-NEXT: %[[V:.*]] = tt.load
// CHECK-NEXT: ttg.local_alloc %[[V]]
// CHECK-NEXT: ttg.local_load
// CHECK-NEXT: ttg.local_load
// CHECK-NEXT: tt.dot
tt.func public @early(%p: tensor<64x128x!tt.ptr<f16>, #blocked>, %s: !ttg.memdesc<16x64xf16, #shared, #smem>, %c: tensor<16x128xf32, #mma>, %w: tensor<16x128xf32, #mma>) -> (tensor<16x128xf32, #mma>, tensor<16x128xf32, #mma>) {
  %k = tt.load %p : tensor<64x128x!tt.ptr<f16>, #blocked>
  %v = tt.load %p : tensor<64x128x!tt.ptr<f16>, #blocked>
  %bk = ttg.local_alloc %k : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
  %a = ttg.local_load %s : !ttg.memdesc<16x64xf16, #shared, #smem> -> tensor<16x64xf16, #left>
  %b = ttg.local_load %bk : !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<64x128xf16, #right>
  %d = tt.dot %a, %b, %c : tensor<16x64xf16, #left> * tensor<64x128xf16, #right> -> tensor<16x128xf32, #mma>
  %bv = ttg.local_alloc %v : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
  %a2 = ttg.local_load %s : !ttg.memdesc<16x64xf16, #shared, #smem> -> tensor<16x64xf16, #left>
  %b2 = ttg.local_load %bv : !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<64x128xf16, #right>
  %e = tt.dot %a2, %b2, %w : tensor<16x64xf16, #left> * tensor<64x128xf16, #right> -> tensor<16x128xf32, #mma>
  tt.return %d, %e : tensor<16x128xf32, #mma>, tensor<16x128xf32, #mma>
}

// Where registers suffice, nothing moves.
// CHECK-LABEL: @enough(
// CHECK: tt.load
// CHECK-NEXT: tt.load
// CHECK-NEXT: ttg.local_alloc
// CHECK-NEXT: ttg.local_load
tt.func public @enough(%p: tensor<64x64x!tt.ptr<f16>, #narrow>, %s: !ttg.memdesc<16x64xf16, #shared, #smem>, %c: tensor<16x64xf32, #mma>) -> tensor<16x64xf32, #mma> {
  %k = tt.load %p : tensor<64x64x!tt.ptr<f16>, #narrow>
  %v = tt.load %p : tensor<64x64x!tt.ptr<f16>, #narrow>
  %bk = ttg.local_alloc %k : (tensor<64x64xf16, #narrow>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %a = ttg.local_load %s : !ttg.memdesc<16x64xf16, #shared, #smem> -> tensor<16x64xf16, #left>
  %b = ttg.local_load %bk : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #right>
  %d = tt.dot %a, %b, %c : tensor<16x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<16x64xf32, #mma>
  %bv = ttg.local_alloc %v : (tensor<64x64xf16, #narrow>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %b2 = ttg.local_load %bv : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #right>
  %e = tt.dot %a, %b2, %d : tensor<16x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<16x64xf32, #mma>
  tt.return %e : tensor<16x64xf32, #mma>
}

// The second buffer is the first one, and its operand is loaded for each dot.
// CHECK-LABEL: @again(
// CHECK: %[[X:.*]] = ttg.local_alloc
// CHECK-NOT: ttg.local_alloc
// CHECK: %[[A:.*]] = ttg.local_load %[[X]]
// CHECK-NEXT: tt.dot %[[A]],
// CHECK: math.exp2
// CHECK: %[[B:.*]] = ttg.local_load %[[X]]
// CHECK-NEXT: tt.dot %[[B]],
// CHECK: ttg.local_load %[[X]]
tt.func public @again(%p: tensor<64x64x!tt.ptr<f16>, #narrow>, %y: tensor<64x32xf16, #right>, %c: tensor<64x32xf32, #mma>, %w: tensor<64x128xf32, #mma>) -> (tensor<64x32xf32, #mma>, tensor<64x128xf32, #mma>, tensor<64x64xf16, #right>) {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #narrow>
  %s = ttg.local_alloc %x : (tensor<64x64xf16, #narrow>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %a = ttg.local_load %s : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #left>
  %d = tt.dot %a, %y, %c : tensor<64x64xf16, #left> * tensor<64x32xf16, #right> -> tensor<64x32xf32, #mma>
  %f = math.exp2 %w : tensor<64x128xf32, #mma>
  %e = tt.dot %a, %y, %d : tensor<64x64xf16, #left> * tensor<64x32xf16, #right> -> tensor<64x32xf32, #mma>
  %t = ttg.local_alloc %x : (tensor<64x64xf16, #narrow>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %b = ttg.local_load %t : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #right>
  tt.return %e, %f, %b : tensor<64x32xf32, #mma>, tensor<64x128xf32, #mma>, tensor<64x64xf16, #right>
}

// Registers suffice, but a second buffer would only store the tile again.
// CHECK-LABEL: @same_contents(
// CHECK: %[[B:.*]] = ttg.local_alloc
// CHECK-NEXT: %[[T:.*]] = ttg.memdesc_trans %[[B]]
// CHECK-NEXT: ttg.local_load %[[T]]
// CHECK-NEXT: ttg.local_load %[[B]]
// CHECK-NEXT: tt.return
tt.func public @same_contents(%p: tensor<64x64x!tt.ptr<f16>, #narrow>) -> (tensor<64x64xf16, #right>, tensor<64x64xf16, #left>) {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #narrow>
  %b = ttg.local_alloc %x : (tensor<64x64xf16, #narrow>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %t = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem> -> !ttg.memdesc<64x64xf16, #transposed, #smem>
  %r = ttg.local_load %t : !ttg.memdesc<64x64xf16, #transposed, #smem> -> tensor<64x64xf16, #right>
  %c = ttg.local_alloc %x : (tensor<64x64xf16, #narrow>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %l = ttg.local_load %c : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #left>
  tt.return %r, %l : tensor<64x64xf16, #right>, tensor<64x64xf16, #left>
}

// A buffer that is made in between may need the bytes.
// CHECK-LABEL: @made_between(
// CHECK-COUNT-3: ttg.local_alloc
tt.func public @made_between(%p: tensor<64x64x!tt.ptr<f16>, #narrow>, %y: tensor<16x64xf16, #narrow>) -> (tensor<64x64xf16, #right>, tensor<16x64xf16, #left>, tensor<64x64xf16, #left>) {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #narrow>
  %b = ttg.local_alloc %x : (tensor<64x64xf16, #narrow>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %r = ttg.local_load %b : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #right>
  %d = ttg.local_alloc %y : (tensor<16x64xf16, #narrow>) -> !ttg.memdesc<16x64xf16, #shared, #smem>
  %m = ttg.local_load %d : !ttg.memdesc<16x64xf16, #shared, #smem> -> tensor<16x64xf16, #left>
  %e = ttg.local_alloc %x : (tensor<64x64xf16, #narrow>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %n = ttg.local_load %e : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #left>
  tt.return %r, %m, %n : tensor<64x64xf16, #right>, tensor<16x64xf16, #left>, tensor<64x64xf16, #left>
}

// A computed value is stored rather than a loaded one, whose store would wait for the load.
// CHECK-LABEL: @computed_first(
// CHECK: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[H:.*]] = arith.negf
// CHECK-NEXT: ttg.local_alloc %[[H]]
// CHECK-NEXT: %[[Z:.*]] = tt.load
// CHECK-NEXT: ttg.local_alloc %[[X]]
// CHECK-NEXT: ttg.local_alloc %[[Z]]
tt.func public @computed_first(%p: tensor<64x64x!tt.ptr<f16>, #narrow>, %q: tensor<64x128x!tt.ptr<f16>, #blocked>, %y: tensor<64x64xf16, #narrow>) -> (tensor<64x64xf16, #right>, tensor<64x128xf16, #right>, tensor<64x64xf16, #left>) {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #narrow>
  %h = arith.negf %y : tensor<64x64xf16, #narrow>
  %z = tt.load %q : tensor<64x128x!tt.ptr<f16>, #blocked>
  %bx = ttg.local_alloc %x : (tensor<64x64xf16, #narrow>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %bz = ttg.local_alloc %z : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
  %bh = ttg.local_alloc %h : (tensor<64x64xf16, #narrow>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %r = ttg.local_load %bx : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #right>
  %s = ttg.local_load %bz : !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<64x128xf16, #right>
  %t = ttg.local_load %bh : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #left>
  tt.return %r, %s, %t : tensor<64x64xf16, #right>, tensor<64x128xf16, #right>, tensor<64x64xf16, #left>
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// Operands that dots of warp groups read are stored earlier, too: each tile takes 64 registers, the accumulator 128.
// CHECK-LABEL: @warp_groups(
// CHECK: %[[A:.*]] = tt.load
// CHECK-NEXT: ttg.local_alloc %[[A]]
// CHECK-NEXT: %[[B:.*]] = tt.load
// CHECK-NEXT: ttg.local_alloc %[[B]]
// CHECK-NEXT: %[[X:.*]] = tt.load
// CHECK-NEXT: ttg.local_alloc %[[X]]
// CHECK-NEXT: %[[Y:.*]] = tt.load
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttng.warp_group_dot
// CHECK-NEXT: ttg.local_alloc %[[Y]]
tt.func public @warp_groups(%p: tensor<128x128x!tt.ptr<f16>, #blocked>, %c: tensor<128x128xf32, #mma>) -> tensor<128x128xf32, #mma> {
  %a = tt.load %p : tensor<128x128x!tt.ptr<f16>, #blocked>
  %b = tt.load %p : tensor<128x128x!tt.ptr<f16>, #blocked>
  %x = tt.load %p evictionPolicy = evict_first : tensor<128x128x!tt.ptr<f16>, #blocked>
  %y = tt.load %p evictionPolicy = evict_last : tensor<128x128x!tt.ptr<f16>, #blocked>
  %ba = ttg.local_alloc %a : (tensor<128x128xf16, #blocked>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
  %bb = ttg.local_alloc %b : (tensor<128x128xf16, #blocked>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %ba, %bb, %c {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf16, #shared, #smem> * !ttg.memdesc<128x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
  %bx = ttg.local_alloc %x : (tensor<128x128xf16, #blocked>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
  %by = ttg.local_alloc %y : (tensor<128x128xf16, #blocked>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
  ttng.fence_async_shared {bCluster = false}
  %e = ttng.warp_group_dot %bx, %by, %d {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf16, #shared, #smem> * !ttg.memdesc<128x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
  tt.return %e : tensor<128x128xf32, #mma>
}
// In a loop the dot of the iteration before reads the buffer of the first operand until its wait.
// CHECK-LABEL: @in_flight(
// CHECK: scf.for
// CHECK: tt.load
// CHECK: tt.load
// CHECK: tt.load
// CHECK: ttng.warp_group_dot_wait
// CHECK-NEXT: ttg.local_alloc
// CHECK-NEXT: ttg.local_alloc
tt.func public @in_flight(%p: tensor<128x128x!tt.ptr<f16>, #blocked>, %c: tensor<128x128xf32, #mma>, %n: i32) -> (tensor<128x128xf32, #mma>, tensor<128x128xf16, #blocked>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<128x128xf16, #blocked>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %sum = %z) -> (tensor<128x128xf32, #mma>, tensor<128x128xf16, #blocked>) : i32 {
    %a = tt.load %p : tensor<128x128x!tt.ptr<f16>, #blocked>
    %b = tt.load %p evictionPolicy = evict_first : tensor<128x128x!tt.ptr<f16>, #blocked>
    %x = tt.load %p evictionPolicy = evict_last : tensor<128x128x!tt.ptr<f16>, #blocked>
    %done = ttng.warp_group_dot_wait %acc {pendings = 0 : i32} : tensor<128x128xf32, #mma>
    %ba = ttg.local_alloc %a : (tensor<128x128xf16, #blocked>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
    %bb = ttg.local_alloc %b : (tensor<128x128xf16, #blocked>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %ba, %bb, %done {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<128x128xf16, #shared, #smem> * !ttg.memdesc<128x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    %next = arith.addf %sum, %x : tensor<128x128xf16, #blocked>
    scf.yield %d, %next : tensor<128x128xf32, #mma>, tensor<128x128xf16, #blocked>
  }
  tt.return %r#0, %r#1 : tensor<128x128xf32, #mma>, tensor<128x128xf16, #blocked>
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<64x64xf16, #nvmma, #smem>
!b = !ttg.memdesc<64x256xf16, #nvmma, #smem>
!tile = !ttg.memdesc<128x128xf16, #nvmma, #smem>
// A tile of 128x128 elements takes 64 registers, an accumulator 128, also after its wait.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @after_wait(
// CHECK: ttng.warp_group_dot_wait
// CHECK-NEXT: %[[X:.*]] = tt.load
// CHECK-NEXT: ttg.local_alloc %[[X]]
// CHECK-NEXT: tt.load
tt.func public @after_wait(%p: tensor<128x128x!tt.ptr<f16>, #blocked>, %a: !a, %b: !b, %c: tensor<64x256xf32, #mma>) -> (tensor<64x256xf32, #mma>, !tile, !tile) {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !a * !b -> tensor<64x256xf32, #mma>
  %w:3 = ttng.warp_group_dot_wait %d, %a, %b {pendings = 0 : i32} : tensor<64x256xf32, #mma>, !a, !b
  %x = tt.load %p : tensor<128x128x!tt.ptr<f16>, #blocked>
  %y = tt.load %p : tensor<128x128x!tt.ptr<f16>, #blocked>
  %bx = ttg.local_alloc %x : (tensor<128x128xf16, #blocked>) -> !tile
  %by = ttg.local_alloc %y : (tensor<128x128xf16, #blocked>) -> !tile
  %r = math.exp2 %w#0 : tensor<64x256xf32, #mma>
  tt.return %r, %bx, %by : tensor<64x256xf32, #mma>, !tile, !tile
}
}

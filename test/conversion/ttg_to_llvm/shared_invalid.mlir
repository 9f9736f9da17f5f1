// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-gpu-to-llvm

#smem = #ttg.shared_memory
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @unplaced() {
  // expected-error @below {{'ttg.local_alloc' op has no offset in shared memory: run allocate-shared-memory first}}
  %a = ttg.local_alloc : () -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
  tt.return
}
}

// -----

#line = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @short_rows(%x: tensor<8x16xf16, #line>) {
  // expected-error @below {{'ttg.local_alloc' op has a buffer with shorter rows than its encoding swizzles, 128 bytes: !ttg.memdesc<8x16xf16}}
  %a = ttg.local_alloc %x {allocation.offset = 0 : i32} : (tensor<8x16xf16, #line>) -> !ttg.memdesc<8x16xf16, #rows, #smem>
  tt.return
}
}

// -----

#line = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#small = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0]]}, alignment = 16>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @small(%x: tensor<8x16xf16, #line>) {
  // expected-error @below {{'ttg.local_alloc' op has a buffer whose encoding is for another shape: !ttg.memdesc<8x16xf16}}
  %a = ttg.local_alloc %x {allocation.offset = 0 : i32} : (tensor<8x16xf16, #line>) -> !ttg.memdesc<8x16xf16, #small, #smem>
  tt.return
}
}

// -----

// Each CTA of the pair would write only half of its whole buffer.
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
#whole = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @halves(%x: tensor<512xf32, #line>) {
  // expected-error @below {{'ttg.local_alloc' op moves elements between the CTAs of a cluster, which is not supported}}
  %a = ttg.local_alloc %x {allocation.offset = 0 : i32} : (tensor<512xf32, #line>) -> !ttg.memdesc<512xf32, #whole, #smem>
  tt.return
}
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @rank(%p: !tt.ptr<i32>) -> i32 {
  // expected-error @below {{tensor<16x16xi32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>> has an encoding that does not distribute it over threads}}
  %c = arith.constant dense<0> : tensor<16x16xi32, #line>
  %z = arith.constant 0 : i32
  tt.return %z : i32
}
}

// -----

// A stage whose order differs from that of the whole buffer, which is also read.
#tile = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#both = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 2, order = [1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @two_orders(%v: tensor<2x64xi64, #tile>, %i: i32) -> tensor<64xi64, #line> {
  %a = ttg.local_alloc %v {allocation.offset = 0 : i32} : (tensor<2x64xi64, #tile>) -> !ttg.memdesc<2x64xi64, #both, #smem, mutable>
  // expected-error @below {{'ttg.memdesc_index' op has a result with another order of elements than the rows of the operand, which is also accessed as a whole; expected encodings that agree}}
  %b = ttg.memdesc_index %a[%i] : !ttg.memdesc<2x64xi64, #both, #smem, mutable> -> !ttg.memdesc<64xi64, #plain, #smem, mutable>
  %y = ttg.local_load %b : !ttg.memdesc<64xi64, #plain, #smem, mutable> -> tensor<64xi64, #line>
  tt.return %y : tensor<64xi64, #line>
}
}

// -----

// A constant index beyond the buffers of a ring, such as after an edit of their number.
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @beyond(%ring: !ttg.memdesc<2x1xi64, #bar, #smem, mutable>) {
  %last = arith.constant 1 : i32
  %beyond = arith.constant 2 : i32
  %a = ttg.memdesc_index %ring[%last] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @below {{'ttg.memdesc_index' op has index 2 into !ttg.memdesc<2x1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>: expected 0 to 1}}
  %b = ttg.memdesc_index %ring[%beyond] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
}

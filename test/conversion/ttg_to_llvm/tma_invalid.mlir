// RUN: nereid-opt %s --split-input-file --verify-diagnostics --allocate-shared-memory --convert-triton-gpu-to-llvm

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
tt.func public @old() {
  // expected-error @below {{uses the tensor memory accelerator, which needs sm_90; the target is sm_80}}
  ttng.fence_async_shared {bCluster = false}
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:86"} {
tt.func public @old_map(%p: !tt.ptr<i8>) {
  // expected-error @below {{'ttng.tensormap_fenceproxy_acquire' op uses the tensor memory accelerator, which needs sm_90; the target is sm_86}}
  ttng.tensormap_fenceproxy_acquire %p : !tt.ptr<i8>
  tt.return
}
}

// -----

#smem = #ttg.shared_memory
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @transposed(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #turned, #smem, mutable>
  // expected-error @below {{has a buffer of encoding #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>, expected #ttg.nvmma_shared, neither transposed nor padded}}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %b : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #turned, #smem, mutable>
  tt.return
}
}

// -----

#smem = #ttg.shared_memory
#flat = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @half_rows(%d: !tt.tensordesc<tensor<64x32xf16>>, %i: i32) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #flat, #smem, mutable>
  %s = ttg.memdesc_subslice %b[0, 32] : !ttg.memdesc<64x64xf16, #flat, #smem, mutable> -> !ttg.memdesc<64x32xf16, #flat, #smem, mutable, 64x64>
  // expected-error @below {{uses a subview that is not dense in shared memory: indices 1 apart in dimension 0 are 64 elements apart, and 32 in a box of TMA; expected a subview of whole rows}}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %s : !tt.tensordesc<tensor<64x32xf16>>, !ttg.memdesc<64x32xf16, #flat, #smem, mutable, 64x64>
  tt.return
}
}

// -----

#smem = #ttg.shared_memory
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#three = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @half_planes(%d: !tt.tensordesc<tensor<4x8x64xf16>>, %i: i32, %p: i1) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<4x16x64xf16, #three, #smem, mutable>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %s = ttg.memdesc_subslice %b[0, 8, 0] : !ttg.memdesc<4x16x64xf16, #three, #smem, mutable> -> !ttg.memdesc<4x8x64xf16, #three, #smem, mutable, 4x16x64>
  // expected-error @below {{indices 1 apart in dimension 0 are 1024 elements apart, and 512 in a box of TMA}}
  ttng.async_tma_copy_global_to_local %d[%i, %i, %i] %s, %m, %p : !tt.tensordesc<tensor<4x8x64xf16>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<4x8x64xf16, #three, #smem, mutable, 4x16x64>
  tt.return
}
}

// -----

#smem = #ttg.shared_memory
#flat = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @few_bytes(%d: !tt.tensordesc<tensor<4x8xf16>>, %i: i32) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<16x8xf16, #flat, #smem, mutable>
  %s = ttg.memdesc_subslice %b[12, 0] : !ttg.memdesc<16x8xf16, #flat, #smem, mutable> -> !ttg.memdesc<4x8xf16, #flat, #smem, mutable, 16x8>
  // expected-error @below {{uses a subview that begins at byte 192 of the buffer, expected a multiple of 128 bytes}}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %s : !tt.tensordesc<tensor<4x8xf16>>, !ttg.memdesc<4x8xf16, #flat, #smem, mutable, 16x8>
  tt.return
}
}

// -----

#smem = #ttg.shared_memory
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#divided = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @whole_box_for_half(%d: !tt.tensordesc<tensor<64x64xf16, #wide>>, %i: i32) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #divided, #smem, mutable>
  // expected-error @below {{copies boxes of 64 in dimension 0 to a part of 32 in each CTA: expected a CGALayout of the descriptor that divides its block at least as much}}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %b : !tt.tensordesc<tensor<64x64xf16, #wide>>, !ttg.memdesc<64x64xf16, #divided, #smem, mutable>
  tt.return
}
}

// -----

#smem = #ttg.shared_memory
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#both = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @one_box_for_two(%d: !tt.tensordesc<tensor<64x64xf16, #wide>>, %i: i32, %p: i1) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #both, #smem, mutable>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @below {{divides 2 CTAs' copy of 1 boxes among them: expected a CGALayout of the descriptor with a box for each CTA, or a copy that is not divided}}
  ttng.async_tma_copy_global_to_local %d[%i, %i] %b, %m, %p {multicast, divided} : !tt.tensordesc<tensor<64x64xf16, #wide>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #both, #smem, mutable>
  tt.return
}
}

// -----

// expected-error @below {{has no number of warps: expected ttg.num-warps on the module}}
tt.func public @no_warps() {
  tt.return
}

// -----

#smem = #ttg.shared_memory
#flat = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @flat_vector(%d: !tt.tensordesc<tensor<64xi32>>, %i: i32) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<64xi32, #flat, #smem, mutable>
  // expected-error @below {{has a buffer that its encoding does not fit: !ttg.memdesc<64xi32}}
  ttng.async_tma_reduce inc, %d[%i] %b : !tt.tensordesc<tensor<64xi32>>, !ttg.memdesc<64xi32, #flat, #smem, mutable>
  tt.return
}
}

// -----

#smem = #ttg.shared_memory
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @short_rows(%d: !tt.tensordesc<tensor<64x16xf16>>, %i: i32) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x16xf16, #wide, #smem, mutable>
  // expected-error @below {{copies rows of 32 bytes to a buffer whose encoding swizzles rows of 128: expected a swizzlingByteWidth of 32 at most}}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %b : !tt.tensordesc<tensor<64x16xf16>>, !ttg.memdesc<64x16xf16, #wide, #smem, mutable>
  tt.return
}
}

// -----

#smem = #ttg.shared_memory
#flat = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @narrow_rows(%d: !tt.tensordesc<tensor<64x4xf16>>, %i: i32) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x4xf16, #flat, #smem, mutable>
  // expected-error @below {{copies rows of 8 bytes, expected a multiple of 16: TMA copies whole units of 16 bytes}}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %b : !tt.tensordesc<tensor<64x4xf16>>, !ttg.memdesc<64x4xf16, #flat, #smem, mutable>
  tt.return
}
}

// -----

#smem = #ttg.shared_memory
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @odd_column(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32) {
  %c3 = arith.constant 3 : i32
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #wide, #smem, mutable>
  // expected-error @below {{begins at element 3 of a row, expected a multiple of 16 bytes, as TMA requires}}
  ttng.async_tma_copy_local_to_global %d[%i, %c3] %b : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #wide, #smem, mutable>
  tt.return
}
}

// -----

#smem = #ttg.shared_memory
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @before_the_tensor(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32) {
  %c = arith.constant -8 : i32
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #wide, #smem, mutable>
  // expected-error @below {{begins at -8 in dimension 0, expected a store to begin inside the tensor, as TMA requires}}
  ttng.async_tma_copy_local_to_global %d[%c, %i] %b : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #wide, #smem, mutable>
  tt.return
}
}

// -----

// A ring by hand: its slots of 64 bytes are 64 bytes apart, and TMA fills only those at multiples of 128.
#smem = #ttg.shared_memory
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @small_slots(%d: !tt.tensordesc<tensor<4x4xf32, #rows>>, %i: i32) {
  %c2 = arith.constant 2 : i32
  %ring = ttg.local_alloc : () -> !ttg.memdesc<6x4x4xf32, #rows, #smem, mutable>
  %even = arith.muli %i, %c2 : i32
  %s = ttg.memdesc_index %ring[%even] : !ttg.memdesc<6x4x4xf32, #rows, #smem, mutable> -> !ttg.memdesc<4x4xf32, #rows, #smem, mutable>
  ttng.async_tma_copy_local_to_global %d[%i, %i] %s : !tt.tensordesc<tensor<4x4xf32, #rows>>, !ttg.memdesc<4x4xf32, #rows, #smem, mutable>
  %t = ttg.memdesc_index %ring[%i] : !ttg.memdesc<6x4x4xf32, #rows, #smem, mutable> -> !ttg.memdesc<4x4xf32, #rows, #smem, mutable>
  // expected-error @below {{copies a slot of 64 bytes, expected one that begins at a multiple of 128 bytes: a ring of larger slots, or an index that is a multiple of 2}}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %t : !tt.tensordesc<tensor<4x4xf32, #rows>>, !ttg.memdesc<4x4xf32, #rows, #smem, mutable>
  tt.return
}
}

// -----

#smem = #ttg.shared_memory
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32}>
#halves = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32, CGALayout = [[1, 0]]}>
#whole = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32, CGALayout = [[0, 0]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @small_boxes(%d: !tt.tensordesc<tensor<8x4xf32, #halves>>, %i: i32) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<8x4xf32, #whole, #smem, mutable>
  // expected-error @below {{copies several boxes of 64 bytes, expected a multiple of 128 bytes: a CGALayout of the descriptor that divides its block less}}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %b : !tt.tensordesc<tensor<8x4xf32, #halves>>, !ttg.memdesc<8x4xf32, #whole, #smem, mutable>
  tt.return
}
}

// -----

// TMA swizzles bytes: rows of 128 bytes are 64 elements of f16, but the encoding repeats its pattern after 32.
#smem = #ttg.shared_memory
#words = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @element_width(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #words, #smem, mutable>
  // expected-error @below {{has a buffer of 16-bit elements whose encoding swizzles elements of 32 bits: expected elementBitWidth = 16}}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %b : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #words, #smem, mutable>
  tt.return
}
}

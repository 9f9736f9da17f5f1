// RUN: nereid-opt %s --split-input-file --verify-diagnostics

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// expected-error @+1 {{memdesc has size 24 in dimension 1, expected a power of two}}
tt.func @f(%arg0: !ttg.memdesc<3x24xf16, #s, #smem>) { tt.return }

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// expected-error @+1 {{memdesc has size 32 in dimension 1 of a buffer of size 16}}
tt.func @f(%arg0: !ttg.memdesc<16x32xf16, #s, #smem, 16x16>) { tt.return }

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// expected-error @+1 {{memdesc of rank 2 is a view of a buffer of rank 1}}
tt.func @f(%arg0: !ttg.memdesc<16x32xf16, #s, #smem, mutable, 512>) { tt.return }

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// expected-error @+1 {{memdesc is of a buffer of 0 or more than 2^31 elements}}
tt.func @f(%arg0: !ttg.memdesc<65536x65536xf16, #s, #smem>) { tt.return }

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#smem = #ttg.shared_memory
// expected-error @+1 {{memdesc expects an encoding of shared memory, got #ttg.blocked}}
tt.func @f(%arg0: !ttg.memdesc<16xf16, #b, #smem>) { tt.return }

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// expected-error @+1 {{memdesc expects memory space #ttg.shared_memory, got 3 : i64}}
tt.func @f(%arg0: !ttg.memdesc<16xf16, #s, 3>) { tt.return }

// -----

#p = #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [16, 32]}>
#smem = #ttg.shared_memory
// expected-error @+1 {{#ttg.padded_shared is for size 32 in dimension 1 of a buffer of size 64}}
tt.func @f(%arg0: !ttg.memdesc<16x64xf16, #p, #smem>) { tt.return }

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @f() {
  // expected-error @+1 {{a buffer without an initial value must be mutable}}
  %0 = ttg.local_alloc : () -> !ttg.memdesc<16xf16, #s, #smem>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @f() {
  // expected-error @+1 {{result must be a whole buffer, not a view of a larger one}}
  %0 = ttg.local_alloc : () -> !ttg.memdesc<16xf16, #s, #smem, mutable, 32>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: tensor<16xf32, #b>) {
    // expected-error @+1 {{tensor has element type f32, the buffer f16}}
    %0 = ttg.local_alloc %arg0 : (tensor<16xf32, #b>) -> !ttg.memdesc<16xf16, #s, #smem>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: tensor<16xf16, #b>, %arg1: !ttg.memdesc<16xf16, #s, #smem>) {
    // expected-error @+1 {{cannot write to a buffer that is not mutable}}
    ttg.local_store %arg0, %arg1 : tensor<16xf16, #b> -> !ttg.memdesc<16xf16, #s, #smem>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<16xf16, #s, #smem>) {
    // expected-error @+1 {{tensor and buffer must have the same shape}}
    %0 = ttg.local_load %arg0 : !ttg.memdesc<16xf16, #s, #smem> -> tensor<32xf16, #b>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<16x16xf16, #s, #smem>) {
    // expected-error @+1 {{tensor has rank 2, the buffer's encoding 1}}
    %0 = ttg.local_load %arg0 : !ttg.memdesc<16x16xf16, #s, #smem> -> tensor<16x16xf16, #b>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @f(%arg0: !ttg.memdesc<3x16x16xf16, #s, #smem>, %arg1: i32) {
  // expected-error @+1 {{result has rank 3, expected that of the operand less one, 2}}
  %0 = ttg.memdesc_index %arg0[%arg1] : !ttg.memdesc<3x16x16xf16, #s, #smem> -> !ttg.memdesc<1x16x16xf16, #s, #smem>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @f(%arg0: !ttg.memdesc<3x16x16xf16, #s, #smem>, %arg1: i32) {
  // expected-error @+1 {{result shape must be that of the operand without dimension 0}}
  %0 = ttg.memdesc_index %arg0[%arg1] : !ttg.memdesc<3x16x16xf16, #s, #smem> -> !ttg.memdesc<16x8xf16, #s, #smem>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @f(%arg0: !ttg.memdesc<3x16x16xf16, #s, #smem, 4x16x16>, %arg1: i32) {
  // expected-error @+1 {{operand and result must be whole buffers: a view cannot be indexed}}
  %0 = ttg.memdesc_index %arg0[%arg1] : !ttg.memdesc<3x16x16xf16, #s, #smem, 4x16x16> -> !ttg.memdesc<16x16xf16, #s, #smem>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @f(%arg0: !ttg.memdesc<3x16x16xf16, #s, #smem>, %arg1: i32) {
  // expected-error @+1 {{result element type f32 must be that of the operand, f16}}
  %0 = ttg.memdesc_index %arg0[%arg1] : !ttg.memdesc<3x16x16xf16, #s, #smem> -> !ttg.memdesc<16x16xf32, #s, #smem>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @f(%arg0: !ttg.memdesc<8x16xf16, #s, #smem>) {
  // expected-error @+1 {{offset 4 in dimension 1 is not a multiple of the result's size 8}}
  %0 = ttg.memdesc_subslice %arg0[0, 4] : !ttg.memdesc<8x16xf16, #s, #smem> -> !ttg.memdesc<8x8xf16, #s, #smem, 8x16>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @f(%arg0: !ttg.memdesc<8x16xf16, #s, #smem>) {
  // expected-error @+1 {{offset 16 in dimension 1 places 8 elements outside of the operand's 16}}
  %0 = ttg.memdesc_subslice %arg0[0, 16] : !ttg.memdesc<8x16xf16, #s, #smem> -> !ttg.memdesc<8x8xf16, #s, #smem, 8x16>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @f(%arg0: !ttg.memdesc<8x16xf16, #s, #smem>) {
  // expected-error @+1 {{operand, offsets and result must have the same rank, got 2, 1 and 2}}
  %0 = ttg.memdesc_subslice %arg0[0] : !ttg.memdesc<8x16xf16, #s, #smem> -> !ttg.memdesc<8x8xf16, #s, #smem, 8x16>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @f(%arg0: !ttg.memdesc<32x32xf16, #s, #smem>) {
  // expected-error @+1 {{dimension 0 is cut inside the encoding's swizzle pattern}}
  %0 = ttg.memdesc_subslice %arg0[4, 0] : !ttg.memdesc<32x32xf16, #s, #smem> -> !ttg.memdesc<4x32xf16, #s, #smem, 32x32>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[1, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<32x32xf16, #s, #smem>) {
    // expected-error @+1 {{a buffer that spans several CTAs has no subviews}}
    %0 = ttg.memdesc_subslice %arg0[0, 16] : !ttg.memdesc<32x32xf16, #s, #smem> -> !ttg.memdesc<32x16xf16, #s, #smem, 32x32>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @f(%arg0: !ttg.memdesc<64x32xf16, #s, #smem>) {
  // expected-error @+2 {{are incompatible with return type(s) of operation}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ttg.memdesc_trans %arg0 {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #s, #smem> -> !ttg.memdesc<32x64xf16, #s, #smem>
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @f(%arg0: !ttg.memdesc<64x32xf16, #s, #smem>) {
  // expected-error @+2 {{order must be a permutation of the operand's dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ttg.memdesc_trans %arg0 {order = array<i32: 1, 1>} : !ttg.memdesc<64x32xf16, #s, #smem> -> !ttg.memdesc<32x64xf16, #s, #smem>
  tt.return
}

// -----

#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @f(%arg0: !ttg.memdesc<64x64xf16, #s, #smem>) {
  // expected-error @+1 {{result has 2048 elements, the operand 4096}}
  %0 = ttg.memdesc_reshape %arg0 : !ttg.memdesc<64x64xf16, #s, #smem> -> !ttg.memdesc<32x64xf16, #s, #smem>
  tt.return
}

// -----

#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @f(%arg0: !ttg.memdesc<64x64xf16, #s, #smem>) {
  // expected-error @+1 {{expected #ttg.shared_linear<{offset = }}
  %0 = ttg.memdesc_reshape %arg0 : !ttg.memdesc<64x64xf16, #s, #smem> -> !ttg.memdesc<32x128xf16, #s, #smem>
  tt.return
}

// -----

#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s3 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
#smem = #ttg.shared_memory
tt.func @f(%arg0: !ttg.memdesc<64x64xf16, #s, #smem>) {
  // expected-error @+1 {{result must be of the same buffer}}
  %0 = ttg.memdesc_reshape %arg0 : !ttg.memdesc<64x64xf16, #s, #smem> -> !ttg.memdesc<4x16x64xf16, #s3, #smem, mutable>
  tt.return
}

// -----

#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s3 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
#smem = #ttg.shared_memory
tt.func @f(%arg0: !ttg.memdesc<64x64xf16, #s, #smem, 128x64>) {
  // expected-error @+1 {{operand is part of a buffer of another shape, which cannot be reshaped}}
  %0 = ttg.memdesc_reshape %arg0 : !ttg.memdesc<64x64xf16, #s, #smem, 128x64> -> !ttg.memdesc<4x16x64xf16, #s3, #smem>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: tensor<16x!tt.ptr<f16>, #b>, %arg1: !ttg.memdesc<16xf16, #s, #smem>) {
    // expected-error @+1 {{cannot write to a buffer that is not mutable}}
    %0 = ttg.async_copy_global_to_local %arg0, %arg1 : tensor<16x!tt.ptr<f16>, #b> -> <16xf16, #s, #smem>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: tensor<16x!tt.ptr<f16>, #b>, %arg1: !ttg.memdesc<32xf16, #s, #smem, mutable>) {
    // expected-error @+1 {{pointers and buffer must have the same shape}}
    %0 = ttg.async_copy_global_to_local %arg0, %arg1 : tensor<16x!tt.ptr<f16>, #b> -> <32xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: tensor<16x!tt.ptr<f16>, #b>, %arg1: !ttg.memdesc<16xf32, #s, #smem, mutable>) {
    // expected-error @+1 {{pointers are to f16, the buffer is of f32}}
    %0 = ttg.async_copy_global_to_local %arg0, %arg1 : tensor<16x!tt.ptr<f16>, #b> -> <16xf32, #s, #smem, mutable>
    tt.return
  }
}

// -----

tt.func @f() {
  // expected-error @+1 {{num is -1, expected 0 or more groups}}
  %0 = ttg.async_wait {num = -1 : i32}
  tt.return
}

// -----

tt.func @f(%arg0: i32) {
  // expected-error @+1 {{operand #0 must be variadic of token of asynchronous copies, but got 'i32'}}
  %0 = "ttg.async_commit_group"(%arg0) : (i32) -> !ttg.async.token
  tt.return
}

// -----

tt.func @f() {
  // expected-error @+1 {{alignment is 12 bytes, expected a power of two}}
  %0 = ttg.global_scratch_alloc {alignment = 12 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
  tt.return
}

// -----

tt.func @f(%arg0: i32) {
  // expected-error @+1 {{operand #0 must be view of a buffer in shared memory, but got 'i32'}}
  "ttg.local_dealloc"(%arg0) : (i32) -> ()
  tt.return
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @f(%arg0: !ttg.memdesc<16xf16, #s, #smem>) {
  // expected-error @+1 {{result #0 must be view of a buffer in shared memory, but got 'tensor<16xf16>'}}
  %0 = "ttg.memdesc_reinterpret"(%arg0) : (!ttg.memdesc<16xf16, #s, #smem>) -> tensor<16xf16>
  tt.return
}

// -----

tt.func @f(%arg0: i32) {
  // expected-error @+1 {{requires zero operands}}
  "ttg.local_barrier"(%arg0) : (i32) -> ()
  tt.return
}

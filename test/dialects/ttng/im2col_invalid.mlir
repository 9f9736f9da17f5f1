// RUN: nereid-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{!ttng.tensordesc_im2col expects a block of two dimensions, pixels and channels, got tensor<2x64x64xf16>}}
tt.func private @planes(%d: !ttng.tensordesc_im2col<2x64x64xf16>)

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @two_coordinates(%d: !ttng.tensordesc_im2col<64x64xf16, #tile>, %m: !ttg.memdesc<64x64xf16, #tile, #smem, mutable>, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %i: i32, %p: i1) {
  // expected-error @below {{expects 3 to 5 coordinates in im2col mode, got 2}}
  ttng.async_tma_copy_global_to_local %d[%i, %i] %m, %b, %p : !ttng.tensordesc_im2col<64x64xf16, #tile>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
  tt.return
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @one_offset(%d: !ttng.tensordesc_im2col<64x64xf16, #tile>, %m: !ttg.memdesc<64x64xf16, #tile, #smem, mutable>, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %i: i32, %r: i16, %p: i1) {
  // expected-error @below {{expects 2 offsets for 4 coordinates and a descriptor of type !ttng.tensordesc_im2col<}}
  ttng.async_tma_copy_global_to_local %d[%i, %i, %i, %i] offsets = [%r] %m, %b, %p : !ttng.tensordesc_im2col<64x64xf16, #tile>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
  tt.return
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @offsets_of_boxes(%d: !tt.tensordesc<tensor<64x64xf16, #tile>>, %m: !ttg.memdesc<64x64xf16, #tile, #smem, mutable>, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %i: i32, %r: i16, %p: i1) {
  // expected-error @below {{expects 0 offsets for 2 coordinates and a descriptor of type !tt.tensordesc<}}
  ttng.async_tma_copy_global_to_local %d[%i, %i] offsets = [%r] %m, %b, %p : !tt.tensordesc<tensor<64x64xf16, #tile>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
  tt.return
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @mixed(%d: !ttng.tensordesc_im2col<64x64xf16, #tile>, %m: !ttg.memdesc<64x64xf16, #tile, #smem, mutable>, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %i: i32, %r: i16, %p: i1) {
  // expected-error @below {{expects coordinates, i32, before offsets, i16}}
  "ttng.async_tma_copy_global_to_local"(%d, %i, %i, %i, %r, %i, %b, %m, %p) : (!ttng.tensordesc_im2col<64x64xf16, #tile>, i32, i32, i32, i16, i32, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<64x64xf16, #tile, #smem, mutable>, i1) -> ()
  tt.return
}

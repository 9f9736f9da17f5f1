// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-gpu-to-llvm

#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @fields(%s: !llvm.struct<(i32, i32, i32)>) {
  // expected-error @below {{casts !llvm.struct<(i32, i32, i32)> to tensor<128xi32, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>>: expected a type of the same registers, a struct of them, or their LLVM type}}
  %t = builtin.unrealized_conversion_cast %s : !llvm.struct<(i32, i32, i32)> to tensor<128xi32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @several(%x: i32, %y: i32) {
  // expected-error @below {{casts several values at once: expected one operand and one result}}
  %t = builtin.unrealized_conversion_cast %x, %y : i32, i32 to tensor<128xi32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @successors(%c: i1) {
  // expected-error @below {{'llvm.cond_br' op has no lowering to LLVM}}
  llvm.cond_br %c, ^a, ^b
^a:
  tt.return
^b:
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// expected-error @below {{tensor<64xf32> has no encoding that distributes it over threads}}
tt.func public @no_encoding(%x: tensor<64xf32>) {
  tt.return
}
}

// -----

// A view whose rows are shorter than the encoding's swizzle.
#short = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// expected-error @below {{is a view whose encoding does not fit its buffer}}
tt.func public @view(%v: !ttg.memdesc<8x16xf16, #short, #ttg.shared_memory, mutable, 16x16>) {
  ttg.local_dealloc %v : !ttg.memdesc<8x16xf16, #short, #ttg.shared_memory, mutable, 16x16>
  tt.return
}
}

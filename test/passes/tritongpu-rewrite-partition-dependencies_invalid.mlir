// RUN: nereid-opt %s --split-input-file --verify-diagnostics --tritongpu-rewrite-partition-dependencies

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// An edited division: the partition that loads a tile for partition 0 uses it, too, but it is only in shared memory.
tt.func public @edited(%a: !tt.tensordesc<tensor<64x64xf16, #shared>>, %p: tensor<64x64x!tt.ptr<f16>, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.descriptor_load %a[%i, %c0] {ttg.partition = array<i32: 1>} : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    %y = arith.addf %x, %x {ttg.partition = array<i32: 0>} : tensor<64x64xf16, #blocked>
    tt.store %p, %y {ttg.partition = array<i32: 0>} : tensor<64x64x!tt.ptr<f16>, #blocked>
    // expected-error @below {{uses a tile that partition 1 loads for others: expected one partition in ttg.partition, which is another one}}
    tt.store %p, %x {ttg.partition = array<i32: 1>} : tensor<64x64x!tt.ptr<f16>, #blocked>
  } {ttg.warp_specialize.tag = 0 : i32}
  tt.return
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// The load would have no partition, and its tile no ring.
tt.func public @number(%a: !tt.tensordesc<tensor<64x64xf16, #shared>>, %p: tensor<64x64x!tt.ptr<f16>, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{has an invalid ttg.partition: expected an array of i32 from 0 to 7}}
    %x = tt.descriptor_load %a[%i, %c0] {ttg.partition = array<i32: -1>} : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    tt.store %p, %x {ttg.partition = array<i32: 0>} : tensor<64x64x!tt.ptr<f16>, #blocked>
  } {ttg.warp_specialize.tag = 0 : i32}
  tt.return
}
}

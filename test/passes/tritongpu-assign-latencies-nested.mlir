// The rings of nested loops live at the same time: the inner loop, which executes more iterations, takes shared memory
// first, the outer one what is left.
// RUN: nereid-opt %s --tritongpu-assign-latencies --remarks-filter-missed=tritongpu-assign-latencies 2>&1 | FileCheck %s
// RUN: nereid-opt %s --tritongpu-assign-latencies --tritongpu-schedule-loops --tritongpu-pipeline --remarks-filter-passed=tritongpu-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=RINGS

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#bytes = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#words = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
!acc = tensor<128x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Of 227 KiB, the inner loop takes 4 slots of 24 KiB and the store 32 KiB: 2 slots of 32 KiB fit beside them. Its fourth
  // slot costs no CTA, as the outer ring leaves room for one only.
  // CHECK: nested.mlir:[[@LINE+7]]:{{.*}}2 stages instead of 5: the copies in flight take 65536 of {{[0-9]+}} bytes of shared memory
  // CHECK: tt.descriptor_load {{.*}}tt.latency = 2
  // CHECK: tt.descriptor_load {{.*}}tt.latency = 2
  // CHECK: tt.descriptor_load {{.*}}tt.latency = 1
  // RINGS-DAG: nested.mlir:[[@LINE+3]]:{{.*}}with 2 slots: 65536 bytes
  tt.func public @tiles(%a: !tt.tensordesc<tensor<128x128xi8, #shared>>, %b: !tt.tensordesc<tensor<64x128xi8, #shared>>, %c: !tt.tensordesc<tensor<128x64xi32, #words>>, %r: !tt.tensordesc<tensor<128x64xi32, #words>>, %n: i32, %steps: i32, %c0: i32, %c1: i32) {
    %zero = arith.constant dense<0> : !acc
    scf.for %tile = %c0 to %n step %c1 : i32 {
      // RINGS-DAG: nested.mlir:[[@LINE+1]]:{{.*}}with 4 slots: 98304 bytes
      %total = scf.for %i = %c0 to %steps step %c1 iter_args(%sum = %zero) -> (!acc) : i32 {
        %x = tt.descriptor_load %a[%tile, %i] : !tt.tensordesc<tensor<128x128xi8, #shared>> -> tensor<128x128xi8, #bytes>
        %y = tt.descriptor_load %b[%c0, %i] : !tt.tensordesc<tensor<64x128xi8, #shared>> -> tensor<64x128xi8, #bytes>
        %xs = ttg.local_alloc %x : (tensor<128x128xi8, #bytes>) -> !ttg.memdesc<128x128xi8, #shared, #smem>
        %ys = ttg.local_alloc %y : (tensor<64x128xi8, #bytes>) -> !ttg.memdesc<64x128xi8, #shared, #smem>
        %yt = ttg.memdesc_trans %ys {order = array<i32: 1, 0>} : !ttg.memdesc<64x128xi8, #shared, #smem> -> !ttg.memdesc<128x64xi8, #turned, #smem>
        %next = ttng.warp_group_dot %xs, %yt, %sum {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xi8, #shared, #smem> * !ttg.memdesc<128x64xi8, #turned, #smem> -> !acc
        scf.yield %next : !acc
      } {tt.num_stages = 3 : i32}
      %rest = tt.descriptor_load %r[%tile, %c0] : !tt.tensordesc<tensor<128x64xi32, #words>> -> tensor<128x64xi32, #row>
      %part = ttg.convert_layout %rest : tensor<128x64xi32, #row> -> !acc
      %result = arith.addi %total, %part : !acc
      %turned = ttg.convert_layout %result : !acc -> tensor<128x64xi32, #row>
      tt.descriptor_store %c[%tile, %c0], %turned : !tt.tensordesc<tensor<128x64xi32, #words>>, tensor<128x64xi32, #row>
    } {tt.num_stages = 5 : i32}
    tt.return
  }
}

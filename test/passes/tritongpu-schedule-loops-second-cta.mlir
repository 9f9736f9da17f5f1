// The dot of an iteration is complete when it ends, as its result is stored. With copies before it, a ring of four slots
// of 32 KB would leave a multiprocessor one CTA; with copies after it, three slots leave two (@two). One CTA remains one
// with slots of 64 KB, and two remain two with slots of 16 KB: then the copies are first (@one, @small).
// RUN: nereid-opt %s --tritongpu-schedule-loops | FileCheck %s
// RUN: nereid-opt %s --tritongpu-schedule-loops --tritongpu-pipeline --remarks-filter-passed=tritongpu-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=RING

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>
#mma1 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @two
// CHECK: tt.load {{.*}}loop.cluster = 3 : i32, loop.stage = 0 : i32
// CHECK: ttng.warp_group_dot {{.*}}loop.cluster = 0 : i32, loop.stage = 3 : i32
// RING-DAG: ring of 3 slots of 32768 bytes
tt.func @two(%p: tensor<64x256x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 256]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %a: !ttg.memdesc<64x64xf16, #shared, #smem>, %o: tensor<64x256x!tt.ptr<f32>, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x256xf32, #mma>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %p {tt.latency = 3 : i32} : tensor<64x256x!tt.ptr<f16>, #blocked>
    %b = ttg.local_alloc %x : (tensor<64x256xf16, #blocked>) -> !ttg.memdesc<64x256xf16, #shared, #smem>
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x256xf16, #shared, #smem> -> tensor<64x256xf32, #mma>
    tt.store %o, %d : tensor<64x256x!tt.ptr<f32>, #mma>
  }
  tt.return
}

// CHECK-LABEL: @one
// CHECK: tt.load {{.*}}loop.cluster = 1 : i32, loop.stage = 0 : i32
// CHECK: ttng.warp_group_dot {{.*}}loop.cluster = 2 : i32, loop.stage = 2 : i32
// RING-DAG: ring of 3 slots of 65536 bytes
tt.func @one(%p: tensor<128x256x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 256]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %a: !ttg.memdesc<64x128xf16, #shared, #smem>, %o: tensor<64x256x!tt.ptr<f32>, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x256xf32, #mma>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %p {tt.latency = 2 : i32} : tensor<128x256x!tt.ptr<f16>, #blocked>
    %b = ttg.local_alloc %x : (tensor<128x256xf16, #blocked>) -> !ttg.memdesc<128x256xf16, #shared, #smem>
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xf16, #shared, #smem> * !ttg.memdesc<128x256xf16, #shared, #smem> -> tensor<64x256xf32, #mma>
    tt.store %o, %d : tensor<64x256x!tt.ptr<f32>, #mma>
  }
  tt.return
}

// CHECK-LABEL: @small
// CHECK: tt.load {{.*}}loop.cluster = 2 : i32, loop.stage = 0 : i32
// CHECK: ttng.warp_group_dot {{.*}}loop.cluster = 3 : i32, loop.stage = 3 : i32
// RING-DAG: ring of 4 slots of 16384 bytes
tt.func @small(%p: tensor<64x128x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %a: !ttg.memdesc<64x64xf16, #shared, #smem>, %o: tensor<64x128x!tt.ptr<f32>, #mma1>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma1>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %p {tt.latency = 3 : i32} : tensor<64x128x!tt.ptr<f16>, #blocked>
    %b = ttg.local_alloc %x : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<64x128xf32, #mma1>
    tt.store %o, %d : tensor<64x128x!tt.ptr<f32>, #mma1>
  }
  tt.return
}
}

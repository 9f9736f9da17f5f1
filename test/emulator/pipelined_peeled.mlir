// A schedule in which the dot of an iteration is executed one step before its sum: the last iteration is peeled, and the loop
// is skipped when there is none. With two more stages between them, a loop of fewer than three iterations is not pipelined.
// RUN: nereid-opt %s --tritongpu-pipeline --canonicalize --cse --triton-loop-aware-cse -o %t.ttgir
// RUN: sed 's/loop.stage = 2/loop.stage = 4/; s/max_stage = 2/max_stage = 4/' %s | nereid-opt --tritongpu-pipeline --canonicalize --cse --triton-loop-aware-cse -o %t.4.ttgir
// RUN: nereid run %t.ttgir --target sm_80 --on emulator --check interpreter --racecheck --grid 1 --arg 0=f16[64x224]:rand --arg 1=f16[224x64]:rand --arg 2=f32[64x64]:zeros --arg 3=224 --arg 4=0
// RUN: nereid run %t.ttgir --target sm_80 --on emulator --check interpreter --racecheck --grid 1 --arg 0=f16[64x224]:rand --arg 1=f16[224x64]:rand --arg 2=f32[64x64]:zeros --arg 3=224 --arg 4=1
// RUN: nereid run %t.ttgir --target sm_80 --on emulator --check interpreter --racecheck --grid 1 --arg 0=f16[64x224]:rand --arg 1=f16[224x64]:rand --arg 2=f32[64x64]:zeros --arg 3=224 --arg 4=2
// RUN: nereid run %t.ttgir --target sm_80 --on emulator --check interpreter --racecheck --grid 1 --arg 0=f16[64x224]:rand --arg 1=f16[224x64]:rand --arg 2=f32[64x64]:zeros --arg 3=224 --arg 4=3
// RUN: nereid run %t.ttgir --target sm_80 --on emulator --check interpreter --racecheck --grid 1 --arg 0=f16[64x224]:rand --arg 1=f16[224x64]:rand --arg 2=f32[64x64]:zeros --arg 3=224 --arg 4=7
// RUN: nereid run %t.4.ttgir --target sm_80 --on emulator --check interpreter --racecheck --grid 1 --arg 0=f16[64x224]:rand --arg 1=f16[224x64]:rand --arg 2=f32[64x64]:zeros --arg 3=224 --arg 4=0
// RUN: nereid run %t.4.ttgir --target sm_80 --on emulator --check interpreter --racecheck --grid 1 --arg 0=f16[64x224]:rand --arg 1=f16[224x64]:rand --arg 2=f32[64x64]:zeros --arg 3=224 --arg 4=1
// RUN: nereid run %t.4.ttgir --target sm_80 --on emulator --check interpreter --racecheck --grid 1 --arg 0=f16[64x224]:rand --arg 1=f16[224x64]:rand --arg 2=f32[64x64]:zeros --arg 3=224 --arg 4=2
// RUN: nereid run %t.4.ttgir --target sm_80 --on emulator --check interpreter --racecheck --grid 1 --arg 0=f16[64x224]:rand --arg 1=f16[224x64]:rand --arg 2=f32[64x64]:zeros --arg 3=224 --arg 4=3
// RUN: nereid run %t.4.ttgir --target sm_80 --on emulator --check interpreter --racecheck --grid 1 --arg 0=f16[64x224]:rand --arg 1=f16[224x64]:rand --arg 2=f32[64x64]:zeros --arg 3=224 --arg 4=7
// RUN: FileCheck %s --input-file=%t.ttgir
// CHECK: scf.if
// CHECK: tt.dot
// CHECK: scf.for
// CHECK: arith.addf
// CHECK: tt.dot
// CHECK: scf.yield
// CHECK: arith.addf
// CHECK-NOT: tt.dot
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked2 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @peeled(%arg0: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg2: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg3: i32 {tt.divisibility = 16 : i32}, %arg4: i32) {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c32_i32 = arith.constant 32 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x32xf16, #blocked>
    %cst_1 = arith.constant dense<64> : tensor<64x1xi32, #blocked1>
    %cst_2 = arith.constant dense<64> : tensor<32x1xi32, #blocked2>
    %cst_3 = arith.constant dense<2048> : tensor<32x64xi32, #blocked2>
    %cst_4 = arith.constant dense<32> : tensor<64x32xi32, #blocked>
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>
    %1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked2}>>
    %2 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %3 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %4 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %5 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked2}>>
    %6 = tt.expand_dims %2 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>> -> tensor<64x1xi32, #blocked1>
    %7 = tt.expand_dims %3 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %8 = tt.expand_dims %0 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>> -> tensor<1x64xi32, #blocked1>
    %9 = tt.expand_dims %1 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked2}>> -> tensor<1x64xi32, #blocked2>
    %10 = tt.expand_dims %4 {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x32xi32, #blocked>
    %11 = tt.expand_dims %5 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked2}>> -> tensor<32x1xi32, #blocked2>
    %12 = tt.splat %arg3 : i32 -> tensor<64x1xi32, #blocked>
    %13 = arith.muli %7, %12 : tensor<64x1xi32, #blocked>
    %14 = tt.broadcast %13 : tensor<64x1xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %15 = tt.broadcast %10 : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %16 = arith.addi %14, %15 : tensor<64x32xi32, #blocked>
    %17 = tt.splat %arg0 : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %18 = tt.addptr %17, %16 : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    %19 = arith.muli %11, %cst_2 : tensor<32x1xi32, #blocked2>
    %20 = tt.broadcast %19 : tensor<32x1xi32, #blocked2> -> tensor<32x64xi32, #blocked2>
    %21 = tt.broadcast %9 : tensor<1x64xi32, #blocked2> -> tensor<32x64xi32, #blocked2>
    %22 = arith.addi %20, %21 : tensor<32x64xi32, #blocked2>
    %23 = tt.splat %arg1 : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>, #blocked2>
    %24 = tt.addptr %23, %22 : tensor<32x64x!tt.ptr<f16>, #blocked2>, tensor<32x64xi32, #blocked2>
    %25:3 = scf.for %arg5 = %c0_i32 to %arg4 step %c1_i32 iter_args(%arg6 = %cst, %arg7 = %18, %arg8 = %24) -> (tensor<64x64xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<32x64x!tt.ptr<f16>, #blocked2>)  : i32 {
      %33 = arith.muli %arg5, %c32_i32 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : i32
      %34 = arith.subi %arg3, %33 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : i32
      %35 = tt.splat %34 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : i32 -> tensor<1x32xi32, #blocked>
      %36 = arith.cmpi slt, %10, %35 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<1x32xi32, #blocked>
      %37 = tt.broadcast %36 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<1x32xi1, #blocked> -> tensor<64x32xi1, #blocked>
      %38 = tt.load %arg7, %37, %cst_0 {loop.cluster = 1 : i32, loop.stage = 0 : i32, tt.latency = 2 : i32} : tensor<64x32x!tt.ptr<f16>, #blocked>
      %39 = tt.load %arg8 {loop.cluster = 1 : i32, loop.stage = 0 : i32, tt.latency = 2 : i32} : tensor<32x64x!tt.ptr<f16>, #blocked2>
      %40 = ttg.convert_layout %38 {loop.cluster = 2 : i32, loop.stage = 1 : i32} : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
      %41 = ttg.convert_layout %39 {loop.cluster = 2 : i32, loop.stage = 1 : i32} : tensor<32x64xf16, #blocked2> -> tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
      %42 = tt.dot %40, %41, %cst {loop.cluster = 2 : i32, loop.stage = 1 : i32} : tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<64x64xf32, #mma>
      %43 = arith.addf %arg6, %42 {loop.cluster = 0 : i32, loop.stage = 2 : i32} : tensor<64x64xf32, #mma>
      %44 = tt.addptr %arg7, %cst_4 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
      %45 = tt.addptr %arg8, %cst_3 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<32x64x!tt.ptr<f16>, #blocked2>, tensor<32x64xi32, #blocked2>
      scf.yield %43, %44, %45 : tensor<64x64xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<32x64x!tt.ptr<f16>, #blocked2>
    } {tt.scheduled_max_stage = 2 : i32}
    %26 = arith.muli %6, %cst_1 : tensor<64x1xi32, #blocked1>
    %27 = tt.broadcast %26 : tensor<64x1xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %28 = tt.broadcast %8 : tensor<1x64xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %29 = arith.addi %27, %28 : tensor<64x64xi32, #blocked1>
    %30 = tt.splat %arg2 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked1>
    %31 = tt.addptr %30, %29 : tensor<64x64x!tt.ptr<f32>, #blocked1>, tensor<64x64xi32, #blocked1>
    %32 = ttg.convert_layout %25#0 : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked1>
    tt.store %31, %32 : tensor<64x64x!tt.ptr<f32>, #blocked1>
    tt.return
  }
}


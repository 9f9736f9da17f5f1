// Remarks of the lowering on accesses, conversions and registers: one per kind and reason, and only on request.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm --remarks-filter-missed=convert-triton-gpu-to-llvm --remarks-filter-passed=convert-triton-gpu-to-llvm -o /dev/null 2>&1 | FileCheck %s
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm -o /dev/null 2>&1 | count 0

#v1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#v4 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#line = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#same = #ttg.linear<{register = [[256], [1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}>
#swapped = #ttg.linear<{register = [[1], [256]], lane = [[4], [2], [8], [16], [32]], warp = [[64], [128]], block = []}>
#all = #ttg.linear<{register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []}>
#swizzled = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#columns8 = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#rows8 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#fragment = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#wide = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [16, 0], [32, 0]], warp = [[4, 0], [8, 0]], block = []}>
#thread = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#lanes = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#all32 = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = []}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

tt.func public @accesses(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %u: !tt.ptr<f32>, %n: i32, %scalar: !tt.ptr<f32>) {
  %r4 = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #v4>
  %r1 = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #v1>
  %s1 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %p4 = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #v4>
  %u4 = tt.splat %u : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #v4>
  %p1 = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #v1>
  %q1 = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #v1>
  %wide = tt.addptr %p4, %r4 : tensor<512x!tt.ptr<f32>, #v4>, tensor<512xi32, #v4>
  %unaligned = tt.addptr %u4, %r4 : tensor<512x!tt.ptr<f32>, #v4>, tensor<512xi32, #v4>
  %one = tt.addptr %p1, %r1 : tensor<512x!tt.ptr<f32>, #v1>, tensor<512xi32, #v1>
  %short = tt.addptr %q1, %s1 : tensor<128x!tt.ptr<f32>, #v1>, tensor<128xi32, #v1>
  %two = arith.constant dense<2> : tensor<512xi32, #v4>
  %even = arith.muli %r4, %two : tensor<512xi32, #v4>
  %stride = tt.addptr %p4, %even : tensor<512x!tt.ptr<f32>, #v4>, tensor<512xi32, #v4>
  %bound = tt.splat %n : i32 -> tensor<512xi32, #v4>
  %mask = arith.cmpi slt, %r4, %bound : tensor<512xi32, #v4>
  // CHECK: [[@LINE+1]]:{{.*}}Passed{{.*}}access-width{{.*}}128 bits at a time: the widest access
  %a = tt.load %wide : tensor<512x!tt.ptr<f32>, #v4>
  // CHECK: [[@LINE+1]]:{{.*}}Missed{{.*}}access-width{{.*}}32 of 128 bits at a time: the mask may change every element
  %b = tt.load %wide, %mask : tensor<512x!tt.ptr<f32>, #v4>
  // CHECK: [[@LINE+1]]:{{.*}}32 of 128 bits at a time: addresses are known to be aligned to 4 bytes only
  %c = tt.load %unaligned : tensor<512x!tt.ptr<f32>, #v4>
  // CHECK: [[@LINE+1]]:{{.*}}32 of 128 bits at a time: no two adjacent addresses are known to be contiguous
  %d = tt.load %stride : tensor<512x!tt.ptr<f32>, #v4>
  // CHECK: [[@LINE+1]]:{{.*}}32 of 128 bits at a time: the layout gives a thread no adjacent elements
  %e = tt.load %one : tensor<512x!tt.ptr<f32>, #v1>
  // CHECK: [[@LINE+1]]:{{.*}}Passed{{.*}}32 bits at a time: all elements of a thread
  %f = tt.load %short : tensor<128x!tt.ptr<f32>, #v1>
  // CHECK: [[@LINE+1]]:{{.*}}Passed{{.*}}32 bits at a time: a scalar
  %g = tt.load %scalar : !tt.ptr<f32>
  // CHECK: [[@LINE+1]]:{{.*}}32 of 128 bits at a time: the mask may change every element, addresses are known to be aligned to 4 bytes only
  tt.store %unaligned, %a, %mask : tensor<512x!tt.ptr<f32>, #v4>
  tt.return
}

// The swizzle of the second buffer keeps pairs contiguous.
tt.func public @copy(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #v4>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #v4>
  %q = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #v4>, tensor<512xi32, #v4>
  %m = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #shared, #ttg.shared_memory, mutable>
  // CHECK: [[@LINE+1]]:{{.*}}Passed{{.*}}128 bits at a time: the widest access
  %t = ttg.async_copy_global_to_local %q, %m : tensor<512x!tt.ptr<f32>, #v4> -> <512xf32, #shared, #ttg.shared_memory, mutable>
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #rows}>>
  %e = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x32xi32, #rows>
  %w = tt.broadcast %e : tensor<1x32xi32, #rows> -> tensor<32x32xi32, #rows>
  %s2 = tt.splat %p : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #rows>
  %q2 = tt.addptr %s2, %w : tensor<32x32x!tt.ptr<f32>, #rows>, tensor<32x32xi32, #rows>
  %m2 = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #swizzled, #ttg.shared_memory, mutable>
  // CHECK: [[@LINE+1]]:{{.*}}Missed{{.*}}64 of 128 bits at a time: shared memory keeps together 2 elements
  %t2 = ttg.async_copy_global_to_local %q2, %m2 : tensor<32x32x!tt.ptr<f32>, #rows> -> <32x32xf32, #swizzled, #ttg.shared_memory, mutable>
  tt.return
}

tt.func private @renames(%x: tensor<512xi32, #line>) -> tensor<512xi32, #same> {
  // CHECK: [[@LINE+1]]:{{.*}}Passed{{.*}}conversion{{.*}}no instruction: every thread already holds its elements
  %y = ttg.convert_layout %x : tensor<512xi32, #line> -> tensor<512xi32, #same>
  tt.return %y : tensor<512xi32, #same>
}

tt.func private @within_warps(%x: tensor<512xf64, #line>) -> tensor<512xf64, #swapped> {
  // CHECK: [[@LINE+1]]:{{.*}}Passed{{.*}}conversion{{.*}}within the warp: 8 shuffles, 0 selects per thread
  %y = ttg.convert_layout %x : tensor<512xf64, #line> -> tensor<512xf64, #swapped>
  tt.return %y : tensor<512xf64, #swapped>
}

tt.func private @exchange(%x: tensor<32x32xf32, #rows>) -> tensor<32x32xf32, #columns> {
  // CHECK: [[@LINE+1]]:{{.*}}Missed{{.*}}conversion{{.*}}through 4096 bytes of shared memory: 8 stores of 32 bits, a barrier, 2 loads of 128 bits per thread; bank conflicts: 0 at a store, 0 at a load
  %y = ttg.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
  tt.return %y : tensor<32x32xf32, #columns>
}

tt.func private @load_matrices(%x: tensor<64x64xf16, #columns8>) -> tensor<64x64xf16, #rows8> {
  // CHECK: [[@LINE+1]]:{{.*}}through 8192 bytes of shared memory: 4 stores of 128 bits, a barrier, 4 ldmatrix of 4 tiles per thread; bank conflicts: 0 at a store, 0 at a load
  %y = ttg.convert_layout %x : tensor<64x64xf16, #columns8> -> tensor<64x64xf16, #rows8>
  tt.return %y : tensor<64x64xf16, #rows8>
}

tt.func private @store_matrices(%x: tensor<64x16xf16, #fragment>) -> tensor<64x16xf16, #wide> {
  // CHECK: [[@LINE+1]]:{{.*}}through 2048 bytes of shared memory: 1 stmatrix of 4 tiles, a barrier, 1 load of 128 bits per thread; bank conflicts: 0 at a store, 0 at a load
  %y = ttg.convert_layout %x : tensor<64x16xf16, #fragment> -> tensor<64x16xf16, #wide>
  tt.return %y : tensor<64x16xf16, #wide>
}

// Every thread has all four elements: its lane selects one.
tt.func private @selects(%x: tensor<4xi32, #all>) -> tensor<4xi32, #v1> {
  // CHECK: [[@LINE+1]]:{{.*}}Passed{{.*}}within the warp: 0 shuffles, 3 selects per thread
  %y = ttg.convert_layout %x : tensor<4xi32, #all> -> tensor<4xi32, #v1>
  tt.return %y : tensor<4xi32, #v1>
}

// 256 registers per thread; 128 in twice as many warps.
tt.func public @too_few_warps(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 32768 : i32, start = 0 : i32} : tensor<32768xi32, #v4>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<32768x!tt.ptr<f32>, #v4>
  %q = tt.addptr %b, %r : tensor<32768x!tt.ptr<f32>, #v4>, tensor<32768xi32, #v4>
  // CHECK: [[@LINE+1]]:{{.*}}Missed{{.*}}register-budget{{.*}}tensor<32768xf32, {{.*}}> takes at least 256 registers of each thread, which can have 255: the rest is spilled; tensor<16384xf32>, of 128 registers, or 8 warps would fit
  %x = tt.load %q : tensor<32768x!tt.ptr<f32>, #v4>
  tt.store %q, %x : tensor<32768x!tt.ptr<f32>, #v4>
  tt.return
}

// 512 registers per thread; reported once per type.
tt.func public @too_large(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %s: f32) {
  %r = tt.make_range {end = 65536 : i32, start = 0 : i32} : tensor<65536xi32, #v4>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>, #v4>
  %q = tt.addptr %b, %r : tensor<65536x!tt.ptr<f32>, #v4>, tensor<65536xi32, #v4>
  // CHECK: [[@LINE+1]]:{{.*}}Missed{{.*}}register-budget{{.*}}tensor<65536xf32, {{.*}}> takes at least 512 registers of each thread, which can have 255: the rest is spilled; tensor<16384xf32>, of 128 registers, would fit"
  %x = tt.load %q : tensor<65536x!tt.ptr<f32>, #v4>
  // CHECK-NOT: register-budget
  %y = arith.addf %x, %x : tensor<65536xf32, #v4>
  // A splat needs one register.
  %z = tt.splat %s : f32 -> tensor<65536xf32, #v4>
  tt.store %q, %y : tensor<65536x!tt.ptr<f32>, #v4>
  tt.return
}

// Reductions within registers, lanes and warps. The remark counts the emitted combinations, shuffles and barriers.
tt.func private @reductions(%x: tensor<128x4xf32, #thread>, %y: tensor<32x16xf64, #lanes>, %z: tensor<512xf32, #v4>, %w: tensor<128xi32, #v1>) {
  // CHECK: [[@LINE+1]]:{{.*}}Passed{{.*}}reduction{{.*}}within the thread: 3 combinations per thread
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.reduce.return %t : f32
  }) : (tensor<128x4xf32, #thread>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #thread}>>
  // Four elements and four lanes; an f64 is two words.
  // CHECK: [[@LINE+1]]:{{.*}}Passed{{.*}}reduction{{.*}}within the warp: 5 combinations, 4 shuffles per thread
  %1 = "tt.reduce"(%y) <{axis = 1 : i32}> ({
  ^bb0(%a: f64, %b: f64):
    %t = arith.addf %a, %b : f64
    tt.reduce.return %t : f64
  }) : (tensor<32x16xf64, #lanes>) -> tensor<32xf64, #ttg.slice<{dim = 1, parent = #lanes}>>
  // 3 and 5 within the warp, 3 for the partial results of four warps.
  // CHECK: [[@LINE+1]]:{{.*}}Missed{{.*}}reduction{{.*}}across warps: 11 combinations, 5 shuffles, 16 bytes of shared memory, 1 barrier per thread
  %2 = "tt.reduce"(%z) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.reduce.return %t : f32
  }) : (tensor<512xf32, #v4>) -> f32
  // CHECK: [[@LINE+1]]:{{.*}}Missed{{.*}}reduction{{.*}}across warps: 3 combinations, 1 redux, 16 bytes of shared memory, 1 barrier per thread
  %3 = "tt.reduce"(%w) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %t = arith.maxsi %a, %b : i32
    tt.reduce.return %t : i32
  }) : (tensor<128xi32, #v1>) -> i32
  tt.return
}

tt.func private @scans(%x: tensor<128x4xf32, #thread>, %y: tensor<32x16xf32, #lanes>, %z: tensor<512xf32, #v4>) {
  // CHECK: [[@LINE+1]]:{{.*}}Passed{{.*}}scan{{.*}}within the thread: 3 combinations per thread
  %0 = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.scan.return %t : f32
  }) : (tensor<128x4xf32, #thread>) -> tensor<128x4xf32, #thread>
  // CHECK: [[@LINE+1]]:{{.*}}Passed{{.*}}scan{{.*}}within the warp: {{[0-9]+}} combinations, 3 shuffles per thread
  %1 = "tt.scan"(%y) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.scan.return %t : f32
  }) : (tensor<32x16xf32, #lanes>) -> tensor<32x16xf32, #lanes>
  // CHECK: [[@LINE+1]]:{{.*}}Missed{{.*}}scan{{.*}}across warps: {{[0-9]+}} combinations, 6 shuffles, 16 bytes of shared memory, 1 barrier per thread
  %2 = "tt.scan"(%z) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.scan.return %t : f32
  }) : (tensor<512xf32, #v4>) -> tensor<512xf32, #v4>
  tt.return
}

tt.func private @others(%x: tensor<512xi32, #v4>, %s: tensor<32xf32, #all32>, %i: tensor<32xi32, #all32>) {
  // CHECK: [[@LINE+1]]:{{.*}}Missed{{.*}}histogram{{.*}}across warps: {{.*}} bytes of shared memory, {{[0-9]}} barriers per thread
  %0 = tt.histogram %x : tensor<512xi32, #v4> -> tensor<128xi32, #v1>
  // CHECK: [[@LINE+1]]:{{.*}}Passed{{.*}}gather{{.*}}within the warp: 1 shuffle per thread
  %1 = tt.gather %s[%i] {axis = 0 : i32} : (tensor<32xf32, #all32>, tensor<32xi32, #all32>) -> tensor<32xf32, #all32>
  tt.return
}
}

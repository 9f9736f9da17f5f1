// tt.reduce: registers in four accumulators, lanes by shuffles or redux, warps through shared memory with one barrier
// before the partial results are read and one that protects the bytes.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm=compute-capability=90 | FileCheck %s
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm=compute-capability=75 | FileCheck %s --check-prefix=OLD

#line = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#many = #ttg.blocked<{sizePerThread = [32], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 1, parent = #rows}>
#tall = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>

// CHECK: module attributes {{.*}}ttg.shared = 64 : i32
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: llvm.func internal @sum(
// CHECK: %[[A:.*]] = llvm.fadd %arg0, %arg4
// CHECK: %[[B:.*]] = llvm.fadd %arg1, %arg5
// CHECK: %[[C:.*]] = llvm.fadd %arg2, %arg6
// CHECK: %[[D:.*]] = llvm.fadd %arg3, %arg7
// CHECK: %[[AC:.*]] = llvm.fadd %[[A]], %[[C]]
// CHECK: %[[BD:.*]] = llvm.fadd %[[B]], %[[D]]
// CHECK: llvm.fadd %[[AC]], %[[BD]]
// CHECK-COUNT-5: llvm.call_intrinsic "llvm.nvvm.shfl.sync.bfly.f32"
// CHECK-NOT: {{shfl|barrier}}
// CHECK: llvm.cond_br
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
// CHECK: barrier
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-3: llvm.fadd
// CHECK-NOT: {{fadd|barrier}}
// CHECK: llvm.return
tt.func private @sum(%x: tensor<1024xf32, #line>) -> f32 {
  %y = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<1024xf32, #line>) -> f32
  tt.return %y : f32
}

// More than sixteen registers are combined in order, as loads complete.
// CHECK-LABEL: llvm.func internal @many(
// CHECK: %[[A:.*]] = llvm.fadd %arg0, %arg1
// CHECK-NEXT: %[[B:.*]] = llvm.fadd %[[A]], %arg2
// CHECK-NEXT: %[[C:.*]] = llvm.fadd %[[B]], %arg3
// CHECK: llvm.return
tt.func private @many(%x: tensor<4096xf32, #many>) -> f32 {
  %y = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<4096xf32, #many>) -> f32
  tt.return %y : f32
}

// One warp holds each row: no shared memory. The op determines the NaN semantics.
// CHECK-LABEL: llvm.func internal @row_maximum(
// CHECK-NOT: barrier
// CHECK-COUNT-3: llvm.intr.maximum
// CHECK: shfl.sync.bfly.f32"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: llvm.intr.maximum
// CHECK-COUNT-2: shfl
// CHECK-NOT: {{shfl|barrier}}
// CHECK: llvm.return
tt.func private @row_maximum(%x: tensor<16x32xf32, #rows>) -> tensor<16xf32, #row> {
  %y = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x32xf32, #rows>) -> tensor<16xf32, #row>
  tt.return %y : tensor<16xf32, #row>
}

// Four rows in each thread: the first two steps distribute them to lanes, each of which then combines one: six shuffles,
// not twenty, and one partial result to store. Finally each thread loads all four results.
// CHECK-LABEL: llvm.func internal @dealt(
// CHECK: %[[ONE:.*]] = llvm.icmp "ne"
// CHECK: llvm.select %[[ONE]], %arg0, %arg2
// CHECK: llvm.select %[[ONE]], %arg2, %arg0
// CHECK-COUNT-6: shfl.sync.bfly
// CHECK-NOT: shfl
// CHECK: llvm.cond_br
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: barrier
// CHECK-NOT: {{shfl|barrier}}
// CHECK: llvm.fadd
// CHECK-COUNT-4: shfl.sync.idx
// CHECK-NOT: {{shfl|barrier}}
// CHECK: llvm.return
tt.func private @dealt(%x: tensor<4x128xf32, #tall>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #tall}>> {
  %y = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<4x128xf32, #tall>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #tall}>>
  tt.return %y : tensor<4xf32, #ttg.slice<{dim = 1, parent = #tall}>>
}

// CHECK-LABEL: llvm.func internal @redux(
// CHECK-NOT: shfl
// CHECK: llvm.call_intrinsic "llvm.nvvm.redux.sync.umax"
// CHECK-NOT: shfl
// CHECK: llvm.return
// OLD-LABEL: llvm.func internal @redux(
// OLD-NOT: redux
// OLD-COUNT-5: shfl.sync.bfly.i32
tt.func private @redux(%x: tensor<1024xi32, #line>) -> i32 {
  %y = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxui %b, %a : i32
    tt.reduce.return %c : i32
  }) : (tensor<1024xi32, #line>) -> i32
  tt.return %y : i32
}

// Several operands, and a region with an effect: it runs for every combined pair.
// CHECK-LABEL: llvm.func internal @checked(
// CHECK: llvm.call @__assertfail
// CHECK: llvm.return
tt.func private @checked(%x: tensor<1024xf32, #line>, %i: tensor<1024xi64, #line>) -> (f32, i64) {
  %y:2 = "tt.reduce"(%x, %i) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %m: i64, %b: f32, %n: i64):
    %differ = arith.cmpi ne, %m, %n : i64
    tt.assert %differ, "twice the same" : i1
    %more = arith.cmpf ogt, %a, %b : f32
    %c = arith.select %more, %a, %b : f32
    %k = arith.select %more, %m, %n : i64
    tt.reduce.return %c, %k : f32, i64
  }) : (tensor<1024xf32, #line>, tensor<1024xi64, #line>) -> (f32, i64)
  tt.return %y#0, %y#1 : f32, i64
}

// Expensive combinations: each lane reads one of the four partial results instead of all, and two shuffles per value
// combine them.
// CHECK-LABEL: llvm.func internal @moments(
// CHECK-COUNT-10: shfl.sync.bfly
// CHECK: nvvm.barrier
// CHECK-COUNT-2: llvm.load {{.*}} !llvm.ptr<3> -> f32
// CHECK-NOT: llvm.load
// CHECK-COUNT-4: shfl.sync.bfly
// CHECK-NOT: shfl
// CHECK: llvm.return
tt.func private @moments(%x: tensor<1024xf32, #line>, %w: tensor<1024xf32, #line>) -> (f32, f32) {
  %y:2 = "tt.reduce"(%x, %w) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %u: f32, %b: f32, %v: f32):
    %au = arith.mulf %a, %u : f32
    %bv = arith.mulf %b, %v : f32
    %s = arith.addf %au, %bv : f32
    %n = arith.addf %u, %v : f32
    %d = arith.divf %s, %n : f32
    %m = arith.maxnumf %d, %a : f32
    %k = arith.maxnumf %m, %b : f32
    %l = arith.minnumf %k, %s : f32
    tt.reduce.return %l, %n : f32, f32
  }) : (tensor<1024xf32, #line>, tensor<1024xf32, #line>) -> (f32, f32)
  tt.return %y#0, %y#1 : f32, f32
}
}

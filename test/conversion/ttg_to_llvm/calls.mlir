// Calling convention: registers, addresses of buffers, and frame bases that the callee requires.
// RUN: nereid-opt %s --split-input-file --allocate-shared-memory --tritongpu-global-scratch-memory-allocation --convert-triton-gpu-to-llvm | FileCheck %s

#v2 = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: llvm.func internal @callee(%arg0: f32, %arg1: f32, %arg2: i32) -> !llvm.struct<(i32, array<2 x f32>)> attributes {convergent, no_inline}
// CHECK: %[[A:.*]] = llvm.insertvalue %arg2, %{{.*}}[0]
// CHECK: %[[B:.*]] = llvm.insertvalue %arg0, %[[A]][1, 0]
// CHECK: %[[C:.*]] = llvm.insertvalue %arg1, %[[B]][1, 1]
// CHECK: llvm.return %[[C]]
tt.func private @callee(%x: tensor<256xf32, #v2>, %i: i32) -> (i32, tensor<256xf32, #v2>) attributes {noinline = true} {
  tt.return %i, %x : i32, tensor<256xf32, #v2>
}

// CHECK-LABEL: llvm.func internal @caller(%{{.*}}) -> !llvm.array<2 x f32>
// CHECK: %[[ALL:.*]] = llvm.call @callee(%arg0, %arg1, %arg2) : (f32, f32, i32) ->
// CHECK: llvm.extractvalue %[[ALL]][0]
// CHECK: %[[X0:.*]] = llvm.extractvalue %[[ALL]][1, 0]
// CHECK: %[[X1:.*]] = llvm.extractvalue %[[ALL]][1, 1]
// CHECK: llvm.fadd %[[X0]], %[[X0]]
// CHECK: llvm.fadd %[[X1]], %[[X1]]
tt.func private @caller(%x: tensor<256xf32, #v2>, %i: i32) -> tensor<256xf32, #v2> {
  %j, %y = tt.call @callee(%x, %i) : (tensor<256xf32, #v2>, i32) -> (i32, tensor<256xf32, #v2>)
  %z = arith.addf %y, %y : tensor<256xf32, #v2>
  tt.return %z : tensor<256xf32, #v2>
}
}

// -----

// Frame bases are passed only to users: @leaf_scratch uses no shared memory, @leaf_shared no global scratch, @middle
// uses neither and forwards both, @pure gets none. Offsets accumulate along the call chain.
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!buffer = !ttg.memdesc<128xf32, #shared, #ttg.shared_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: llvm.func @kernel(
// CHECK-DAG: %[[SHARED:.*]] = llvm.mlir.addressof @global_smem : !llvm.ptr<3>
// CHECK-DAG: %[[SCRATCH:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK: llvm.call @pure() : () -> ()
// CHECK: %[[FRAME:.*]] = llvm.getelementptr %[[SHARED]][{{[1-9][0-9]*}}]
// CHECK: %[[OWN:.*]] = llvm.getelementptr %[[SCRATCH]][64]
// CHECK: llvm.call @middle(%[[FRAME]], %[[OWN]]) : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
tt.func public @kernel() {
  %a = ttg.local_alloc : () -> !buffer
  %s = ttg.global_scratch_alloc {nbytes = 64 : i32, alignment = 64 : i32} : !tt.ptr<i8>
  tt.call @pure() : () -> ()
  tt.call @middle() : () -> ()
  %v = ttg.local_load %a : !buffer -> tensor<128xf32, #line>
  %w = tt.load %s : !tt.ptr<i8>
  tt.return
}
// CHECK-LABEL: llvm.func internal @pure() attributes
// CHECK: nvvm.read.ptx.sreg.ctaid.x
tt.func private @pure() {
  %p = tt.get_program_id x : i32
  tt.return
}
// CHECK-LABEL: llvm.func internal @middle(%arg0: !llvm.ptr<3>, %arg1: !llvm.ptr<1>)
// CHECK: llvm.call @leaf_scratch(%arg1) : (!llvm.ptr<1>) -> ()
// CHECK: llvm.call @leaf_shared(%arg0) : (!llvm.ptr<3>) -> ()
tt.func private @middle() {
  tt.call @leaf_scratch() : () -> ()
  tt.call @leaf_shared() : () -> ()
  tt.return
}
// CHECK-LABEL: llvm.func internal @leaf_scratch(%arg0: !llvm.ptr<1>)
tt.func private @leaf_scratch() {
  %s = ttg.global_scratch_alloc {nbytes = 4 : i32, alignment = 4 : i32} : !tt.ptr<i32>
  %i = arith.constant 1 : i32
  // CHECK: st.global
  // CHECK-SAME: %arg0
  tt.store %s, %i : !tt.ptr<i32>
  tt.return
}
// CHECK-LABEL: llvm.func internal @leaf_shared(%arg0: !llvm.ptr<3>)
tt.func private @leaf_shared() {
  %a = ttg.local_alloc : () -> !buffer
  tt.return
}
// A buffer is passed as its base address, and returned as an integer.
// CHECK-LABEL: llvm.func internal @buffers(%arg0: !llvm.ptr<3>, %arg1: i32) -> i32
// CHECK: %[[N:.*]] = llvm.call @same(%arg0) : (!llvm.ptr<3>) -> i32
// CHECK: %[[B:.*]] = llvm.inttoptr %[[N]] : i32 to !llvm.ptr<3>
// CHECK: %[[V:.*]] = llvm.getelementptr %[[B]][%{{.*}}]
// CHECK: %[[M:.*]] = llvm.ptrtoint %[[V]] : !llvm.ptr<3> to i32
// CHECK: llvm.return %[[M]]
tt.func private @buffers(%b: !ttg.memdesc<2x128xf32, #shared, #ttg.shared_memory, mutable>, %i: i32) -> !buffer {
  %c = tt.call @same(%b) : (!ttg.memdesc<2x128xf32, #shared, #ttg.shared_memory, mutable>) -> !ttg.memdesc<2x128xf32, #shared, #ttg.shared_memory, mutable>
  %v = ttg.memdesc_index %c[%i] : !ttg.memdesc<2x128xf32, #shared, #ttg.shared_memory, mutable> -> !buffer
  tt.return %v : !buffer
}
tt.func private @same(%b: !ttg.memdesc<2x128xf32, #shared, #ttg.shared_memory, mutable>) -> !ttg.memdesc<2x128xf32, #shared, #ttg.shared_memory, mutable> attributes {noinline = true} {
  tt.return %b : !ttg.memdesc<2x128xf32, #shared, #ttg.shared_memory, mutable>
}
// A by-value descriptor is a parameter of the kernel; functions get its address.
// CHECK-LABEL: llvm.func @by_value(
// CHECK-SAME: %arg0: !llvm.ptr {llvm.align = 64
// CHECK: %[[D:.*]] = llvm.addrspacecast %arg0 : !llvm.ptr to !llvm.ptr<1>
// CHECK: llvm.call @by_address(%[[D]]) : (!llvm.ptr<1>) -> ()
tt.func public @by_value(%d: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32}) {
  tt.call @by_address(%d) : (!tt.ptr<i8>) -> ()
  tt.return
}
tt.func private @by_address(%d: !tt.ptr<i8>) attributes {noinline = true} {
  tt.return
}
}

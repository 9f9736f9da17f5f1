// Discardable attributes that control later passes survive printing, the generic form, bytecode and upstream passes, also
// where a pass rebuilds the loop: @rebuilt has an iteration argument that never changes.
// RUN: nereid-opt %s | nereid-opt | FileCheck %s --check-prefixes=CHECK,SAME
// RUN: nereid-opt --mlir-print-op-generic %s | nereid-opt | FileCheck %s --check-prefixes=CHECK,SAME
// RUN: nereid-opt --emit-bytecode %s | nereid-opt | FileCheck %s --check-prefixes=CHECK,SAME
// RUN: nereid-opt --canonicalize --cse --loop-invariant-code-motion --sccp --canonicalize %s | FileCheck %s --check-prefixes=CHECK,SMALL
// RUN: nereid-opt --inline %s | FileCheck %s --check-prefix=INLINE

#unroll = #llvm.loop_unroll<disable = true>
#annotation = #llvm.loop_annotation<unroll = #unroll>

// CHECK: module attributes {ttg.maxnreg = 168 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.shared = 1024 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, "ttg.total-num-warps" = 4 : i32}
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, ttg.maxnreg = 168 : i32, ttg.shared = 1024 : i32, "ttg.total-num-warps" = 4 : i32} {
  // CHECK-LABEL: tt.func public @loop
  // CHECK-SAME: !tt.ptr<f32> {tt.constancy = 4 : i32, tt.contiguity = 8 : i32, tt.divisibility = 16 : i32}
  // CHECK-SAME: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32}
  // CHECK-SAME: attributes {noinline = false}
  tt.func public @loop(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.contiguity = 8 : i32, tt.constancy = 4 : i32}, %d: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32}, %n: i32) attributes {noinline = false} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      // CHECK: tt.addptr {{.*}} {loop.cluster = 2 : i32, loop.stage = 1 : i32, tt.divisibility = dense<16> : tensor<1xi32>}
      %q = tt.addptr %p, %i {loop.stage = 1 : i32, loop.cluster = 2 : i32, tt.divisibility = dense<16> : tensor<1xi32>} : !tt.ptr<f32>, i32
      // CHECK: tt.load {{.*}} {tt.latency = 2 : i32, tt.self_latency = 1 : i32, ttg.partition = array<i32: 0, 1>}
      %v = tt.load %q {tt.latency = 2 : i32, tt.self_latency = 1 : i32, ttg.partition = array<i32: 0, 1>} : !tt.ptr<f32>
      tt.store %q, %v : !tt.ptr<f32>
      // CHECK: } {llvm.loop_annotation = #{{.+}}, tt.disallow_acc_multi_buffer, tt.flatten, tt.loop_unroll_factor = 4 : i32, tt.num_stages = 3 : i32, tt.scheduled_max_stage = 2 : i32, tt.warp_specialize, ttg.partition.stages = [0 : i32, 1 : i32]}
    } {tt.num_stages = 3 : i32, tt.flatten, tt.loop_unroll_factor = 4 : i32, tt.scheduled_max_stage = 2 : i32, tt.warp_specialize, tt.disallow_acc_multi_buffer, llvm.loop_annotation = #annotation, ttg.partition.stages = [0 : i32, 1 : i32]}
    tt.return
  }

  // CHECK-LABEL: tt.func public @rebuilt
  // SAME: scf.for {{.*}} iter_args({{.*}}) -> (f32, f32)
  // SMALL: scf.for {{.*}} iter_args({{.*}}) -> (f32)
  // CHECK: } {tt.flatten, tt.num_stages = 2 : i32}
  tt.func public @rebuilt(%x: f32, %n: i32) -> (f32, f32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (f32, f32) : i32 {
      %s = arith.addf %a, %b : f32
      scf.yield %s, %b : f32, f32
    } {tt.num_stages = 2 : i32, tt.flatten}
    tt.return %r#0, %r#1 : f32, f32
  }

  // INLINE-LABEL: tt.func public @caller
  // INLINE: tt.load {{.*}} {tt.latency = 3 : i32}
  // INLINE: } {tt.num_stages = 4 : i32}
  tt.func public @caller(%p: !tt.ptr<f32>, %n: i32) {
    tt.call @callee(%p, %n) : (!tt.ptr<f32>, i32) -> ()
    tt.return
  }

  tt.func private @callee(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %v = tt.load %p {tt.latency = 3 : i32} : !tt.ptr<f32>
      tt.store %p, %v : !tt.ptr<f32>
    } {tt.num_stages = 4 : i32}
    tt.return
  }
}

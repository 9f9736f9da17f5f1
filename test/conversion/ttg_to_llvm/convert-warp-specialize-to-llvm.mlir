// Branches between warps: states, captures, barriers of all warps, registers.
// RUN: nereid-opt %s --split-input-file --convert-warp-specialize-to-llvm | FileCheck %s
// A second run changes nothing.
// RUN: nereid-opt %s --split-input-file --convert-warp-specialize-to-llvm -o %t.1 && nereid-opt %t.1 --split-input-file --convert-warp-specialize-to-llvm -o %t.2 && cmp %t.1 %t.2

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
llvm.func @work(i32, i64)

// The entry has no block of its own for values, as after canonicalization: those without effects are for all warps. %sum is
// not, as it depends on memory; so is %wide, which is wider. Warps 4 and 5 run partition 0, 6 and 7 partition 1.
// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME: %[[P:[a-z0-9]+]]: !llvm.ptr<1>, %[[N:[a-z0-9]+]]: i32
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[WARP:.*]] = llvm.call_intrinsic "llvm.nvvm.shfl.sync.idx.i32"
// CHECK: %[[OWN:.*]] = llvm.icmp "ult" %[[WARP]]
// CHECK: %[[TWICE:.*]] = llvm.add %[[N]], %[[N]]
// CHECK: llvm.cond_br %[[OWN]], ^[[ENTRY:bb[0-9]+]], ^[[WORK:bb[0-9]+]]

// Stores the states of four warps and two captures, the wider one first.
// CHECK: ^[[ENTRY]]:
// CHECK: %[[LOADED:.*]] = llvm.load %[[P]]
// CHECK: %[[SUM:.*]] = llvm.add %[[LOADED]], %[[TWICE]]
// CHECK: %[[WIDE:.*]] = llvm.zext %[[SUM]] : i32 to i64
// CHECK: llvm.icmp "eq" %[[TID]]
// CHECK-COUNT-4: llvm.store %{{.*}} : i8, !llvm.ptr<3>
// CHECK-NEXT: %[[CAPTURES:.*]] = llvm.getelementptr %[[SHARED:.*]][64]
// CHECK-NEXT: %[[AT8:.*]] = llvm.getelementptr %[[CAPTURES]][8]
// CHECK-NEXT: llvm.store %[[SUM]], %[[AT8]] {alignment = 8 : i64} : i32
// CHECK-NEXT: %[[AT0:.*]] = llvm.getelementptr %[[SHARED]][64]
// CHECK-NEXT: llvm.store %[[WIDE]], %[[AT0]] {alignment = 8 : i64} : i64
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"(%[[ONE:.*]]) :
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"(%[[ONE]])

// CHECK: ^[[WORK]]:
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"(%[[ONE]])
// CHECK: %[[STATE:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i8
// CHECK-NEXT: llvm.icmp "eq" %[[STATE]]

// All warps synchronize after the default region, with its result, and once more at the exit.
// CHECK: ^{{.*}}(%[[RESULT:[0-9]+]]: i32)
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"(%[[ONE]])
// CHECK-NEXT: llvm.store %[[RESULT]], %[[P]]
// CHECK-COUNT-4: llvm.store %{{.*}} : i8, !llvm.ptr<3>
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"(%[[ONE]])
// CHECK-NEXT: llvm.return

// The end of partition 0, then its code: it loads the captures and waits until all have loaded theirs.
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK-NEXT: llvm.br ^[[WORK]] {loop_annotation = #{{.*}}}
// CHECK: %[[TAKEN:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> i32
// CHECK: %[[TAKEN_WIDE:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> i64
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK-NEXT: llvm.add %[[TAKEN]], %[[TWICE]]
// CHECK-NEXT: llvm.call @work(%{{.*}}, %[[TAKEN_WIDE]])
// CHECK: llvm.return
// CHECK-NEXT: }
llvm.func @kernel(%p: !llvm.ptr<1>, %n: i32) attributes {allocation.offset = 128 : i32, nvvm.kernel} {
  %twice = llvm.add %n, %n : i32
  %v = llvm.load %p : !llvm.ptr<1> -> i32
  %sum = llvm.add %v, %twice : i32
  %wide = llvm.zext %sum : i32 to i64
  %r = ttg.warp_specialize(%sum, %twice, %wide) attributes {warpGroupStartIds = array<i32: 4, 6>, allocation.offset = 64 : i32, allocation.size = 16 : i32}
  default {
    ttg.warp_yield %sum : i32
  }
  partition0(%a: i32, %b: i32, %c: i64) num_warps(2) {
    %x = llvm.add %a, %b : i32
    llvm.call @work(%x, %c) : (i32, i64) -> ()
    ttg.warp_return
  }
  partition1(%a: i32, %b: i32, %c: i64) num_warps(2) {
    ttg.warp_return
  } : (i32, i32, i64) -> i32
  llvm.store %r, %p : i32, !llvm.ptr<1>
  llvm.return
}

// Partitions are numbered in the kernel; every return dismisses the other warps. Without stored captures there is one
// barrier where regions begin.
// CHECK-LABEL: llvm.func @twice(
// CHECK-DAG: %[[STATE0:.*]] = llvm.mlir.constant(0 : i8)
// CHECK-DAG: %[[STATE1:.*]] = llvm.mlir.constant(1 : i8)
// CHECK-DAG: %[[END:.*]] = llvm.mlir.constant(-1 : i8)
// CHECK-COUNT-4: llvm.store %[[STATE0]],
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK-NEXT: llvm.br
// CHECK-COUNT-4: llvm.store %[[END]],
// CHECK: llvm.return
// CHECK-COUNT-4: llvm.store %[[STATE1]],
// CHECK-COUNT-4: llvm.store %[[END]],
// CHECK: llvm.return
llvm.func @twice(%c: i1, %n: i32) attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  ttg.warp_specialize(%n) attributes {warpGroupStartIds = array<i32: 4>}
  default {
    ttg.warp_yield
  }
  partition0(%m: i32) num_warps(4) {
    ttg.warp_return
  } : (i32) -> ()
  llvm.cond_br %c, ^early, ^late
^early:
  llvm.return
^late:
  ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  llvm.return
}

// The CTAs of a cluster synchronize.
// CHECK-LABEL: llvm.func @cluster(
// CHECK: fence.mbarrier_init.release.cluster
// CHECK-NOT: llvm.nvvm.barrier.cta
// CHECK: "llvm.nvvm.barrier.cluster.arrive.aligned"
// CHECK-NEXT: "llvm.nvvm.barrier.cluster.wait.aligned"
// CHECK-NOT: llvm.nvvm.barrier.cta
// CHECK-LABEL: llvm.func @beside(
llvm.func @cluster() attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4>, ttg.cluster_barrier}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  llvm.return
}

// CHECK-NEXT: llvm.return
llvm.func @beside() attributes {nvvm.kernel} {
  llvm.return
}
}

// -----

// The default region takes registers after all partitions have started, and releases them after all have ended.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", ttg.maxnreg = 168 : i32, "ttg.total-num-warps" = 8 : i32} {
// CHECK-LABEL: llvm.func @registers(
// CHECK-DAG: %[[LAUNCHED:.*]] = llvm.mlir.constant(168 : i32)
// CHECK-DAG: %[[MORE:.*]] = llvm.mlir.constant(256 : i32)
// CHECK-DAG: %[[LESS:.*]] = llvm.mlir.constant(80 : i32)
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32"(%[[MORE]])
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32"(%[[LAUNCHED]])
// CHECK: llvm.return
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32"(%[[LAUNCHED]])
// CHECK: llvm.call_intrinsic "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32"(%[[LESS]])
llvm.func @registers() attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  ttg.warp_specialize() attributes {actualRegisters = array<i32: 256, 80>, warpGroupStartIds = array<i32: 4>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  llvm.return
}
}

// Programs whose waits are completed, or may be: no diagnostics, no change.
// RUN: nereid-opt %s --nereid-check-mbarriers | FileCheck %s

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// The parity before the first phase is complete.
// CHECK-LABEL: @empty_at_first
// CHECK: ttng.wait_barrier
tt.func public @empty_at_first() {
  %c1 = arith.constant 1 : i32
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %m, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.wait_barrier %m, %c1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// Two arrivals complete a phase; the wait for the phase before is complete, too.
// CHECK-LABEL: @counted
tt.func public @counted() {
  %c0 = arith.constant 0 : i32
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %m, 2 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.arrive_barrier %m, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.arrive_barrier %m, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.wait_barrier %m, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// A ring between partitions: the producer waits for empty slots, which are empty at first.
// CHECK-LABEL: @ring
tt.func public @ring(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %full = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %empty = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %full, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %empty, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttg.warp_specialize(%full, %empty, %n)
  default {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%phase = %c0) -> (i32) : i32 {
      ttng.wait_barrier %full, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
      ttng.arrive_barrier %empty, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
      %next = arith.xori %phase, %c1 : i32
      scf.yield %next : i32
    }
    ttg.warp_yield
  }
  partition0(%f: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %e: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %k: i32) num_warps(1) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %r = scf.for %i = %zero to %k step %one iter_args(%phase = %one) -> (i32) : i32 {
      ttng.wait_barrier %e, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
      ttng.arrive_barrier %f, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
      %next = arith.xori %phase, %one : i32
      scf.yield %next : i32
    }
    ttg.warp_return
  } : (!ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>, i32) -> ()
  tt.return
}

// Whether something arrives is unknown: in a branch, under a predicate, in a called function, in a later iteration.
// CHECK-LABEL: @unknown
tt.func public @unknown(%c: i1, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %d = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %a, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %b, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %d, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.arrive_barrier %a, 1, %c : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.wait_barrier %a, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.call @arrives(%b) : (!ttg.memdesc<1xi64, #bar, #smem, mutable>) -> ()
  ttng.wait_barrier %b, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  scf.if %c {
    ttng.arrive_barrier %d, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  }
  ttng.wait_barrier %d, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
tt.func private @arrives(%m: !ttg.memdesc<1xi64, #bar, #smem, mutable>) attributes {noinline = true} {
  ttng.arrive_barrier %m, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// Each slot is released by each warp: no wait blocks in any iteration.
// CHECK-LABEL: @released
tt.func public @released(%n: i32, %tiles: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %full = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
  %empty = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
  %f0 = ttg.memdesc_index %full[%c0] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %f1 = ttg.memdesc_index %full[%c1] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %e0 = ttg.memdesc_index %empty[%c0] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %e1 = ttg.memdesc_index %empty[%c1] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %f0, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %f1, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %e0, 4 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %e1, 4 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttg.warp_specialize(%full, %empty, %n, %tiles)
  default {
    %t:2 = scf.for %tile = %c0 to %tiles step %c1 iter_args(%i0 = %c0, %p0 = %c0) -> (i32, i32) : i32 {
      %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%i = %i0, %p = %p0) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %full[%i] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
        %e = ttg.memdesc_index %empty[%i] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
        ttng.wait_barrier %f, %p : !ttg.memdesc<1xi64, #bar, #smem, mutable>
        ttng.arrive_barrier %e, 1 {perWarp} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
        %next = arith.addi %i, %c1 : i32
        %over = arith.cmpi sgt, %next, %c1 : i32
        %slot = arith.select %over, %c0, %next : i32
        %turned = arith.xori %p, %c1 : i32
        %phase = arith.select %over, %turned, %p : i32
        scf.yield %slot, %phase : i32, i32
      }
      scf.yield %r#0, %r#1 : i32, i32
    }
    ttg.warp_yield
  }
  partition0(%fulls: !ttg.memdesc<2x1xi64, #bar, #smem, mutable>, %empties: !ttg.memdesc<2x1xi64, #bar, #smem, mutable>, %m: i32, %k: i32) num_warps(1) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %t:2 = scf.for %tile = %zero to %k step %one iter_args(%i0 = %zero, %p0 = %zero) -> (i32, i32) : i32 {
      %r:2 = scf.for %j = %zero to %m step %one iter_args(%i = %i0, %p = %p0) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %fulls[%i] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
        %e = ttg.memdesc_index %empties[%i] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
        %turned = arith.xori %p, %one : i32
        ttng.wait_barrier %e, %turned : !ttg.memdesc<1xi64, #bar, #smem, mutable>
        ttng.arrive_barrier %f, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
        %next = arith.addi %i, %one : i32
        %over = arith.cmpi sgt, %next, %one : i32
        %slot = arith.select %over, %zero, %next : i32
        %phase = arith.select %over, %turned, %p : i32
        scf.yield %slot, %phase : i32, i32
      }
      scf.yield %r#0, %r#1 : i32, i32
    }
    ttg.warp_return
  } : (!ttg.memdesc<2x1xi64, #bar, #smem, mutable>, !ttg.memdesc<2x1xi64, #bar, #smem, mutable>, i32, i32) -> ()
  tt.return
}
}

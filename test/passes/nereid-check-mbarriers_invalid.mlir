// Waits that block forever.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics --nereid-check-mbarriers

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @no_arrival() {
  %c0 = arith.constant 0 : i32
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %m, 2 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.arrive_barrier %m, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @below {{'ttng.wait_barrier' op waits for phase 0 of an mbarrier that nothing completes: 1 of 2 arrivals are missing}}
  ttng.wait_barrier %m, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
}

// -----

// Slots of a buffer are mbarriers of their own.
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @other_slot() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
  %a = ttg.memdesc_index %m[%c0] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %b = ttg.memdesc_index %m[%c1] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %a, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %b, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.arrive_barrier %a, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.wait_barrier %a, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @below {{waits for phase 0 of an mbarrier that nothing completes: 1 of 1 arrivals are missing}}
  ttng.wait_barrier %b, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @each_other() {
  %a = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %a, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %b, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttg.warp_specialize(%a, %b)
  default {
    %c0 = arith.constant 0 : i32
    // expected-error @below {{waits for phase 0 of an mbarrier that nothing completes: 1 of 1 arrivals are missing, as the partitions wait for each other}}
    ttng.wait_barrier %b, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.arrive_barrier %a, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttg.warp_yield
  }
  partition0(%x: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %y: !ttg.memdesc<1xi64, #bar, #smem, mutable>) num_warps(1) {
    %c0 = arith.constant 0 : i32
    // expected-note @below {{waits for phase 0 of an mbarrier that nothing completes}}
    ttng.wait_barrier %x, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.arrive_barrier %y, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttg.warp_return
  } : (!ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>) -> ()
  tt.return
}
}

// -----

// The producer of a ring starts with the wrong parity: it waits for the consumer to empty a slot that it has not filled.
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @wrong_parity(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %full = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %empty = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %full, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %empty, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttg.warp_specialize(%full, %empty, %n)
  default {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%phase = %c0) -> (i32) : i32 {
      // expected-error @below {{as the partitions wait for each other}}
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
    %r = scf.for %i = %zero to %k step %one iter_args(%phase = %zero) -> (i32) : i32 {
      // expected-note @below {{waits for phase 0 of an mbarrier that nothing completes}}
      ttng.wait_barrier %e, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
      ttng.arrive_barrier %f, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
      %next = arith.xori %phase, %one : i32
      scf.yield %next : i32
    }
    ttg.warp_return
  } : (!ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>, i32) -> ()
  tt.return
}
}

// -----

// Each warp arrives, and each thread for its copies.
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @threads() {
  %c0 = arith.constant 0 : i32
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %m, 134 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.arrive_barrier %m, 1 {perWarp} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.async_copy_mbarrier_arrive %m : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.async_copy_mbarrier_arrive %m {noIncrement} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @below {{waits for phase 0 of an mbarrier that nothing completes: 2 of 134 arrivals are missing}}
  ttng.wait_barrier %m, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
}

// -----

// Two CTAs: the warps of both arrive at the mbarrier of each.
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @cluster() {
  %c0 = arith.constant 0 : i32
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %m, 9 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.arrive_barrier %m, 1 {perWarp, ctas = 3 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @below {{waits for phase 0 of an mbarrier that nothing completes: 1 of 9 arrivals are missing}}
  ttng.wait_barrier %m, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
}

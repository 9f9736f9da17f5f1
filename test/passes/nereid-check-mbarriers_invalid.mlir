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
  // expected-error @below {{'ttng.wait_barrier' op waits for phase 0 of an mbarrier, which never completes: 1 of 2 arrivals are missing}}
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
  // expected-error @below {{waits for phase 0 of an mbarrier, which never completes: 1 of 1 arrivals are missing}}
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
    // expected-error @below {{waits for phase 0 of an mbarrier, which never completes: 1 of 1 arrivals are missing; the partitions wait for each other}}
    ttng.wait_barrier %b, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.arrive_barrier %a, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttg.warp_yield
  }
  partition0(%x: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %y: !ttg.memdesc<1xi64, #bar, #smem, mutable>) num_warps(1) {
    %c0 = arith.constant 0 : i32
    // expected-note @below {{waits for phase 0 of an mbarrier, which never completes}}
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
      // expected-error @below {{; the partitions wait for each other}}
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
      // expected-note @below {{waits for phase 0 of an mbarrier, which never completes}}
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
  // expected-error @below {{waits for phase 0 of an mbarrier, which never completes: 2 of 134 arrivals are missing}}
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
  // expected-error @below {{waits for phase 0 of an mbarrier, which never completes: 1 of 9 arrivals are missing}}
  ttng.wait_barrier %m, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
}

// -----

// The bytes of copies and those that are announced.
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @missing_copy(%d: !tt.tensordesc<tensor<64x64xf16, #tile>>) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %x = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %m, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.barrier_expect %m, 16384, %true : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%c0, %c0] %x, %m, %true : !tt.tensordesc<tensor<64x64xf16, #tile>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
  // expected-error @below {{waits for phase 0 of an mbarrier, which never completes: 8192 bytes that ttng.barrier_expect announces are not copied}}
  ttng.wait_barrier %m, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @wrong_bytes(%d: !tt.tensordesc<tensor<64x64xf16, #tile>>) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %x = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %m, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.barrier_expect %m, 8191, %true : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%c0, %c0] %x, %m, %true : !tt.tensordesc<tensor<64x64xf16, #tile>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
  // expected-error @below {{waits for phase 0 of an mbarrier, which never completes: 1 bytes are copied that ttng.barrier_expect does not announce}}
  ttng.wait_barrier %m, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @not_initialized() {
  %c0 = arith.constant 0 : i32
  %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.arrive_barrier %m, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @below {{waits for an mbarrier that is not initialized: expected ttng.init_barrier}}
  ttng.wait_barrier %m, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
}

// -----

// Slots that the consumer never releases: the producer waits in the third iteration.

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @never_released(%n: i32, %tiles: i32) {
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
  ttng.init_barrier %e0, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %e1, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttg.warp_specialize(%full, %empty, %n, %tiles)
  default {
    %t:2 = scf.for %tile = %c0 to %tiles step %c1 iter_args(%i0 = %c0, %p0 = %c0) -> (i32, i32) : i32 {
      %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%i = %i0, %p = %p0) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %full[%i] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
        %e = ttg.memdesc_index %empty[%i] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
        // expected-error @below {{; the partitions wait for each other}}
        ttng.wait_barrier %f, %p : !ttg.memdesc<1xi64, #bar, #smem, mutable>
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
        // expected-note @below {{waits for phase 0 of an mbarrier, which never completes}}
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

// -----

// The empty mbarriers expect arrivals of five warps, but the default region has four.

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @too_few_releases(%n: i32, %tiles: i32) {
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
  ttng.init_barrier %e0, 5 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %e1, 5 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttg.warp_specialize(%full, %empty, %n, %tiles)
  default {
    %t:2 = scf.for %tile = %c0 to %tiles step %c1 iter_args(%i0 = %c0, %p0 = %c0) -> (i32, i32) : i32 {
      %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%i = %i0, %p = %p0) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %full[%i] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
        %e = ttg.memdesc_index %empty[%i] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
        // expected-error @below {{; the partitions wait for each other}}
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
        // expected-note @below {{waits for phase 0 of an mbarrier, which never completes}}
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

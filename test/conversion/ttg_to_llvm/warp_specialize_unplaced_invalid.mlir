// Without allocate-shared-memory, the states of warps and the captures have no offsets.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-gpu-to-llvm

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
// expected-error @below {{'tt.func' op has no offset in shared memory: run allocate-shared-memory first}}
tt.func public @states(%c: i1) {
  cf.cond_br %c, ^leave, ^go
^leave:
  tt.return
^go:
  ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
tt.func public @captures(%x: i32) attributes {allocation.offset = 0 : i32} {
  // expected-error @below {{'ttg.warp_specialize' op has no offset in shared memory: run allocate-shared-memory first}}
  ttg.warp_specialize(%x) attributes {warpGroupStartIds = array<i32: 4>, actualRegisters = array<i32: 24>}
  default {
    ttg.warp_yield
  }
  partition0(%y: i32) num_warps(4) {
    ttg.warp_return
  } : (i32) -> ()
  tt.return
}
}

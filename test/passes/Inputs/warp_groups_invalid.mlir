module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @many() {
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(16) {
    ttg.warp_return
  }
  partition1() num_warps(16) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @registers() {
  ttg.warp_specialize() attributes {requestedRegisters = array<i32: 24, 32>}
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

module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @request() {
  ttg.warp_specialize() attributes {requestedRegisters = array<i32: 24, 264>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(1) {
    ttg.warp_return
  }
  partition1() num_warps(1) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}

// -----

module {
tt.func @unknown() {
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}

// Operations of Triton 3.7 and 3.9, for nereid-respell-invalid.mlir.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @gather(%m: !ttg.memdesc<128xi32, #s, #smem, mutable>, %i: tensor<128xi32, #b>) -> tensor<128xi32, #b> {
  %x = ttg.local_gather %m[%i] {axis = 0 : i32} : !ttg.memdesc<128xi32, #s, #smem, mutable>, tensor<128xi32, #b> -> tensor<128xi32, #b>
  tt.return %x : tensor<128xi32, #b>
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @scatter(%m: !ttg.memdesc<128xi32, #s, #smem, mutable>, %i: tensor<128xi32, #b>) {
  ttg.local_scatter %m[%i], %i {axis = 0 : i32} : !ttg.memdesc<128xi32, #s, #smem, mutable>, tensor<128xi32, #b>, tensor<128xi32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @atomic(%m: !ttg.memdesc<128xi32, #s, #smem, mutable>, %i: tensor<128xi32, #b>) {
  %x = ttg.local_atomic_scatter_rmw add, %m[%i], %i {axis = 0 : i32} : (!ttg.memdesc<128xi32, #s, #smem, mutable>, tensor<128xi32, #b>, tensor<128xi32, #b>) -> tensor<128xi32, #b>
  tt.return
}
}

// -----

tt.func @assembly(%i: i32) -> i32 {
  %x = ttg.inline_asm "mov.u32 $0, $1;" {constraints = "=r,r", pure = true} %i : (i32) -> i32
  tt.return %x : i32
}

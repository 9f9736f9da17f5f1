// PTX of each thread, as Triton 3.9 prints it.
// RUN: nereid-opt %s | nereid-opt | FileCheck %s
// Assembly without effects is merged and removed, other assembly is not.
// RUN: nereid-opt %s --cse --canonicalize | FileCheck %s --check-prefix=MERGED

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: @text
// MERGED-LABEL: @text
tt.func @text(%m: !ttg.memdesc<128xf32, #s, #smem, mutable>, %i: tensor<128xi32, #b>, %n: i32) -> (i32, i32) {
  // CHECK: ttg.inline_asm "mov.u32 $0, %smid;" {constraints = "=r", pure = true} : () -> i32
  // MERGED-COUNT-1: smid
  // MERGED-NOT: smid
  %x = ttg.inline_asm "mov.u32 $0, %smid;" {constraints = "=r", pure = true} : () -> i32
  %y = ttg.inline_asm "mov.u32 $0, %smid;" {constraints = "=r", pure = true} : () -> i32
  // CHECK: ttg.inline_asm "membar.cta;" {constraints = "", pure = false} : () -> ()
  // MERGED: membar
  ttg.inline_asm "membar.cta;" {constraints = "", pure = false} : () -> ()
  // CHECK: ttg.inline_asm "{{.*}}" {constraints = "=f,r,r", pure = false} %arg0, %arg1 : (!ttg.memdesc<128xf32, #shared, #smem, mutable>, tensor<128xi32, #blocked>) -> tensor<128xf32, #blocked>
  // MERGED: ld.shared
  %z = ttg.inline_asm "{ .reg .u32 a; add.u32 a, $1, $2; ld.shared.f32 $0, [a]; }" {constraints = "=f,r,r", pure = false} %m, %i : (!ttg.memdesc<128xf32, #s, #smem, mutable>, tensor<128xi32, #b>) -> tensor<128xf32, #b>
  // CHECK: %{{.*}}:2 = ttg.inline_asm "mov.u32 $0, $2; mov.u32 $1, $2;" {constraints = "=&r,=r,r", pure = true} %arg2 : (i32) -> (i32, i32)
  // MERGED-NOT: mov
  %w:2 = ttg.inline_asm "mov.u32 $0, $2; mov.u32 $1, $2;" {constraints = "=&r,=r,r", pure = true} %n : (i32) -> (i32, i32)
  tt.return %x, %y : i32, i32
}
}

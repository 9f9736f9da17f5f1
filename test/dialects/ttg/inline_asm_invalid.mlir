// RUN: nereid-opt %s --split-input-file --verify-diagnostics

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @pure(%m: !ttg.memdesc<128xf32, #s, #smem, mutable>, %n: i32) {
  // expected-error @+1 {{'ttg.inline_asm' op operand #1 is a buffer, expected pure = false}}
  %z = ttg.inline_asm "ld.shared.u32 $0, [$2];" {constraints = "=r,r,r", pure = true} %n, %m : (i32, !ttg.memdesc<128xf32, #s, #smem, mutable>) -> i32
  tt.return
}

// -----

tt.func @operand(%x: tensor<128xi32>) {
  // expected-error @+1 {{'ttg.inline_asm' op operand #0 has no encoding, which determines the registers of a thread}}
  ttg.inline_asm "// $0" {constraints = "r", pure = false} %x : (tensor<128xi32>) -> ()
  tt.return
}

// -----

tt.func @result() {
  // expected-error @+1 {{'ttg.inline_asm' op result #0 has no encoding, which determines the registers of a thread}}
  %x = ttg.inline_asm "// $0" {constraints = "=r", pure = false} : () -> tensor<128xi32>
  tt.return
}

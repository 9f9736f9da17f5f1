; Conversions to f16 become pairs of f16 also where their results pass through a branch before they are packed: the code
; generator pairs only those of one block, so the optimizer has to.
; RUN: nereid compile %s --emit ptx -o - | FileCheck %s
; CHECK: cvt.rn.f16x2.f32
; CHECK-NOT: cvt.rn.f16.f32

define ptx_kernel void @branched(ptr addrspace(1) %x, i32 %n, ptr addrspace(1) %p) {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %then, label %end
then:
  %v = load <8 x float>, ptr addrspace(1) %x, align 32
  call void asm sideeffect "membar.gl;", ""()
  %e0 = extractelement <8 x float> %v, i32 0
  %t0 = fptrunc float %e0 to half
  %e1 = extractelement <8 x float> %v, i32 1
  %t1 = fptrunc float %e1 to half
  %e2 = extractelement <8 x float> %v, i32 2
  %t2 = fptrunc float %e2 to half
  %e3 = extractelement <8 x float> %v, i32 3
  %t3 = fptrunc float %e3 to half
  %e4 = extractelement <8 x float> %v, i32 4
  %t4 = fptrunc float %e4 to half
  %e5 = extractelement <8 x float> %v, i32 5
  %t5 = fptrunc float %e5 to half
  %e6 = extractelement <8 x float> %v, i32 6
  %t6 = fptrunc float %e6 to half
  %e7 = extractelement <8 x float> %v, i32 7
  %t7 = fptrunc float %e7 to half
  br label %end
end:
  %h0 = phi half [ 0xH0000, %entry ], [ %t0, %then ]
  %h1 = phi half [ 0xH0000, %entry ], [ %t1, %then ]
  %h2 = phi half [ 0xH0000, %entry ], [ %t2, %then ]
  %h3 = phi half [ 0xH0000, %entry ], [ %t3, %then ]
  %h4 = phi half [ 0xH0000, %entry ], [ %t4, %then ]
  %h5 = phi half [ 0xH0000, %entry ], [ %t5, %then ]
  %h6 = phi half [ 0xH0000, %entry ], [ %t6, %then ]
  %h7 = phi half [ 0xH0000, %entry ], [ %t7, %then ]
  %w0 = insertelement <8 x half> undef, half %h0, i32 0
  %w1 = insertelement <8 x half> %w0, half %h1, i32 1
  %w2 = insertelement <8 x half> %w1, half %h2, i32 2
  %w3 = insertelement <8 x half> %w2, half %h3, i32 3
  %w4 = insertelement <8 x half> %w3, half %h4, i32 4
  %w5 = insertelement <8 x half> %w4, half %h5, i32 5
  %w6 = insertelement <8 x half> %w5, half %h6, i32 6
  %w7 = insertelement <8 x half> %w6, half %h7, i32 7
  store <8 x half> %w7, ptr addrspace(1) %p, align 16
  ret void
}

; The conditional branch at the end of a loop leads to its start: the exit follows without a second branch.
; RUN: nereid compile %s --kernel counted --emit ptx -o - | FileCheck %s
; RUN: nereid compile %s --kernel flag --emit ptx -o - | FileCheck %s --check-prefix=FLAG
; RUN: nereid compile %s --kernel left_early --emit ptx -o - | FileCheck %s --check-prefix=EARLY

; CHECK-LABEL: .entry counted
; CHECK: [[LOOP:\$L__BB0_[0-9]+]]:
; CHECK: st.volatile.global
; CHECK: setp.ne.b32 [[MORE:%p[0-9]+]]
; CHECK: @[[MORE]] bra [[LOOP]];
; CHECK-NOT: bra
; CHECK: ret;
define ptx_kernel void @counted(ptr addrspace(1) %a, i32 %n) {
entry:
  br label %loop
exit:
  ret void
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  store volatile i32 %i, ptr addrspace(1) %a
  %j = add i32 %i, 1
  %done = icmp eq i32 %j, %n
  br i1 %done, label %exit, label %loop, !llvm.loop !0
}

; A condition that is no comparison of integers.
; FLAG-LABEL: .entry flag
; FLAG: [[LOOP:\$L__BB0_[0-9]+]]:
; FLAG: ld.volatile.global
; FLAG: bra [[LOOP]];
; FLAG-NOT: bra
; FLAG: ret;
define ptx_kernel void @flag(ptr addrspace(1) %a) {
entry:
  br label %loop
loop:
  %x = load volatile float, ptr addrspace(1) %a
  %done = fcmp olt float %x, 1.0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; A branch out of the middle of a loop does not lead to its start, and stays.
; EARLY-LABEL: .entry left_early
; EARLY: [[LOOP:\$L__BB0_[0-9]+]]:
; EARLY: setp.eq.b32 [[FOUND:%p[0-9]+]]
; EARLY: @[[FOUND]] bra
; EARLY: bra [[LOOP]];
define ptx_kernel void @left_early(ptr addrspace(1) %a, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  %x = load volatile i32, ptr addrspace(1) %a
  %found = icmp eq i32 %x, 7
  br i1 %found, label %exit, label %next
next:
  store volatile i32 %i, ptr addrspace(1) %a
  %j = add i32 %i, 1
  %done = icmp eq i32 %j, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}

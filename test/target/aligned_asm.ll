; Inline assembly with .aligned instructions is convergent: threads execute the one copy together. Without that, LLVM threads
; the first branch to the second and duplicates the instruction on both paths.
; RUN: nereid compile %s --target sm_90a --emit ptx -o - | FileCheck %s
; CHECK-COUNT-1: wgmma.fence.sync.aligned;
; CHECK-NOT: wgmma.fence
; CHECK: ret;
; RUN: nereid compile %s --target sm_90a --emit ll -o - | FileCheck %s --check-prefix=ATTRIBUTE
; ATTRIBUTE: call void asm sideeffect "wgmma.fence.sync.aligned;", "~{memory}"() #[[A:[0-9]+]]
; ATTRIBUTE: attributes #[[A]] = {{{.*}}convergent
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @k(ptr addrspace(1) %p) "nvvm.reqntid"="128" {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %thread, 0
  br i1 %first, label %store, label %all
store:
  store volatile i32 1, ptr addrspace(1) %p
  br label %all
all:
  call void asm sideeffect "wgmma.fence.sync.aligned;", "~{memory}"()
  br i1 %first, label %again, label %end
again:
  store volatile i32 2, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

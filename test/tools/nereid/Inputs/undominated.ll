; %y uses %z before its definition; the flag makes LLVM upgrade debug information while it reads the module.
define ptx_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %y = add i32 %z, 1
  store i32 %y, ptr addrspace(1) %p, align 4
  %z = add i32 %n, 1
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}

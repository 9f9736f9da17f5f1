target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %p) {
  %x = load fp128, ptr addrspace(1) %p
  %y = fadd fp128 %x, %x
  store fp128 %y, ptr addrspace(1) %p
  ret void
}

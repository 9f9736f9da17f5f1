target triple = "nvptx64-nvidia-cuda"

declare float @__nv_erff(float)

define ptx_kernel void @k(ptr addrspace(1) %p) {
  %x = load float, ptr addrspace(1) %p
  %y = call float @__nv_erff(float %x)
  store float %y, ptr addrspace(1) %p
  ret void
}

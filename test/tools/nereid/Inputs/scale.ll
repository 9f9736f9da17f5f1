target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @scale(ptr addrspace(1) %p, float %by) #0 {
  %x = load float, ptr addrspace(1) %p
  %y = fmul float %x, %by
  store float %y, ptr addrspace(1) %p
  ret void
}

attributes #0 = { "nvvm.reqntid"="64" }

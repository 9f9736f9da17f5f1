; Pointers of asynchronous copies that a loop advances by the same step share one offset: the loop has one 64-bit addition
; that is carried, and one per copy.
; RUN: nereid compile %s --kernel same_step --emit ptx -o - | FileCheck %s
; RUN: nereid compile %s --kernel constant_distance --emit ptx -o - | FileCheck %s --check-prefix=DISTANCE
; RUN: nereid compile %s --kernel run_time_step --emit ptx -o - | FileCheck %s --check-prefix=STEP

; CHECK-LABEL: .entry same_step
; CHECK: $L__BB0_1:
; CHECK: add.s64 [[NEXT:%rd[0-9]+]], [[OFFSET:%rd[0-9]+]], 128;
; CHECK: mov.b64 [[O:%rd[0-9]+]], [[OFFSET]];
; CHECK-COUNT-6: add.s64 %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[O]];
; CHECK-NOT: add.s64
; CHECK-COUNT-6: cp.async
; CHECK-NOT: add.s64
; CHECK: bra
define ptx_kernel void @same_step(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %d,
                                  ptr addrspace(1) %e, ptr addrspace(1) %f, ptr addrspace(3) %to, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %pa = phi ptr addrspace(1) [ %a, %entry ], [ %na, %loop ]
  %pb = phi ptr addrspace(1) [ %b, %entry ], [ %nb, %loop ]
  %pc = phi ptr addrspace(1) [ %c, %entry ], [ %nc, %loop ]
  %pd = phi ptr addrspace(1) [ %d, %entry ], [ %nd, %loop ]
  %pe = phi ptr addrspace(1) [ %e, %entry ], [ %ne, %loop ]
  %pf = phi ptr addrspace(1) [ %f, %entry ], [ %nf, %loop ]
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %pa)
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %pb)
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %pc)
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %pd)
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %pe)
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %pf)
  %na = getelementptr i8, ptr addrspace(1) %pa, i64 128
  %nb = getelementptr i8, ptr addrspace(1) %pb, i64 128
  %nc = getelementptr i8, ptr addrspace(1) %pc, i64 128
  %nd = getelementptr i8, ptr addrspace(1) %pd, i64 128
  %ne = getelementptr i8, ptr addrspace(1) %pe, i64 128
  %nf = getelementptr i8, ptr addrspace(1) %pf, i64 128
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Addresses at constant distances from each other need no addition each: loop strength reduction carries one pointer.
; DISTANCE: $L__BB0_1:
; DISTANCE-NOT: mov.b64 %rd
; DISTANCE: bra
define ptx_kernel void @constant_distance(ptr addrspace(1) %x, ptr addrspace(3) %to, i32 %n) {
entry:
  %thread = call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r0 = and i32 %thread, 7
  %za = zext nneg i32 %r0 to i64
  %oa = shl i64 %za, 7
  %a = getelementptr i16, ptr addrspace(1) %x, i64 %oa
  %rb = or disjoint i32 %r0, 8
  %zb = zext nneg i32 %rb to i64
  %ob = shl i64 %zb, 7
  %rc = or disjoint i32 %r0, 16
  %zc = zext nneg i32 %rc to i64
  %oc = shl i64 %zc, 7
  %rd = or disjoint i32 %r0, 24
  %zd = zext nneg i32 %rd to i64
  %od = shl i64 %zd, 7
  %re = or disjoint i32 %r0, 32
  %ze = zext nneg i32 %re to i64
  %oe = shl i64 %ze, 7
  %rf = or disjoint i32 %r0, 40
  %zf = zext nneg i32 %rf to i64
  %of = shl i64 %zf, 7
  %b = getelementptr i16, ptr addrspace(1) %x, i64 %ob
  %c = getelementptr i16, ptr addrspace(1) %x, i64 %oc
  %d = getelementptr i16, ptr addrspace(1) %x, i64 %od
  %e = getelementptr i16, ptr addrspace(1) %x, i64 %oe
  %f = getelementptr i16, ptr addrspace(1) %x, i64 %of
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %pa = phi ptr addrspace(1) [ %a, %entry ], [ %na, %loop ]
  %pb = phi ptr addrspace(1) [ %b, %entry ], [ %nb, %loop ]
  %pc = phi ptr addrspace(1) [ %c, %entry ], [ %nc, %loop ]
  %pd = phi ptr addrspace(1) [ %d, %entry ], [ %nd, %loop ]
  %pe = phi ptr addrspace(1) [ %e, %entry ], [ %ne, %loop ]
  %pf = phi ptr addrspace(1) [ %f, %entry ], [ %nf, %loop ]
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %pa)
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %pb)
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %pc)
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %pd)
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %pe)
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %pf)
  %na = getelementptr i8, ptr addrspace(1) %pa, i64 128
  %nb = getelementptr i8, ptr addrspace(1) %pb, i64 128
  %nc = getelementptr i8, ptr addrspace(1) %pc, i64 128
  %nd = getelementptr i8, ptr addrspace(1) %pd, i64 128
  %ne = getelementptr i8, ptr addrspace(1) %pe, i64 128
  %nf = getelementptr i8, ptr addrspace(1) %pf, i64 128
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; A step of run-time elements, computed in bytes before the loop. Copies at the next iteration's address have its offset.
; STEP-LABEL: .entry run_time_step
; STEP: shl.b64 [[STEP:%rd[0-9]+]], %rd{{[0-9]+}}, 1;
; STEP: $L__BB0_1:
; STEP: add.s64 [[NEXT:%rd[0-9]+]], %rd{{[0-9]+}}, [[STEP]];
; STEP: mov.b64 [[O:%rd[0-9]+]], [[NEXT]];
; STEP-COUNT-6: add.s64 %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[O]];
; STEP-NOT: add.s64
; STEP: bra
define ptx_kernel void @run_time_step(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %d,
                                      ptr addrspace(1) %e, ptr addrspace(1) %f, ptr addrspace(3) %to, i32 %n, i64 %s) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %pa = phi ptr addrspace(1) [ %a, %entry ], [ %na, %loop ]
  %pb = phi ptr addrspace(1) [ %b, %entry ], [ %nb, %loop ]
  %pc = phi ptr addrspace(1) [ %c, %entry ], [ %nc, %loop ]
  %pd = phi ptr addrspace(1) [ %d, %entry ], [ %nd, %loop ]
  %pe = phi ptr addrspace(1) [ %e, %entry ], [ %ne, %loop ]
  %pf = phi ptr addrspace(1) [ %f, %entry ], [ %nf, %loop ]
  %na = getelementptr i16, ptr addrspace(1) %pa, i64 %s
  %nb = getelementptr i16, ptr addrspace(1) %pb, i64 %s
  %nc = getelementptr i16, ptr addrspace(1) %pc, i64 %s
  %nd = getelementptr i16, ptr addrspace(1) %pd, i64 %s
  %ne = getelementptr i16, ptr addrspace(1) %pe, i64 %s
  %nf = getelementptr i16, ptr addrspace(1) %pf, i64 %s
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %na)
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %nb)
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %nc)
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %nd)
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %ne)
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %nf)
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}

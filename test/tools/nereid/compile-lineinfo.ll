; LLVM IR of other producers: file names without folders, and full debug information.
; RUN: nereid compile %s --emit ptx -o - | FileCheck %s

; The assembler disables optimization for code that is marked for debugging.
; CHECK: .target sm_90a{{$}}
; The location of a call in a file that has no other line.
; CHECK: .loc [[A:[0-9]+]] 30 1 {{.*}}a.py:30:1
; CHECK: .loc [[MID:[0-9]+]] 9 2, function_name $L__inlined[[MIDDLE:[0-9]+]], inlined_at [[A]] 31 5
; CHECK-NEXT: .loc [[B:[0-9]+]] 7 3, function_name $L__inlined[[LEAF:[0-9]+]], inlined_at [[MID]] 9 2
; CHECK: mul{{.*}}f32
; The same location inlined at another call: the call chain is emitted again.
; CHECK: .loc [[A]] 32 5
; CHECK-NEXT: .loc [[MID]] 9 2, function_name $L__inlined[[MIDDLE]], inlined_at [[A]] 32 5
; CHECK-NEXT: .loc [[B]] 7 3, function_name $L__inlined[[LEAF]], inlined_at [[MID]] 9 2
; CHECK: add{{.*}}f32
; CHECK: .file [[A]] "here/a.py"
; CHECK: .file [[B]] "there/b.py"
; CHECK: .file [[MID]] "mid.py"
; CHECK: $L__inlined{{[0-9]+}}: // middle
; CHECK-NEXT: .b8 109,105,100,100,108,101,0
; CHECK: $L__inlined{{[0-9]+}}: // leaf??
; CHECK-NEXT: .b8 108,101,97,102,10,34,0
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %p) !dbg !4 {
  %x = load volatile float, ptr addrspace(1) %p, !dbg !20
  %y = fmul float %x, %x, !dbg !21
  store volatile float %y, ptr addrspace(1) %p, !dbg !24
  %z = fadd float %y, %x, !dbg !25
  store volatile float %z, ptr addrspace(1) %p, !dbg !24
  ret void, !dbg !24
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, isOptimized: true, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.py", directory: "here")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "k", file: !1, line: 29, type: !6, spFlags: DISPFlagDefinition, unit: !0)
!6 = !DISubroutineType(types: !7)
!7 = !{}
!8 = !DIFile(filename: "b.py", directory: "there")
!9 = distinct !DISubprogram(name: "leaf\0A\22", file: !8, line: 6, type: !6, spFlags: DISPFlagDefinition, unit: !0)
!10 = distinct !DILexicalBlock(scope: !9, file: !8, line: 6)
!11 = !DIFile(filename: "mid.py", directory: "")
!12 = distinct !DISubprogram(name: "middle", file: !11, line: 6, type: !6, spFlags: DISPFlagDefinition, unit: !0)
!20 = !DILocation(line: 30, column: 1, scope: !4)
!21 = !DILocation(line: 7, column: 3, scope: !10, inlinedAt: !22)
!22 = distinct !DILocation(line: 9, column: 2, scope: !12, inlinedAt: !23)
!23 = distinct !DILocation(line: 31, column: 5, scope: !4)
!24 = !DILocation(line: 33, column: 1, scope: !4)
!25 = !DILocation(line: 7, column: 3, scope: !10, inlinedAt: !26)
!26 = distinct !DILocation(line: 9, column: 2, scope: !12, inlinedAt: !27)
!27 = distinct !DILocation(line: 32, column: 5, scope: !4)

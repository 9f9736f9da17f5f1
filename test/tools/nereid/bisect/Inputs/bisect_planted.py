"""Bisects the largest kernels of the corpus with one planted defect each, at the sizes of real programs, and prints a table.

usage: bisect_planted.py CORPUS FOLDER [KIND...]    files are written to FOLDER; without kinds all defects

For each defect the kernels are tried from the largest to the smallest; the first one that has an operation for the defect and is
wrong with it is bisected. The planted pass must be named. nereid bisect shrinks the launch itself. Seconds are those of the
processor, all processes together, and of the clock."""
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from defects import TABLE  # noqa: E402

# Kernel, operations in ttir, launch: from the largest to the smallest.
KERNELS = [
    ("inductor/sort_topk.0.ttir", 1728, "--grid 4096 --num-warps 2 --arg in_ptr0=f32[4096x256]:rand --arg "
     "out_ptr0=f32[4096x256]:zeros --arg out_ptr2=i64[4096x256]:zeros --arg xnumel=4096 --arg r0_numel=256"),
    ("kernels/sort_rows.ttir", 577, "--grid 4096 --arg x=f32[4096x256]:rand --arg o=f32[4096x256]:zeros"),
    ("inductor/embed_drop.0.ttir", 195, "--grid 64,1 --num-warps 8 --arg in_ptr0=i64[3]:randint(0,1000000) --arg "
     "in_ptr1=i64[1024]:randint(0,1000) --arg in_ptr2=f16[1000x256]:rand --arg out_ptr1=f16[1024x256]:zeros --arg "
     "load_seed_offset=1 --arg ynumel=1024 --arg xnumel=256"),
    ("kernels/dropout.ttir", 164, "--grid 1024 --arg x=f32[1048570]:rand --arg o=f32[1048576]:zeros --arg n=1048570 --arg p=0.3 "
     "--arg seed=11"),
    ("inductor/bn_train.0.ttir", 142, "--grid 32 --num-warps 16 --arg in_ptr0=f16[8x32x784]:rand --arg in_ptr1=f16[32]:rand --arg "
     "in_ptr2=f16[32]:rand --arg in_ptr3=f16[32]:rand --arg in_ptr4=f16[32]:rand --arg out_ptr0=f32[32]:zeros --arg "
     "out_ptr2=f32[32]:zeros --arg out_ptr4=f16[32]:zeros --arg out_ptr6=f16[32]:zeros --arg out_ptr7=f16[8x32x784]:zeros --arg "
     "xnumel=32 --arg r0_numel=6272"),
    ("kernels/attn_fwd_d128_full.ttir", 104, "--grid 32,8 --num-warps 8 --arg q=f16[8x4096x128]:rand --arg k=f16[8x4096x128]:rand "
     "--arg v=f16[8x4096x128]:rand --arg o=f16[8x4096x128]:zeros --arg lse=f32[8x4096]:zeros --arg scale=0.1 --arg sqz=524288 "
     "--arg sqm=128 --arg N=4096"),
    ("kernels/matmul_f16.ttir", 97, "--grid 1024 --num-warps 8 --arg a=f16[4096x4096]:rand --arg b=f16[4096x4096]:rand --arg "
     "c=f16[4096x4096]:zeros --arg M=4096 --arg N=4096 --arg K=4096 --arg sam=4096 --arg sbk=4096 --arg scm=4096"),
    ("kernels/layernorm_fwd.ttir", 84, "--grid 1024 --arg x=f16[1024x5008]:rand --arg y=f16[1024x5008]:zeros --arg w=f16[5008]:rand "
     "--arg b=f16[5008]:rand --arg mean=f32[1024]:zeros --arg rstd=f32[1024]:zeros --arg stride=5008 --arg n=5008 --arg "
     "eps=0.00001"),
    ("kernels/attn_fwd_tma_d128.ttir", 61, "--grid 32,1 --num-warps 8 --arg q_desc=f16[4096x128]:rand --arg k_desc=f16[4096x128]:rand "
     "--arg v_desc=f16[4096x128]:rand --arg o_desc=f16[4096x128]:zeros --arg lse=f32[4096]:zeros --arg scale=0.1 --arg N=4096"),
]


def run(command, folder):
    start, before = time.monotonic(), os.times()
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return done, cpu, time.monotonic() - start


def bisect(corpus, folder, kind, after, what):
    """Returns the row of the table for the largest kernel that the defect suits, or what was seen instead."""
    planted = "nereid-test-defect{kind=%s}" % kind
    seen = []
    for path, operations, launch in KERNELS:
        command = ["nereid", "bisect", os.path.join(corpus, path), *launch.split(), "--what", what]
        command += ["--insert", "%s after %s" % (planted, after), "-o", kind + ".mlir"]
        done, cpu, clock = run(command, folder)
        named = re.search(r"^%s: pass \d+ of \d+ " % re.escape(planted), done.stdout, re.M)
        stopped = re.search(r"the compiler stops in pass \d+, %s" % re.escape(planted), done.stdout)
        name = os.path.basename(path).split(".")[0]
        if done.returncode == 0:
            return "| %s | %s | %s | %d | %.0f | %.0f |" % (kind, what, name, operations, cpu, clock), named or stopped, done.stdout
        seen.append("%s: %s" % (name, (done.stdout + done.stderr).strip().splitlines()[-1:]))
    return None, False, "\n".join(seen)


corpus, folder, kinds = sys.argv[1], sys.argv[2], sys.argv[3:]
failed = []
print("| defect | property | kernel | operations | processor, s | clock, s |\n|---|---|---|---|---|---|", flush=True)
for row_kind, row_after, row_what, _ in TABLE:
    if kinds and row_kind not in kinds:
        continue
    row, found, text = bisect(corpus, folder, row_kind, row_after, row_what)
    if row:
        print(row, flush=True)
    if not found:
        print("%s: %s" % (row_kind, text), file=sys.stderr)
        failed.append(row_kind)
assert not failed, failed

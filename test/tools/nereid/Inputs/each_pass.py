"""each_pass.py KERNEL.ttir FOLDER [OPTION...]: stops a compilation before each pass of ttir and ttgir and continues from the printed IR:
PTX and metadata must equal those of the whole compilation."""
import json
import subprocess
import sys

kernel, folder, options = sys.argv[1], sys.argv[2], sys.argv[3:]


def compile_to(result, source, *arguments):
    subprocess.run(["nereid", "compile", source, "-o", f"{folder}/{result}", *arguments], check=True)
    return [open(f"{folder}/{result}{end}").read() for end in ("", ".json")]


report = subprocess.run(["nereid", "diff", kernel, "--json", *options], check=True, capture_output=True, text=True).stdout
passes = {p["pass"].split("{")[0] for p in json.loads(report)["passes"] if p["stage"] in ("ttir", "ttgir")}
assert len(passes) > 30, passes
expected = compile_to("whole.ptx", kernel, "--emit", "ptx", *options)
for name in sorted(passes):
    compile_to("before.mlir", kernel, "--stop-before", name, *options)
    found = compile_to("continued.ptx", f"{folder}/before.mlir", "--start-at", name, "--emit", "ptx")
    assert found == expected, name

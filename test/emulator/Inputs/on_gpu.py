"""Runs on a GPU what tests run on the emulator and compare with the interpreter.

    on_gpu.py FOLDER...

Takes the lines `RUN: nereid run %s ... --on emulator ... --check interpreter ...` of the .ttir and .ttgir files below the
folders, without options of the emulator. Lines for targets without wgmma and lines that write files are left out.
"""

import pathlib
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FLAGS = ("--racecheck", "--initcheck", "--counters", "--proxy-at-fence")
OPTIONS = ("--schedule", "--landing", "--stop-on", "--races", "--timeline", "--steps", "--target")
PROCESSES, SECONDS = 8, 60


def on_gpu(command):
    """The arguments without those of the emulator."""
    words, kept = iter(command), []
    for word in words:
        if word in OPTIONS:
            next(words)
        elif word not in FLAGS:
            kept.append("gpu" if word == "emulator" and kept[-1] == "--on" else word)
    return kept


def commands(path):
    text = path.read_text().replace("\\\n", " ")
    for line in re.findall(r"RUN: (nereid run %s .*)", text):
        words = shlex.split(re.split(r" *(?:\||2?>)", line)[0].replace("%s", str(path)))
        if ("emulator" in words and "interpreter" in words and "--out" not in words and "%" not in " ".join(words) and
                "--target sm_8" not in line):
            yield on_gpu(words)


def run(command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"no end after {SECONDS} s"
    return done.stdout if done.returncode else ""


def main():
    files = [path for folder in sys.argv[1:] for path in sorted(pathlib.Path(folder).rglob("*.tt*ir"))]
    runs = [command for path in files for command in commands(path)]
    with ThreadPoolExecutor(PROCESSES) as pool:
        failed = [(command, error) for command, error in zip(runs, pool.map(run, runs)) if error]
    for command, error in failed:
        print(shlex.join(command), error, sep="\n")
    print(f"{len(runs)} runs, {len(failed)} failed")


if __name__ == "__main__":
    main()

"""Runs the tests of a folder once more with several CTAs per cluster.

    in_clusters.py FOLDER --ctas N [--options "..."] [NAME...]

FOLDER has tests of bench/gpu/tma_zoo.py (test/emulator/tma). The first run of each named test (without names: of all) is
repeated with --num-ctas N and the additional options. Prints the output of runs that fail; exit status 1 if there are any.
"""
import argparse
import os
import re
import subprocess
import sys


def command_of(folder, name, ctas, options):
    """The test's first run, for clusters of `ctas` CTAs."""
    source = os.path.join(folder, name + ".ttir")
    text = open(source).read()
    words = (re.search(r"DEFINE: %\{run\} = (.*)", text)[1] + " " + re.search(r"RUN: %\{run\} (.*)", text)[1]).split()
    kept = [word for word, before in zip(words, [""] + words)
            if not {word, before} & {"--num-ctas", "--dump-dir"}]
    return [word.replace("%S", folder).replace("%s", source) for word in kept] + ["--num-ctas", str(ctas), *options]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--ctas", type=int, required=True)
    parser.add_argument("--options", default="")
    parser.add_argument("names", nargs="*")
    args = parser.parse_intermixed_args()
    names = args.names or sorted(name[:-5] for name in os.listdir(args.folder) if name.endswith(".ttir"))
    failed = 0
    for name in names:
        command = command_of(args.folder, name, args.ctas, args.options.split())
        got = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if got.returncode:
            failed += 1
            print(f"{name}: {' '.join(command)}\n{got.stderr or got.stdout}")
    print(f"{len(names) - failed} of {len(names)} pass")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

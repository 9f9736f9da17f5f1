# parameters.py OURS THEIRS NAME…: compares the parameter lists of OURS/NAME.ptx and THEIRS/NAME.ptx.
import re
import sys

ours, theirs, *names = sys.argv[1:]


def parameters(path):
    text = re.sub(r"//.*", "", open(path).read())
    found = re.search(r"\.entry\s+[\w$]+\((.*?)\)\s*(\.reqntid\s+\d+)?", text, re.S)
    listed = [re.sub(r"\S+_param_\d+", "", line).split() for line in found.group(1).split(",")]
    return [[word for word in line if word not in (".ptr", ".global", ".align", "1")] for line in listed], found.group(2)


for name in names:
    mine, other = parameters(f"{ours}/{name}.ptx"), parameters(f"{theirs}/{name}.ptx")
    if mine != other:
        sys.exit(f"{name}: {mine} is not {other}")

"""Compares the structures and enumerators of bench/libraries/emulator_abi.py with the public headers.

    compare_abi.py SOURCE_DIR WORK_DIR

A generated C program prints sizes and offsets. Its initializers have one element per field of the ctypes structure, so that the
compiler rejects a field that is missing there or here, even in padding, where it changes no offset.
"""

import ctypes
import os
import subprocess
import sys

SOURCE, WORK = sys.argv[1:]
sys.path.insert(0, os.path.join(SOURCE, "bench/libraries"))
import emulator_abi  # noqa: E402

HEAD = """#include <nereid/emulator.h>
#include <nereid/tma.h>
#include <stddef.h>
#include <stdio.h>

int main(void) {
"""
FLAGS = ["-std=c11", "-Werror", "-Wmissing-field-initializers"]


def fields(structure):
    return [name for name, _ in structure._fields_]


def initializer(structure):
    """One element per field."""
    aggregates = (ctypes.Structure, ctypes.Array)
    return "{" + ", ".join("{0}" if issubclass(kind, aggregates) else "0" for _, kind in structure._fields_) + "}"


def program(structures, enumerators):
    lines = []
    for kind, structure in structures.items():
        lines.append(f"  static const {kind} the_{kind} = {initializer(structure)};")
        lines.append(f'  printf("{kind} %zu\\n", sizeof the_{kind});')
        lines += [f'  printf("{kind}.{field} %zu %zu\\n", offsetof({kind}, {field}), sizeof the_{kind}.{field});'
                  for field in fields(structure)]
    lines += [f'  printf("{name} %d\\n", (int){name});' for name in enumerators]
    return HEAD + "\n".join(lines) + "\n}\n"


def of_headers(structures, enumerators):
    path = os.path.join(WORK, "layout")
    with open(path + ".c", "w") as file:
        file.write(program(structures, enumerators))
    includes = ["-I", SOURCE, "-I", os.path.join(SOURCE, "python-free-bindings/include")]
    if subprocess.run(["cc", *FLAGS, *includes, path + ".c", "-o", path]).returncode:
        sys.exit("a structure or an enumerator of emulator_abi.py is not that of the headers")
    return subprocess.run([path], check=True, capture_output=True, text=True).stdout.splitlines()


def of_ctypes(structures, enumerators):
    lines = []
    for kind, structure in structures.items():
        lines.append(f"{kind} {ctypes.sizeof(structure)}")
        for field in fields(structure):
            place = getattr(structure, field)
            lines.append(f"{kind}.{field} {place.offset} {place.size}")
    return lines + [f"{name} {value}" for name, value in enumerators.items()]


def main():
    structures = emulator_abi.STRUCTURES
    enumerators = {name: value for name, value in vars(emulator_abi).items() if name.startswith("NEREID_")}
    os.makedirs(WORK, exist_ok=True)
    pairs = list(zip(of_headers(structures, enumerators), of_ctypes(structures, enumerators), strict=True))
    wrong = [f"{header} in the header, {own} in emulator_abi.py" for header, own in pairs if header != own]
    print("\n".join(wrong or [f"{len(structures)} structures and {len(enumerators)} enumerators agree"]))
    return bool(wrong)


sys.exit(main())

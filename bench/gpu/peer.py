"""The folder that compile_peer.py writes: cubins of another Triton version with their launch metadata."""

import json
import os

KEYS = {"name": str, "shared": int, "num_warps": int, "version": str, "global_scratch_size": int}


def read(folder, kernel):
    """The path of the cubin and its metadata; None without the kernel. ValueError when the folder is corrupt."""
    image, described = (os.path.join(folder, kernel + ending) for ending in (".cubin", ".json"))
    if not os.path.exists(described):
        return None
    metadata = json.load(open(described))
    for key, kind in KEYS.items():
        if not isinstance(metadata.get(key), kind):
            raise ValueError(f"{described}: expected '{key}' of type {kind.__name__}: run compile_peer.py again")
    with open(image, "rb") as file:
        if file.read(4) != b"\x7fELF":
            raise ValueError(f"{image}: is not a cubin: run compile_peer.py again")
    if metadata["global_scratch_size"]:
        raise ValueError(f"{image}: uses global scratch, which the harness does not allocate")
    return image, metadata

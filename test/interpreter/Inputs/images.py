"""images.py CORPUS DIRECTORY NAME...: copies Triton's PTX and IR of kernels, with metadata in Triton's format."""
import json
import os
import re
import shutil
import sys

kernels, directory = os.path.join(sys.argv[1], "kernels"), sys.argv[2]
index = json.load(open(os.path.join(kernels, "index.json")))
os.makedirs(directory, exist_ok=True)
for name in sys.argv[3:]:
    for suffix in ("ptx", "ttir"):
        shutil.copy(os.path.join(kernels, f"{name}.{suffix}"), directory)
    entry = re.search(r"\.entry (\w+)", open(os.path.join(directory, f"{name}.ptx")).read()).group(1)
    metadata = {"name": entry, "shared": index[name]["triton_3_6"]["shared_bytes"],
                "num_warps": index[name]["num_warps"], "num_ctas": index[name]["num_ctas"],
                "target": {"backend": "cuda", "arch": 90, "warp_size": 32}}
    json.dump(metadata, open(os.path.join(directory, f"{name}.json"), "w"))

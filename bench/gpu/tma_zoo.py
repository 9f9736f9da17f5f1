"""142 kernels with tensor descriptors (bench/gpu/zoo/tma_*.py) against float64 references.

    python3 bench/gpu/tma_zoo.py --nereid build/release/bin/nereid [--only NAME,NAME]         on a GPU
    python3 bench/gpu/tma_zoo.py --nereid build/dev/bin/nereid --on emulator                  without a GPU
    python3 bench/gpu/tma_zoo.py --nereid build/dev/bin/nereid --assemble                     spills and serialized wgmma
    python3 bench/gpu/tma_zoo.py --write test/emulator/tma                                    the tests of CI

Options as in dot_zoo.py. Kernels are launched by `nereid run`, which encodes the tensor maps; Triton's own code is not run. The
tests also check that the code for sm_90a has the TMA instructions of the case.
"""

import sys
from types import SimpleNamespace

import triton

import dot_zoo
from zoo import tma_families

SCHEDULES = ("--schedule adversarial --landing wait", "--schedule random --landing random --proxy-at-fence")


class Target:
    """Triton's front end asks the driver for the target of some reductions."""

    @staticmethod
    def get_current_target():
        return SimpleNamespace(backend="cuda", arch=90, warp_size=32)


if __name__ == "__main__":
    triton.runtime.driver.set_active(Target())
    sys.exit(dot_zoo.main(__doc__, tma_families, "tma_zoo", SCHEDULES, compared=False))

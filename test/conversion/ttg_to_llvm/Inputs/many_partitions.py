"""Prints a kernel of N ttg.warp_specialize one after another, each of four partitions."""
import sys

PARTITION = "partition{}() num_warps(1) {{ ttg.warp_return }}\n"
print('module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, '
      'ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {\ntt.func public @many() {')
for _ in range(int(sys.argv[1])):
    print("ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4, 5, 6, 7>}\ndefault { ttg.warp_yield }\n" +
          "".join(PARTITION.format(i) for i in range(4)) + ": () -> ()")
print("tt.return\n}\n}")

"""Prints a kernel that calls a chain of functions; each adds 1 to a tensor.

    chain.py LENGTH [closed]        closed: the last function calls the first
"""
import sys

length, closed = int(sys.argv[1]), "closed" in sys.argv
print("""module {
  tt.func public @k(%p: !tt.ptr<f32> loc("p")) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %q = tt.addptr %s, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v = tt.load %q : tensor<128x!tt.ptr<f32>>
    %w = tt.call @f0(%v) : (tensor<128xf32>) -> tensor<128xf32>
    tt.store %q, %w : tensor<128x!tt.ptr<f32>>
    tt.return
  }""")
for i in range(length):
    next_one = f"%z = tt.call @f{(i + 1) % length}(%y) : (tensor<128xf32>) -> tensor<128xf32>"
    last = i + 1 == length and not closed
    print(f"""  tt.func private @f{i}(%x: tensor<128xf32>) -> tensor<128xf32> attributes {{noinline = true}} {{
    %c = arith.constant dense<1.0> : tensor<128xf32>
    %y = arith.addf %x, %c : tensor<128xf32>
    {"" if last else next_one}
    tt.return {"%y" if last else "%z"} : tensor<128xf32>
  }}""")
print("}")

/* Calls the lowered integer operations, compiled for the host, with every pair of i8, and compares them with arithmetic
 * on int. Undefined cases are excluded. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TWO(f) uint8_t f(uint8_t, uint8_t);
#define ONE(f) uint8_t f(uint8_t);
TWO(ceildivui)
TWO(ceildivsi)
TWO(floordivsi)
TWO(divsi)
TWO(divui)
TWO(remsi)
TWO(remui)
TWO(addi)
TWO(subi)
TWO(muli)
TWO(andi)
TWO(ori)
TWO(xori)
TWO(shli)
TWO(shrsi)
TWO(shrui)
TWO(maxsi)
TWO(maxui)
TWO(minsi)
TWO(minui)
TWO(mulhiui)
TWO(umul_high)
TWO(smul_high)
TWO(smul_low)
TWO(carry)
TWO(ipowi)
TWO(cmp_eq)
TWO(cmp_ne)
TWO(cmp_slt)
TWO(cmp_sle)
TWO(cmp_sgt)
TWO(cmp_sge)
TWO(cmp_ult)
TWO(cmp_ule)
TWO(cmp_ugt)
TWO(cmp_uge)
ONE(absi)
ONE(ctpop)
ONE(ctlz)
ONE(cttz)
ONE(as_index)
ONE(sign)

static unsigned long failures, cases;

static void expect(const char *what, int a, int b, uint8_t found, int wanted) {
  ++cases;
  if (found != (uint8_t)wanted && ++failures <= 20)
    printf("%s of %d and %d: %d, expected %d\n", what, a, b, found, (uint8_t)wanted);
}

static int floor_div(int a, int b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int ceil_div(int a, int b) {
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

/* Modulo 256; a negative exponent gives the inverse, which only 1 and -1 have. */
static int power(int a, int b) {
  unsigned result = 1;
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  for (int i = 0; i < b; ++i)
    result = result * (unsigned)a & 0xFF;
  return (int)result;
}

#define CHECK(op, wanted) expect(#op, a, b, op(x, y), wanted)

static void check_divisions(uint8_t x, uint8_t y) {
  const int a = (int8_t)x, b = (int8_t)y;
  if (!y)
    return;
  CHECK(divui, x / y);
  CHECK(remui, x % y);
  CHECK(ceildivui, (x + y - 1) / y);
  if (a == -128 && b == -1)
    return;
  CHECK(divsi, a / b);
  CHECK(remsi, a % b);
  CHECK(ceildivsi, ceil_div(a, b));
  CHECK(floordivsi, floor_div(a, b));
}

static void check_comparisons(uint8_t x, uint8_t y) {
  const int a = (int8_t)x, b = (int8_t)y;
  CHECK(cmp_eq, a == b);
  CHECK(cmp_ne, a != b);
  CHECK(cmp_slt, a < b);
  CHECK(cmp_sle, a <= b);
  CHECK(cmp_sgt, a > b);
  CHECK(cmp_sge, a >= b);
  CHECK(cmp_ult, x < y);
  CHECK(cmp_ule, x <= y);
  CHECK(cmp_ugt, x > y);
  CHECK(cmp_uge, x >= y);
  CHECK(maxsi, a > b ? a : b);
  CHECK(minsi, a < b ? a : b);
  CHECK(maxui, x > y ? x : y);
  CHECK(minui, x < y ? x : y);
}

static void check_pair(uint8_t x, uint8_t y) {
  const int a = (int8_t)x, b = (int8_t)y;
  CHECK(addi, a + b);
  CHECK(subi, a - b);
  CHECK(muli, a * b);
  CHECK(andi, a & b);
  CHECK(ori, a | b);
  CHECK(xori, a ^ b);
  CHECK(mulhiui, x * y >> 8);
  CHECK(umul_high, x * y >> 8);
  CHECK(smul_high, a * b >> 8);
  CHECK(smul_low, a * b);
  CHECK(carry, x + y > 255);
  CHECK(ipowi, power(a, b));
  if (y < 8) {
    CHECK(shli, x << y);
    CHECK(shrui, x >> y);
    CHECK(shrsi, a >> y);
  }
  check_divisions(x, y);
  check_comparisons(x, y);
}

static void check_one(uint8_t x) {
  const int a = (int8_t)x;
  int ones = 0, leading = 0, trailing = 0;
  for (int i = 0; i < 8; ++i)
    ones += x >> i & 1;
  while (leading < 8 && !(x << leading & 0x80))
    ++leading;
  while (trailing < 8 && !(x >> trailing & 1))
    ++trailing;
  expect("absi", a, 0, absi(x), abs(a));
  expect("ctpop", a, 0, ctpop(x), ones);
  expect("ctlz", a, 0, ctlz(x), leading);
  expect("cttz", a, 0, cttz(x), trailing);
  expect("as_index", a, 0, as_index(x), 3 * a);
  expect("sign", a, 0, sign(x), x & 1 ? -1 : 0);
}

int main(void) {
  for (int x = 0; x < 256; ++x) {
    check_one((uint8_t)x);
    for (int y = 0; y < 256; ++y)
      check_pair((uint8_t)x, (uint8_t)y);
  }
  printf("%lu operations, %lu wrong\n", cases, failures);
  return failures != 0;
}

/* Floating-point and conversion instructions of the emulator: NaN, subnormals, ties, infinities, saturation. */
#include "test/emulator/emulate.h"

enum { ONE = 0x3f800000, INF = 0x7f800000, NAN32 = 0x7fffffff };

static void f32_arithmetic(void **state) {
  (void)state;
  assert_int_equal(R("sub.f32 %r0, %r1, %r2;", INF, INF, 0), NAN32);
  assert_int_equal(R("add.f32 %r0, %r1, %r2;", 1, 1, 0), 2);
  assert_int_equal(R("add.ftz.f32 %r0, %r1, %r2;", 0x80000001, 0x80000001, 0), 0x80000000);
  assert_int_equal(R("mul.ftz.f32 %r0, %r1, %r2;", 0x00800000, 0x3f000000, 0), 0);
  assert_int_equal(R("add.sat.f32 %r0, %r1, %r2;", ONE, ONE, 0), ONE);
  assert_int_equal(R("add.sat.f32 %r0, %r1, %r2;", 0x7fc00000, ONE, 0), 0);
  /* 1 + 2^-24 is a tie: .rn, .rz, .rp. */
  assert_int_equal(R("add.rn.f32 %r0, %r1, %r2;", ONE, 0x33800000, 0), ONE);
  assert_int_equal(R("add.rp.f32 %r0, %r1, %r2;", ONE, 0x33800000, 0), ONE + 1);
  assert_int_equal(R("add.rz.f32 %r0, %r1, %r2;", 0xbf800000, 0xb3800000, 0), 0xbf800000);
  assert_int_equal(R("add.rm.f32 %r0, %r1, %r2;", 0xbf800000, 0xb3800000, 0), 0xbf800001);
  /* (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24: a rounded product gives 0. */
  assert_int_equal(R("fma.rn.f32 %r0, %r1, %r2, %r3;", 0x3f800800, 0x3f800800, 0xbf801000), 0x33800000);
  assert_int_equal(R("div.rn.f32 %r0, %r1, %r2;", ONE, 0x40400000, 0), 0x3eaaaaab);
  assert_int_equal(R("sqrt.rn.f32 %r0, %r1;", 0x40000000, 0, 0), 0x3fb504f3);
  assert_int_equal(R("copysign.f32 %r0, %r1, %r2;", 0x80000000, ONE, 0), 0xbf800000);
}

static void extremes(void **state) {
  (void)state;
  assert_int_equal(R("min.f32 %r0, %r1, %r2;", 0x7fc00000, ONE, 0), ONE);
  assert_int_equal(R("min.NaN.f32 %r0, %r1, %r2;", 0x7fc00000, ONE, 0), NAN32);
  assert_int_equal(R("max.f32 %r0, %r1, %r2;", 0xffc00000, 0x7fc00000, 0), NAN32);
  assert_int_equal(R("max.f32 %r0, %r1, %r2;", 0x80000000, 0, 0), 0);
  assert_int_equal(R("min.f32 %r0, %r1, %r2;", 0, 0x80000000, 0), 0x80000000);
}

static void special_functions(void **state) {
  (void)state;
  assert_int_equal(R("ex2.approx.f32 %r0, %r1;", 0x40400000, 0, 0), 0x41000000);
  assert_int_equal(R("ex2.approx.ftz.f32 %r0, %r1;", 0xff800000, 0, 0), 0);
  assert_int_equal(R("lg2.approx.f32 %r0, %r1;", 0, 0, 0), 0xff800000);
  assert_int_equal(R("rcp.approx.ftz.f32 %r0, %r1;", 0x80000001, 0, 0), 0xff800000);
  assert_int_equal(R("rsqrt.approx.f32 %r0, %r1;", 0xbf800000, 0, 0), NAN32);
  assert_int_equal(R("div.approx.f32 %r0, %r1, %r2;", ONE, 0x7f000000, 0), 0);
  assert_int_equal(R("div.full.f32 %r0, %r1, %r2;", 0x40c00000, 0x40000000, 0), 0x40400000);
}

static void halves(void **state) {
  (void)state;
  assert_int_equal(H("add.f16 %h0, %h1, %h2;", 0x3c00, 0x3c00, 0), 0x4000);
  assert_int_equal(H("add.f16 %h0, %h1, %h2;", 0x7c00, 0xfc00, 0), 0x7fff);
  assert_int_equal(H("mul.f16 %h0, %h1, %h2;", 0x7bff, 0x4000, 0), 0x7c00);
  assert_int_equal(H("fma.rn.relu.f16 %h0, %h1, %h2, %h3;", 0x3c00, 0xbc00, 0), 0);
  assert_int_equal(H("fma.rn.bf16 %h0, %h1, %h2, %h3;", 0x3f80, 0x3f80, 0x3f80), 0x4000);
  assert_int_equal(R("add.f16x2 %r0, %r1, %r2;", 0x3c004000, 0x3c003c00, 0), 0x40004200);
  assert_int_equal(R("neg.bf16x2 %r0, %r1;", 0x3f80bf80, 0, 0), 0xbf803f80);
}

static void float_to_integer(void **state) {
  (void)state;
  assert_int_equal(R("cvt.rni.s32.f32 %r0, %r1;", 0x40200000, 0, 0), 2);
  assert_int_equal(R("cvt.rzi.s32.f32 %r0, %r1;", 0xc0200000, 0, 0), (uint32_t)-2);
  assert_int_equal(R("cvt.rmi.s32.f32 %r0, %r1;", 0xc0200000, 0, 0), (uint32_t)-3);
  assert_int_equal(R("cvt.rzi.s32.f32 %r0, %r1;", INF, 0, 0), 0x7fffffff);
  assert_int_equal(R("cvt.rzi.u32.f32 %r0, %r1;", 0xbf800000, 0, 0), 0);
  assert_int_equal(R("cvt.rzi.s32.f32 %r0, %r1;", 0x7fc00000, 0, 0), 0);
  assert_true(D("cvt.rzi.s64.f32 %d0, %r1;", 0x7fc00000, 0, 0) == UINT64_C(1) << 63);
}

static void float_to_float(void **state) {
  (void)state;
  assert_int_equal(H("cvt.rn.f16.f32 %h0, %r1;", 0x477ff000, 0, 0), 0x7c00);
  assert_int_equal(H("cvt.rz.f16.f32 %h0, %r1;", 0x477ff000, 0, 0), 0x7bff);
  assert_int_equal(H("cvt.rn.bf16.f32 %h0, %r1;", 0x3f808000, 0, 0), 0x3f80);
  assert_int_equal(H("cvt.rn.bf16.f32 %h0, %r1;", 0x3f818000, 0, 0), 0x3f82);
  assert_int_equal(H("cvt.bf16.f16 %h0, %h1;", 0x3c0c, 0, 0), 0x3f82); /* without a mode: to nearest even */
  assert_int_equal(H("cvt.bf16.f16 %h0, %h1;", 0x3c04, 0, 0), 0x3f80);
  assert_int_equal(H("cvt.f16.bf16 %h0, %h1;", 0x3f82, 0, 0), 0x3c10);
  assert_int_equal(R("cvt.rna.tf32.f32 %r0, %r1;", 0x3f801000, 0, 0), 0x3f802000);
  assert_int_equal(R("cvt.rna.tf32.f32 %r0, %r1;", 0xffc12345, 0, 0), 0xffc12000); /* as on an H200 */
  assert_int_equal(R("cvt.rn.f32.f64 %r0, %d1;", UINT64_C(0x3ff0000010000000), 0, 0), ONE);
  assert_int_equal(R("cvt.rp.f32.f64 %r0, %d1;", UINT64_C(0x3ff0000010000000), 0, 0), ONE + 1);
  assert_int_equal(R("cvt.rn.f16x2.f32 %r0, %r1, %r2;", ONE, 0x40000000, 0), 0x3c004000);
  assert_int_equal(H("cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2;", INF, ONE, 0), 0x7e38);
  assert_int_equal(R("cvt.rn.f16x2.e5m2x2 %r0, %h1;", 0x7c3c, 0, 0), 0x7c003c00);
  assert_int_equal(R("cvt.rni.f32.f32 %r0, %r1;", 0xbe800000, 0, 0), 0x80000000);
  assert_int_equal(R("cvt.sat.f32.f16 %r0, %h1;", 0x4000, 0, 0), ONE);
}

static void integers(void **state) {
  (void)state;
  assert_int_equal(R("cvt.s32.s8 %r0, %r1;", 0x80, 0, 0), 0xffffff80);
  assert_int_equal(R("cvt.sat.u8.s32 %r0, %r1;", 300, 0, 0), 255);
  assert_int_equal(R("cvt.rn.f32.u64 %r0, %d1;", UINT64_C(0x8000008000000001), 0, 0), 0x5f000001);
  assert_int_equal(R("cvt.rn.f32.s32 %r0, %r1;", 0xfeffffff, 0, 0), 0xcb800000);
  assert_true(D("cvt.rz.f64.u64 %d0, %d1;", UINT64_MAX, 0, 0) == UINT64_C(0x43efffffffffffff));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(f32_arithmetic), cmocka_unit_test(extremes),         cmocka_unit_test(special_functions),
      cmocka_unit_test(halves),         cmocka_unit_test(float_to_integer), cmocka_unit_test(float_to_float),
      cmocka_unit_test(integers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

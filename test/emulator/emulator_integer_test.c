/* Integer, bit and carry instructions of the emulator against values computed by hand. */
#include "test/emulator/emulate.h"

static void arithmetic_wraps(void **state) {
  (void)state;
  assert_int_equal(R("add.s32 %r0, %r1, %r2;", 0x7fffffff, 1, 0), 0x80000000);
  assert_int_equal(R("add.sat.s32 %r0, %r1, %r2;", 0x7fffffff, 1, 0), 0x7fffffff);
  assert_int_equal(R("sub.sat.s32 %r0, %r1, %r2;", 0x80000000, 1, 0), 0x80000000);
  assert_int_equal(R("mul.hi.u32 %r0, %r1, %r2;", 0xffffffff, 0xffffffff, 0), 0xfffffffe);
  assert_int_equal(R("mul.hi.s32 %r0, %r1, %r2;", 0xffffffff, 5, 0), 0xffffffff);
  assert_true(D("mul.wide.s32 %d0, %r1, %r2;", 0xfffffffe, 3, 0) == (uint64_t)-6);
  assert_true(D("mad.wide.u32 %d0, %r1, %r2, %d3;", 0xffffffff, 2, 5) == UINT64_C(0x200000003));
  assert_int_equal(R("mad.lo.s32 %r0, %r1, -3, %r2;", 7, 1, 0), (uint32_t)-20);
  assert_int_equal(R("abs.s32 %r0, %r1;", 0x80000000, 0, 0), 0x80000000);
  assert_int_equal(R("sad.u32 %r0, %r1, %r2, %r3;", 3, 10, 100), 107);
  assert_int_equal(H("min.s16 %h0, %h1, %h2;", 0xffff, 1, 0), 0xffff);
  assert_int_equal(R("dp4a.s32.s32 %r0, %r1, %r2, %r3;", 0xff010203, 0x02020202, 1), 11);
}

static void division_is_defined_everywhere(void **state) {
  (void)state;
  assert_int_equal(R("div.s32 %r0, %r1, %r2;", 0x80000000, 0xffffffff, 0), 0x80000000);
  assert_int_equal(R("div.s32 %r0, %r1, %r2;", 0xfffffff9, 2, 0), 0xfffffffd);
  assert_int_equal(R("rem.s32 %r0, %r1, %r2;", 0xfffffff9, 2, 0), 0xffffffff);
  assert_int_equal(R("div.u32 %r0, %r1, %r2;", 9, 0, 0), 0xffffffff);
  assert_int_equal(R("rem.u32 %r0, %r1, %r2;", 9, 0, 0), 0xffffffff);
  assert_int_equal(R("rem.s32 %r0, %r1, %r2;", 9, 0, 0), 0xffffffff);
}

static void shifts_clamp(void **state) {
  (void)state;
  assert_int_equal(R("shl.b32 %r0, %r1, %r2;", 1, 32, 0), 0);
  assert_int_equal(R("shr.u32 %r0, %r1, %r2;", 0x80000000, 33, 0), 0);
  assert_int_equal(R("shr.s32 %r0, %r1, %r2;", 0x80000000, 99, 0), 0xffffffff);
  assert_int_equal(R("shf.l.wrap.b32 %r0, %r1, %r2, %r3;", 0x80000000, 1, 33), 3);
  assert_int_equal(R("shf.r.clamp.b32 %r0, %r1, %r2, %r3;", 5, 7, 40), 7);
}

static void bit_fields(void **state) {
  (void)state;
  assert_int_equal(R("bfe.u32 %r0, %r1, 4, 8;", 0x12345678, 0, 0), 0x67);
  assert_int_equal(R("bfe.s32 %r0, %r1, 4, 4;", 0x000000f0, 0, 0), 0xffffffff);
  assert_int_equal(R("bfe.s32 %r0, %r1, 24, 16;", 0x80000000, 0, 0), 0xffffff80);
  assert_int_equal(R("bfe.u32 %r0, %r1, 40, 8;", 0xffffffff, 0, 0), 0);
  assert_int_equal(R("bfi.b32 %r0, %r1, %r2, 8, 8;", 0xab, 0x11111111, 0), 0x1111ab11);
  assert_int_equal(R("popc.b32 %r0, %r1;", 0xf0f0, 0, 0), 8);
  assert_int_equal(R("clz.b32 %r0, %r1;", 0, 0, 0), 32);
  assert_int_equal(R("brev.b32 %r0, %r1;", 1, 0, 0), 0x80000000);
  assert_int_equal(R("bfind.u32 %r0, %r1;", 0, 0, 0), 0xffffffff);
  assert_int_equal(R("bfind.s32 %r0, %r1;", 0xfffffffe, 0, 0), 0);
  assert_int_equal(R("prmt.b32 %r0, %r1, %r2, 0x7410;", 0x33221180, 0x77665544, 0), 0x77441180);
  assert_int_equal(R("prmt.b32 %r0, %r1, %r2, 0x8888;", 0x80, 0, 0), 0xffffffff);
  assert_int_equal(R("lop3.b32 %r0, %r1, %r2, %r3, 0x96;", 0xff00, 0x0ff0, 0x00ff), 0xff00 ^ 0x0ff0 ^ 0x00ff);
}

static void carries_go_through(void **state) {
  (void)state;
  assert_int_equal(R("add.cc.u32 %r4, %r1, %r2; addc.u32 %r0, %r3, 0;", 0xffffffff, 1, 5), 6);
  assert_int_equal(R("sub.cc.u32 %r4, %r1, %r2; subc.u32 %r0, %r3, 0;", 0, 1, 5), 4);
  assert_int_equal(R("mad.lo.cc.u32 %r4, %r1, %r2, %r3; madc.hi.u32 %r0, %r1, %r2, 0;", 0xffffffff, 1, 1), 1);
}

static void comparisons(void **state) {
  (void)state;
  assert_int_equal(R("setp.lt.s32 %p1, %r1, %r2; selp.b32 %r0, 1, 2, %p1;", 0xffffffff, 0, 0), 1);
  assert_int_equal(R("setp.lt.u32 %p1, %r1, %r2; selp.b32 %r0, 1, 2, %p1;", 0xffffffff, 0, 0), 2);
  assert_int_equal(R("setp.ltu.f32 %p1, %r1, %r2; selp.b32 %r0, 1, 2, %p1;", 0x7fc00000, 0, 0), 1);
  assert_int_equal(R("setp.num.f32 %p1, %r1, %r2; selp.b32 %r0, 1, 2, %p1;", 0x7fc00000, 0, 0), 2);
  assert_int_equal(R("setp.eq.ftz.f32 %p1, %r1, 0f00000000; selp.b32 %r0, 1, 2, %p1;", 1, 0, 0), 1);
  assert_int_equal(R("setp.eq.s32 %p1|%p2, %r1, 3; selp.b32 %r0, 1, 2, %p2;", 3, 0, 0), 2);
  assert_int_equal(R("setp.eq.s32 %p3, 1, 2; setp.eq.and.s32 %p1, %r1, 3, !%p3; selp.b32 %r0, 1, 2, %p1;", 3, 0, 0), 1);
  assert_int_equal(R("set.gt.u32.s32 %r0, %r1, %r2;", 3, 2, 0), 0xffffffff);
  assert_int_equal(R("slct.b32.s32 %r0, %r1, %r2, %r3;", 3, 2, 0xffffffff), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arithmetic_wraps),   cmocka_unit_test(division_is_defined_everywhere),
      cmocka_unit_test(shifts_clamp),       cmocka_unit_test(bit_fields),
      cmocka_unit_test(carries_go_through), cmocka_unit_test(comparisons),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Integer arithmetic (PTX ISA, Integer Arithmetic Instructions). Results wrap. As on an H200, quotient and remainder
 * of a division by zero are all ones, and INT_MIN / -1 is INT_MIN. */
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"

typedef __int128 wide_t;
typedef unsigned __int128 uwide_t;

#define ALL_WIDTHS(X) X(16) X(32) X(64)

#define FORMS_OF_WIDTH(N)                                                                                              \
  BINARY(add_##N, uint##N##_t, a + b)                                                                                  \
  BINARY(sub_##N, uint##N##_t, a - b)                                                                                  \
  BINARY(mul_##N, uint##N##_t, (uint64_t)a *b)                                                                         \
  TERNARY(mad_##N, uint##N##_t, (uint64_t)a *b + c)                                                                    \
  BINARY(mulhi_u##N, uint##N##_t, ((uwide_t)a * b) >> N)                                                               \
  BINARY(mulhi_s##N, int##N##_t, ((wide_t)a * b) >> N)                                                                 \
  TERNARY(madhi_u##N, uint##N##_t, (((uwide_t)a * b) >> N) + c)                                                        \
  TERNARY(madhi_s##N, uint##N##_t, (uint##N##_t)(((wide_t)(int##N##_t)a * (int##N##_t)b) >> N) + c)                    \
  BINARY(div_u##N, uint##N##_t, b ? a / b : UINT##N##_MAX)                                                             \
  BINARY(div_s##N, int##N##_t, b == 0 ? -1 : b == -1 ? (int##N##_t)(0 - (uint64_t)a) : a / b)                          \
  BINARY(rem_u##N, uint##N##_t, b ? a % b : UINT##N##_MAX)                                                             \
  BINARY(rem_s##N, int##N##_t, b == 0 ? -1 : b == -1 ? 0 : a % b)                                                      \
  BINARY(min_u##N, uint##N##_t, a < b ? a : b)                                                                         \
  BINARY(min_s##N, int##N##_t, a < b ? a : b)                                                                          \
  BINARY(max_u##N, uint##N##_t, a > b ? a : b)                                                                         \
  BINARY(max_s##N, int##N##_t, a > b ? a : b)                                                                          \
  UNARY(abs_s##N, uint##N##_t, int##N##_t, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)                                      \
  UNARY(neg_s##N, uint##N##_t, uint##N##_t, 0 - a)                                                                     \
  TERNARY(sad_u##N, uint##N##_t, c + (a < b ? b - a : a - b))                                                          \
  TERNARY(sad_s##N, int##N##_t, (uint64_t)c + (a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b))
ALL_WIDTHS(FORMS_OF_WIDTH)

static int32_t saturated(int64_t value) {
  return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}
BINARY(add_sat, int32_t, saturated((int64_t)a + b))
BINARY(sub_sat, int32_t, saturated((int64_t)a - b))
TERNARY(madhi_sat, int32_t, saturated((((int64_t)a * b) >> 32) + c))

BINARY_OF(mulwide_u16, uint32_t, uint16_t, uint16_t, (uint32_t)a *b)
BINARY_OF(mulwide_s16, int32_t, int16_t, int16_t, (int32_t)a *b)
BINARY_OF(mulwide_u32, uint64_t, uint32_t, uint32_t, (uint64_t)a *b)
BINARY_OF(mulwide_s32, int64_t, int32_t, int32_t, (int64_t)a *b)
TERNARY_OF(madwide_u16, uint32_t, uint16_t, uint16_t, uint32_t, (uint32_t)a *b + c)
TERNARY_OF(madwide_s16, uint32_t, int16_t, int16_t, uint32_t, (uint32_t)((int32_t)a * b) + c)
TERNARY_OF(madwide_u32, uint64_t, uint32_t, uint32_t, uint64_t, (uint64_t)a *b + c)
TERNARY_OF(madwide_s32, uint64_t, int32_t, int32_t, uint64_t, (uint64_t)((int64_t)a * b) + c)

static uint64_t product24_u(uint32_t a, uint32_t b) {
  return (uint64_t)(a & 0xffffff) * (b & 0xffffff);
}
static int64_t product24_s(uint32_t a, uint32_t b) {
  return (int64_t)((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8);
}
BINARY(mul24lo_u, uint32_t, product24_u(a, b))
BINARY(mul24hi_u, uint32_t, product24_u(a, b) >> 16)
BINARY(mul24lo_s, uint32_t, product24_s(a, b))
BINARY(mul24hi_s, uint32_t, product24_s(a, b) >> 16)
BINARY(min_relu, int32_t, a < b ? (a > 0 ? a : 0) : (b > 0 ? b : 0))
BINARY(max_relu, int32_t, a > b ? (a > 0 ? a : 0) : (b > 0 ? b : 0))
TERNARY(mad24hi_u, uint32_t, (product24_u(a, b) >> 16) + c)
TERNARY(mad24hi_s, uint32_t, (uint64_t)(product24_s(a, b) >> 16) + c)
TERNARY(mad24hi_sat, int32_t, saturated((product24_s((uint32_t)a, (uint32_t)b) >> 16) + c))
TERNARY(mad24lo_u, uint32_t, product24_u(a, b) + c)
TERNARY(mad24lo_s, uint32_t, (uint64_t)product24_s(a, b) + c)

/* dp4a.T.U: four products of bytes with signs T and U, plus c. */
static uint32_t dot4(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed) {
  for (int i = 0; i < 32; i += 8) {
    int32_t x = (int32_t)((a >> i) & 0xff), y = (int32_t)((b >> i) & 0xff);
    x = a_signed ? (int8_t)x : x;
    y = b_signed ? (int8_t)y : y;
    c += (uint32_t)(x * y);
  }
  return c;
}
TERNARY(dp4a_uu, uint32_t, dot4(a, b, c, false, false))
TERNARY(dp4a_us, uint32_t, dot4(a, b, c, false, true))
TERNARY(dp4a_su, uint32_t, dot4(a, b, c, true, false))
TERNARY(dp4a_ss, uint32_t, dot4(a, b, c, true, true))

#define INTEGER NEREID_EMULATOR_CLASS_INTEGER
#define ROWS_OF_WIDTH(N)                                                                                               \
  {"add", "u" #N "|s" #N, "d0s0s0", 0, 0, add_##N, INTEGER},                                                           \
      {"sub", "u" #N "|s" #N, "d0s0s0", 0, 0, sub_##N, INTEGER},                                                       \
      {"mul", "u" #N "|s" #N, "d0s0s0", EMU_BIT(lo), 0, mul_##N, INTEGER},                                             \
      {"mad", "u" #N "|s" #N, "d0s0s0s0", EMU_BIT(lo), 0, mad_##N, INTEGER},                                           \
      {"mul", "u" #N, "d0s0s0", EMU_BIT(hi), 0, mulhi_u##N, INTEGER},                                                  \
      {"mul", "s" #N, "d0s0s0", EMU_BIT(hi), 0, mulhi_s##N, INTEGER},                                                  \
      {"mad", "u" #N, "d0s0s0s0", EMU_BIT(hi), 0, madhi_u##N, INTEGER},                                                \
      {"mad", "s" #N, "d0s0s0s0", EMU_BIT(hi), 0, madhi_s##N, INTEGER},                                                \
      {"div", "u" #N, "d0s0s0", 0, 0, div_u##N, INTEGER}, {"div", "s" #N, "d0s0s0", 0, 0, div_s##N, INTEGER},          \
      {"rem", "u" #N, "d0s0s0", 0, 0, rem_u##N, INTEGER}, {"rem", "s" #N, "d0s0s0", 0, 0, rem_s##N, INTEGER},          \
      {"min", "u" #N, "d0s0s0", 0, 0, min_u##N, INTEGER}, {"min", "s" #N, "d0s0s0", 0, 0, min_s##N, INTEGER},          \
      {"max", "u" #N, "d0s0s0", 0, 0, max_u##N, INTEGER}, {"max", "s" #N, "d0s0s0", 0, 0, max_s##N, INTEGER},          \
      {"abs", "s" #N, "d0s0", 0, 0, abs_s##N, INTEGER}, {"neg", "s" #N, "d0s0", 0, 0, neg_s##N, INTEGER},              \
      {"sad", "u" #N, "d0s0s0s0", 0, 0, sad_u##N, INTEGER}, {"sad", "s" #N, "d0s0s0s0", 0, 0, sad_s##N, INTEGER},

const emu_form_t nereid_emulator_integer_forms[] = {
    ALL_WIDTHS(ROWS_OF_WIDTH) /* */
    {"add", "s32", "d0s0s0", EMU_BIT(sat), 0, add_sat, INTEGER},
    {"sub", "s32", "d0s0s0", EMU_BIT(sat), 0, sub_sat, INTEGER},
    {"mad", "s32", "d0s0s0s0", EMU_BIT(hi) | EMU_BIT(sat), 0, madhi_sat, INTEGER},
    {"mul", "u16", "dWs0s0", EMU_BIT(wide), 0, mulwide_u16, INTEGER},
    {"mul", "s16", "dWs0s0", EMU_BIT(wide), 0, mulwide_s16, INTEGER},
    {"mul", "u32", "dWs0s0", EMU_BIT(wide), 0, mulwide_u32, INTEGER},
    {"mul", "s32", "dWs0s0", EMU_BIT(wide), 0, mulwide_s32, INTEGER},
    {"mad", "u16", "dWs0s0sW", EMU_BIT(wide), 0, madwide_u16, INTEGER},
    {"mad", "s16", "dWs0s0sW", EMU_BIT(wide), 0, madwide_s16, INTEGER},
    {"mad", "u32", "dWs0s0sW", EMU_BIT(wide), 0, madwide_u32, INTEGER},
    {"mad", "s32", "dWs0s0sW", EMU_BIT(wide), 0, madwide_s32, INTEGER},
    {"mul24", "u32", "d0s0s0", EMU_BIT(lo), 0, mul24lo_u, INTEGER},
    {"mul24", "u32", "d0s0s0", EMU_BIT(hi), 0, mul24hi_u, INTEGER},
    {"mul24", "s32", "d0s0s0", EMU_BIT(lo), 0, mul24lo_s, INTEGER},
    {"mul24", "s32", "d0s0s0", EMU_BIT(hi), 0, mul24hi_s, INTEGER},
    {"mad24", "u32", "d0s0s0s0", EMU_BIT(lo), 0, mad24lo_u, INTEGER},
    {"mad24", "s32", "d0s0s0s0", EMU_BIT(lo), 0, mad24lo_s, INTEGER},
    {"mad24", "u32", "d0s0s0s0", EMU_BIT(hi), 0, mad24hi_u, INTEGER},
    {"mad24", "s32", "d0s0s0s0", EMU_BIT(hi), 0, mad24hi_s, INTEGER},
    {"mad24", "s32", "d0s0s0s0", EMU_BIT(hi) | EMU_BIT(sat), 0, mad24hi_sat, INTEGER},
    {"min", "s32", "d0s0s0", EMU_BIT(relu), 0, min_relu, INTEGER},
    {"max", "s32", "d0s0s0", EMU_BIT(relu), 0, max_relu, INTEGER},
    {"dp4a", "u32.u32", "dwswswsw", 0, 0, dp4a_uu, INTEGER},
    {"dp4a", "u32.s32", "dwswswsw", 0, 0, dp4a_us, INTEGER},
    {"dp4a", "s32.u32", "dwswswsw", 0, 0, dp4a_su, INTEGER},
    {"dp4a", "s32.s32", "dwswswsw", 0, 0, dp4a_ss, INTEGER},
    {0}};

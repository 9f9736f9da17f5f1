/* Evaluates constant integer expressions (PTX ISA, Constant Expressions): C's operators and precedence on 64 bits,
 * `.s64` and `.u64` casts. A value is unsigned if it has a U suffix, is cast to .u64, or is computed from an unsigned
 * value.
 *
 *   mov.u32 %r, (1 << 4) | 3;   .global .b32 a[2 * 8]; */
#include "emulator/parser/parse.h"

typedef struct integer {
  uint64_t bits;
  bool is_unsigned;
} integer_t;

enum { DEEPEST = 64 };

static bool conditional(emu_parser_t *parser, unsigned depth, integer_t *out);

/* (e), (.s64)e, -e, +e, !e, ~e, a number */
static bool unary(emu_parser_t *parser, unsigned depth, integer_t *out) {
  char c = nereid_emulator_peek(parser);
  emu_number_t number;
  if (depth > DEEPEST)
    return nereid_emulator_syntax(parser, "an expression is nested deeper than %d", DEEPEST);
  if (c == '(') {
    parser->at++;
    if (nereid_emulator_accept(parser, '.')) {
      nereid_view_t type = nereid_emulator_word(parser, false);
      bool is_unsigned = nereid_emulator_is(type, "u64");
      if (!is_unsigned && !nereid_emulator_is(type, "s64"))
        return nereid_emulator_syntax(parser, "a cast is to .s64 or .u64");
      if (!nereid_emulator_expect(parser, ')') || !unary(parser, depth + 1, out))
        return false;
      out->is_unsigned = is_unsigned;
      return true;
    }
    return conditional(parser, depth + 1, out) && nereid_emulator_expect(parser, ')');
  }
  if (c == '-' || c == '+' || c == '!' || c == '~') {
    parser->at++;
    if (!unary(parser, depth + 1, out))
      return false;
    out->bits = c == '-' ? 0 - out->bits : c == '~' ? ~out->bits : c == '!' ? !out->bits : out->bits;
    return true;
  }
  if (!nereid_emulator_number(parser, &number))
    return false;
  if (number.is_float)
    return nereid_emulator_syntax(parser, "operators on floating-point constants are not supported");
  *out = (integer_t){number.bits, number.bits > INT64_MAX || (parser->at[-1] | 32) == 'u'};
  return true;
}

static const struct {
  const char *text;
  unsigned precedence;
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"|", 3},
                 {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

static int operator_here(emu_parser_t *parser) {
  nereid_emulator_skip_spaces(parser);
  for (size_t i = 0; i < sizeof operators / sizeof *operators; ++i) {
    size_t size = strlen(operators[i].text);
    if ((size_t)(parser->end - parser->at) >= size && memcmp(parser->at, operators[i].text, size) == 0)
      return (int)i;
  }
  return -1;
}

static bool divide(emu_parser_t *parser, bool remainder, bool is_unsigned, integer_t *a, uint64_t b) {
  int64_t x = (int64_t)a->bits, y = (int64_t)b;
  if (!b)
    return nereid_emulator_syntax(parser, "a division by zero in a constant expression");
  if (is_unsigned)
    a->bits = remainder ? a->bits % b : a->bits / b;
  else if (y == -1) /* also correct for INT64_MIN */
    a->bits = remainder ? 0 : 0 - a->bits;
  else
    a->bits = (uint64_t)(remainder ? x % y : x / y);
  return true;
}

static bool apply(emu_parser_t *parser, const char *name, integer_t *a, integer_t b) {
  bool is_unsigned = a->is_unsigned || b.is_unsigned, pair = name[1] != 0;
  bool less = is_unsigned ? a->bits < b.bits : (int64_t)a->bits < (int64_t)b.bits, equal = a->bits == b.bits;
  uint64_t x = a->bits;
  unsigned by = b.bits < 64 ? (unsigned)b.bits : 63;
  switch (name[0]) {
  case '|':
    a->bits = pair ? x || b.bits : x | b.bits;
    break;
  case '&':
    a->bits = pair ? x && b.bits : x & b.bits;
    break;
  case '^':
    a->bits = x ^ b.bits;
    break;
  case '=':
    a->bits = equal;
    break;
  case '!':
    a->bits = !equal;
    break;
  case '<':
    a->bits = !pair ? less : name[1] == '=' ? less || equal : b.bits < 64 ? x << by : 0;
    break;
  case '>':
    a->bits = !pair            ? !less && !equal
              : name[1] == '=' ? !less
              : a->is_unsigned ? (b.bits < 64 ? x >> by : 0)
                               : (uint64_t)((int64_t)x >> by);
    break;
  case '+':
    a->bits = x + b.bits;
    break;
  case '-':
    a->bits = x - b.bits;
    break;
  case '*':
    a->bits = x * b.bits;
    break;
  default:
    a->is_unsigned = is_unsigned;
    return divide(parser, name[0] == '%', is_unsigned, a, b.bits);
  }
  a->is_unsigned = is_unsigned;
  return true;
}

static bool binary(emu_parser_t *parser, unsigned depth, unsigned least, integer_t *out) {
  if (!unary(parser, depth, out))
    return false;
  for (;;) {
    int which = operator_here(parser);
    integer_t right = {0};
    if (which < 0 || operators[which].precedence < least)
      return true;
    parser->at += strlen(operators[which].text);
    if (!binary(parser, depth + 1, operators[which].precedence + 1, &right) ||
        !apply(parser, operators[which].text, out, right))
      return false;
  }
}

static bool conditional(emu_parser_t *parser, unsigned depth, integer_t *out) {
  integer_t yes = {0}, no = {0};
  if (!binary(parser, depth, 1, out))
    return false;
  if (!nereid_emulator_accept(parser, '?'))
    return true;
  if (!conditional(parser, depth + 1, &yes) || !nereid_emulator_expect(parser, ':') ||
      !conditional(parser, depth + 1, &no))
    return false;
  *out = out->bits ? yes : no;
  return true;
}

bool nereid_emulator_expression(emu_parser_t *parser, emu_number_t *out) {
  /* The common case, a number without operators; it may be floating-point. */
  char c = nereid_emulator_peek(parser);
  const emu_mark_t start = emu_mark(parser);
  if ((c >= '0' && c <= '9') ||
      ((c == '-' || c == '+') && parser->end - start.at > 1 && start.at[1] >= '0' && start.at[1] <= '9')) {
    if (!nereid_emulator_number(parser, out))
      return false;
    char next = nereid_emulator_peek(parser);
    if (!next || strchr(",;}])", next))
      return true;
    emu_return_to(parser, start);
  }
  integer_t value = {0};
  if (!conditional(parser, 0, &value))
    return false;
  *out = (emu_number_t){.bits = value.bits};
  return true;
}

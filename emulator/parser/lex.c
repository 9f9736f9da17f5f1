/* Splits PTX text into words and numbers on demand (PTX ISA, Syntax). There are no tokens, since the meaning of a
 * dot or a percent sign depends on its context. The first error is kept, with its line. */
#include "emulator/parser/parse.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>

bool nereid_emulator_syntax(emu_parser_t *parser, const char *format, ...) {
  nereid_message_t text;
  va_list arguments;
  if (parser->status)
    return false;
  va_start(arguments, format);
  vsnprintf(text.text, sizeof text.text, format, arguments);
  va_end(arguments);
  parser->status = nereid_message_set(parser->message, NEREID_ERROR_PROGRAM, "%.200s:%u: %s", parser->program->name,
                                      parser->line, text.text);
  return false;
}

bool nereid_emulator_out_of_memory(emu_parser_t *parser) {
  if (!parser->status)
    parser->status = nereid_message_set(parser->message, NEREID_ERROR_MEMORY, "out of memory");
  return false;
}

static void skip_block_comment(emu_parser_t *parser) {
  parser->at += 2;
  while (parser->at < parser->end && !(parser->at + 1 < parser->end && parser->at[0] == '*' && parser->at[1] == '/'))
    parser->line += *parser->at++ == '\n';
  parser->at = parser->end - parser->at >= 2 ? parser->at + 2 : parser->end;
}

void nereid_emulator_skip_spaces(emu_parser_t *parser) {
  while (parser->at < parser->end) {
    char c = *parser->at, next = parser->at + 1 < parser->end ? parser->at[1] : 0;
    if (c == '/' && next == '/')
      while (parser->at < parser->end && *parser->at != '\n')
        parser->at++;
    else if (c == '/' && next == '*')
      skip_block_comment(parser);
    else if (isspace((unsigned char)c))
      parser->line += *parser->at++ == '\n';
    else
      return;
  }
}

void nereid_emulator_skip_line(emu_parser_t *parser) {
  while (parser->at < parser->end && *parser->at != '\n')
    parser->at++;
}

char nereid_emulator_peek(emu_parser_t *parser) {
  nereid_emulator_skip_spaces(parser);
  return parser->at < parser->end ? *parser->at : 0;
}

bool nereid_emulator_accept(emu_parser_t *parser, char c) {
  if (parser->at >= parser->end || nereid_emulator_peek(parser) != c)
    return false;
  parser->at++;
  return true;
}

bool nereid_emulator_expect(emu_parser_t *parser, char c) {
  if (nereid_emulator_accept(parser, c))
    return true;
  char found = nereid_emulator_peek(parser);
  if (!found)
    return nereid_emulator_syntax(parser, "expected '%c', the text ends here", c);
  return nereid_emulator_syntax(parser, "expected '%c', found '%c'", c, isprint((unsigned char)found) ? found : '?');
}

static bool is_name(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

nereid_view_t nereid_emulator_word(emu_parser_t *parser, bool dots) {
  nereid_emulator_skip_spaces(parser);
  const char *from = parser->at;
  while (parser->at < parser->end && (is_name(*parser->at) || (dots && *parser->at == '.')))
    parser->at++;
  return nereid_view_of(from, (size_t)(parser->at - from));
}

nereid_view_t nereid_emulator_opcode(emu_parser_t *parser) {
  nereid_emulator_skip_spaces(parser);
  const char *from = parser->at;
  while (parser->at < parser->end) {
    bool pair = parser->end - parser->at >= 2 && parser->at[0] == ':' && parser->at[1] == ':';
    if (!pair && !is_name(*parser->at) && *parser->at != '.')
      break;
    parser->at += pair ? 2 : 1;
  }
  return nereid_view_of(from, (size_t)(parser->at - from));
}

bool nereid_emulator_is(nereid_view_t word, const char *text) {
  return nereid_view_equal(word, nereid_view(text));
}

bool nereid_emulator_string(emu_parser_t *parser, nereid_view_t *out) {
  if (!nereid_emulator_expect(parser, '"'))
    return false;
  const char *from = parser->at;
  while (parser->at < parser->end && *parser->at != '"' && *parser->at != '\n')
    parser->at += *parser->at == '\\' && parser->end - parser->at >= 2 && parser->at[1] != '\n' ? 2 : 1;
  *out = nereid_view_of(from, (size_t)(parser->at - from));
  return nereid_emulator_expect(parser, '"');
}

static bool hex_float(emu_parser_t *parser, nereid_view_t word, emu_number_t *out) {
  char digits[17] = {0}, *stop;
  size_t n = word.data[1] == 'd' || word.data[1] == 'D' ? 16 : 8;
  if (word.size != n + 2)
    return nereid_emulator_syntax(parser, "'%.*s': expected %zu hexadecimal digits", EMU_SHOWN(word), n);
  memcpy(digits, word.data + 2, n);
  uint64_t bits = strtoull(digits, &stop, 16);
  if (*stop || !isxdigit((unsigned char)digits[0]))
    return nereid_emulator_syntax(parser, "'%.*s' is not a number", EMU_SHOWN(word));
  *out = (emu_number_t){.is_float = true, .is_single = n == 8, .bits = bits};
  float single;
  uint32_t low = (uint32_t)bits;
  memcpy(&single, &low, sizeof single);
  memcpy(&out->value, &bits, sizeof bits);
  if (n == 8)
    out->value = (double)single;
  return true;
}

static bool decimal(emu_parser_t *parser, nereid_view_t word, emu_number_t *out) {
  char digits[64], *stop;
  if (word.size >= sizeof digits)
    return nereid_emulator_syntax(parser, "a number of %zu characters", word.size);
  memcpy(digits, word.data, word.size);
  digits[word.size] = 0;
  if (strchr(digits, '.')) {
    *out = (emu_number_t){.is_float = true, .value = strtod(digits, &stop)};
  } else {
    bool binary = digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B');
    *out = (emu_number_t){.bits = strtoull(binary ? digits + 2 : digits, &stop, binary ? 2 : 0)};
    stop += *stop == 'U' || *stop == 'u';
  }
  return !*stop || nereid_emulator_syntax(parser, "'%s' is not a number", digits);
}

bool nereid_emulator_number(emu_parser_t *parser, emu_number_t *out) {
  *out = (emu_number_t){0};
  bool negative = nereid_emulator_accept(parser, '-');
  if (!negative)
    (void)nereid_emulator_accept(parser, '+');
  nereid_view_t word = nereid_emulator_word(parser, true);
  /* 1.0E-5: the word ends at the sign. */
  if (word.size && memchr(word.data, '.', word.size) && (word.data[word.size - 1] | 32) == 'e' &&
      parser->at < parser->end && (*parser->at == '-' || *parser->at == '+')) {
    parser->at++;
    nereid_view_t rest = nereid_emulator_word(parser, false);
    word.size = (size_t)(rest.data + rest.size - word.data);
  }
  if (!word.size || !isdigit((unsigned char)word.data[0]))
    return nereid_emulator_syntax(parser, "expected a number, found '%.*s'", EMU_SHOWN(word));
  char kind = word.size > 1 && word.data[0] == '0' ? (char)(word.data[1] | 32) : 0;
  if (!(kind == 'f' || kind == 'd' ? hex_float(parser, word, out) : decimal(parser, word, out)))
    return false;
  if (negative && out->is_float)
    out->value = -out->value;
  if (negative)
    out->bits = 0 - out->bits;
  return true;
}

bool nereid_emulator_unsigned(emu_parser_t *parser, uint32_t limit, uint32_t *out) {
  emu_number_t number = {0};
  if (!nereid_emulator_number(parser, &number))
    return false;
  if (number.is_float || number.bits > limit)
    return nereid_emulator_syntax(parser, "expected a number up to %u", limit);
  *out = (uint32_t)number.bits;
  return true;
}

emu_type_t nereid_emulator_type(nereid_view_t word) {
  static const struct {
    const char *name;
    emu_type_t type;
  } types[] = {
      {"u8", EMU_U8},         {"u16", EMU_U16},     {"u32", EMU_U32},     {"u64", EMU_U64},     {"s8", EMU_S8},
      {"s16", EMU_S16},       {"s32", EMU_S32},     {"s64", EMU_S64},     {"b8", EMU_B8},       {"b16", EMU_B16},
      {"b32", EMU_B32},       {"b64", EMU_B64},     {"f16", EMU_F16},     {"f16x2", EMU_F16X2}, {"bf16", EMU_BF16},
      {"bf16x2", EMU_BF16X2}, {"f32", EMU_F32},     {"f64", EMU_F64},     {"tf32", EMU_TF32},   {"e4m3x2", EMU_E4M3X2},
      {"e5m2x2", EMU_E5M2X2}, {"e4m3", EMU_E4M3},   {"e5m2", EMU_E5M2},   {"s4", EMU_S4},       {"u4", EMU_U4},
      {"b1", EMU_B1},         {"u16x2", EMU_U16X2}, {"s16x2", EMU_S16X2}, {"b128", EMU_B128},   {"pred", EMU_PRED}};
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    if (nereid_emulator_is(word, types[i].name))
      return types[i].type;
  return EMU_NONE;
}

unsigned nereid_emulator_type_size(emu_type_t type) {
  static const uint8_t sizes[] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2,  4, 2,
                                  4, 4, 8, 4, 2, 2, 1, 1, 0, 0, 0, 4, 4, 16, 0};
  return sizes[type];
}

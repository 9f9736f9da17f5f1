/* Evaluates the grid of a kernel, an affine map over its arguments, on the host.
 *
 *   "(d0, d1)[s0] -> (d0 ceildiv 128, d1 ceildiv 64, s0)"   with args [3, 4, 5]   and n = 1000, 100, 2   gives 8 2 2
 *
 * The syntax is that of MLIR's affine maps, with or without affine_map<>. Precedence is MLIR's: minus sign, then *
 * floordiv ceildiv mod, then + and -. Arithmetic is checked: an overflow is an error. */
#include "python-free-bindings/launch/kernel.h"

enum { VALUE_LIMIT = 64, DEPTH_LIMIT = 64 };

typedef struct parser {
  const char *at;
  const char *problem; /* the first problem; null: none */
  int64_t values[VALUE_LIMIT];
  size_t n_dimensions, n_values, depth;
} parser_t;

static int64_t fail(parser_t *parser, const char *problem) {
  if (!parser->problem)
    parser->problem = problem;
  return 0;
}

static void skip_blanks(parser_t *parser) {
  while (*parser->at == ' ' || *parser->at == '\n' || *parser->at == '\t')
    ++parser->at;
}

static bool accept(parser_t *parser, const char *text) {
  skip_blanks(parser);
  size_t length = strlen(text);
  if (strncmp(parser->at, text, length) != 0)
    return false;
  parser->at += length;
  return true;
}

static void expect(parser_t *parser, const char *text) {
  if (!accept(parser, text))
    fail(parser, "is malformed");
}

static int64_t parse_number(parser_t *parser) {
  int64_t value = 0;
  if (*parser->at < '0' || *parser->at > '9')
    return fail(parser, "is malformed");
  for (; *parser->at >= '0' && *parser->at <= '9'; ++parser->at)
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *parser->at - '0', &value))
      return fail(parser, "overflows");
  return value;
}

static int64_t divide(parser_t *parser, int64_t a, int64_t b, char kind) {
  if (b <= 0)
    return fail(parser, "divides by zero or by a negative number");
  int64_t quotient = a / b, rest = a % b;
  if (kind == 'm')
    return rest < 0 ? rest + b : rest;
  if (kind == 'c')
    return quotient + (rest > 0);
  return quotient - (rest < 0);
}

static int64_t parse_sum(parser_t *parser);

static int64_t parse_operand(parser_t *parser) {
  int64_t value;
  skip_blanks(parser);
  if (++parser->depth > DEPTH_LIMIT)
    return fail(parser, "is nested too deeply");
  if (accept(parser, "(")) {
    value = parse_sum(parser);
    expect(parser, ")");
  } else if (accept(parser, "-")) {
    value = parse_operand(parser);
    if (__builtin_sub_overflow(0, value, &value))
      fail(parser, "overflows");
  } else if (*parser->at == 'd' || *parser->at == 's') {
    bool symbol = *parser->at++ == 's';
    size_t first = symbol ? parser->n_dimensions : 0;
    size_t count = symbol ? parser->n_values - parser->n_dimensions : parser->n_dimensions;
    uint64_t i = (uint64_t)parse_number(parser);
    value = i < count ? parser->values[first + i] : fail(parser, "uses an undefined dimension or symbol");
  } else {
    value = parse_number(parser);
  }
  --parser->depth;
  return value;
}

static int64_t parse_product(parser_t *parser) {
  int64_t value = parse_operand(parser);
  while (!parser->problem) {
    if (accept(parser, "*")) {
      if (__builtin_mul_overflow(value, parse_operand(parser), &value))
        fail(parser, "overflows");
    } else if (accept(parser, "floordiv")) {
      value = divide(parser, value, parse_operand(parser), 'f');
    } else if (accept(parser, "ceildiv")) {
      value = divide(parser, value, parse_operand(parser), 'c');
    } else if (accept(parser, "mod")) {
      value = divide(parser, value, parse_operand(parser), 'm');
    } else {
      break;
    }
  }
  return value;
}

static int64_t parse_sum(parser_t *parser) {
  int64_t value = parse_product(parser);
  while (!parser->problem) {
    if (accept(parser, "+")) {
      if (__builtin_add_overflow(value, parse_product(parser), &value))
        fail(parser, "overflows");
    } else if (accept(parser, "-")) {
      if (__builtin_sub_overflow(value, parse_product(parser), &value))
        fail(parser, "overflows");
    } else {
      break;
    }
  }
  return value;
}

/* Counts the names of a list such as (d0, d1); they are numbered in order. */
static size_t parse_names(parser_t *parser, char letter, const char *close) {
  size_t count = 0;
  if (accept(parser, close))
    return 0;
  do {
    skip_blanks(parser);
    bool named = *parser->at == letter;
    parser->at += named;
    if (!named || parse_number(parser) != (int64_t)count++) {
      fail(parser, "is malformed");
      return 0;
    }
  } while (!parser->problem && accept(parser, ","));
  expect(parser, close);
  return count;
}

static void parse_map(parser_t *parser, int64_t sizes[3]) {
  bool wrapped = accept(parser, "affine_map<");
  size_t i = 0;
  expect(parser, "(");
  parser->n_dimensions = parse_names(parser, 'd', ")");
  size_t symbols = accept(parser, "[") ? parse_names(parser, 's', "]") : 0;
  if (!parser->problem && parser->n_dimensions + symbols != parser->n_values)
    fail(parser, "has a number of operands that differs from the number of arguments");
  if (parser->problem)
    return;
  expect(parser, "->");
  expect(parser, "(");
  do {
    if (i == 3)
      fail(parser, "has more than three results");
    else
      sizes[i++] = parse_sum(parser);
  } while (!parser->problem && accept(parser, ","));
  expect(parser, ")");
  if (wrapped)
    expect(parser, ">");
  skip_blanks(parser);
  if (*parser->at)
    fail(parser, "is malformed");
}

static nereid_status_t bind(const nereid_metadata_t *metadata, size_t n, const nereid_value_t *arguments,
                            parser_t *parser, nereid_message_t *message) {
  if (metadata->n_grid_arguments > VALUE_LIMIT)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the grid map has more than %d arguments", VALUE_LIMIT);
  for (size_t i = 0; i < metadata->n_grid_arguments; ++i) {
    size_t position = (size_t)metadata->grid_arguments[i];
    if (position >= n || arguments[position].kind != NEREID_PARAMETER_SCALAR ||
        nereid_element_is_float(arguments[position].element))
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the grid map requires an integer as argument %zu",
                                position);
    parser->values[i] = nereid_element_read_integer(arguments[position].element, &arguments[position].as.bits);
  }
  parser->n_values = metadata->n_grid_arguments;
  return NEREID_OK;
}

nereid_status_t nereid_grid_evaluate(const nereid_metadata_t *metadata, int32_t multiprocessors, size_t n,
                                     const nereid_value_t *arguments, uint32_t out_grid[3], nereid_message_t *message) {
  parser_t parser = {.at = metadata->grid_map};
  int64_t sizes[3] = {1, 1, 1};
  if (!metadata->grid_map)
    return nereid_message_set(message, NEREID_ERROR_NOT_FOUND, "kernel '%s' has no grid map", metadata->name);
  nereid_status_t status = bind(metadata, n, arguments, &parser, message);
  if (status)
    return status;
  parse_map(&parser, sizes);
  if (parser.problem)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the grid map '%.200s' %s", metadata->grid_map,
                              parser.problem);
  int64_t resident = (int64_t)metadata->grid_per_sm * multiprocessors;
  if (metadata->grid_per_sm > 0 && sizes[0] > resident)
    sizes[0] = resident;
  for (int i = 0; i < 3; ++i) {
    if (sizes[i] < 0 || sizes[i] > (i ? 65535 : INT32_MAX))
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the grid map evaluates to %lld along %c",
                                (long long)sizes[i], "xyz"[i]);
    out_grid[i] = (uint32_t)sizes[i];
  }
  return NEREID_OK;
}

nereid_status_t nereid_kernel_grid(const nereid_kernel_t *kernel, size_t n, const nereid_value_t *arguments,
                                   uint32_t out_grid[3], nereid_message_t *message) {
  return nereid_grid_evaluate(&kernel->metadata, kernel->device->info.multiprocessors, n, arguments, out_grid, message);
}

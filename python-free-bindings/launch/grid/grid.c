/* Compiles and evaluates the grid of a kernel, an affine map over its arguments.
 *
 *   "(d0, d1)[s0] -> (d0 ceildiv 128, d1 ceildiv 64, s0)"   with args [3, 4, 5]   and n = 1000, 100, 2   gives 8 2 2
 *   argument 0, 128, ceildiv, result, argument 1, 64, ceildiv, result, argument 2, result
 *
 * The syntax is that of MLIR's affine maps, with or without affine_map<>. Precedence is MLIR's: minus sign, then *
 * floordiv ceildiv mod, then + and -. A map is parsed when its kernel is loaded; each launch runs the instructions.
 * Arithmetic is checked: an overflow is an error. */
#include "python-free-bindings/launch/grid/grid.h"

#include <assert.h>
#include <string.h>

enum { DEPTH_LIMIT = 64 };

typedef struct parser {
  const char *at;
  const char *problem; /* the first problem; null: none */
  size_t n_dimensions, n_values, depth;
  nereid_grid_program_t *program;
} parser_t;

static void fail(parser_t *parser, const char *problem) {
  if (!parser->problem)
    parser->problem = problem;
}

static void emit(parser_t *parser, nereid_grid_op_t op, int64_t value) {
  if (parser->program->n_steps == NEREID_GRID_STEPS)
    fail(parser, "is too long");
  else
    parser->program->steps[parser->program->n_steps++] = (nereid_grid_step_t){op, value};
}

static void skip_spaces(parser_t *parser) {
  while (*parser->at == ' ' || *parser->at == '\n' || *parser->at == '\t')
    ++parser->at;
}

static bool accept(parser_t *parser, const char *text) {
  skip_spaces(parser);
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
    fail(parser, "is malformed");
  for (; *parser->at >= '0' && *parser->at <= '9'; ++parser->at)
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *parser->at - '0', &value)) {
      fail(parser, "overflows");
      return 0;
    }
  return value;
}

static void parse_sum(parser_t *parser);

static void parse_operand(parser_t *parser) {
  skip_spaces(parser);
  if (++parser->depth > DEPTH_LIMIT) {
    fail(parser, "is nested too deeply");
    return;
  }
  if (accept(parser, "(")) {
    parse_sum(parser);
    expect(parser, ")");
  } else if (accept(parser, "-")) {
    parse_operand(parser);
    emit(parser, NEREID_GRID_NEGATE, 0);
  } else if (*parser->at == 'd' || *parser->at == 's') {
    bool symbol = *parser->at++ == 's';
    size_t first = symbol ? parser->n_dimensions : 0;
    size_t count = symbol ? parser->n_values - parser->n_dimensions : parser->n_dimensions;
    uint64_t i = (uint64_t)parse_number(parser);
    if (i >= count)
      fail(parser, "uses an undefined dimension or symbol");
    emit(parser, NEREID_GRID_ARGUMENT, (int64_t)(first + i));
  } else {
    emit(parser, NEREID_GRID_CONSTANT, parse_number(parser));
  }
  --parser->depth;
}

static void parse_product(parser_t *parser) {
  static const struct {
    const char *text;
    nereid_grid_op_t op;
  } rows[] = {{"*", NEREID_GRID_MULTIPLY},
              {"floordiv", NEREID_GRID_FLOORDIV},
              {"ceildiv", NEREID_GRID_CEILDIV},
              {"mod", NEREID_GRID_MOD}};
  const size_t n = sizeof rows / sizeof *rows;
  parse_operand(parser);
  for (size_t i = 0; i < n && !parser->problem; ++i)
    if (accept(parser, rows[i].text)) {
      parse_operand(parser);
      emit(parser, rows[i].op, 0);
      i = SIZE_MAX; /* the next operator may be any */
    }
}

static void parse_sum(parser_t *parser) {
  parse_product(parser);
  while (!parser->problem) {
    const bool add = accept(parser, "+");
    if (!add && !accept(parser, "-"))
      break;
    parse_product(parser);
    emit(parser, add ? NEREID_GRID_ADD : NEREID_GRID_SUBTRACT, 0);
  }
}

/* Counts the names of a list such as (d0, d1); they are numbered in order. */
static size_t parse_names(parser_t *parser, char letter, const char *close) {
  size_t count = 0;
  if (accept(parser, close))
    return 0;
  do {
    skip_spaces(parser);
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

static void parse_map(parser_t *parser) {
  bool wrapped = accept(parser, "affine_map<");
  size_t n_results = 0;
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
    if (++n_results > 3)
      fail(parser, "has more than three results");
    parse_sum(parser);
    emit(parser, NEREID_GRID_RESULT, 0);
  } while (!parser->problem && accept(parser, ","));
  expect(parser, ")");
  if (wrapped)
    expect(parser, ">");
  skip_spaces(parser);
  if (*parser->at)
    fail(parser, "is malformed");
}

static nereid_status_t check_arguments(const nereid_metadata_t *metadata, nereid_message_t *message) {
  if (metadata->n_grid_arguments > NEREID_GRID_ARGUMENTS)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the grid map has more than %d arguments",
                              (int)NEREID_GRID_ARGUMENTS);
  for (size_t i = 0; metadata->signature && i < metadata->n_grid_arguments; ++i) {
    const size_t position = (size_t)metadata->grid_arguments[i];
    const nereid_parameter_t *parameter = &metadata->parameters[position < metadata->n_parameters ? position : 0];
    if (position >= metadata->n_parameters || parameter->kind != NEREID_PARAMETER_SCALAR ||
        nereid_element_is_float(parameter->element))
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                                "the grid map requires an integer as parameter %zu of kernel '%s'", position,
                                metadata->name);
  }
  return NEREID_OK;
}

nereid_status_t nereid_grid_compile(const nereid_metadata_t *metadata, nereid_grid_program_t *out_program,
                                    nereid_message_t *message) {
  parser_t parser = {.at = metadata->grid_map, .n_values = metadata->n_grid_arguments, .program = out_program};
  out_program->n_steps = 0;
  if (!metadata->grid_map)
    return NEREID_OK;
  nereid_status_t status = check_arguments(metadata, message);
  if (status)
    return status;
  parse_map(&parser);
  if (!parser.problem)
    return NEREID_OK;
  out_program->n_steps = 0;
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the grid map '%.200s' %s", metadata->grid_map,
                            parser.problem);
}

/* --- evaluation --- */

static const char overflows[] = "overflows", divides[] = "divides by zero or by a negative number";

/* Computes a op b; returns the problem, or null. */
static const char *apply(nereid_grid_op_t op, int64_t a, int64_t b, int64_t *out) {
  switch (op) {
  case NEREID_GRID_ADD:
    return __builtin_add_overflow(a, b, out) ? overflows : NULL;
  case NEREID_GRID_SUBTRACT:
    return __builtin_sub_overflow(a, b, out) ? overflows : NULL;
  case NEREID_GRID_MULTIPLY:
    return __builtin_mul_overflow(a, b, out) ? overflows : NULL;
  default:
    break;
  }
  if (b <= 0)
    return divides;
  const int64_t quotient = a / b, rest = a % b;
  *out = op == NEREID_GRID_MOD       ? (rest < 0 ? rest + b : rest)
         : op == NEREID_GRID_CEILDIV ? quotient + (rest > 0)
                                     : quotient - (rest < 0);
  return NULL;
}

/* Runs the steps; `sizes` has room for three results. Returns the problem, or null. */
static const char *run(const nereid_grid_program_t *program, const int64_t *values, int64_t *sizes) {
  int64_t stack[NEREID_GRID_STEPS], *top = stack; /* each step pushes one value at most */
  const char *problem = NULL;
  for (size_t i = 0; i < program->n_steps && !problem; ++i) {
    const nereid_grid_step_t step = program->steps[i];
    switch (step.op) {
    case NEREID_GRID_CONSTANT:
      *top++ = step.value;
      break;
    case NEREID_GRID_ARGUMENT:
      *top++ = values[step.value];
      break;
    case NEREID_GRID_NEGATE:
      assert(top > stack);
      problem = apply(NEREID_GRID_SUBTRACT, 0, top[-1], &top[-1]);
      break;
    case NEREID_GRID_RESULT:
      assert(top > stack);
      *sizes++ = *--top;
      break;
    default:
      assert(top > stack + 1);
      --top;
      problem = apply(step.op, top[-1], *top, &top[-1]);
    }
  }
  return problem;
}

nereid_status_t nereid_grid_run(const nereid_grid_program_t *program, const nereid_metadata_t *metadata,
                                int32_t multiprocessors, const int64_t *values, uint32_t out_grid[3],
                                nereid_message_t *message) {
  int64_t sizes[3] = {1, 1, 1};
  const char *problem = run(program, values, sizes);
  if (problem)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the grid map '%.200s' %s", metadata->grid_map, problem);
  const int64_t resident = (int64_t)metadata->grid_per_sm * multiprocessors;
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

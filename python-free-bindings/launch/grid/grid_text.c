/* Reads the grid of a kernel as users write it, in names of arguments and options.
 *
 *   x = ceildiv(m, 128) * ceildiv(a[1], 64), y = batch, per_sm = 2
 *   map ()[s0, s1, s2] -> ((s0 ceildiv 128) * (s1 ceildiv 64), s2)    args [5, 2, 6]    per_sm 2
 *
 * Inputs are symbols, since MLIR multiplies and divides by symbols and constants only. a[1] is the extent of dimension
 * 1 of descriptor a. Entries without a key are x, y and z in order, so 98 and 4,2 are grids, too. per_sm limits x;
 * without x it is the grid of a kernel that fills the device. */
#include "python-free-bindings/launch/grid/grid.h"

enum { DEPTH_LIMIT = 64, DIMENSIONS = 3 };

typedef struct reader {
  nereid_arena_t *arena;
  const nereid_metadata_t *metadata;
  nereid_view_t text;
  size_t at;
  size_t depth;
  int32_t positions[NEREID_GRID_ARGUMENTS];
  size_t n_positions;
  const char *results[DIMENSIONS]; /* null: 1 */
  size_t n_unnamed;                /* entries without a key */
  int64_t per_sm;                  /* -1: not specified */
  nereid_message_t *message;
  nereid_status_t status;
} reader_t;

/* Returns null. The first problem is kept. */
static const char *refuse(reader_t *reader, const char *format, ...) NEREID_PRINTF(2, 3);
static const char *refuse(reader_t *reader, const char *format, ...) {
  va_list arguments;
  if (reader->status)
    return NULL;
  va_start(arguments, format);
  const char *problem = nereid_arena_format_v(reader->arena, format, arguments);
  va_end(arguments);
  reader->status = nereid_message_set(reader->message, NEREID_ERROR_ARGUMENT, "grid '%.*s': %s",
                                      (int)(reader->text.size < 200 ? reader->text.size : 200), reader->text.data,
                                      problem ? problem : "out of memory");
  return NULL;
}

static char peek(reader_t *reader) {
  while (reader->at < reader->text.size &&
         (reader->text.data[reader->at] == ' ' || reader->text.data[reader->at] == '\t' ||
          reader->text.data[reader->at] == '\n'))
    ++reader->at;
  return reader->at < reader->text.size ? reader->text.data[reader->at] : '\0';
}

static bool accept(reader_t *reader, char c) {
  const bool is_there = peek(reader) == c;
  reader->at += is_there;
  return is_there;
}

static void expect(reader_t *reader, char c) {
  if (!accept(reader, c))
    refuse(reader, "%s '%c'", reader->at < reader->text.size ? "expected" : "ends before", c);
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Returns the name at the reader in the arena, or null. */
static const char *take_name(reader_t *reader) {
  peek(reader);
  const size_t start = reader->at + (peek(reader) == '%');
  size_t end = start;
  while (end < reader->text.size &&
         (is_letter(reader->text.data[end]) ||
          (end > start && (is_digit(reader->text.data[end]) || reader->text.data[end] == '.'))))
    ++end;
  if (end == start)
    return NULL;
  reader->at = end;
  return nereid_arena_copy(reader->arena, nereid_view_of(reader->text.data + start, end - start));
}

static int64_t take_number(reader_t *reader) {
  int64_t value = 0;
  if (!is_digit(peek(reader))) {
    refuse(reader, "expected a number");
    return 0;
  }
  for (; reader->at < reader->text.size && is_digit(reader->text.data[reader->at]); ++reader->at) {
    value = value * 10 + (reader->text.data[reader->at] - '0');
    if (value > INT32_MAX) {
      refuse(reader, "a number exceeds 2^31 - 1");
      return 0;
    }
  }
  return value;
}

/* --- names --- */

static bool is_integer(const nereid_parameter_t *parameter) {
  return parameter->kind == NEREID_PARAMETER_SCALAR && !nereid_element_is_float(parameter->element);
}

static bool is_named(const nereid_parameter_t *parameter, const char *name) {
  return parameter->name && strcmp(parameter->name, name) == 0 &&
         (parameter->role == NEREID_ROLE_ARGUMENT || parameter->role == NEREID_ROLE_DESCRIPTOR ||
          parameter->role == NEREID_ROLE_BASE);
}

/* Finds an argument by its name, or by argN if no argument is named so. */
static const nereid_parameter_t *find(const reader_t *reader, const char *name) {
  const nereid_metadata_t *metadata = reader->metadata;
  size_t position = 0;
  for (size_t i = 0; i < metadata->n_parameters; ++i)
    if (is_named(&metadata->parameters[i], name))
      return &metadata->parameters[i];
  if (strncmp(name, "arg", 3) != 0 || !name[3])
    return NULL;
  for (const char *at = name + 3; *at; ++at) {
    if (!is_digit(*at) || position > 1 << 20)
      return NULL;
    position = position * 10 + (size_t)(*at - '0');
  }
  return position < metadata->n_parameters ? &metadata->parameters[position] : NULL;
}

static const nereid_parameter_t *extent_of(const reader_t *reader, const nereid_parameter_t *head, int64_t dimension) {
  const nereid_metadata_t *metadata = reader->metadata;
  for (size_t i = 0; head->group >= 0 && i < metadata->n_parameters; ++i) {
    const nereid_parameter_t *part = &metadata->parameters[i];
    if (part->group == head->group && part->role == NEREID_ROLE_SHAPE && part->dimension == dimension)
      return part;
  }
  return NULL;
}

static const char *symbol_of(reader_t *reader, const nereid_parameter_t *parameter) {
  const int32_t position = (int32_t)(parameter - reader->metadata->parameters);
  size_t i = 0;
  while (i < reader->n_positions && reader->positions[i] != position)
    ++i;
  if (i == NEREID_GRID_ARGUMENTS)
    return refuse(reader, "uses too many arguments");
  if (i == reader->n_positions)
    reader->positions[reader->n_positions++] = position;
  return nereid_arena_format(reader->arena, "s%zu", i);
}

/* Lists the names that could be meant. */
static const char *unknown_name(reader_t *reader, const char *name) {
  const char *list = "";
  for (size_t i = 0; list && i < reader->metadata->n_parameters; ++i) {
    const nereid_parameter_t *parameter = &reader->metadata->parameters[i];
    if (parameter->name && parameter->role == NEREID_ROLE_ARGUMENT && is_integer(parameter))
      list = nereid_arena_format(reader->arena, "%s%s%s", list, *list ? ", " : "", parameter->name);
  }
  return refuse(reader,
                "the kernel has no argument '%s'; integer arguments: %s; options: num_warps, num_stages, num_ctas, "
                "maxnreg",
                name, list && *list ? list : "none with a name (use arg0, arg1, ...)");
}

/* An argument, the extent of a descriptor, or an option of the compilation. */
static const char *read_name(reader_t *reader, const char *name) {
  const nereid_metadata_t *metadata = reader->metadata;
  const nereid_parameter_t *parameter = find(reader, name);
  const struct {
    const char *name;
    int32_t value;
  } options[] = {{"num_warps", metadata->num_warps},
                 {"num_stages", metadata->num_stages},
                 {"num_ctas", metadata->num_ctas},
                 {"maxnreg", metadata->maxnreg}};
  if (parameter && accept(reader, '[')) {
    const nereid_parameter_t *extent = extent_of(reader, parameter, take_number(reader));
    expect(reader, ']');
    return extent ? symbol_of(reader, extent)
                  : refuse(reader, "'%s' is not a descriptor with this dimension as an argument", name);
  }
  if (parameter)
    return is_integer(parameter) ? symbol_of(reader, parameter)
                                 : refuse(reader, "argument '%s' is not an integer", name);
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i)
    if (strcmp(options[i].name, name) == 0)
      return nereid_arena_format(reader->arena, "%d", (int)options[i].value);
  return unknown_name(reader, name);
}

/* --- expressions --- */

static const char *read_sum(reader_t *reader);

static const char *join(reader_t *reader, const char *a, const char *op, const char *b) {
  const bool divides = strcmp(op, "*") != 0 && strcmp(op, "+") != 0 && strcmp(op, "-") != 0;
  if (divides && b && strcmp(b, "0") == 0)
    return refuse(reader, "divides by zero");
  return a && b ? nereid_arena_format(reader->arena, "(%s %s %s)", a, op, b) : NULL;
}

/* Reads the operands of ceildiv(a, b), after the parenthesis. */
static const char *read_call(reader_t *reader, const char *name) {
  const char *op = strcmp(name, "cdiv") == 0 ? "ceildiv" : name;
  if (strcmp(op, "ceildiv") != 0 && strcmp(op, "floordiv") != 0 && strcmp(op, "mod") != 0)
    return refuse(reader, "'%s' is not a function of grids, which are ceildiv, cdiv, floordiv and mod", name);
  const char *a = read_sum(reader);
  expect(reader, ',');
  const char *b = read_sum(reader);
  expect(reader, ')');
  return join(reader, a, op, b);
}

static const char *read_operand(reader_t *reader) {
  const char *result;
  if (++reader->depth > DEPTH_LIMIT)
    return refuse(reader, "is nested too deeply");
  if (accept(reader, '(')) {
    result = read_sum(reader);
    expect(reader, ')');
  } else if (accept(reader, '-')) {
    const char *operand = read_operand(reader);
    result = operand ? nereid_arena_format(reader->arena, "(-%s)", operand) : NULL;
  } else if (is_digit(peek(reader))) {
    result = nereid_arena_format(reader->arena, "%lld", (long long)take_number(reader));
  } else {
    const char *name = take_name(reader);
    result = !name                 ? refuse(reader, "expected a number, a name or a parenthesis")
             : accept(reader, '(') ? read_call(reader, name)
                                   : read_name(reader, name);
  }
  --reader->depth;
  return result;
}

/* Accepts an operator between factors: * / // floordiv ceildiv mod. */
static const char *take_operator(reader_t *reader) {
  if (accept(reader, '*'))
    return "*";
  if (accept(reader, '/')) {
    accept(reader, '/');
    return "floordiv";
  }
  const size_t start = reader->at;
  const char *name = is_letter(peek(reader)) ? take_name(reader) : NULL;
  if (name && (strcmp(name, "floordiv") == 0 || strcmp(name, "ceildiv") == 0 || strcmp(name, "mod") == 0))
    return name;
  reader->at = start;
  return NULL;
}

static const char *read_product(reader_t *reader) {
  const char *result = read_operand(reader);
  for (const char *op; result && (op = take_operator(reader));)
    result = join(reader, result, op, read_operand(reader));
  return result;
}

static const char *read_sum(reader_t *reader) {
  const char *result = read_product(reader);
  while (result && (peek(reader) == '+' || peek(reader) == '-')) {
    const char *op = accept(reader, '+') ? "+" : "-";
    if (*op == '-')
      ++reader->at;
    result = join(reader, result, op, read_product(reader));
  }
  return result;
}

/* --- entries --- */

enum { PER_SM = DIMENSIONS + 1 /* DIMENSIONS: a fourth dimension, which is an error */ };

/* Reads `x =`; returns the dimension or PER_SM. Without a key it is the next dimension. */
static size_t read_key(reader_t *reader) {
  static const struct {
    const char *name;
    size_t key;
  } rows[] = {{"x", 0}, {"y", 1}, {"z", 2}, {"per_sm", PER_SM}};
  const size_t start = reader->at;
  const char *name = take_name(reader);
  if (!name || !accept(reader, '=')) {
    reader->at = start;
    return reader->n_unnamed < DIMENSIONS ? reader->n_unnamed++ : DIMENSIONS;
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (strcmp(rows[i].name, name) == 0)
      return rows[i].key;
  refuse(reader, "'%s' is not a key; expected x, y, z or per_sm", name);
  return DIMENSIONS;
}

static void read_entry(reader_t *reader) {
  const size_t key = read_key(reader);
  if (key == DIMENSIONS) {
    refuse(reader, "a grid has three dimensions");
  } else if (key == PER_SM ? reader->per_sm >= 0 : reader->results[key] != NULL) {
    refuse(reader, "%s is specified twice", key == PER_SM ? "per_sm" : &"x\0y\0z"[2 * key]);
  } else if (key == PER_SM) {
    reader->per_sm = take_number(reader);
    if (reader->per_sm > 1024)
      refuse(reader, "per_sm exceeds 1024");
  } else {
    reader->results[key] = read_sum(reader);
  }
}

static nereid_status_t finish(reader_t *reader, nereid_metadata_t *metadata) {
  nereid_grid_program_t program;
  const char *symbols = "", *results = "";
  size_t n_results = DIMENSIONS;
  while (n_results > 1 && !reader->results[n_results - 1])
    --n_results;
  for (size_t i = 0; symbols && i < reader->n_positions; ++i)
    symbols = nereid_arena_format(reader->arena, "%s%ss%zu", symbols, i ? ", " : "", i);
  for (size_t i = 0; results && i < n_results; ++i)
    results = nereid_arena_format(reader->arena, "%s%s%s", results, i ? ", " : "",
                                  reader->results[i]             ? reader->results[i]
                                  : i == 0 && reader->per_sm > 0 ? "2147483647"
                                                                 : "1");
  nereid_metadata_t made = *metadata;
  int32_t *positions = nereid_arena_new(reader->arena, int32_t, reader->n_positions);
  made.grid_map =
      nereid_arena_format(reader->arena, reader->n_positions ? "()[%s] -> (%s)" : "()%s -> (%s)", symbols, results);
  if (!positions || !made.grid_map || reader->arena->failed)
    return nereid_message_set(reader->message, NEREID_ERROR_MEMORY, "out of memory");
  memcpy(positions, reader->positions, reader->n_positions * sizeof *positions);
  made.grid_arguments = positions;
  made.n_grid_arguments = reader->n_positions;
  made.grid_per_sm = reader->per_sm < 0 ? 0 : (int32_t)reader->per_sm;
  nereid_status_t status = nereid_grid_compile(&made, &program, reader->message);
  if (!status)
    *metadata = made;
  return status;
}

nereid_status_t nereid_metadata_set_grid(nereid_arena_t *arena, nereid_view_t text, nereid_metadata_t *metadata,
                                         nereid_message_t *message) {
  reader_t reader = {.arena = arena, .metadata = metadata, .text = text, .per_sm = -1, .message = message};
  do {
    read_entry(&reader);
  } while (!reader.status && accept(&reader, ','));
  if (!reader.status && peek(&reader))
    refuse(&reader, "expected an operator or a comma");
  if (!reader.status && arena->failed)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  return reader.status ? reader.status : finish(&reader, metadata);
}

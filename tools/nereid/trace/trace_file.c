/* A trace as text: numbers and strings, separated by spaces. A string has its length in bytes before a colon; "-:" is a
 * null one.
 *
 *   nereid-trace 1 3
 *   0 -: 0.000 17 9                          a step: stage, pass, milliseconds, numbers of operations and values
 *   9:arith.add -: 21:%2 = arith.add %0, %1 ...
 *
 * The reader accepts any text: it checks each index, because the text may come from another build. */
#include "tools/nereid/trace/trace_file.h"

#include <inttypes.h>
#include <stdlib.h>

static const char head[] = "nereid-trace 1 ";

/* --- writing --- */

static void write_string(FILE *file, const char *text) {
  if (text)
    fprintf(file, "%zu:%s ", strlen(text), text);
  else
    fputs("-: ", file);
}

static void write_op(FILE *file, const tool_op_t *op) {
  write_string(file, op->name);
  write_string(file, op->symbol);
  write_string(file, op->text);
  write_string(file, op->file);
  fprintf(file, "%u %u %u %u %u %u %u %u %" PRIu64 " %u", op->line, op->column, op->rhs, op->parent, op->depth,
          op->first_value, op->n_results, op->n_arguments, op->place, op->n_tokens);
  for (uint32_t i = 0; i < op->n_tokens; ++i) {
    const tool_token_t *token = &op->tokens[i];
    fprintf(file, " %u %u %u %d", token->start, token->length, token->target, token->is_block);
  }
  fputc('\n', file);
}

static void write_value(FILE *file, const tool_value_t *value) {
  write_string(file, value->token);
  write_string(file, value->type);
  fprintf(file, "%u %" PRIu64 "\n", value->op, value->key);
}

void tool_trace_write(const tool_trace_t *trace, FILE *file) {
  fprintf(file, "%s%zu\n", head, trace->n_steps);
  for (size_t i = 0; i < trace->n_steps; ++i) {
    const tool_step_t *step = &trace->steps[i];
    fprintf(file, "%d ", (int)step->stage);
    write_string(file, step->pass);
    fprintf(file, "%.3f %u %u\n", step->milliseconds, step->after->n_ops, step->after->n_values);
    for (uint32_t k = 0; k < step->after->n_ops; ++k)
      write_op(file, &step->after->ops[k]);
    for (uint32_t k = 0; k < step->after->n_values; ++k)
      write_value(file, &step->after->values[k]);
  }
}

/* --- reading --- */

typedef struct reader {
  nereid_arena_t *arena;
  const char *at, *end; /* a null follows the text */
  bool failed;
} reader_t;

static void skip_space(reader_t *it) {
  while (it->at < it->end && (*it->at == ' ' || *it->at == '\n'))
    ++it->at;
}

/* Reads a number of at most `limit`. */
static uint64_t read_number(reader_t *it, uint64_t limit) {
  char *end = NULL;
  skip_space(it);
  const bool is_digit = it->at < it->end && *it->at >= '0' && *it->at <= '9';
  const uint64_t number = is_digit ? strtoull(it->at, &end, 10) : 0;
  it->failed |= !is_digit || number > limit;
  it->at = is_digit ? end : it->at;
  return it->failed ? 0 : number;
}

static double read_real(reader_t *it) {
  char *end = NULL;
  skip_space(it);
  const double number = strtod(it->at, &end);
  it->failed |= end == it->at;
  it->at = end;
  return number;
}

/* Reads a string; null only where `null` allows it. */
static const char *read_string(reader_t *it, bool null) {
  skip_space(it);
  if (null && it->end - it->at >= 2 && it->at[0] == '-' && it->at[1] == ':') {
    it->at += 2;
    return NULL;
  }
  const uint64_t length = read_number(it, UINT32_MAX);
  if (it->failed || *it->at != ':' || (uint64_t)(it->end - it->at - 1) < length) {
    it->failed = true;
    return "";
  }
  const char *text = nereid_arena_copy(it->arena, nereid_view_of(it->at + 1, length));
  it->at += 1 + length;
  it->failed |= !text || strlen(text) != length;
  return text ? text : "";
}

static uint32_t read_index(reader_t *it, uint64_t limit) {
  return (uint32_t)read_number(it, limit ? limit - 1 : 0);
}

static void read_tokens(reader_t *it, tool_op_t *op, uint32_t n_ops, uint32_t n_values) {
  const size_t length = strlen(op->text);
  size_t before = op->rhs; /* tokens follow each other in the text */
  tool_token_t *tokens = nereid_arena_new(it->arena, tool_token_t, op->n_tokens + (size_t)1);
  it->failed |= !tokens;
  for (uint32_t i = 0; i < op->n_tokens && !it->failed; ++i) {
    tool_token_t *token = &tokens[i];
    token->start = (uint32_t)read_number(it, length);
    token->length = (uint32_t)read_number(it, length - token->start);
    const uint64_t target = read_number(it, UINT32_MAX);
    token->is_block = read_number(it, 1);
    token->target = (uint32_t)target;
    it->failed |= token->start < before || target >= (token->is_block ? n_ops : n_values);
    before = token->start + (size_t)token->length;
  }
  op->tokens = tokens;
}

static void read_op(reader_t *it, tool_op_t *op, uint32_t n_ops, uint32_t n_values) {
  op->name = read_string(it, false);
  op->symbol = read_string(it, true);
  op->text = read_string(it, false);
  op->file = read_string(it, true);
  op->line = (uint32_t)read_number(it, UINT32_MAX);
  op->column = (uint32_t)read_number(it, UINT32_MAX);
  op->rhs = (uint32_t)read_number(it, strlen(op->text));
  op->parent = read_index(it, n_ops);
  op->depth = (uint32_t)read_number(it, n_ops);
  op->first_value = (uint32_t)read_number(it, n_values);
  op->n_results = (uint32_t)read_number(it, n_values - op->first_value);
  op->n_arguments = (uint32_t)read_number(it, n_values - op->first_value - op->n_results);
  op->place = read_number(it, UINT64_MAX);
  op->n_tokens = (uint32_t)read_number(it, strlen(op->text));
  read_tokens(it, op, n_ops, n_values);
}

static const tool_snapshot_t *read_snapshot(reader_t *it) {
  const uint64_t left = (uint64_t)(it->end - it->at); /* an operation or a value takes more than one byte */
  const uint32_t n_ops = (uint32_t)read_number(it, left), n_values = (uint32_t)read_number(it, left);
  tool_op_t *ops = nereid_arena_new(it->arena, tool_op_t, n_ops + (size_t)1);
  tool_value_t *values = nereid_arena_new(it->arena, tool_value_t, n_values + (size_t)1);
  tool_snapshot_t *snapshot = nereid_arena_new(it->arena, tool_snapshot_t, 1);
  it->failed |= !ops || !values || !snapshot || !n_ops;
  for (uint32_t i = 0; i < n_ops && !it->failed; ++i)
    read_op(it, &ops[i], n_ops, n_values);
  for (uint32_t i = 0; i < n_values && !it->failed; ++i) {
    values[i].token = read_string(it, false);
    values[i].type = read_string(it, false);
    values[i].op = read_index(it, n_ops);
    values[i].key = read_number(it, UINT64_MAX);
  }
  if (it->failed)
    return NULL;
  *snapshot = (tool_snapshot_t){.ops = ops, .n_ops = n_ops, .values = values, .n_values = n_values};
  return snapshot;
}

nereid_status_t tool_trace_read(nereid_arena_t *arena, nereid_view_t text, tool_trace_t *out_trace,
                                nereid_message_t *message) {
  reader_t it = {.arena = arena, .at = nereid_arena_copy(arena, text)};
  *out_trace = (tool_trace_t){NULL, 0};
  if (!it.at)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  it.end = it.at + text.size;
  if (strncmp(it.at, head, sizeof head - 1) != 0)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "this is not a trace of this version of nereid diff");
  it.at += sizeof head - 1;
  const size_t n = (size_t)read_number(&it, text.size);
  tool_step_t *steps = nereid_arena_new(arena, tool_step_t, n + 1);
  it.failed |= !steps;
  for (size_t i = 0; i < n && !it.failed; ++i) {
    steps[i].stage = (nereid_pipeline_t)read_number(&it, NEREID_PIPELINE_GRID);
    steps[i].pass = read_string(&it, i == 0);
    steps[i].milliseconds = read_real(&it);
    steps[i].after = read_snapshot(&it);
  }
  if (it.failed)
    return arena->failed ? nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory")
                         : nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the trace is damaged at byte %zu",
                                              (size_t)(text.size - (size_t)(it.end - it.at)));
  *out_trace = (tool_trace_t){steps, n};
  return NEREID_OK;
}

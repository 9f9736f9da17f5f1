/* Parses argument specifications; spec.h has the grammar. */
#include "tools/nereid/run/spec.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define REFUSE(...) nereid_message_set(message, NEREID_ERROR_ARGUMENT, __VA_ARGS__)

/* Parses "1024x64" up to `end`. Returns the rank, or 0 when it is malformed. */
static uint32_t parse_extents(const char *at, const char *end, uint64_t *out_extents, uint32_t limit) {
  uint32_t rank = 0;
  for (;; ++at) {
    uint64_t extent = 0;
    const char *start = at;
    for (; at < end && *at >= '0' && *at <= '9' && extent < UINT64_C(1) << 56; ++at)
      extent = extent * 10 + (uint64_t)(*at - '0');
    if (at == start || rank == limit)
      return 0;
    out_extents[rank++] = extent;
    if (at == end)
      return rank;
    if (*at != 'x')
      return 0;
  }
}

/* Parses "s128" at the end of a box. Returns its position, or the end when there is none. */
static const char *parse_swizzle(const char *text, tool_spec_t *spec) {
  static const char *const swizzles[] = {"s0", "s32", "s64", "s128"};
  const char *at = strchr(text, 's');
  for (size_t i = 0; at && i < sizeof swizzles / sizeof *swizzles; ++i)
    if (strcmp(at, swizzles[i]) == 0) {
      spec->has_swizzle = true;
      spec->swizzle = (uint32_t)strtoul(at + 1, NULL, 10);
      return at;
    }
  return text + strlen(text);
}

static nereid_status_t parse_box(const char *text, const char *slash, tool_spec_t *spec, nereid_message_t *message) {
  uint64_t extents[NEREID_RANK_LIMIT];
  spec->box_rank = parse_extents(slash + 1, parse_swizzle(slash + 1, spec), extents, NEREID_RANK_LIMIT);
  for (uint32_t i = 0; i < spec->box_rank; ++i) {
    if (extents[i] == 0 || extents[i] > 1 << 24)
      spec->box_rank = 0;
    else
      spec->box[i] = (int32_t)extents[i];
  }
  if (!spec->box_rank)
    return REFUSE("'%s': after / come one to five box extents such as 128x64, and s128 for a swizzle of 128 bytes",
                  text);
  return NEREID_OK;
}

/* Parses the numbers of "name(a)" or "name(a,b)". Returns their count, 0 when it is malformed. */
static int parse_call(const char *text, const char *name, double *out_first, double *out_second) {
  size_t length = strlen(name);
  char *end;
  if (strncmp(text, name, length) != 0 || text[length] != '(')
    return 0;
  *out_first = strtod(text + length + 1, &end);
  if (end == text + length + 1)
    return 0;
  if (strcmp(end, ")") == 0)
    return 1;
  const char *second = end + 1;
  if (*end != ',')
    return 0;
  *out_second = strtod(second, &end);
  return end != second && strcmp(end, ")") == 0 ? 2 : 0;
}

static bool is_whole(double value) {
  return fabs(value) <= 9007199254740992.0 && floor(value) == value;
}

static nereid_status_t parse_fill(const char *text, const char *fill, tool_spec_t *spec, nereid_message_t *message) {
  double low = 0, high = 0;
  spec->fill = TOOL_FILL_FULL;
  if (fill[0] == '@' && fill[1]) {
    spec->fill = TOOL_FILL_FILE;
    spec->file = fill + 1;
  } else if (strcmp(fill, "rand") == 0) {
    spec->fill = TOOL_FILL_RAND;
  } else if (strcmp(fill, "arange") == 0) {
    spec->fill = TOOL_FILL_ARANGE;
  } else if (strcmp(fill, "ones") == 0) {
    spec->value = 1;
  } else if (parse_call(fill, "full", &low, &high) == 1) {
    spec->value = low;
  } else if (parse_call(fill, "randint", &low, &high) == 2 && is_whole(low) && is_whole(high) && low < high) {
    spec->fill = TOOL_FILL_RANDINT;
    spec->low = (int64_t)low;
    spec->high = (int64_t)high;
  } else if (strcmp(fill, "zeros") != 0) {
    return REFUSE("'%s': expected a fill of rand, zeros, ones, arange, full(x), randint(a,b) with a < b, or @FILE.npy",
                  text);
  }
  return NEREID_OK;
}

/* Parses TYPE[SHAPE]:INIT, without the box. */
static nereid_status_t parse_tensor(nereid_arena_t *arena, const char *text, const char *open, tool_spec_t *spec,
                                    nereid_message_t *message) {
  const char *close = strchr(open, ']');
  spec->kind = TOOL_SPEC_TENSOR;
  spec->element = nereid_element_parse(nereid_view_of(text, (size_t)(open - text)));
  if (!spec->element)
    return REFUSE("'%s': '%.*s' is not an element type (i1 i8 i16 i32 i64 f16 bf16 f32 f64 fp8e4nv fp8e5)", text,
                  (int)(open - text), text);
  if (close)
    spec->rank = parse_extents(open + 1, close, spec->shape, TOOL_RANK_LIMIT);
  tool_tensor_t measured = {.element = spec->element, .rank = spec->rank};
  memcpy(measured.shape, spec->shape, sizeof measured.shape);
  if (!close || !spec->rank || !tool_tensor_measure(&measured))
    return REFUSE(
        "'%s': expected a shape of one to eight extents such as [1024x64], with less than 2^46 bytes in total", text);
  if (close[1] != ':')
    return REFUSE("'%s': expected ':' and a fill after the shape", text);
  const char *fill = nereid_arena_copy(arena, nereid_view(close + 2));
  return fill ? parse_fill(text, fill, spec, message)
              : nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
}

static nereid_status_t parse_integer(const char *text, const char *number, tool_spec_t *spec,
                                     nereid_message_t *message) {
  char *end;
  int base = strstr(number, "0x") ? 16 : 10;
  errno = 0;
  spec->kind = TOOL_SPEC_INTEGER;
  spec->integer = strtoll(number, &end, base);
  if (errno == ERANGE && *number != '-') {
    errno = 0;
    spec->integer = (int64_t)strtoull(number, &end, base);
    spec->large = true;
  }
  if (errno == ERANGE)
    return REFUSE("'%s' does not fit 64 bits", text);
  spec->number = spec->large ? (double)(uint64_t)spec->integer : (double)spec->integer;
  return NEREID_OK;
}

static nereid_status_t parse_scalar(const char *text, const char *number, tool_spec_t *spec,
                                    nereid_message_t *message) {
  char *end;
  bool truth = strcmp(number, "true") == 0;
  if (truth || strcmp(number, "false") == 0) {
    spec->kind = TOOL_SPEC_INTEGER;
    spec->integer = truth;
    spec->number = truth;
    return NEREID_OK;
  }
  strtoll(number, &end, strstr(number, "0x") ? 16 : 10);
  if (end != number && !*end)
    return parse_integer(text, number, spec, message);
  spec->kind = TOOL_SPEC_FLOAT;
  spec->number = strtod(number, &end);
  if (end == number || *end)
    return REFUSE("'%s' is neither a number, nor TYPE[SHAPE]:INIT, nor @FILE.npy, nor null", text);
  return NEREID_OK;
}

static nereid_status_t parse_typed_scalar(const char *text, const char *colon, tool_spec_t *spec,
                                          nereid_message_t *message) {
  spec->element = nereid_element_parse(nereid_view_of(text, (size_t)(colon - text)));
  if (!spec->element)
    return REFUSE("'%s': '%.*s' is not a scalar type", text, (int)(colon - text), text);
  return parse_scalar(text, colon + 1, spec, message);
}

nereid_status_t tool_spec_parse(nereid_arena_t *arena, const char *text, tool_spec_t *out_spec,
                                nereid_message_t *message) {
  *out_spec = (tool_spec_t){0};
  if (strcmp(text, "null") == 0) {
    out_spec->kind = TOOL_SPEC_NULL;
    return NEREID_OK;
  }
  const char *open = strchr(text, '['), *at = strchr(text, '@'), *colon = strchr(text, ':');
  if (text[0] != '@' && !(open && (!colon || open < colon)))
    return colon ? parse_typed_scalar(text, colon, out_spec, message) : parse_scalar(text, text, out_spec, message);
  /* A last slash followed only by digits, x and s begins a box; other slashes belong to the path of a file. */
  const char *slash = strrchr(text, '/');
  bool box = slash && (!at || strspn(slash + 1, "0123456789xs") == strlen(slash + 1));
  nereid_status_t status = box ? parse_box(text, slash, out_spec, message) : NEREID_OK;
  const char *rest = box ? nereid_arena_copy(arena, nereid_view_of(text, (size_t)(slash - text))) : text;
  if (status || !rest)
    return status ? status : nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  if (rest[0] != '@')
    return parse_tensor(arena, rest, strchr(rest, '['), out_spec, message);
  out_spec->kind = TOOL_SPEC_TENSOR;
  return parse_fill(text, nereid_arena_copy(arena, nereid_view(rest)), out_spec, message);
}

/* Reads and writes .npy files, versions 1.0 to 3.0:
 *
 *   "\x93NUMPY" major minor  u16 or u32 length
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } spaces \n
 *   data
 *
 * The header is a Python literal, but the format fixes its three keys. The reader searches for each key and accepts
 * exactly the values that NumPy writes. Data begins at a multiple of 64. */
#include "tools/nereid/run/npy.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAGIC_BYTES = 8, ALIGNMENT = 64 };

typedef struct type_row {
  const char *code;
  nereid_element_t element; /* default element type */
  nereid_element_t also[2]; /* alternatives on request */
} type_row_t;

static const type_row_t types[] = {
    {"f2", NEREID_ELEMENT_F16, {NEREID_ELEMENT_NONE, NEREID_ELEMENT_NONE}},
    {"f4", NEREID_ELEMENT_F32, {NEREID_ELEMENT_NONE, NEREID_ELEMENT_NONE}},
    {"f8", NEREID_ELEMENT_F64, {NEREID_ELEMENT_NONE, NEREID_ELEMENT_NONE}},
    {"b1", NEREID_ELEMENT_I1, {NEREID_ELEMENT_NONE, NEREID_ELEMENT_NONE}},
    {"i1", NEREID_ELEMENT_I8, {NEREID_ELEMENT_NONE, NEREID_ELEMENT_NONE}},
    {"i2", NEREID_ELEMENT_I16, {NEREID_ELEMENT_NONE, NEREID_ELEMENT_NONE}},
    {"i4", NEREID_ELEMENT_I32, {NEREID_ELEMENT_NONE, NEREID_ELEMENT_NONE}},
    {"i8", NEREID_ELEMENT_I64, {NEREID_ELEMENT_NONE, NEREID_ELEMENT_NONE}},
    {"u1", NEREID_ELEMENT_I8, {NEREID_ELEMENT_F8E4M3FN, NEREID_ELEMENT_F8E5M2}},
    {"u2", NEREID_ELEMENT_I16, {NEREID_ELEMENT_BF16, NEREID_ELEMENT_NONE}},
    {"u4", NEREID_ELEMENT_I32, {NEREID_ELEMENT_NONE, NEREID_ELEMENT_NONE}},
    {"u8", NEREID_ELEMENT_I64, {NEREID_ELEMENT_NONE, NEREID_ELEMENT_NONE}},
};

bool tool_tensor_measure(tool_tensor_t *tensor) {
  uint64_t count = 1, limit = UINT64_C(1) << 46;
  for (uint32_t i = 0; i < tensor->rank; ++i) {
    if (tensor->shape[i] > limit || __builtin_mul_overflow(count, tensor->shape[i], &count) || count > limit)
      return false;
  }
  tensor->count = (size_t)count;
  tensor->bytes = tensor->count * nereid_element_size(tensor->element);
  return tensor->bytes <= limit;
}

static nereid_status_t malformed(nereid_message_t *message, const char *what) {
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the .npy file %s", what);
}

/* Returns the text after `'key':` and spaces; empty when the key is missing. */
static nereid_view_t value_of(nereid_view_t header, const char *key) {
  char quoted[32];
  int length = snprintf(quoted, sizeof quoted, "'%s':", key);
  const char *at = memmem(header.data, header.size, quoted, (size_t)length);
  const char *end = header.data + header.size;
  if (!at)
    return nereid_view_of(NULL, 0);
  for (at += length; at < end && *at == ' '; ++at)
    ;
  return nereid_view_of(at, (size_t)(end - at));
}

static nereid_status_t parse_type(nereid_view_t text, nereid_element_t requested, tool_tensor_t *tensor,
                                  nereid_message_t *message) {
  if (text.size < 5 || text.data[0] != '\'' || text.data[4] != '\'')
    return malformed(message, "has an element type that kernels do not support");
  if (text.data[1] == '>')
    return malformed(message, "is big endian; save it with .astype(x.dtype.newbyteorder('<'))");
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    if (memcmp(text.data + 2, types[i].code, 2) != 0)
      continue;
    bool fits =
        !requested || requested == types[i].element || requested == types[i].also[0] || requested == types[i].also[1];
    tensor->element = requested ? requested : types[i].element;
    if (fits)
      return NEREID_OK;
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the .npy file holds %.2s, which is not %s",
                              types[i].code, nereid_element_name(requested));
  }
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the .npy file holds '%.3s', which kernels do not support",
                            text.data + 1);
}

static bool parse_shape(nereid_view_t text, tool_tensor_t *tensor) {
  const char *at = text.data, *end = text.data + text.size;
  tensor->rank = 0;
  if (at == end || *at != '(')
    return false;
  for (++at;; ++at) {
    while (at < end && *at == ' ')
      ++at;
    if (at < end && *at == ')')
      return true;
    uint64_t extent = 0;
    const char *start = at;
    for (; at < end && *at >= '0' && *at <= '9' && extent < UINT64_C(1) << 56; ++at)
      extent = extent * 10 + (uint64_t)(*at - '0');
    if (at == start || at == end || tensor->rank == TOOL_RANK_LIMIT || (*at != ',' && *at != ')'))
      return false;
    tensor->shape[tensor->rank++] = extent;
    if (*at == ')')
      return true;
  }
}

/* Splits a file into header and data; false when the file is truncated or not a .npy file. */
static bool split(nereid_view_t bytes, nereid_view_t *out_header, nereid_view_t *out_data) {
  const uint8_t *at = (const uint8_t *)bytes.data;
  if (bytes.size < MAGIC_BYTES + 4 || memcmp(bytes.data, "\x93NUMPY", 6) != 0 || at[6] < 1 || at[6] > 3)
    return false;
  size_t width = at[6] == 1 ? 2 : 4, length = 0;
  for (size_t i = 0; i < width; ++i)
    length |= (size_t)at[MAGIC_BYTES + i] << (8 * i);
  size_t start = MAGIC_BYTES + width;
  if (length > bytes.size - start)
    return false;
  *out_header = nereid_view_of(bytes.data + start, length);
  *out_data = nereid_view_of(bytes.data + start + length, bytes.size - start - length);
  return true;
}

nereid_status_t tool_npy_parse(nereid_view_t bytes, nereid_element_t requested, tool_tensor_t *out_tensor,
                               nereid_message_t *message) {
  nereid_view_t header, data;
  *out_tensor = (tool_tensor_t){0};
  if (!split(bytes, &header, &data))
    return malformed(message, "is truncated or not a .npy file");
  nereid_status_t status = parse_type(value_of(header, "descr"), requested, out_tensor, message);
  if (status)
    return status;
  if (!parse_shape(value_of(header, "shape"), out_tensor) || !tool_tensor_measure(out_tensor))
    return malformed(message, "has a malformed shape");
  bool fortran = !nereid_view_starts_with(value_of(header, "fortran_order"), nereid_view("False"));
  if (fortran && out_tensor->rank > 1)
    return malformed(message, "is in Fortran order; save it with np.ascontiguousarray");
  if (data.size < out_tensor->bytes)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the .npy file is truncated: %zu bytes of %zu", data.size,
                              out_tensor->bytes);
  out_tensor->data = (void *)data.data;
  return NEREID_OK;
}

static const char *code_of(nereid_element_t element) {
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    if (types[i].element == element || (element && (types[i].also[0] == element || types[i].also[1] == element)))
      return types[i].code;
  return "u1";
}

nereid_status_t tool_npy_print(nereid_arena_t *arena, const tool_tensor_t *tensor, nereid_view_t *out_bytes) {
  const char *shape = "";
  for (uint32_t i = 0; shape && i < tensor->rank; ++i)
    shape = nereid_arena_format(arena, "%s%s%" PRIu64, shape, i ? ", " : "", tensor->shape[i]);
  bool byte = nereid_element_size(tensor->element) == 1;
  const char *dictionary =
      !shape ? NULL
             : nereid_arena_format(arena, "{'descr': '%s%s', 'fortran_order': False, 'shape': (%s%s), }",
                                   byte ? "|" : "<", code_of(tensor->element), shape, tensor->rank == 1 ? "," : "");
  size_t text = dictionary ? strlen(dictionary) : 0, used = MAGIC_BYTES + 2 + text + 1;
  size_t start = (used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  char *bytes = dictionary ? nereid_arena_allocate(arena, start + tensor->bytes, 1) : NULL;
  if (!bytes)
    return NEREID_ERROR_MEMORY;
  size_t length = start - MAGIC_BYTES - 2;
  memcpy(bytes, "\x93NUMPY\x01\x00", MAGIC_BYTES);
  bytes[MAGIC_BYTES] = (char)(length & 0xff);
  bytes[MAGIC_BYTES + 1] = (char)(length >> 8);
  memset(bytes + MAGIC_BYTES + 2, ' ', length);
  memcpy(bytes + MAGIC_BYTES + 2, dictionary, text); // NOLINT(bugprone-not-null-terminated-result): padded with spaces
  bytes[start - 1] = '\n';
  if (tensor->bytes)
    memcpy(bytes + start, tensor->data, tensor->bytes);
  *out_bytes = nereid_view_of(bytes, start + tensor->bytes);
  return NEREID_OK;
}

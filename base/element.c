/* One row per scalar type. Reads and writes use memcpy, so elements need not be aligned. */
#include "base/element.h"

#include "base/float.h"

#include <math.h>

typedef struct row {
  const char *name, *alias;
  uint8_t size;
  bool is_float;
} row_t;

static const row_t rows[NEREID_ELEMENT_COUNT] = {
    [NEREID_ELEMENT_NONE] = {"none", NULL, 0, false},
    [NEREID_ELEMENT_I1] = {"i1", NULL, 1, false},
    [NEREID_ELEMENT_I8] = {"i8", NULL, 1, false},
    [NEREID_ELEMENT_I16] = {"i16", NULL, 2, false},
    [NEREID_ELEMENT_I32] = {"i32", NULL, 4, false},
    [NEREID_ELEMENT_I64] = {"i64", NULL, 8, false},
    [NEREID_ELEMENT_F16] = {"f16", NULL, 2, true},
    [NEREID_ELEMENT_BF16] = {"bf16", NULL, 2, true},
    [NEREID_ELEMENT_F32] = {"f32", NULL, 4, true},
    [NEREID_ELEMENT_F64] = {"f64", NULL, 8, true},
    [NEREID_ELEMENT_F8E4M3FN] = {"f8E4M3FN", "fp8e4nv", 1, true},
    [NEREID_ELEMENT_F8E5M2] = {"f8E5M2", "fp8e5", 1, true},
};

static const row_t *row_of(nereid_element_t element) {
  return &rows[(unsigned)element < NEREID_ELEMENT_COUNT ? element : NEREID_ELEMENT_NONE];
}

const char *nereid_element_name(nereid_element_t element) {
  return row_of(element)->name;
}
size_t nereid_element_size(nereid_element_t element) {
  return row_of(element)->size;
}
bool nereid_element_is_float(nereid_element_t element) {
  return row_of(element)->is_float;
}

nereid_element_t nereid_element_parse(nereid_view_t name) {
  for (int i = 1; i < NEREID_ELEMENT_COUNT; ++i)
    if (nereid_view_equal(name, nereid_view(rows[i].name)) ||
        (rows[i].alias && nereid_view_equal(name, nereid_view(rows[i].alias))))
      return (nereid_element_t)i;
  return NEREID_ELEMENT_NONE;
}

static uint64_t load(const void *memory, size_t size) {
  uint8_t b1;
  uint16_t b2;
  uint32_t b4;
  uint64_t b8;
  switch (size) {
  case 1:
    return memcpy(&b1, memory, 1), b1;
  case 2:
    return memcpy(&b2, memory, 2), b2;
  case 4:
    return memcpy(&b4, memory, 4), b4;
  case 8:
    return memcpy(&b8, memory, 8), b8;
  default:
    return 0;
  }
}

static void store(void *memory, size_t size, uint64_t bits) {
  uint8_t b1 = (uint8_t)bits;
  uint16_t b2 = (uint16_t)bits;
  uint32_t b4 = (uint32_t)bits;
  switch (size) {
  case 1:
    memcpy(memory, &b1, 1);
    break;
  case 2:
    memcpy(memory, &b2, 2);
    break;
  case 4:
    memcpy(memory, &b4, 4);
    break;
  case 8:
    memcpy(memory, &bits, 8);
    break;
  default:
    break;
  }
}

double nereid_element_read(nereid_element_t element, const void *memory) {
  uint64_t bits = load(memory, nereid_element_size(element));
  float single;
  double full;
  uint32_t low = (uint32_t)bits;
  switch (element) {
  case NEREID_ELEMENT_F16:
    return nereid_float_from_f16((uint16_t)bits);
  case NEREID_ELEMENT_BF16:
    return nereid_float_from_bf16((uint16_t)bits);
  case NEREID_ELEMENT_F8E4M3FN:
    return nereid_float_from_f8e4m3fn((uint8_t)bits);
  case NEREID_ELEMENT_F8E5M2:
    return nereid_float_from_f8e5m2((uint8_t)bits);
  case NEREID_ELEMENT_F32:
    return memcpy(&single, &low, sizeof single), single;
  case NEREID_ELEMENT_F64:
    return memcpy(&full, &bits, sizeof full), full;
  default:
    return (double)nereid_element_read_integer(element, memory);
  }
}

/* Saturates: the conversion of C is undefined outside the range of int64_t. */
static int64_t cut(double value) {
  if (!(value > -9223372036854775808.0))
    return isnan(value) ? 0 : INT64_MIN;
  return value < 9223372036854775808.0 ? (int64_t)value : INT64_MAX;
}

int64_t nereid_element_read_integer(nereid_element_t element, const void *memory) {
  uint64_t bits = load(memory, nereid_element_size(element));
  switch (element) {
  case NEREID_ELEMENT_I1:
    return bits != 0;
  case NEREID_ELEMENT_I8:
    return (int8_t)bits;
  case NEREID_ELEMENT_I16:
    return (int16_t)bits;
  case NEREID_ELEMENT_I32:
    return (int32_t)bits;
  case NEREID_ELEMENT_I64:
    return (int64_t)bits;
  default:
    return cut(nereid_element_read(element, memory));
  }
}

void nereid_element_write(nereid_element_t element, void *memory, double value) {
  float single = (float)value;
  uint32_t low;
  uint64_t bits;
  switch (element) {
  case NEREID_ELEMENT_F16:
    bits = nereid_float_to_f16(value, NEREID_FLOAT_NEAREST);
    break;
  case NEREID_ELEMENT_BF16:
    bits = nereid_float_to_bf16(value, NEREID_FLOAT_NEAREST);
    break;
  case NEREID_ELEMENT_F8E4M3FN:
    bits = nereid_float_to_f8e4m3fn(value, NEREID_FLOAT_NEAREST);
    break;
  case NEREID_ELEMENT_F8E5M2:
    bits = nereid_float_to_f8e5m2(value, NEREID_FLOAT_NEAREST);
    break;
  case NEREID_ELEMENT_F32:
    memcpy(&low, &single, sizeof low), bits = low;
    break;
  case NEREID_ELEMENT_F64:
    memcpy(&bits, &value, sizeof bits);
    break;
  default:
    nereid_element_write_integer(element, memory, cut(value));
    return;
  }
  store(memory, nereid_element_size(element), bits);
}

/* Rounds an int64_t that a double cannot represent to odd at the double's last bit, so that a second rounding to a
 * shorter format resolves ties correctly. */
static double to_double_sticky(int64_t value) {
  double rounded = (double)value;
  int64_t back = cut(rounded);
  uint64_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  if (back == value || (bits & 1))
    return rounded;
  bits += (back > value) == (value > 0) ? UINT64_C(-1) : UINT64_C(1);
  memcpy(&rounded, &bits, sizeof bits);
  return rounded;
}

void nereid_element_write_integer(nereid_element_t element, void *memory, int64_t value) {
  if (element == NEREID_ELEMENT_F64)
    nereid_element_write(element, memory, (double)value);
  else if (nereid_element_is_float(element))
    nereid_element_write(element, memory, to_double_sticky(value));
  else
    store(memory, nereid_element_size(element), element == NEREID_ELEMENT_I1 ? value != 0 : (uint64_t)value);
}

/* The scalar types of kernels: elements of buffers, scalar arguments.
 *
 * Names are those of the IR (`i32`, `bf16`, `f8E4M3FN`); `fp8e4nv`, `fp8e5` and the IR's `f8E5M2` are parsed too.
 * Integers are signless in the IR; reads sign-extend, except i1, which is 0 or 1 in a byte. */
#ifndef NEREID_BASE_ELEMENT_H
#define NEREID_BASE_ELEMENT_H

#include "base/view.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values are stable: they are part of the library's ABI. */
typedef enum nereid_element {
  NEREID_ELEMENT_NONE = 0,
  NEREID_ELEMENT_I1 = 1,
  NEREID_ELEMENT_I8 = 2,
  NEREID_ELEMENT_I16 = 3,
  NEREID_ELEMENT_I32 = 4,
  NEREID_ELEMENT_I64 = 5,
  NEREID_ELEMENT_F16 = 6,
  NEREID_ELEMENT_BF16 = 7,
  NEREID_ELEMENT_F32 = 8,
  NEREID_ELEMENT_F64 = 9,
  NEREID_ELEMENT_F8E4M3FN = 10,
  NEREID_ELEMENT_F8E5M2 = 11,
} nereid_element_t;

enum { NEREID_ELEMENT_COUNT = 12 };

/* Returns the IR's name, static storage; "none" for NEREID_ELEMENT_NONE and unknown values. */
const char *nereid_element_name(nereid_element_t element);

/* Returns the element with this name; NEREID_ELEMENT_NONE when there is none. */
nereid_element_t nereid_element_parse(nereid_view_t name);

/* Returns the bytes of one element in memory; 0 for NEREID_ELEMENT_NONE. */
size_t nereid_element_size(nereid_element_t element);

bool nereid_element_is_float(nereid_element_t element);

/* Reads one element, which need not be aligned, as a double: exact except for i64 beyond 2^53. */
double nereid_element_read(nereid_element_t element, const void *memory);

/* Reads one integer element; floats are truncated towards zero. */
int64_t nereid_element_read_integer(nereid_element_t element, const void *memory);

/* Writes one element, rounded to nearest even; integers are truncated towards zero and to their low bits. */
void nereid_element_write(nereid_element_t element, void *memory, double value);

/* Writes one integer element, its low bits (i1: zero or not); floats are rounded to nearest even. */
void nereid_element_write_integer(nereid_element_t element, void *memory, int64_t value);

#ifdef __cplusplus
}
#endif

#endif

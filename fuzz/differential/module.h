/* Random tt modules whose results do not depend on how they are compiled.
 *
 * Everything a module computes is exact or rounded once by an operation that both sides round alike, so engines must
 * agree in every bit: no approximate function, no sum of floats whose order is free, no product that an addition could
 * be fused with, no poison (shifts and divisors are made safe, conversions to integers clamped). */
#ifndef NEREID_FUZZ_DIFFERENTIAL_MODULE_H
#define NEREID_FUZZ_DIFFERENTIAL_MODULE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MAX_RANK = 3, MAX_VALUES = 2048, MAX_ARGUMENTS = 16, MAX_ELEMENTS = 4096 };

typedef enum element { I1, I8, I16, I32, I64, F16, BF16, F32, F64, ELEMENTS } element_t;

typedef struct value {
  int id; /* %v<id> */
  element_t element;
  int rank; /* 0: a scalar */
  int shape[MAX_RANK];
  bool product; /* of floats: an addition could be fused with it */
} value_t;

typedef struct argument {
  element_t element;
  bool output;
  int elements;
} argument_t;

typedef struct module {
  uint64_t state; /* of the random numbers */
  FILE *body;
  int indent, next_id, n_values, depth, grid;
  value_t values[MAX_VALUES]; /* those in scope */
  argument_t arguments[MAX_ARGUMENTS];
  int n_arguments;
} module_t;

/* A number in [0, n). */
uint32_t module_random(module_t *module, uint32_t n);
bool module_chance(module_t *module, uint32_t percent);

/* Text: "tensor<4x8xf32>" into a buffer that is the caller's; the buffer. */
const char *module_type(char out[64], const value_t *value);
const char *module_element(element_t element);
int module_bits(element_t element);
bool module_is_float(element_t element);
int64_t module_size(const value_t *value);
bool module_same_type(const value_t *a, const value_t *b);

/* A line of the body, indented. */
void module_line(module_t *module, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A new value of that type in scope; its id is to be defined by the line that follows. */
value_t module_new(module_t *module, element_t element, int rank, const int *shape);
value_t module_like(module_t *module, const value_t *type, element_t element);
/* A value in scope, and one of exactly that type, a constant when there is none. */
value_t module_any(module_t *module);
value_t module_of_type(module_t *module, const value_t *type);
value_t module_constant(module_t *module, const value_t *type, int64_t number);
/* The value with another element type, converted. */
value_t module_cast(module_t *module, const value_t *value, element_t to);
/* The index along dimension d of the type's shape, at each of its elements. */
value_t module_along(module_t *module, const value_t *type, int d);

/* One random operation of each family; false when none applies to what is in scope. */
bool module_elementwise(module_t *module);
bool module_convert(module_t *module);
bool module_view(module_t *module);
bool module_reduce(module_t *module);
bool module_accumulate(module_t *module);
bool module_scan(module_t *module);
bool module_gather(module_t *module);
bool module_histogram(module_t *module);
bool module_dot(module_t *module);
bool module_load(module_t *module);
bool module_atomic(module_t *module);
bool module_loop(module_t *module);
bool module_branch(module_t *module);
void module_store(module_t *module, const value_t *value);
/* Several operations of any family. */
void module_operations(module_t *module, int n);

/* Writes a module for a seed, and in its first line the arguments of `nereid run`. */
void module_write(uint64_t seed, FILE *out);

#endif

/* Random tt modules whose results do not depend on how they are compiled.
 *
 * Every result is exact or rounded once, in the same way by all engines, so engines must agree in every
 * bit: no approximate functions, no float sums in unspecified order, no product that could be contracted with an
 * addition, no poison (shifts and divisors are made valid, conversions to integers clamped). */
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
  bool product; /* a float product, which could be contracted with an addition */
} value_t;

typedef struct argument {
  element_t element;
  bool output;
  int elements;
} argument_t;

typedef struct module {
  uint64_t state; /* state of the random number generator */
  FILE *body;
  int indent, next_id, n_values, depth, grid;
  value_t values[MAX_VALUES]; /* those in scope */
  argument_t arguments[MAX_ARGUMENTS];
  int n_arguments;
} module_t;

/* A random integer in [0, n). */
uint32_t module_random(module_t *module, uint32_t n);
bool module_chance(module_t *module, uint32_t percent);

/* Prints "tensor<4x8xf32>" into the caller's buffer and returns it. */
const char *module_type(char out[64], const value_t *value);
const char *module_element(element_t element);
int module_bits(element_t element);
bool module_is_float(element_t element);
int64_t module_size(const value_t *value);
bool module_same_type(const value_t *a, const value_t *b);

/* Prints an indented line of the body. */
void module_line(module_t *module, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The tile of `rows` by `columns` elements at %BASE, whose rows are `stride` elements apart: pointers %RESULT. Other
 * names that it defines begin with NAME and an underscore. */
void module_tile_pointers(module_t *module, const char *name, const char *base, const char *result, const char *element,
                          int rows, int columns, int stride);
/* %steps, the number of steps of a loop: an argument of the kernel, or a constant, so that short loops are unrolled. */
typedef struct module_steps {
  const char *argument; /* the name of the kernel's argument */
  char definition[64];  /* a line that precedes the body, or empty */
} module_steps_t;
module_steps_t module_steps(module_t *module, int steps);
/* Adds a value of that type to the scope; the next line must define its id. */
value_t module_new(module_t *module, element_t element, int rank, const int *shape);
value_t module_like(module_t *module, const value_t *type, element_t element);
/* Returns a value in scope; one of exactly that type, or a constant. */
value_t module_any(module_t *module);
value_t module_of_type(module_t *module, const value_t *type);
value_t module_constant(module_t *module, const value_t *type, int64_t number);
/* Converts the value to another element type. */
value_t module_cast(module_t *module, const value_t *value, element_t to);
/* Generates the index along dimension d of the type's shape, for each element. */
value_t module_along(module_t *module, const value_t *type, int d);

/* Adds one random operation of each family; false: none applies to the values in scope. */
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
bool module_nest(module_t *module);
bool module_branch(module_t *module);
void module_store(module_t *module, const value_t *value);
/* Adds several operations of any family. */
void module_operations(module_t *module, int n);

/* Writes a module for a seed; its first line has the arguments of `nereid run`. */
void module_write(uint64_t seed, FILE *out);
/* The same for a module around a dot in a loop. */
void module_write_dots(uint64_t seed, FILE *out);
/* The same for a chain of two dots in a loop, as attention. */
void module_write_chains(uint64_t seed, FILE *out);
/* The same for a module around dots of blocks that descriptors load. */
void module_write_descriptors(uint64_t seed, FILE *out);
/* The same for a loop that carries a matrix or a vector, as linear attention one token at a time. */
void module_write_recurrences(uint64_t seed, FILE *out);

#endif

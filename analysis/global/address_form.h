/* Symbolic forms of addresses, for comparing two accesses to global memory.
 *
 *   %p = tt.addptr (splat %x), (splat (%pid * 1024) + make_range 0..1024) : f32
 *     4096 * %pid                                   terms: a factor times a product of symbols
 *     + 4 * bit 0 + 8 * bit 1 + ... + 2048 * bit 9  weights: bits of the element's row-major index in the tensor
 *
 * The form of a pointer counts bytes from its root (analysis/global/global_root.h), that of an integer is its value.
 * The root of several arguments begins at the first of them; another one is at an unknown distance from it.
 * A symbol is an opaque scalar or the counter of a loop. A value that a loop increments by the same amount in every
 * iteration is its initial value plus counter times step. Arithmetic is assumed not to overflow, as in
 * analysis/axis/axis_info.h. Forms are interned, so equal forms are equal pointers.
 *
 * Quotient and remainder of one value by constants, (x % 784) + (x / 784) * 50176, are digits of the value. If the sum
 * of all digits is an injective function of the value, it is represented as the value times a symbol for the sum. Two
 * such addresses are compared by their values.
 *
 * Symbols of a loop change from iteration to iteration. An edge to the head of a loop rewrites the form of an
 * earlier access in terms of the values after the edge. The counter of an earlier iteration becomes NEREID_SYMBOL_AGO,
 * which is at least one less than the current counter. Other values of the loop become NEREID_SYMBOL_STALE, of which
 * only a factor is known. */
#ifndef NEREID_ANALYSIS_GLOBAL_ADDRESS_FORM_H
#define NEREID_ANALYSIS_GLOBAL_ADDRESS_FORM_H

#include "analysis/axis/axis_info.h"
#include "analysis/flow_graph.h"

enum {
  NEREID_FORM_DEGREE = 3,   /* symbols of a product */
  NEREID_FORM_TERMS = 12,   /* a form with more terms is not represented */
  NEREID_FORM_WEIGHTS = 48, /* the same */
  NEREID_FORM_DIGITS = 6,   /* digits of one value */
};

typedef enum nereid_symbol_kind {
  NEREID_SYMBOL_VALUE,   /* a scalar, or the difference of a value from its initial value */
  NEREID_SYMBOL_COUNTER, /* iterations of a loop before this one */
  NEREID_SYMBOL_AGO,     /* ... before an earlier one */
  NEREID_SYMBOL_STALE,   /* a value of an earlier iteration */
  NEREID_SYMBOL_DIGIT,   /* times a value: one of its digits */
  NEREID_SYMBOL_DIGITS,  /* times a value: an injective sum of all of its digits */
} nereid_symbol_kind_t;

typedef struct nereid_symbol {
  nereid_symbol_kind_t kind;
  uint32_t node;        /* flow-graph node of its definition; NEREID_FLOW_NONE: loop-invariant */
  uint8_t divisibility; /* a power of two that divides it, as its logarithm */
  bool positive;        /* at least 1 */
  uint32_t ago;         /* counter: its symbol in an earlier iteration (NEREID_SYMBOL_AGO) */
  uint32_t digit;       /* in `digits` */
  int64_t room;         /* of digits: minimum distance of the sums of two different values */
} nereid_symbol_t;

/* Symbols in ascending order; 0 fills the rest. */
typedef struct nereid_product {
  uint32_t symbols[NEREID_FORM_DEGREE];
} nereid_product_t;

typedef struct nereid_form_term {
  int64_t factor; /* not 0 */
  nereid_product_t product;
} nereid_form_term_t;

typedef struct nereid_form_weight {
  int64_t factor; /* not 0 */
  nereid_product_t product;
  uint32_t bit; /* bit of the element's packed coordinate (layout/linear_layout.h) */
} nereid_form_weight_t;

typedef struct nereid_form {
  int64_t constant;
  uint32_t n_terms, n_weights;
  nereid_form_term_t terms[NEREID_FORM_TERMS]; /* distinct products, except stale ones of different factors */
  nereid_form_weight_t weights[NEREID_FORM_WEIGHTS];
} nereid_form_t;

/* (source / divisor) % modulus; modulus 0: the quotient. */
typedef struct nereid_form_digit {
  const nereid_form_t *source;
  int64_t divisor, modulus;
  uint32_t symbol, next; /* next: of the same source, digit + 1 */
} nereid_form_digit_t;

/* The sum of factor * digit over all digits of a value, in ascending order of divisors. */
typedef struct nereid_form_digit_sum {
  uint32_t n, symbol, next; /* next: with the same hash, sum + 1 */
  struct {
    int64_t divisor, factor;
  } digits[NEREID_FORM_DIGITS];
} nereid_form_digit_sum_t;

typedef struct nereid_form_link {
  MlirValue from;
  uint32_t edge, next; /* next: of the same value, link + 1 */
} nereid_form_link_t;

typedef struct nereid_forms {
  nereid_arena_t *arena;
  const nereid_flow_graph_t *graph;        /* borrowed */
  const nereid_axis_result_t *axis;        /* borrowed; null: no value is known to be divisible */
  const uint32_t *shared;                  /* borrowed; by argument: its root, see global_root.h */
  NEREID_VECTOR(nereid_symbol_t) symbols;  /* 0: none, 1: stale */
  nereid_map_t by_value;                   /* value -> symbol */
  nereid_map_t drifts;                     /* value -> symbol of its difference from its initial value */
  nereid_map_t counters;                   /* head of a loop (const nereid_flow_node_t *) -> symbol */
  nereid_map_t known;                      /* value -> const nereid_form_t *, or a mark */
  nereid_map_t by_hash;                    /* forms */
  nereid_map_t sources;                    /* value -> its first link + 1 */
  nereid_map_t loops;                      /* head -> its nodes, or a mark */
  NEREID_VECTOR(nereid_form_link_t) links; /* values forwarded to block arguments and results */
  nereid_map_t digits_of;                  /* form -> its first digit + 1 */
  nereid_map_t digit_sums_by_hash;         /* hash -> its first sum + 1 */
  NEREID_VECTOR(nereid_form_digit_t) digits;
  NEREID_VECTOR(nereid_form_digit_sum_t) digit_sums;
} nereid_forms_t;

/* For the function of `graph`, whose arguments have the roots `shared`; false when out of memory. */
bool nereid_forms_initialize(nereid_forms_t *forms, const nereid_flow_graph_t *graph, const nereid_axis_result_t *axis,
                             const uint32_t *shared, nereid_arena_t *arena);

/* The form of an integer, a pointer, or a tensor of them; null when it has none. */
const nereid_form_t *nereid_forms_get(nereid_forms_t *forms, MlirValue value);

/* `form`, of an access before `edge`, in terms of the values after it. */
const nereid_form_t *nereid_forms_cross(nereid_forms_t *forms, const nereid_form_t *form,
                                        const nereid_flow_edge_t *edge);

/* Returns whether `product` contains a symbol of `kind`. */
bool nereid_product_has(const nereid_forms_t *forms, nereid_product_t product, nereid_symbol_kind_t kind);

/* A power of two that divides factor * product, as its logarithm; at most 62. */
int nereid_product_divisibility(const nereid_forms_t *forms, int64_t factor, nereid_product_t product);

bool nereid_product_equal(nereid_product_t a, nereid_product_t b);

/* `product` without one occurrence of `symbol`. */
nereid_product_t nereid_product_without(nereid_product_t product, uint32_t symbol);

#endif

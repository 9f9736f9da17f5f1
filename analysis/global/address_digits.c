/* Computes quotients and remainders of address forms by constants; see address_form.h.
 *
 *   (1024 * %i + bits) / 32                 term by term: 32 * %i + bits 5 to 9
 *   x % 784                                 not a sum of terms: digit (1, 784) * x
 *   (x / 49) % 16                           digit (49, 16) * x
 *   (x % 784) + (x / 784) * 50176           digits (1, 784) and (784, 0) of one value: digits * x
 *
 * A digit of x is represented as a product with x, although it is not linear in x. So it can be added, multiplied by a
 * constant and moved to other bits of the element's index together with x, and the symbols of x change with the
 * iteration. The symbol of a digit belongs to one source, so digits of different values never add up. Before addresses
 * are compared all digits of a value are joined: the sum is injective when each factor is larger than the sum of all
 * digits with smaller factors. */
#include "analysis/global/address_form_build.h"

enum { MAX_DIGIT_BITS = 61 };

/* --- sums and products --- */

bool nereid_form_add_scaled(nereid_form_t *out, const nereid_form_t *form, int64_t scale, nereid_product_t product) {
  nereid_product_t both;
  int64_t factor;
  if (__builtin_mul_overflow(form->constant, scale, &factor) || !nereid_form_add_term(out, factor, product))
    return false;
  for (uint32_t i = 0; i < form->n_terms; ++i)
    if (!nereid_product_multiply(form->terms[i].product, product, &both) ||
        __builtin_mul_overflow(form->terms[i].factor, scale, &factor) || !nereid_form_add_term(out, factor, both))
      return false;
  for (uint32_t i = 0; i < form->n_weights; ++i)
    if (!nereid_product_multiply(form->weights[i].product, product, &both) ||
        __builtin_mul_overflow(form->weights[i].factor, scale, &factor) ||
        !nereid_form_add_weight(out, (nereid_form_weight_t){factor, both, form->weights[i].bit}))
      return false;
  return true;
}

bool nereid_form_add(nereid_form_t *out, const nereid_form_t *form, int64_t scale) {
  return nereid_form_add_scaled(out, form, scale, (nereid_product_t){{0}});
}

/* --- division term by term --- */

/* A symbol of a digit in `form`; 0 when there is none. */
static uint32_t find_digit(const nereid_forms_t *forms, const nereid_form_t *form) {
  for (uint32_t i = 0; i < form->n_terms + form->n_weights; ++i) {
    const nereid_product_t product =
        i < form->n_terms ? form->terms[i].product : form->weights[i - form->n_terms].product;
    for (int k = 0; k < NEREID_FORM_DEGREE && product.symbols[k]; ++k)
      if (forms->symbols.data[product.symbols[k]].kind == NEREID_SYMBOL_DIGIT)
        return product.symbols[k];
  }
  return 0;
}

/* Whether `form` is a multiple of `divisor` plus `low`, which is in [0, divisor). */
static bool split(const nereid_form_t *form, int64_t divisor, nereid_form_t *high, nereid_form_t *low) {
  int64_t most = form->constant % divisor;
  if (most < 0)
    return false;
  low->constant = most;
  high->constant = form->constant - most;
  for (uint32_t i = 0; i < form->n_terms; ++i)
    if (form->terms[i].factor % divisor || !nereid_form_add_term(high, form->terms[i].factor, form->terms[i].product))
      return false;
  for (uint32_t i = 0; i < form->n_weights; ++i) {
    const nereid_form_weight_t *weight = &form->weights[i];
    const bool multiple = weight->factor % divisor == 0;
    if (!multiple && (weight->product.symbols[0] || weight->factor < 0 || weight->factor >= divisor))
      return false;
    most += multiple ? 0 : weight->factor;
    if (most >= divisor || !nereid_form_add_weight(multiple ? high : low, *weight))
      return false;
  }
  return true;
}

bool nereid_form_divide(const nereid_forms_t *forms, const nereid_form_t *form, int64_t divisor, bool remainder,
                        nereid_form_t *out) {
  nereid_form_t high = {0}, low = {0};
  if (divisor <= 0 || find_digit(forms, form) || !split(form, divisor, &high, &low))
    return false;
  *out = remainder ? low : high;
  if (remainder)
    return true;
  out->constant /= divisor;
  for (uint32_t i = 0; i < out->n_terms; ++i)
    out->terms[i].factor /= divisor;
  for (uint32_t i = 0; i < out->n_weights; ++i)
    out->weights[i].factor /= divisor;
  return true;
}

/* --- digits --- */

static bool is_empty(const nereid_form_t *form) {
  return !form->constant && !form->n_terms && !form->n_weights;
}

static bool is_same(const nereid_form_t *a, const nereid_form_t *b) {
  nereid_form_t difference = *a;
  return nereid_form_add(&difference, b, -1) && is_empty(&difference);
}

static uint32_t digit_symbol(nereid_forms_t *forms, const nereid_form_t *source, int64_t divisor, int64_t modulus) {
  uintptr_t *place = nereid_map_insert(&forms->digits_of, source);
  for (uint32_t i = place ? (uint32_t)*place : 0; i; i = forms->digits.data[i - 1].next)
    if (forms->digits.data[i - 1].divisor == divisor && forms->digits.data[i - 1].modulus == modulus)
      return forms->digits.data[i - 1].symbol;
  const uint32_t symbol = nereid_forms_add_symbol(
      forms,
      (nereid_symbol_t){.kind = NEREID_SYMBOL_DIGIT, .node = NEREID_FLOW_NONE, .digit = (uint32_t)forms->digits.size});
  const nereid_form_digit_t digit = {source, divisor, modulus, symbol, place ? (uint32_t)*place : 0};
  if (!place || !symbol || !nereid_vector_push(forms->arena, &forms->digits, digit))
    return 0;
  *place = forms->digits.size;
  return symbol;
}

/* The digit of a value that is itself the digit `of`: (x / a) / b is x / (a * b), (x / a) % b is of both. */
static bool narrow(nereid_form_digit_t *of, int64_t divisor, bool remainder) {
  if (of->modulus % divisor)
    return false;
  if (remainder) {
    of->modulus = divisor;
    return true;
  }
  of->modulus /= divisor;
  return !__builtin_mul_overflow(of->divisor, divisor, &of->divisor) && of->divisor >> MAX_DIGIT_BITS == 0;
}

bool nereid_forms_digit(nereid_forms_t *forms, const nereid_form_t *form, int64_t divisor, bool remainder,
                        nereid_form_t *out) {
  const uint32_t outer = find_digit(forms, form);
  nereid_form_digit_t digit = {.divisor = 1};
  nereid_form_t source = *form, alone = {0};
  if (divisor <= 1)
    return false;
  if (outer) {
    digit = forms->digits.data[forms->symbols.data[outer].digit];
    source = *digit.source;
    if (!nereid_form_add_scaled(&alone, &source, 1, (nereid_product_t){{outer}}) || !is_same(&alone, form))
      return false;
  }
  const nereid_form_t *stored = narrow(&digit, divisor, remainder) ? nereid_forms_store(forms, &source) : NULL;
  const uint32_t symbol = stored ? digit_symbol(forms, stored, digit.divisor, digit.modulus) : 0;
  return symbol && nereid_form_add_scaled(out, stored, 1, (nereid_product_t){{symbol}});
}

/* --- all digits of a value --- */

typedef struct digit_sum {
  nereid_form_t value;          /* of which all are digits */
  nereid_form_digit_sum_t part; /* with divisors of `value` */
  int64_t modulus;              /* modulus of the last digit */
} digit_sum_t;

static bool holds(nereid_product_t product, uint32_t symbol) {
  return !nereid_product_equal(nereid_product_without(product, symbol), product);
}

/* Moves the parts of `form` that hold `symbol` to `out`, without it. */
static bool take_parts(nereid_form_t *form, uint32_t symbol, nereid_form_t *out) {
  nereid_form_t rest = {.constant = form->constant};
  bool good = true;
  for (uint32_t i = 0; i < form->n_terms; ++i) {
    const nereid_form_term_t *term = &form->terms[i];
    good &= holds(term->product, symbol)
                ? nereid_form_add_term(out, term->factor, nereid_product_without(term->product, symbol))
                : nereid_form_add_term(&rest, term->factor, term->product);
  }
  for (uint32_t i = 0; i < form->n_weights; ++i) {
    nereid_form_weight_t weight = form->weights[i];
    const bool found = holds(weight.product, symbol);
    weight.product = nereid_product_without(weight.product, symbol);
    good &= nereid_form_add_weight(found ? out : &rest, found ? weight : form->weights[i]);
  }
  *form = rest;
  return good;
}

/* Divides `parts` by the number of times that they are `source`; the weights of `source` may have been moved to other
 * bits. 0 when they are not a multiple. */
static int64_t divide_by_source(nereid_form_t *parts, const nereid_form_t *source) {
  nereid_form_t uniform = {.constant = parts->constant};
  const nereid_form_t rest = *parts;
  int64_t times = 0, least = INT64_MAX, of = INT64_MAX;
  if (rest.n_terms != source->n_terms || rest.n_weights != source->n_weights)
    return 0;
  for (uint32_t i = 0; i < rest.n_weights; ++i) {
    if (rest.weights[i].product.symbols[0] || source->weights[i].product.symbols[0] || source->weights[i].factor <= 0)
      return 0;
    least = rest.weights[i].factor < least ? rest.weights[i].factor : least;
    of = source->weights[i].factor < of ? source->weights[i].factor : of;
  }
  for (uint32_t i = 0; !rest.n_weights && i < 1 && i < rest.n_terms; ++i)
    for (uint32_t k = 0; k < source->n_terms; ++k)
      if (nereid_product_equal(rest.terms[i].product, source->terms[k].product))
        least = rest.terms[i].factor, of = source->terms[k].factor;
  times = least / of;
  if (times <= 0 || least == INT64_MAX)
    return 0;
  for (uint32_t i = 0; i < rest.n_terms; ++i)
    nereid_form_add_term(&uniform, rest.terms[i].factor, rest.terms[i].product);
  *parts = (nereid_form_t){.constant = source->constant, .n_terms = source->n_terms};
  for (uint32_t i = 0; i < source->n_terms; ++i)
    parts->terms[i] = source->terms[i];
  if (!nereid_form_add(&uniform, parts, -times) || !is_empty(&uniform))
    return 0;
  uint64_t used = 0;
  for (uint32_t i = 0; i < rest.n_weights; ++i) {
    uint32_t k = 0;
    while (k < source->n_weights && (used >> k & 1 || source->weights[k].factor > INT64_MAX / times ||
                                     source->weights[k].factor * times != rest.weights[i].factor))
      ++k;
    if (k == source->n_weights)
      return 0;
    used |= UINT64_C(1) << k;
    nereid_form_add_weight(parts, (nereid_form_weight_t){source->weights[k].factor, {{0}}, rest.weights[i].bit});
  }
  return times;
}

/* Whether `divisor` of `other` is a divisor of `value` = other / 2^n: then it becomes that. */
static bool rebase(const nereid_forms_t *forms, const nereid_form_t *value, const nereid_form_t *other,
                   int64_t *divisor) {
  if (is_same(value, other))
    return true;
  for (int bits = 1; *divisor % (INT64_C(1) << bits) == 0; ++bits) {
    nereid_form_t quotient;
    if (nereid_form_divide(forms, other, INT64_C(1) << bits, false, &quotient) && is_same(value, &quotient)) {
      *divisor >>= bits;
      return true;
    }
  }
  return false;
}

/* Takes the next digit of the sum out of `form`: the lowest when there is none yet. */
static bool take_digit(const nereid_forms_t *forms, nereid_form_t *form, uint32_t symbol, digit_sum_t *sum) {
  const nereid_form_digit_t *digit = &forms->digits.data[forms->symbols.data[symbol].digit];
  const bool first = sum->part.n == 0;
  nereid_form_t rest = *form, value = {0};
  int64_t divisor = digit->divisor, expected = 1;
  if (sum->part.n == NEREID_FORM_DIGITS || !take_parts(&rest, symbol, &value))
    return false;
  const int64_t factor = divide_by_source(&value, digit->source);
  if (!factor || (!first && !rebase(forms, &sum->value, &value, &divisor)))
    return false;
  if (!first && __builtin_mul_overflow(sum->part.digits[sum->part.n - 1].divisor, sum->modulus, &expected))
    return false;
  if (divisor != expected)
    return false;
  if (first)
    sum->value = value;
  sum->part.digits[sum->part.n].divisor = divisor;
  sum->part.digits[sum->part.n++].factor = factor;
  sum->modulus = digit->modulus;
  *form = rest;
  return true;
}

static bool take_any(const nereid_forms_t *forms, nereid_form_t *form, digit_sum_t *sum) {
  for (uint32_t i = 0; i < form->n_terms + form->n_weights; ++i) {
    const nereid_product_t product =
        i < form->n_terms ? form->terms[i].product : form->weights[i - form->n_terms].product;
    for (int k = 0; k < NEREID_FORM_DEGREE && product.symbols[k]; ++k)
      if (forms->symbols.data[product.symbols[k]].kind == NEREID_SYMBOL_DIGIT &&
          take_digit(forms, form, product.symbols[k], sum))
        return true;
  }
  return false;
}

/* The minimum difference of the sums of different values; at most 0: unknown. The last digit has no maximum. */
static int64_t room_of(const nereid_form_digit_sum_t *sum) {
  int64_t room = INT64_MAX, extent;
  for (uint32_t i = 0; i < sum->n; ++i) {
    int64_t below = 0;
    for (uint32_t k = 0; k < sum->n; ++k) {
      const bool smaller = k != i && (sum->digits[k].factor < sum->digits[i].factor ||
                                      (sum->digits[k].factor == sum->digits[i].factor && k > i));
      if (!smaller)
        continue;
      if (k + 1 == sum->n ||
          __builtin_mul_overflow(sum->digits[k + 1].divisor / sum->digits[k].divisor - 1, sum->digits[k].factor,
                                 &extent) ||
          __builtin_add_overflow(below, extent, &below))
        return 0;
    }
    const int64_t left = sum->digits[i].factor - below;
    room = left < room ? left : room;
  }
  return room;
}

static bool same_sum(const nereid_form_digit_sum_t *a, const nereid_form_digit_sum_t *b) {
  bool same = a->n == b->n;
  for (uint32_t i = 0; same && i < a->n; ++i)
    same = a->digits[i].divisor == b->digits[i].divisor && a->digits[i].factor == b->digits[i].factor;
  return same;
}

static uint32_t sum_symbol(nereid_forms_t *forms, nereid_form_digit_sum_t *sum) {
  uint64_t hash = sum->n;
  uint8_t bits = MAX_DIGIT_BITS;
  for (uint32_t i = 0; i < sum->n; ++i) {
    const int zeros = __builtin_ctzll((uint64_t)sum->digits[i].factor);
    hash = (hash * 31 + (uint64_t)sum->digits[i].divisor) * 31 + (uint64_t)sum->digits[i].factor;
    bits = zeros < bits ? (uint8_t)zeros : bits;
  }
  uintptr_t *place =
      nereid_map_insert(&forms->digit_sums_by_hash, (const void *)(uintptr_t)(hash << 4 | 8)); /* NOLINT */
  for (uint32_t i = place ? (uint32_t)*place : 0; i; i = forms->digit_sums.data[i - 1].next)
    if (same_sum(&forms->digit_sums.data[i - 1], sum))
      return forms->digit_sums.data[i - 1].symbol;
  sum->symbol = nereid_forms_add_symbol(
      forms, (nereid_symbol_t){
                 .kind = NEREID_SYMBOL_DIGITS, .node = NEREID_FLOW_NONE, .divisibility = bits, .room = room_of(sum)});
  sum->next = place ? (uint32_t)*place : 0;
  if (!place || !sum->symbol || !nereid_vector_push(forms->arena, &forms->digit_sums, *sum))
    return 0;
  *place = forms->digit_sums.size;
  return sum->symbol;
}

/* One coordinate: powers of two. */
static bool has_simple_weights(const nereid_form_t *value) {
  for (uint32_t i = 0; i < value->n_weights; ++i)
    if (value->weights[i].factor & (value->weights[i].factor - 1))
      return false;
  return true;
}

static bool mentions(const nereid_form_t *form, uint32_t symbol) {
  bool found = false;
  for (uint32_t i = 0; i < form->n_terms && !found; ++i)
    found = holds(form->terms[i].product, symbol);
  for (uint32_t i = 0; i < form->n_weights && !found; ++i)
    found = holds(form->weights[i].product, symbol);
  return found;
}

const nereid_form_t *nereid_forms_join_digits(nereid_forms_t *forms, const nereid_form_t *form) {
  if (!form || !find_digit(forms, form))
    return form;
  nereid_form_t out = *form;
  while (find_digit(forms, &out)) {
    digit_sum_t sum = {.modulus = 1};
    while (sum.modulus)
      if (!take_any(forms, &out, &sum))
        return NULL;
    const uint32_t symbol = room_of(&sum.part) > 0 && has_simple_weights(&sum.value) ? sum_symbol(forms, &sum.part) : 0;
    if (!symbol || mentions(&out, symbol) || !nereid_form_add_scaled(&out, &sum.value, 1, (nereid_product_t){{symbol}}))
      return NULL;
  }
  return nereid_forms_store(forms, &out);
}

/* Compares addresses by coordinates; see address_relation.h. */
#include "analysis/global/address_relation.h"

#include "layout/encoding.h"

#include "mlir-c/BuiltinTypes.h"

enum { MAX_COORDINATES = 6, EXACT = 62, LANES = 5 };

/* --- owners --- */

static bool append(nereid_address_owners_t *out, uint32_t element, uint32_t thread) {
  if (out->n == NEREID_OWNER_BITS)
    return false;
  out->bits[out->n].element = element;
  out->bits[out->n++].thread = thread;
  return true;
}

static uint32_t thread_bit(int in, int bit) {
  if (in == NEREID_LAYOUT_LANE)
    return UINT32_C(1) << bit;
  return in == NEREID_LAYOUT_WARP ? UINT32_C(1) << (bit + NEREID_ACCESS_LANE_BITS) : 0;
}

const nereid_address_owners_t *nereid_address_owners(MlirType type, bool loads, int warps, nereid_arena_t *arena) {
  nereid_address_owners_t *out = nereid_arena_new(arena, nereid_address_owners_t, 1);
  uint32_t copies[NEREID_LAYOUT_DIMS] = {0};
  nereid_layout_t layout;
  bool good = out != NULL;
  if (good && !mlirTypeIsARankedTensor(type)) {
    for (int bit = 0; loads && bit < LANES; ++bit)
      good = good && append(out, 0, thread_bit(NEREID_LAYOUT_LANE, bit));
    for (int bit = 0; loads && 1 << bit < warps; ++bit)
      good = good && append(out, 0, thread_bit(NEREID_LAYOUT_WARP, bit));
    return good ? out : NULL;
  }
  if (!good || nereid_layout_from_type(type, &layout) != NEREID_OK)
    return NULL;
  if (!loads)
    nereid_layout_free_masks(&layout, copies);
  for (int in = NEREID_LAYOUT_REGISTER; in <= NEREID_LAYOUT_BLOCK; ++in)
    for (int bit = 0; bit < layout.in_bits[in]; ++bit)
      if (!(copies[in] >> bit & 1))
        good = good && append(out, layout.bases[in][bit], thread_bit(in, bit));
  return good ? out : NULL;
}

/* --- elimination over F2 --- */

typedef struct echelon {
  uint64_t images[64];
  uint32_t threads[64]; /* by highest bit of the image */
  uint32_t free;        /* pairs of different threads that access the same byte */
} echelon_t;

static uint64_t reduce(const echelon_t *echelon, uint64_t image, uint32_t *threads) {
  while (image) {
    const int bit = 63 - __builtin_clzll(image);
    if (!echelon->images[bit])
      return image;
    image ^= echelon->images[bit];
    *threads ^= echelon->threads[bit];
  }
  return 0;
}

static void eliminate(echelon_t *echelon, uint64_t image, uint32_t threads) {
  image = reduce(echelon, image, &threads);
  if (!image) {
    echelon->free |= threads;
    return;
  }
  const int bit = 63 - __builtin_clzll(image);
  echelon->images[bit] = image;
  echelon->threads[bit] = threads;
}

/* --- coordinates --- */

/* Addresses are the sum of stride * index over coordinates; a stride is an odd number times a product of symbols. */
typedef struct coordinate {
  nereid_product_t product;
  int64_t odd;
  int64_t constant;        /* the known part of the later index minus the earlier one */
  int64_t advance;         /* plus at least one time this */
  bool scaled;             /* ... times a product of positive symbols */
  int exact;               /* modulo 2^exact; EXACT: fully known */
  int used;                /* bits that both sides use without carries, at most `exact` */
  int64_t low[2], high[2]; /* the weights of the earlier and the later access add up to between these */
  int64_t least;           /* weight */
  bool present[2];
  int shift; /* where its bits are in an image */
} coordinate_t;

typedef struct comparison {
  const nereid_address_t *sides[2]; /* the earlier, the later */
  const nereid_forms_t *forms;
  coordinate_t coordinates[MAX_COORDINATES];
  int n;
  bool flat; /* a single coordinate for all terms */
} comparison_t;

static bool is_one(nereid_product_t product) {
  return !product.symbols[0];
}

static int64_t odd_part(int64_t number) {
  const int64_t positive = number < 0 ? -number : number;
  return positive >> __builtin_ctzll((uint64_t)positive);
}

static coordinate_t *find_coordinate(comparison_t *comparison, nereid_product_t product, int64_t odd) {
  for (int i = 0; i < comparison->n; ++i)
    if (comparison->coordinates[i].odd == odd && nereid_product_equal(comparison->coordinates[i].product, product))
      return &comparison->coordinates[i];
  return NULL;
}

static coordinate_t *get_coordinate(comparison_t *comparison, nereid_product_t product, int64_t odd) {
  coordinate_t *known = find_coordinate(comparison, product, odd);
  if (known || comparison->n == MAX_COORDINATES)
    return known;
  coordinate_t *made = &comparison->coordinates[comparison->n++];
  *made = (coordinate_t){.product = product, .odd = odd, .exact = EXACT, .least = INT64_MAX};
  return made;
}

/* The coordinate of a weight, and the weight in it; null when there are too many. */
static coordinate_t *coordinate_of(comparison_t *comparison, const nereid_form_weight_t *weight, int64_t *factor) {
  *factor = weight->factor;
  if (comparison->flat)
    return &comparison->coordinates[0];
  const int64_t odd = odd_part(weight->factor);
  *factor = weight->factor / odd;
  return get_coordinate(comparison, weight->product, odd);
}

/* Collects the coordinates of the weights of one side; false when there are too many. */
static bool add_weights(comparison_t *comparison, int side) {
  const nereid_form_t *form = comparison->sides[side]->form;
  for (uint32_t i = 0; i < form->n_weights; ++i) {
    int64_t factor;
    coordinate_t *coordinate = coordinate_of(comparison, &form->weights[i], &factor);
    if (!coordinate)
      return false;
    if (comparison->flat && !is_one(form->weights[i].product)) {
      const int bits = nereid_product_divisibility(comparison->forms, factor, form->weights[i].product);
      coordinate->exact = bits < coordinate->exact ? bits : coordinate->exact;
      continue;
    }
    coordinate->present[side] = true;
    *(factor < 0 ? &coordinate->low[side] : &coordinate->high[side]) += factor;
    const int64_t size = factor < 0 ? -factor : factor;
    coordinate->least = size < coordinate->least ? size : coordinate->least;
  }
  return true;
}

/* --- the difference of the terms --- */

static void forget_above(coordinate_t *coordinate, int bits) {
  coordinate->exact = bits < coordinate->exact ? bits : coordinate->exact;
}

/* `term` is `factor` times symbols; `rest` are the symbols that are not in the stride of its coordinate. */
static void add_unknown(const comparison_t *comparison, coordinate_t *coordinate, int64_t factor,
                        nereid_product_t rest) {
  forget_above(coordinate, nereid_product_divisibility(comparison->forms, factor, rest));
}

static bool divides_product(nereid_product_t product, nereid_product_t by, nereid_product_t *out_rest) {
  *out_rest = product;
  for (int i = 0; i < NEREID_FORM_DEGREE && by.symbols[i]; ++i) {
    const nereid_product_t less = nereid_product_without(*out_rest, by.symbols[i]);
    if (nereid_product_equal(less, *out_rest))
      return false;
    *out_rest = less;
  }
  return true;
}

/* The coordinate with the largest stride that divides the term. */
static coordinate_t *coordinate_of_term(comparison_t *comparison, int64_t factor, nereid_product_t product,
                                        int64_t *out_factor, nereid_product_t *out_rest) {
  coordinate_t *best = NULL;
  *out_factor = factor;
  *out_rest = product;
  if (comparison->flat)
    return &comparison->coordinates[0];
  for (int i = 0; i < comparison->n; ++i) {
    coordinate_t *coordinate = &comparison->coordinates[i];
    nereid_product_t rest;
    const int64_t stride = is_one(coordinate->product) ? coordinate->odd * coordinate->least : coordinate->odd;
    if (!divides_product(product, coordinate->product, &rest) || factor % stride ||
        (best && is_one(coordinate->product) && (!is_one(best->product) || best->least * best->odd > stride)))
      continue;
    best = coordinate;
    *out_factor = factor / coordinate->odd;
    *out_rest = rest;
  }
  return best;
}

/* Returns whether both sides are writes and have a term of `product`: rows of one tensor, the later write remains. */
static bool is_own_coordinate(const comparison_t *comparison, nereid_product_t product) {
  for (int side = 0; side < 2; ++side) {
    const nereid_form_t *form = comparison->sides[side]->form;
    bool found = false;
    for (uint32_t i = 0; i < form->n_terms && !found; ++i)
      for (int k = 0; k < NEREID_FORM_DEGREE && !found; ++k)
        found = form->terms[i].product.symbols[k] && product.symbols[0] &&
                comparison->forms->symbols.data[form->terms[i].product.symbols[k]].node == NEREID_FLOW_NONE &&
                nereid_product_equal((nereid_product_t){{form->terms[i].product.symbols[k]}}, product);
    if (!found || !comparison->sides[side]->writes)
      return false;
  }
  return true;
}

/* A loop-invariant factor of `product`: a possible stride. */
static nereid_product_t stride_of(const comparison_t *comparison, nereid_product_t product, bool count) {
  for (int i = 0; i < NEREID_FORM_DEGREE; ++i) {
    const uint32_t symbol = product.symbols[i];
    if (symbol && (count || product.symbols[1]) &&
        comparison->forms->symbols.data[symbol].kind == NEREID_SYMBOL_VALUE &&
        comparison->forms->symbols.data[symbol].node == NEREID_FLOW_NONE)
      return (nereid_product_t){{symbol}};
  }
  return (nereid_product_t){{0}};
}

static bool is_positive(const comparison_t *comparison, nereid_product_t product) {
  bool positive = true;
  for (int i = 0; i < NEREID_FORM_DEGREE && product.symbols[i]; ++i)
    positive = positive && comparison->forms->symbols.data[product.symbols[i]].positive;
  return positive;
}

/* Adds a term of a counter, which has advanced by at least one, times `rest`, which is at least 1. */
static void add_advance(const comparison_t *comparison, coordinate_t *coordinate, int64_t factor,
                        nereid_product_t rest) {
  if (coordinate->advance && (coordinate->scaled || !is_one(rest))) { /* different multiples */
    add_unknown(comparison, coordinate, factor, rest);
    return;
  }
  coordinate->advance += factor;
  coordinate->scaled = !is_one(rest);
}

/* `count` is whether the term is of a counter that has advanced by an unknown number of steps, at least one. */
static bool add_term(comparison_t *comparison, int64_t factor, nereid_product_t product, bool count) {
  nereid_product_t rest;
  int64_t part;
  coordinate_t *coordinate = coordinate_of_term(comparison, factor, product, &part, &rest);
  const bool large = coordinate && is_one(coordinate->product) && (rest.symbols[1] || (count && rest.symbols[0]));
  if (!comparison->flat && (!coordinate || large)) /* a product of unknown values may be as large as any stride */
    return is_own_coordinate(comparison, stride_of(comparison, product, count));
  if (!coordinate)
    return false;
  if (count && is_positive(comparison, rest))
    add_advance(comparison, coordinate, part, rest);
  else if (is_one(rest))
    coordinate->constant += part;
  else
    add_unknown(comparison, coordinate, part, rest);
  return true;
}

static const nereid_form_term_t *find_term(const nereid_form_t *form, nereid_product_t product) {
  for (uint32_t i = 0; i < form->n_terms; ++i)
    if (nereid_product_equal(form->terms[i].product, product))
      return &form->terms[i];
  return NULL;
}

/* The symbol of the earlier iterations' counter in `product`, and the counter now; false when there is none. */
static bool find_ago(const comparison_t *comparison, nereid_product_t product, uint32_t *ago, uint32_t *now) {
  const nereid_symbol_t *symbols = comparison->forms->symbols.data;
  for (int i = 0; i < NEREID_FORM_DEGREE; ++i)
    if (product.symbols[i] && symbols[product.symbols[i]].kind == NEREID_SYMBOL_AGO) {
      *ago = product.symbols[i];
      *now = *ago + 1; /* added together */
      return symbols[*now].ago == *ago;
    }
  return false;
}

static nereid_product_t with_symbol(nereid_product_t product, uint32_t from, uint32_t to) {
  nereid_product_t rest = nereid_product_without(product, from);
  for (int i = 0; i < NEREID_FORM_DEGREE; ++i)
    if (!rest.symbols[i]) {
      rest.symbols[i] = to;
      break;
    }
  return nereid_product_without(rest, UINT32_MAX); /* sorted again */
}

/* Terms of the earlier side, each with its factor on the later side. */
static bool add_earlier_terms(comparison_t *comparison) {
  const nereid_form_t *earlier = comparison->sides[0]->form, *later = comparison->sides[1]->form;
  for (uint32_t i = 0; i < earlier->n_terms; ++i) {
    const nereid_form_term_t *term = &earlier->terms[i];
    uint32_t ago, now;
    if (find_ago(comparison, term->product, &ago, &now)) {
      const nereid_form_term_t *same = find_term(later, with_symbol(term->product, ago, now));
      if (!(same && same->factor == term->factor
                ? add_term(comparison, term->factor, nereid_product_without(term->product, ago), true)
                : add_term(comparison, -term->factor, term->product, false)))
        return false;
      continue;
    }
    const bool stale = nereid_product_has(comparison->forms, term->product, NEREID_SYMBOL_STALE);
    const nereid_form_term_t *same = stale ? NULL : find_term(later, term->product);
    const int64_t factor = (same ? same->factor : 0) - term->factor;
    if (factor && !add_term(comparison, factor, term->product, false))
      return false;
  }
  return true;
}

/* Terms of the later side only. */
static bool add_later_terms(comparison_t *comparison) {
  const nereid_form_t *earlier = comparison->sides[0]->form, *later = comparison->sides[1]->form;
  for (uint32_t i = 0; i < later->n_terms; ++i) {
    const nereid_form_term_t *term = &later->terms[i];
    if (find_term(earlier, term->product))
      continue;
    bool counted = false;
    for (uint32_t k = 0; k < earlier->n_terms && !counted; ++k) {
      uint32_t ago, now;
      counted = find_ago(comparison, earlier->terms[k].product, &ago, &now) &&
                earlier->terms[k].factor == term->factor &&
                nereid_product_equal(with_symbol(earlier->terms[k].product, ago, now), term->product);
    }
    if (!counted && !add_term(comparison, term->factor, term->product, false))
      return false;
  }
  return true;
}

static bool add_constant(comparison_t *comparison) {
  const int64_t constant = comparison->sides[1]->form->constant - comparison->sides[0]->form->constant;
  return !constant || add_term(comparison, constant, (nereid_product_t){{0}}, false);
}

/* --- answers of one coordinate --- */

/* Bytes of the last element that are not in weights. */
static int64_t tail(const comparison_t *comparison, const coordinate_t *coordinate, int side) {
  return is_one(coordinate->product) && coordinate->odd == 1 ? comparison->sides[side]->bytes - 1 : 0;
}

/* Whether the index of the later side is never one of the earlier. */
static bool is_apart(const comparison_t *comparison, const coordinate_t *coordinate) {
  if (coordinate->exact < EXACT)
    return false;
  const int64_t first = coordinate->low[0], last = coordinate->high[0] + tail(comparison, coordinate, 0);
  const int64_t constant = coordinate->constant, advance = coordinate->advance;
  const int64_t start = constant + advance + coordinate->low[1];
  const int64_t end = constant + advance + coordinate->high[1] + tail(comparison, coordinate, 1);
  return (start > last && advance >= 0) || (end < first && advance <= 0);
}

/* Clears the bits of a partially known number, with 2^bits the limit, that a carry could change. */
static void use_bits(const nereid_form_t *form, comparison_t *comparison, coordinate_t *coordinate, int64_t constant,
                     int bytes) {
  uint64_t taken = (uint64_t)constant | (uint64_t)(bytes - 1);
  for (uint32_t i = 0; i < form->n_weights; ++i) {
    int64_t factor;
    if (coordinate_of(comparison, &form->weights[i], &factor) != coordinate ||
        (comparison->flat && !is_one(form->weights[i].product)))
      continue;
    const int lowest = __builtin_ctzll((uint64_t)factor);
    const uint64_t others = (uint64_t)factor & ((uint64_t)factor - 1);
    if (taken >> lowest & 1 && lowest + 1 < coordinate->used)
      coordinate->used = lowest + 1; /* a carry goes into the bits above */
    if (others && __builtin_ctzll(others) < coordinate->used)
      coordinate->used = __builtin_ctzll(others);
    taken |= UINT64_C(1) << lowest;
  }
}

/* Determines the bits of the coordinate that are compared. */
static void choose_bits(comparison_t *comparison, coordinate_t *coordinate) {
  const bool unit = is_one(coordinate->product) && coordinate->odd == 1;
  coordinate->used = coordinate->exact;
  if (coordinate->advance) {
    const int bits = __builtin_ctzll((uint64_t)coordinate->advance);
    coordinate->used = bits < coordinate->used ? bits : coordinate->used;
  }
  for (int side = 0; side < 2; ++side) {
    const bool here = side == 1 ? coordinate->constant >= 0 : coordinate->constant < 0;
    const int64_t size = coordinate->constant < 0 ? -coordinate->constant : coordinate->constant;
    use_bits(comparison->sides[side]->form, comparison, coordinate, here ? size : 0,
             unit ? (int)comparison->sides[side]->bytes : 1);
  }
}

/* --- all coordinates --- */

static uint64_t image_of(comparison_t *comparison, const nereid_form_t *form, uint32_t element) {
  uint64_t image = 0;
  for (uint32_t i = 0; i < form->n_weights; ++i) {
    int64_t factor;
    const coordinate_t *coordinate = coordinate_of(comparison, &form->weights[i], &factor);
    if (!(element >> form->weights[i].bit & 1) || coordinate->used <= 0 ||
        (comparison->flat && !is_one(form->weights[i].product)))
      continue;
    image ^= ((uint64_t)factor & ((UINT64_C(1) << coordinate->used) - 1)) << coordinate->shift;
  }
  return image;
}

static int width_of(const comparison_t *comparison, const coordinate_t *coordinate) {
  const int64_t size = coordinate->constant < 0 ? -coordinate->constant : coordinate->constant;
  uint64_t most = (uint64_t)size;
  for (int side = 0; side < 2; ++side)
    most |= (uint64_t)(coordinate->high[side] - coordinate->low[side]) | (uint64_t)(comparison->sides[side]->bytes - 1);
  const int bits = most ? 64 - __builtin_clzll(most) : 0;
  return bits < coordinate->used ? bits : coordinate->used;
}

static nereid_shapes_relation_t eliminate_all(comparison_t *comparison) {
  echelon_t echelon = {0};
  uint64_t offset = 0;
  uint32_t threads = 0;
  int shift = 0;
  for (int i = 0; i < comparison->n; ++i) {
    coordinate_t *coordinate = &comparison->coordinates[i];
    const int64_t size = coordinate->constant < 0 ? -coordinate->constant : coordinate->constant;
    coordinate->used = width_of(comparison, coordinate);
    coordinate->used = shift + coordinate->used > 63 ? 63 - shift : coordinate->used;
    coordinate->shift = shift;
    offset |= ((uint64_t)size & ((UINT64_C(1) << coordinate->used) - 1)) << shift;
    shift += coordinate->used;
  }
  const coordinate_t *unit = find_coordinate(comparison, (nereid_product_t){{0}}, 1);
  for (int side = 0; side < 2; ++side) {
    const nereid_address_t *address = comparison->sides[side];
    for (uint32_t byte = 1; unit && byte < address->bytes; byte *= 2)
      eliminate(&echelon, unit->used > __builtin_ctz(byte) ? (uint64_t)byte << unit->shift : 0, 0);
    for (int i = 0; i < address->owners->n; ++i)
      eliminate(&echelon, image_of(comparison, address->form, address->owners->bits[i].element),
                address->owners->bits[i].thread);
  }
  if (reduce(&echelon, offset, &threads))
    return NEREID_SHAPES_DISJOINT;
  if (!(echelon.free | threads))
    return NEREID_SHAPES_SAME_THREAD;
  return (echelon.free | threads) >> NEREID_ACCESS_LANE_BITS ? NEREID_SHAPES_ANY : NEREID_SHAPES_SAME_WARP;
}

/* Whether equal addresses imply equal indices: constant strides exceed the range of smaller coordinates, or a mask is
 * assumed to ensure this; other strides occur on both sides. */
static bool is_unique(const comparison_t *comparison) {
  const bool masked = comparison->sides[0]->masked && comparison->sides[1]->masked;
  for (int i = 0; i < comparison->n; ++i) {
    const coordinate_t *coordinate = &comparison->coordinates[i];
    if (coordinate->present[0] != coordinate->present[1])
      return false;
    const int64_t stride = coordinate->odd * coordinate->least;
    int64_t extent = 0;
    for (int k = 0; k < comparison->n; ++k) {
      const coordinate_t *other = &comparison->coordinates[k];
      if (k != i && is_one(other->product) && other->odd * other->least < stride)
        extent += (other->high[0] > other->high[1] ? other->high[0] : other->high[1]) * other->odd;
    }
    if (is_one(coordinate->product) && !masked && extent >= stride)
      return false;
  }
  return true;
}

static nereid_shapes_relation_t compare(comparison_t *comparison) {
  if (!add_weights(comparison, 0) || !add_weights(comparison, 1) || (!comparison->flat && !is_unique(comparison)) ||
      !add_constant(comparison) || !add_earlier_terms(comparison) || !add_later_terms(comparison))
    return NEREID_SHAPES_ANY;
  for (int i = 0; i < comparison->n; ++i)
    if (is_apart(comparison, &comparison->coordinates[i]))
      return NEREID_SHAPES_DISJOINT;
  for (int i = 0; i < comparison->n; ++i)
    choose_bits(comparison, &comparison->coordinates[i]);
  return eliminate_all(comparison);
}

/* --- sums of digits --- */

/* The symbol of a sum of digits in `form`; 0 when there is none, UINT32_MAX when there are several. */
static uint32_t digits_of(const nereid_address_t *address) {
  const nereid_symbol_t *symbols = address->forms->symbols.data;
  const nereid_form_t *form = address->form;
  uint32_t found = 0;
  for (uint32_t i = 0; i < form->n_terms + form->n_weights; ++i) {
    const nereid_product_t product =
        i < form->n_terms ? form->terms[i].product : form->weights[i - form->n_terms].product;
    for (int k = 0; k < NEREID_FORM_DEGREE && product.symbols[k]; ++k)
      if (symbols[product.symbols[k]].kind == NEREID_SYMBOL_DIGITS && product.symbols[k] != found)
        found = found ? UINT32_MAX : product.symbols[k];
  }
  return found;
}

/* Whether `a` and `b` have the same terms apart from sums of digits. */
static bool same_rest(const nereid_address_t *a, const nereid_address_t *b) {
  for (uint32_t i = 0; i < a->form->n_terms; ++i) {
    const nereid_form_term_t *term = &a->form->terms[i], *same = find_term(b->form, term->product);
    const bool changes = nereid_product_has(a->forms, term->product, NEREID_SYMBOL_STALE) ||
                         nereid_product_has(a->forms, term->product, NEREID_SYMBOL_AGO);
    if (!nereid_product_has(a->forms, term->product, NEREID_SYMBOL_DIGITS) &&
        (changes || !same || same->factor != term->factor))
      return false;
  }
  return true;
}

/* The range of bytes, end exclusive, that are added to terms and sums of digits. */
static void extend(const nereid_address_t *address, int64_t *low, int64_t *high) {
  int64_t first = address->form->constant, last = address->form->constant + address->bytes;
  for (uint32_t i = 0; i < address->form->n_weights; ++i) {
    const nereid_form_weight_t *weight = &address->form->weights[i];
    if (is_one(weight->product))
      *(weight->factor < 0 ? &first : &last) += weight->factor;
    else if (!nereid_product_has(address->forms, weight->product, NEREID_SYMBOL_DIGITS))
      last = INT64_MAX / 2;
  }
  *low = first < *low ? first : *low;
  *high = last > *high ? last : *high;
}

/* Whether accesses overlap only for equal digits: the added range is less than the minimum difference of their sums, or
 * both accesses are of one store. */
static bool digits_decide(const nereid_address_t *earlier, const nereid_address_t *later) {
  const uint32_t digits = digits_of(earlier);
  int64_t low = INT64_MAX / 4, high = INT64_MIN / 4;
  if (!digits && !digits_of(later))
    return true;
  if (earlier->form == later->form && (earlier->writes || later->writes))
    return true;
  if (digits != digits_of(later))
    return false;
  extend(earlier, &low, &high);
  extend(later, &low, &high);
  if (digits != UINT32_MAX && high - low <= earlier->forms->symbols.data[digits].room && same_rest(earlier, later) &&
      same_rest(later, earlier))
    return true;
  return earlier->writes && later->writes && earlier->form->constant == later->form->constant;
}

/* Sums of digits without weights are coordinates, too. */
static void add_digits(comparison_t *comparison) {
  for (int side = 0; side < 2; ++side) {
    const uint32_t digits = digits_of(comparison->sides[side]);
    if (digits && digits != UINT32_MAX)
      get_coordinate(comparison, (nereid_product_t){{digits}}, 1);
  }
}

nereid_shapes_relation_t nereid_address_relation(const nereid_address_t *earlier, const nereid_address_t *later) {
  if (!earlier->form || !later->form || !earlier->owners || !later->owners || earlier->forms != later->forms)
    return NEREID_SHAPES_ANY;
  comparison_t flat = {.sides = {earlier, later}, .forms = earlier->forms, .flat = true, .n = 1};
  flat.coordinates[0] = (coordinate_t){.odd = 1, .exact = EXACT, .least = INT64_MAX};
  const nereid_shapes_relation_t simple = compare(&flat);
  if (simple <= NEREID_SHAPES_SAME_THREAD)
    return simple;
  if (!digits_decide(earlier, later))
    return simple;
  comparison_t apart = {.sides = {earlier, later}, .forms = earlier->forms};
  add_digits(&apart);
  const nereid_shapes_relation_t better = compare(&apart);
  return better < simple ? better : simple;
}

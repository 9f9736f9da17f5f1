/* Symbols, products and interned forms; see address_form.h. The forms of values are built in address_form_build.c and
 * address_digits.c. */
#include "analysis/global/address_form.h"

#include "analysis/global/address_form_build.h"
#include "dialects/ir.h"
#include "nereid/dialects/ops.h"

#include <string.h>

enum { STALE = 1, MAX_DIVISIBILITY = 62 };

/* --- products --- */

bool nereid_product_equal(nereid_product_t a, nereid_product_t b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

bool nereid_product_has(const nereid_forms_t *forms, nereid_product_t product, nereid_symbol_kind_t kind) {
  for (int i = 0; i < NEREID_FORM_DEGREE; ++i)
    if (product.symbols[i] && forms->symbols.data[product.symbols[i]].kind == kind)
      return true;
  return false;
}

int nereid_product_divisibility(const nereid_forms_t *forms, int64_t factor, nereid_product_t product) {
  int bits = factor ? __builtin_ctzll((uint64_t)factor) : MAX_DIVISIBILITY;
  for (int i = 0; i < NEREID_FORM_DEGREE; ++i) { /* `factor` is then one of the value that has the digits */
    const nereid_symbol_t *symbol = &forms->symbols.data[product.symbols[i]];
    if (product.symbols[i] && (symbol->kind == NEREID_SYMBOL_DIGIT || symbol->kind == NEREID_SYMBOL_DIGITS))
      return symbol->divisibility;
  }
  for (int i = 0; i < NEREID_FORM_DEGREE; ++i)
    if (product.symbols[i])
      bits += forms->symbols.data[product.symbols[i]].divisibility;
  return bits < MAX_DIVISIBILITY ? bits : MAX_DIVISIBILITY;
}

static void sort(nereid_product_t *product) {
  for (int i = 1; i < NEREID_FORM_DEGREE; ++i)
    for (int k = i; k > 0; --k) {
      const uint32_t low = product->symbols[k - 1], high = product->symbols[k];
      if (!high || (low && low <= high))
        break;
      product->symbols[k - 1] = high;
      product->symbols[k] = low;
    }
}

nereid_product_t nereid_product_without(nereid_product_t product, uint32_t symbol) {
  for (int i = 0; i < NEREID_FORM_DEGREE; ++i)
    if (product.symbols[i] == symbol) {
      product.symbols[i] = 0;
      break;
    }
  sort(&product);
  return product;
}

bool nereid_product_multiply(nereid_product_t a, nereid_product_t b, nereid_product_t *out) {
  for (int i = 0; i < NEREID_FORM_DEGREE && b.symbols[i]; ++i) {
    if (a.symbols[NEREID_FORM_DEGREE - 1])
      return false;
    a.symbols[NEREID_FORM_DEGREE - 1] = b.symbols[i];
    sort(&a);
  }
  *out = a;
  return true;
}

/* --- sums --- */

bool nereid_form_add_term(nereid_form_t *form, int64_t factor, nereid_product_t product) {
  if (!product.symbols[0]) {
    form->constant += factor;
    return true;
  }
  for (uint32_t i = 0; i < form->n_terms; ++i)
    if (nereid_product_equal(form->terms[i].product, product)) {
      form->terms[i].factor += factor;
      if (!form->terms[i].factor)
        form->terms[i] = form->terms[--form->n_terms];
      return true;
    }
  if (factor && form->n_terms == NEREID_FORM_TERMS)
    return false;
  if (factor)
    form->terms[form->n_terms++] = (nereid_form_term_t){factor, product};
  return true;
}

bool nereid_form_add_weight(nereid_form_t *form, nereid_form_weight_t weight) {
  for (uint32_t i = 0; i < form->n_weights; ++i) {
    nereid_form_weight_t *known = &form->weights[i];
    if (known->bit == weight.bit && nereid_product_equal(known->product, weight.product)) {
      known->factor += weight.factor;
      if (!known->factor)
        *known = form->weights[--form->n_weights];
      return true;
    }
  }
  if (weight.factor && form->n_weights == NEREID_FORM_WEIGHTS)
    return false;
  if (weight.factor)
    form->weights[form->n_weights++] = weight;
  return true;
}

/* --- one object per form --- */

static int compare_terms(const nereid_form_term_t *a, const nereid_form_term_t *b) {
  const int order = memcmp(&a->product, &b->product, sizeof a->product);
  return order ? order : (a->factor > b->factor) - (a->factor < b->factor);
}

static int compare_weights(const nereid_form_weight_t *a, const nereid_form_weight_t *b) {
  if (a->bit != b->bit)
    return a->bit < b->bit ? -1 : 1;
  return memcmp(&a->product, &b->product, sizeof a->product);
}

static void canonicalize(nereid_form_t *form) {
  for (uint32_t i = 1; i < form->n_terms; ++i)
    for (uint32_t k = i; k > 0 && compare_terms(&form->terms[k], &form->terms[k - 1]) < 0; --k) {
      const nereid_form_term_t term = form->terms[k];
      form->terms[k] = form->terms[k - 1];
      form->terms[k - 1] = term;
    }
  for (uint32_t i = 1; i < form->n_weights; ++i)
    for (uint32_t k = i; k > 0 && compare_weights(&form->weights[k], &form->weights[k - 1]) < 0; --k) {
      const nereid_form_weight_t weight = form->weights[k];
      form->weights[k] = form->weights[k - 1];
      form->weights[k - 1] = weight;
    }
}

static uint64_t hash_number(uint64_t hash, uint64_t number) {
  return (hash ^ number) * UINT64_C(1099511628211) + (hash >> 29);
}

static uint64_t hash_product(uint64_t hash, nereid_product_t product) {
  for (int i = 0; i < NEREID_FORM_DEGREE; ++i)
    hash = hash_number(hash, product.symbols[i]);
  return hash;
}

static uintptr_t hash_of(const nereid_form_t *form) {
  uint64_t hash = hash_number(UINT64_C(1469598103934665603), (uint64_t)form->constant);
  for (uint32_t i = 0; i < form->n_terms; ++i)
    hash = hash_product(hash_number(hash, (uint64_t)form->terms[i].factor), form->terms[i].product);
  for (uint32_t i = 0; i < form->n_weights; ++i)
    hash = hash_product(hash_number(hash, (uint64_t)form->weights[i].factor + form->weights[i].bit),
                        form->weights[i].product);
  return (uintptr_t)hash << 4 | 8; /* never null */
}

static bool equal(const nereid_form_t *a, const nereid_form_t *b) {
  if (a->constant != b->constant || a->n_terms != b->n_terms || a->n_weights != b->n_weights)
    return false;
  for (uint32_t i = 0; i < a->n_terms; ++i)
    if (compare_terms(&a->terms[i], &b->terms[i]))
      return false;
  for (uint32_t i = 0; i < a->n_weights; ++i)
    if (compare_weights(&a->weights[i], &b->weights[i]) || a->weights[i].factor != b->weights[i].factor)
      return false;
  return true;
}

typedef struct stored_form {
  nereid_form_t form;
  const struct stored_form *next; /* next form with the same hash */
} stored_form_t;

const nereid_form_t *nereid_forms_store(nereid_forms_t *forms, nereid_form_t *form) {
  canonicalize(form);
  uintptr_t *place = nereid_map_insert(&forms->by_hash, (const void *)hash_of(form)); /* NOLINT: a hash is a key */
  if (!place)
    return NULL;
  for (const stored_form_t *known = (const stored_form_t *)*place; known; known = known->next)
    if (equal(&known->form, form))
      return &known->form;
  stored_form_t *made = nereid_arena_new(forms->arena, stored_form_t, 1);
  if (!made)
    return NULL;
  made->form = *form;
  made->next = (const stored_form_t *)*place;
  *place = (uintptr_t)made;
  return &made->form;
}

/* --- symbols --- */

uint32_t nereid_forms_add_symbol(nereid_forms_t *forms, nereid_symbol_t symbol) {
  return nereid_vector_push(forms->arena, &forms->symbols, symbol) ? (uint32_t)forms->symbols.size - 1 : 0;
}

static uint32_t symbol_in(nereid_forms_t *forms, nereid_map_t *map, const void *key, nereid_symbol_t symbol) {
  uintptr_t *place = nereid_map_insert(map, key);
  if (place && !*place)
    *place = nereid_forms_add_symbol(forms, symbol);
  return place ? (uint32_t)*place : 0;
}

uint32_t nereid_forms_symbol(nereid_forms_t *forms, MlirValue value, uint32_t node) {
  const nereid_axis_info_t *info = forms->axis ? nereid_axis_info_get(forms->axis, value) : NULL;
  const uint8_t bits = info && info->rank && !info->contiguity[0] ? info->divisibility[0] : 0;
  const bool positive =
      mlirValueIsAOpResult(value) && nereid_op_kind(mlirOpResultGetOwner(value)) == NEREID_OP_TT_GET_NUM_PROGRAMS;
  return symbol_in(forms, &forms->by_value, value.ptr,
                   (nereid_symbol_t){.node = node, .divisibility = bits, .positive = positive});
}

uint32_t nereid_forms_drift(nereid_forms_t *forms, MlirValue value, uint32_t node, uint8_t divisibility) {
  return symbol_in(forms, &forms->drifts, value.ptr, (nereid_symbol_t){.node = node, .divisibility = divisibility});
}

uint32_t nereid_forms_counter(nereid_forms_t *forms, uint32_t header) {
  uintptr_t *place = nereid_map_insert(&forms->counters, &forms->graph->nodes.data[header]);
  if (place && !*place) {
    const uint32_t ago = nereid_forms_add_symbol(forms, (nereid_symbol_t){.kind = NEREID_SYMBOL_AGO, .node = header});
    *place =
        nereid_forms_add_symbol(forms, (nereid_symbol_t){.kind = NEREID_SYMBOL_COUNTER, .node = header, .ago = ago});
  }
  return place ? (uint32_t)*place : 0;
}

/* --- loops --- */

const nereid_map_t *nereid_forms_loop(nereid_forms_t *forms, uint32_t header, bool *out_irreducible) {
  static const char irreducible;
  uintptr_t *place = nereid_map_insert(&forms->loops, &forms->graph->nodes.data[header]);
  if (place && !*place) {
    const nereid_map_t *loop = nereid_flow_graph_loop(forms->graph, header, forms->arena);
    *place = loop ? (uintptr_t)loop : (uintptr_t)&irreducible;
  }
  *out_irreducible = !place || *place == (uintptr_t)&irreducible;
  return *out_irreducible ? NULL : (const nereid_map_t *)*place;
}

bool nereid_forms_varies(const nereid_forms_t *forms, const nereid_map_t *loop, uint32_t symbol) {
  const uint32_t node = forms->symbols.data[symbol].node;
  return node != NEREID_FLOW_NONE && (!loop || nereid_map_find(loop, &forms->graph->nodes.data[node]));
}

typedef struct crossing {
  const nereid_forms_t *forms;
  const nereid_map_t *loop; /* null: any value may change */
  uint32_t header;
  bool is_back;
} crossing_t;

/* The symbol after the edge; the divisibility of a stale one is multiplied into `factor`. */
static uint32_t cross_symbol(const crossing_t *crossing, uint32_t symbol, int *divisibility) {
  const nereid_symbol_t *known = &crossing->forms->symbols.data[symbol];
  if (symbol == 0 || symbol == STALE || !nereid_forms_varies(crossing->forms, crossing->loop, symbol))
    return symbol;
  const bool counts = known->kind == NEREID_SYMBOL_COUNTER || known->kind == NEREID_SYMBOL_AGO;
  if (crossing->is_back && counts && known->node == crossing->header)
    return known->kind == NEREID_SYMBOL_AGO ? symbol : known->ago;
  *divisibility += known->divisibility;
  return STALE;
}

/* True when a symbol of it has become stale. */
static bool cross_product(const crossing_t *crossing, int64_t *factor, nereid_product_t *product) {
  bool stale = false;
  int divisibility = 0;
  for (int i = 0; i < NEREID_FORM_DEGREE; ++i) {
    product->symbols[i] = cross_symbol(crossing, product->symbols[i], &divisibility);
    stale |= product->symbols[i] == STALE;
  }
  for (int i = 1; stale && i < NEREID_FORM_DEGREE; ++i) /* one stale factor is as unknown as two */
    for (int k = 0; k < i; ++k)
      if (product->symbols[i] == STALE && product->symbols[k] == STALE)
        product->symbols[i] = 0;
  sort(product);
  const int bits = divisibility + (*factor ? __builtin_ctzll((uint64_t)*factor) : 0);
  if (stale)
    *factor = INT64_C(1) << (bits < MAX_DIVISIBILITY ? bits : MAX_DIVISIBILITY);
  return stale;
}

/* Stale terms of one product are a multiple of the least factor. */
static bool add_stale(nereid_form_t *form, int64_t factor, nereid_product_t product) {
  for (uint32_t i = 0; i < form->n_terms; ++i)
    if (nereid_product_equal(form->terms[i].product, product)) {
      form->terms[i].factor = form->terms[i].factor < factor ? form->terms[i].factor : factor;
      return true;
    }
  return nereid_form_add_term(form, factor, product);
}

static bool mentions(const crossing_t *crossing, nereid_product_t product) {
  for (int i = 0; i < NEREID_FORM_DEGREE; ++i)
    if (product.symbols[i] > STALE && nereid_forms_varies(crossing->forms, crossing->loop, product.symbols[i]))
      return true;
  return false;
}

static bool form_mentions(const crossing_t *crossing, const nereid_form_t *form) {
  bool found = false;
  for (uint32_t i = 0; i < form->n_terms && !found; ++i)
    found = mentions(crossing, form->terms[i].product);
  for (uint32_t i = 0; i < form->n_weights && !found; ++i)
    found = mentions(crossing, form->weights[i].product);
  return found;
}

const nereid_form_t *nereid_forms_cross(nereid_forms_t *forms, const nereid_form_t *form,
                                        const nereid_flow_edge_t *edge) {
  bool irreducible;
  if (!form || !nereid_flow_graph_is_header(forms->graph, edge->to))
    return form;
  const crossing_t crossing = {forms, nereid_forms_loop(forms, edge->to, &irreducible), edge->to, edge->is_back};
  if (!form_mentions(&crossing, form))
    return form;
  nereid_form_t out = {.constant = form->constant};
  for (uint32_t i = 0; i < form->n_terms; ++i) {
    nereid_form_term_t term = form->terms[i];
    const bool stale = cross_product(&crossing, &term.factor, &term.product);
    if (!(stale ? add_stale(&out, term.factor, term.product) : nereid_form_add_term(&out, term.factor, term.product)))
      return NULL;
  }
  for (uint32_t i = 0; i < form->n_weights; ++i) {
    nereid_form_weight_t weight = form->weights[i];
    if (cross_product(&crossing, &weight.factor, &weight.product) || !nereid_form_add_weight(&out, weight))
      return NULL;
  }
  return nereid_forms_store(forms, &out);
}

/* --- */

static bool link_forwards(nereid_forms_t *forms) {
  for (uint32_t e = 0; e < forms->graph->edges.size; ++e) {
    const nereid_flow_edge_t *edge = &forms->graph->edges.data[e];
    for (uint32_t i = 0; i < edge->n_forwards; ++i) {
      const nereid_flow_forward_t *forward = &forms->graph->forwards.data[edge->first_forward + i];
      uintptr_t *place = nereid_map_insert(&forms->sources, forward->to.ptr);
      if (!place ||
          !nereid_vector_push(forms->arena, &forms->links, (nereid_form_link_t){forward->from, e, (uint32_t)*place}))
        return false;
      *place = forms->links.size;
    }
  }
  return true;
}

bool nereid_forms_initialize(nereid_forms_t *forms, const nereid_flow_graph_t *graph, const nereid_axis_result_t *axis,
                             const uint32_t *shared, nereid_arena_t *arena) {
  *forms = (nereid_forms_t){.arena = arena, .graph = graph, .axis = axis, .shared = shared};
  nereid_map_t *const maps[] = {&forms->by_value, &forms->drifts,    &forms->counters,
                                &forms->known,    &forms->by_hash,   &forms->sources,
                                &forms->loops,    &forms->digits_of, &forms->digit_sums_by_hash};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; ++i)
    nereid_map_initialize(maps[i], arena);
  nereid_forms_add_symbol(forms, (nereid_symbol_t){.node = NEREID_FLOW_NONE});
  nereid_forms_add_symbol(forms, (nereid_symbol_t){.kind = NEREID_SYMBOL_STALE, .node = NEREID_FLOW_NONE});
  return link_forwards(forms) && !arena->failed;
}

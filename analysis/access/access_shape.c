/* Shapes by elimination over F2; see access_shape.h. */
#include "analysis/access/access_shape.h"

#include "analysis/access/slot_layout.h"
#include "analysis/allocation/scratch.h"
#include "analysis/global/tile.h"
#include "dialects/ttg/memdesc.h"

#include "mlir-c/BuiltinTypes.h"

/* --- one object per shape --- */

void nereid_access_shapes_initialize(nereid_access_shapes_t *shapes, nereid_arena_t *arena) {
  shapes->arena = arena;
  nereid_map_initialize(&shapes->by_hash, arena);
}

static uintptr_t hash_of(const nereid_access_shape_t *shape) {
  const uint64_t parts[] = {(uint64_t)shape->base,  shape->offset, (uintptr_t)shape->bases,   (uintptr_t)shape->ring,
                            (uint64_t)shape->phase, shape->single, (uintptr_t)shape->address, (uintptr_t)shape->tile};
  uint64_t hash = UINT64_C(1469598103934665603);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    hash = (hash ^ parts[i]) * UINT64_C(1099511628211) + (hash >> 29);
  return (uintptr_t)hash << 4 | 8; /* never null */
}

static bool equal(const nereid_access_shape_t *a, const nereid_access_shape_t *b) {
  return a->base == b->base && a->offset == b->offset && a->bases == b->bases && a->ring == b->ring &&
         a->phase == b->phase && a->single == b->single && a->address == b->address && a->tile == b->tile;
}

const nereid_access_shape_t *nereid_access_shapes_get(nereid_access_shapes_t *shapes, nereid_access_shape_t shape) {
  uintptr_t *place = nereid_map_insert(&shapes->by_hash, (const void *)hash_of(&shape)); /* NOLINT: a hash is a key */
  if (!place)
    return NULL;
  for (const nereid_access_shape_t *known = (const nereid_access_shape_t *)*place; known; known = known->next)
    if (equal(known, &shape))
      return known;
  nereid_access_shape_t *made = nereid_arena_new(shapes->arena, nereid_access_shape_t, 1);
  if (!made)
    return NULL;
  *made = shape;
  made->next = (const nereid_access_shape_t *)*place;
  *place = (uintptr_t)made;
  return made;
}

/* --- relations --- */

/* A space of byte images in echelon form, each vector with the corresponding difference of threads. */
typedef struct echelon {
  uint32_t bytes[32], threads[32]; /* by highest bit */
  uint32_t free;                   /* thread bits that may differ for the same byte */
} echelon_t;

/* Reduces (bytes, threads); a remainder in `bytes` is outside of the space. */
static uint32_t reduce(const echelon_t *echelon, uint32_t bytes, uint32_t *threads) {
  for (int bit = 31; bit >= 0; --bit)
    if (bytes >> bit & 1 && echelon->bytes[bit]) {
      bytes ^= echelon->bytes[bit];
      *threads ^= echelon->threads[bit];
    }
  return bytes;
}

static void add_bases(echelon_t *echelon, const nereid_access_bases_t *bases) {
  for (int i = 0; i < bases->n; ++i) {
    uint32_t threads = bases->bases[i].thread;
    const uint32_t bytes = reduce(echelon, bases->bases[i].bytes, &threads);
    if (!bytes) {
      echelon->free |= threads;
      continue;
    }
    int bit = 31;
    while (!(bytes >> bit & 1))
      --bit;
    echelon->bytes[bit] = bytes;
    echelon->threads[bit] = threads;
  }
}

static nereid_shapes_relation_t relate_bases(const nereid_access_shape_t *a, const nereid_access_shape_t *b) {
  echelon_t echelon = {0};
  uint32_t threads = 0;
  add_bases(&echelon, a->bases);
  add_bases(&echelon, b->bases);
  if (reduce(&echelon, a->offset ^ b->offset, &threads))
    return NEREID_SHAPES_DISJOINT;
  if (!a->bases->owned || !b->bases->owned)
    return NEREID_SHAPES_ANY;
  return (echelon.free | threads) >> NEREID_ACCESS_LANE_BITS ? NEREID_SHAPES_ANY : NEREID_SHAPES_SAME_WARP;
}

static int32_t modulo(int32_t x, int32_t n) {
  return (x % n + n) % n;
}

/* Computes the position of `shape` within a slot of `ring`; false when it may exceed the slot. */
static bool place_in_slot(const nereid_access_shape_t *shape, const nereid_ring_t *ring, nereid_access_shape_t *out) {
  const int64_t distance = shape->base - ring->base;
  int64_t first, last;
  *out = *shape;
  if (shape->ring && (shape->ring->base != ring->base || shape->ring->stride != ring->stride))
    return false;
  if (!shape->ring && (distance < 0 || distance % ring->stride))
    return false;
  out->offset %= (uint32_t)ring->stride;
  nereid_access_bases_range(shape->bases, out->offset, &first, &last);
  return last < ring->stride;
}

/* Relates accesses to slots that may be different: different slots are disjoint. */
static nereid_shapes_relation_t relate_slots(const nereid_access_shape_t *a, const nereid_access_shape_t *b) {
  const nereid_ring_t *ring = a->ring ? a->ring : b->ring;
  nereid_access_shape_t x, y;
  return ring && place_in_slot(a, ring, &x) && place_in_slot(b, ring, &y) ? relate_bases(&x, &y) : NEREID_SHAPES_ANY;
}

nereid_shapes_relation_t nereid_access_shape_relation(const nereid_access_shape_t *a, const nereid_access_shape_t *b) {
  if (!a || !b)
    return NEREID_SHAPES_ANY;
  if (a->address && b->address)
    return nereid_address_relation(a->address, b->address);
  if (a->tile && b->tile && nereid_tiles_are_disjoint(a->tile, b->tile))
    return NEREID_SHAPES_DISJOINT;
  const bool same_ring = a->ring == b->ring && !(a->ring && a->ring->any_slot);
  if (a->ring && same_ring && modulo(a->phase - b->phase, a->ring->slots))
    return NEREID_SHAPES_DISJOINT;
  if (a->single && b->single)
    return NEREID_SHAPES_SAME_THREAD;
  if (!a->bases || !b->bases)
    return NEREID_SHAPES_ANY;
  return same_ring && a->base == b->base ? relate_bases(a, b) : relate_slots(a, b);
}

/* --- bases --- */

/* One register bit per bit of the element index: bytes without threads. */
static void layout_of_elements(const nereid_ttg_memdesc_t *memdesc, nereid_layout_t *out) {
  nereid_layout_initialize(out, memdesc->rank);
  for (int d = memdesc->rank - 1; d >= 0; --d) {
    int bits = 0;
    while (INT64_C(1) << bits < memdesc->shape[d])
      ++bits;
    nereid_layout_extend(out, NEREID_LAYOUT_REGISTER, d, bits);
  }
}

static bool append(nereid_access_bases_t *out, uint32_t bytes, uint32_t thread) {
  if (out->n == NEREID_ACCESS_BASES)
    return false;
  out->bases[out->n].bytes = bytes;
  out->bases[out->n++].thread = thread;
  return true;
}

static bool fill(const nereid_layout_t *slots, uint32_t element, nereid_access_bases_t *out) {
  bool good = true;
  for (uint32_t byte = 1; byte < element; byte *= 2)
    good = good && append(out, byte, 0);
  for (int in = NEREID_LAYOUT_REGISTER; in <= NEREID_LAYOUT_WARP; ++in)
    for (int i = 0; i < slots->in_bits[in]; ++i) {
      const uint32_t lane = in == NEREID_LAYOUT_LANE ? UINT32_C(1) << i : 0;
      const uint32_t warp = in == NEREID_LAYOUT_WARP ? UINT32_C(1) << (i + NEREID_ACCESS_LANE_BITS) : 0;
      good = good && append(out, slots->bases[in][i] * element, lane | warp);
    }
  return good;
}

const nereid_access_bases_t *nereid_access_bases_of(MlirType tensor, MlirType memdesc, nereid_arena_t *arena) {
  nereid_ttg_memdesc_t buffer;
  nereid_layout_t layout, slots;
  if (!nereid_ttg_memdesc_read(memdesc, &buffer))
    return NULL;
  const bool owned = !mlirTypeIsNull(tensor);
  if (owned && nereid_layout_from_type(tensor, &layout) != NEREID_OK)
    return NULL;
  if (!owned)
    layout_of_elements(&buffer, &layout);
  if (nereid_slot_layout(&layout, &buffer, &slots) != NEREID_SLOTS_FOUND)
    return NULL;
  nereid_access_bases_t *out = nereid_arena_new(arena, nereid_access_bases_t, 1);
  if (!out)
    return NULL;
  out->owned = owned;
  return fill(&slots, (uint32_t)nereid_scratch_element_bytes(buffer.element), out) ? out : NULL;
}

void nereid_access_bases_range(const nereid_access_bases_t *bases, uint32_t offset, int64_t *first, int64_t *last) {
  uint32_t span = 0;
  for (int i = 0; i < bases->n; ++i)
    span |= bases->bases[i].bytes;
  *first = offset & ~span;
  *last = offset | span;
}

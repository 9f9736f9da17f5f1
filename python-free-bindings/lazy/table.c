/* Decisions by key, found without a lock.
 *
 *   table ── slots: decision | null | decision | ...     open addressing, at most half used
 *     └ retired ── the table before it grew
 *
 * A writer, with the kernel's lock, fills a slot or publishes a larger table. A reader needs neither to be counted nor
 * to be waited for, because tables and decisions are freed with the kernel only; a reader of a retired table at most
 * misses a decision, and then finds it with the lock. */
#include "python-free-bindings/lazy/lazy.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 16 };

static uint64_t hash(uint64_t key, const nereid_lazy_properties_t *properties) {
  uint64_t bits = key * UINT64_C(0x9e3779b97f4a7c15) + properties->bits[0] * UINT64_C(0xc2b2ae3d27d4eb4f) +
                  properties->bits[1] * UINT64_C(0x165667b19e3779f9);
  bits ^= bits >> 32;
  bits *= UINT64_C(0xff51afd7ed558ccd);
  return bits ^ bits >> 29;
}

const nereid_decision_t *nereid_decision_find(const nereid_lazy_kernel_t *kernel, uint64_t key,
                                              const nereid_lazy_properties_t *properties) {
  const nereid_decision_table_t *table = atomic_load_explicit(&kernel->table, memory_order_acquire);
  for (size_t i = hash(key, properties);; ++i) {
    const nereid_decision_t *decision = atomic_load_explicit(&table->slots[i & table->mask], memory_order_acquire);
    if (!decision || (decision->key == key && nereid_lazy_properties_equal(&decision->properties, properties)))
      return decision;
  }
}

static void insert(nereid_decision_table_t *table, nereid_decision_t *decision) {
  size_t i = hash(decision->key, &decision->properties);
  while (atomic_load_explicit(&table->slots[i & table->mask], memory_order_relaxed))
    ++i;
  atomic_store_explicit(&table->slots[i & table->mask], decision, memory_order_release);
  ++table->used;
}

static nereid_decision_table_t *create(size_t slots) {
  nereid_decision_table_t *table = calloc(1, sizeof *table + slots * sizeof *table->slots);
  if (table)
    table->mask = slots - 1;
  return table;
}

nereid_status_t nereid_decision_table_initialize(nereid_lazy_kernel_t *kernel) {
  nereid_decision_table_t *table = create(FIRST_SLOTS);
  atomic_init(&kernel->table, table);
  return table ? NEREID_OK : NEREID_ERROR_MEMORY;
}

void nereid_decision_table_deinitialize(nereid_lazy_kernel_t *kernel) {
  for (nereid_decision_table_t *table = atomic_load(&kernel->table), *next; table; table = next) {
    next = table->retired;
    free(table);
  }
}

nereid_status_t nereid_decision_publish(nereid_lazy_kernel_t *kernel, nereid_decision_t *decision) {
  nereid_decision_table_t *table = atomic_load_explicit(&kernel->table, memory_order_relaxed);
  if (2 * (table->used + 1) > table->mask + 1) {
    nereid_decision_table_t *larger = create(2 * (table->mask + 1));
    if (!larger)
      return NEREID_ERROR_MEMORY;
    for (nereid_decision_t *it = kernel->decisions; it; it = it->next)
      insert(larger, it);
    larger->retired = table;
    atomic_store_explicit(&kernel->table, larger, memory_order_release);
    table = larger;
  }
  decision->next = kernel->decisions;
  kernel->decisions = decision;
  insert(table, decision);
  return NEREID_OK;
}

nereid_decision_t *nereid_decision_create(const nereid_lazy_kernel_t *kernel, uint64_t key,
                                          const nereid_lazy_properties_t *properties) {
  nereid_decision_t *decision = calloc(1, sizeof *decision);
  if (!decision)
    return NULL;
  nereid_arena_initialize(&decision->arena);
  decision->key = key;
  decision->properties = *properties;
  decision->results = nereid_arena_new(&decision->arena, nereid_measured_t, kernel->n_configurations);
  if (decision->results)
    return decision;
  nereid_decision_destroy(decision);
  return NULL;
}

void nereid_decision_destroy(nereid_decision_t *decision) {
  if (!decision)
    return;
  nereid_arena_deinitialize(&decision->arena);
  free(decision);
}

/* One tensor map per distinct request, shared by reference, found without a lock.
 *
 *   request --hash--> set of 8 entries --> entry    references: 0 free, else 1 for the cache + 1 per reference
 *
 * The entries are one array that lives as long as any reference. A reader increments the count of an entry with the
 * right hash unless the count is 0, and only then compares the key: key and map of a counted entry do not change. A
 * writer, with the lock held, takes an entry by changing its count from 1 to 0 (or finds 0), fills it, and publishes it
 * with a store of the count. So no reader waits, and none sees an entry in change. A map with references is never
 * replaced; if a set has no other, the request gets an entry outside of the array.
 *
 * Maps contain an address but do not use it, so the cache keeps maps of freed memory: they describe the next tensor of
 * that address equally. Owners belong to references. */
#include "nereid/tma.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 8, MAX_CAPACITY = 1 << 20 };

typedef struct nereid_tma_entry {
  nereid_tma_descriptor_t descriptor;
  nereid_tma_request_t key;  /* unused elements are zero */
  nereid_tma_cache_t *cache; /* null: outside of the array */
  _Atomic uint64_t hash;     /* hash of the key; a hint until the entry is counted */
  _Atomic uint32_t references;
  _Atomic uint32_t used; /* the cache's clock at the last use */
} entry_t;

struct nereid_tma_cache {
  nereid_tma_backend_t backend;
  struct nereid_device *device;
  entry_t *entries; /* n_sets * WAYS, aligned to 64 bytes */
  void *memory;     /* allocation that holds the entries */
  size_t n_sets;    /* a power of two */
  pthread_mutex_t lock;
  _Atomic uint32_t clock; /* advances with each miss */
  _Atomic size_t live;    /* after destruction: entries with references, and 1 until it has ended */
  nereid_tma_cache_statistics_t statistics;
};

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 29;
}

static uint32_t rank_of(const nereid_tma_request_t *request) {
  return request->rank < NEREID_TMA_RANK ? request->rank : NEREID_TMA_RANK;
}

static uint64_t hash_of(const nereid_tma_request_t *request) {
  uint64_t hash = mix(request->address, (uint64_t)request->element | (uint64_t)request->rank << 8 |
                                            (uint64_t)request->swizzle << 16 | (uint64_t)request->interleave << 32 |
                                            (uint64_t)request->nan_padding << 48 | (uint64_t)request->promotion << 56);
  for (uint32_t i = 0; i < rank_of(request); ++i) {
    hash = mix(hash, request->shape[i]);
    hash = mix(hash, request->strides[i]);
    hash = mix(hash, request->box[i] | (uint64_t)request->steps[i] << 32);
  }
  return hash;
}

/* Compares the used elements. */
static bool equal(const nereid_tma_request_t *a, const nereid_tma_request_t *b) {
  const uint32_t rank = rank_of(a);
  return a->address == b->address && a->element == b->element && a->rank == b->rank && a->swizzle == b->swizzle &&
         a->nan_padding == b->nan_padding && a->interleave == b->interleave && a->promotion == b->promotion &&
         memcmp(a->shape, b->shape, rank * sizeof *a->shape) == 0 &&
         memcmp(a->strides, b->strides, rank * sizeof *a->strides) == 0 &&
         memcmp(a->box, b->box, rank * sizeof *a->box) == 0 && memcmp(a->steps, b->steps, rank * sizeof *a->steps) == 0;
}

static entry_t *set_of(const nereid_tma_cache_t *cache, uint64_t hash) {
  return cache->entries + (size_t)(hash >> 32 & (cache->n_sets - 1)) * WAYS;
}

static void free_cache(nereid_tma_cache_t *cache) {
  pthread_mutex_destroy(&cache->lock);
  free(cache->memory);
  free(cache);
}

nereid_status_t nereid_tma_cache_create(nereid_tma_backend_t backend, struct nereid_device *device, size_t capacity,
                                        nereid_tma_cache_t **out_cache) {
  size_t n_sets = 1;
  *out_cache = NULL;
  if ((backend == NEREID_TMA_DRIVER && !device) || capacity > MAX_CAPACITY)
    return NEREID_ERROR_ARGUMENT;
  while (n_sets * WAYS < (capacity ? capacity : NEREID_TMA_CACHE_CAPACITY))
    n_sets *= 2;
  nereid_tma_cache_t *cache = calloc(1, sizeof *cache);
  /* calloc, not aligned_alloc: pages of unused entries are never touched. */
  void *memory = calloc(n_sets * WAYS + 1, sizeof(entry_t));
  if (!cache || !memory || pthread_mutex_init(&cache->lock, NULL)) {
    free(memory);
    free(cache);
    return NEREID_ERROR_MEMORY;
  }
  cache->backend = backend;
  cache->device = device;
  cache->n_sets = n_sets;
  cache->memory = memory;
  cache->entries = (entry_t *)(((uintptr_t)memory + 63) / 64 * 64);
  cache->statistics.capacity = n_sets * WAYS;
  *out_cache = cache;
  return NEREID_OK;
}

/* Releases one count of an entry. The last one is released after the destruction of the cache, or of an entry outside
 * of the array. */
static void drop(entry_t *entry) {
  nereid_tma_cache_t *cache = entry->cache;
  if (atomic_fetch_sub_explicit(&entry->references, 1, memory_order_acq_rel) != 1)
    return;
  if (!cache)
    free(entry);
  else if (atomic_fetch_sub_explicit(&cache->live, 1, memory_order_acq_rel) == 1)
    free_cache(cache);
}

void nereid_tma_cache_destroy(nereid_tma_cache_t *cache) {
  if (!cache)
    return;
  const size_t n = cache->n_sets * WAYS;
  size_t live = 1; /* this call's own, so that the cache outlives it */
  for (size_t i = 0; i < n; ++i)
    live += cache->entries[i].cache != NULL;
  atomic_store_explicit(&cache->live, live, memory_order_release);
  for (size_t i = 0; i < n; ++i)
    if (cache->entries[i].cache)
      drop(&cache->entries[i]);
  if (atomic_fetch_sub_explicit(&cache->live, 1, memory_order_acq_rel) == 1)
    free_cache(cache);
}

/* Adds a count unless there is none. */
static bool count(entry_t *entry) {
  uint32_t references = atomic_load_explicit(&entry->references, memory_order_relaxed);
  while (references)
    if (atomic_compare_exchange_weak_explicit(&entry->references, &references, references + 1, memory_order_acquire,
                                              memory_order_relaxed))
      return true;
  return false;
}

/* Returns the counted entry of the request, or null. */
static entry_t *find(nereid_tma_cache_t *cache, const nereid_tma_request_t *request, uint64_t hash) {
  entry_t *set = set_of(cache, hash);
  for (entry_t *entry = set; entry < set + WAYS; ++entry) {
    if (atomic_load_explicit(&entry->hash, memory_order_relaxed) != hash || !count(entry))
      continue;
    if (equal(&entry->key, request)) {
      const uint32_t now = atomic_load_explicit(&cache->clock, memory_order_relaxed);
      if (atomic_load_explicit(&entry->used, memory_order_relaxed) != now) /* most hits write the count only */
        atomic_store_explicit(&entry->used, now, memory_order_relaxed);
      return entry;
    }
    drop(entry);
  }
  return NULL;
}

/* Takes a free entry of the set, or the one without references that was unused for the longest time; its count is then
 * 0. Null: all have references. The lock is held. */
static entry_t *take(nereid_tma_cache_t *cache, entry_t *set) {
  const uint32_t now = atomic_load_explicit(&cache->clock, memory_order_relaxed);
  for (int attempt = 0; attempt < WAYS; ++attempt) { /* a reader may be faster */
    entry_t *oldest = NULL;
    uint32_t age = 0;
    for (entry_t *entry = set; entry < set + WAYS; ++entry) {
      if (!entry->cache)
        return entry;
      const uint32_t unused_for = now - atomic_load_explicit(&entry->used, memory_order_relaxed);
      if (atomic_load_explicit(&entry->references, memory_order_relaxed) == 1 && (!oldest || unused_for > age)) {
        oldest = entry;
        age = unused_for;
      }
    }
    uint32_t references = 1;
    if (!oldest)
      return NULL;
    if (atomic_compare_exchange_strong_explicit(&oldest->references, &references, 0, memory_order_acquire,
                                                memory_order_relaxed)) {
      ++cache->statistics.evictions;
      --cache->statistics.size;
      return oldest;
    }
  }
  return NULL;
}

/* Fills an entry whose count is 0, or one that no other thread has, and publishes it with `references`. */
static void fill(entry_t *entry, const nereid_tma_request_t *request, const nereid_tma_descriptor_t *descriptor,
                 nereid_tma_cache_t *cache, uint64_t hash, uint32_t references) {
  entry->descriptor = *descriptor;
  entry->key = *request;
  entry->cache = cache;
  atomic_store_explicit(&entry->hash, hash, memory_order_relaxed);
  if (cache)
    atomic_store_explicit(&entry->used, atomic_load_explicit(&cache->clock, memory_order_relaxed),
                          memory_order_relaxed);
  atomic_store_explicit(&entry->references, references, memory_order_release);
}

static entry_t *make_unshared(const nereid_tma_request_t *request, const nereid_tma_descriptor_t *descriptor,
                              uint64_t hash) {
  entry_t *entry = aligned_alloc(64, (sizeof *entry + 63) / 64 * 64);
  if (entry)
    fill(entry, request, descriptor, NULL, hash, 1);
  return entry;
}

/* Returns the counted entry of a map that was just encoded, of this thread or of a faster one. Null: out of memory. */
static entry_t *insert(nereid_tma_cache_t *cache, const nereid_tma_request_t *request,
                       const nereid_tma_descriptor_t *descriptor, uint64_t hash) {
  pthread_mutex_lock(&cache->lock);
  atomic_fetch_add_explicit(&cache->clock, 1, memory_order_relaxed);
  ++cache->statistics.misses;
  entry_t *entry = find(cache, request, hash);
  if (!entry && (entry = take(cache, set_of(cache, hash)))) {
    fill(entry, request, descriptor, cache, hash, 2);
    ++cache->statistics.size;
  }
  cache->statistics.unshared += !entry;
  pthread_mutex_unlock(&cache->lock);
  return entry ? entry : make_unshared(request, descriptor, hash);
}

nereid_status_t nereid_tma_cache_get(nereid_tma_cache_t *cache, const nereid_tma_request_t *request,
                                     const nereid_tma_owner_t *owner, nereid_tma_reference_t *out_reference,
                                     nereid_message_t *message) {
  const uint64_t hash = hash_of(request);
  *out_reference = (nereid_tma_reference_t){0};
  entry_t *entry = find(cache, request, hash);
  if (!entry) {
    nereid_tma_descriptor_t descriptor;
    nereid_status_t status = nereid_tma_encode(cache->backend, cache->device, request, &descriptor, message);
    if (status)
      return status;
    entry = insert(cache, request, &descriptor, hash);
  }
  if (!entry)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  out_reference->entry = entry;
  out_reference->descriptor = &entry->descriptor;
  if (owner)
    out_reference->owner = *owner;
  if (out_reference->owner.retain)
    out_reference->owner.retain(out_reference->owner.data);
  return NEREID_OK;
}

nereid_tma_reference_t nereid_tma_reference_retain(const nereid_tma_reference_t *reference) {
  if (reference->entry)
    atomic_fetch_add_explicit(&reference->entry->references, 1, memory_order_relaxed);
  if (reference->entry && reference->owner.retain)
    reference->owner.retain(reference->owner.data);
  return *reference;
}

void nereid_tma_reference_release(nereid_tma_reference_t *reference) {
  const nereid_tma_reference_t it = *reference;
  *reference = (nereid_tma_reference_t){0};
  if (!it.entry)
    return;
  drop(it.entry);
  if (it.owner.release)
    it.owner.release(it.owner.data);
}

nereid_tma_cache_statistics_t nereid_tma_cache_statistics(nereid_tma_cache_t *cache) {
  pthread_mutex_lock(&cache->lock);
  nereid_tma_cache_statistics_t statistics = cache->statistics;
  pthread_mutex_unlock(&cache->lock);
  return statistics;
}

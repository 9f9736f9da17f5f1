/* One descriptor per distinct tensor, shared by reference.
 *
 *   cache --- lock --- table of buckets --> entry --> entry         entry: key, 128 bytes, references, owner
 *
 * Counts and table change under the cache's lock. Owner callbacks run without it, so they may call the cache. An entry
 * whose last reference is released leaves the table before its owner is released, so a lookup never finds a descriptor
 * of freed memory. Each entry holds a reference to the cache, so entries may outlive it. */
#include "nereid/tma.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct nereid_tma_entry {
  nereid_tma_descriptor_t descriptor;
  nereid_tma_request_t key; /* unused elements are zero */
  nereid_tma_cache_t *cache;
  nereid_tma_entry_t *next; /* next entry of its bucket */
  nereid_tma_owner_t owner;
  size_t references;
};

struct nereid_tma_cache {
  pthread_mutex_t lock;
  nereid_tma_backend_t backend;
  struct nereid_device *device;
  nereid_tma_entry_t **buckets; /* array of a power-of-two size */
  size_t n_buckets, size;
  bool destroyed; /* the caller's reference is released */
};

/* Copies the used elements and zeroes the rest, so that keys compare field by field. */
static nereid_tma_request_t key_of(const nereid_tma_request_t *request) {
  nereid_tma_request_t key = {.address = request->address,
                              .element = request->element,
                              .rank = request->rank,
                              .swizzle = request->swizzle,
                              .nan_padding = request->nan_padding};
  for (uint32_t i = 0; i < request->rank && i < NEREID_TMA_RANK; ++i) {
    key.shape[i] = request->shape[i];
    key.strides[i] = request->strides[i];
    key.box[i] = request->box[i];
  }
  return key;
}

static bool equal(const nereid_tma_request_t *a, const nereid_tma_request_t *b) {
  return a->address == b->address && a->element == b->element && a->rank == b->rank && a->swizzle == b->swizzle &&
         a->nan_padding == b->nan_padding && memcmp(a->shape, b->shape, sizeof a->shape) == 0 &&
         memcmp(a->strides, b->strides, sizeof a->strides) == 0 && memcmp(a->box, b->box, sizeof a->box) == 0;
}

static size_t bucket_of(const nereid_tma_cache_t *cache, const nereid_tma_request_t *key) {
  uint64_t hash = key->address ^ (uint64_t)key->element << 56 ^ (uint64_t)key->rank << 48 ^ key->swizzle;
  for (uint32_t i = 0; i < NEREID_TMA_RANK; ++i)
    hash = (hash ^ key->shape[i] ^ key->strides[i] << 20 ^ (uint64_t)key->box[i] << 40) * UINT64_C(0x9E3779B97F4A7C15);
  return (size_t)(hash >> 32) & (cache->n_buckets - 1);
}

static nereid_tma_entry_t *find(const nereid_tma_cache_t *cache, const nereid_tma_request_t *key) {
  for (nereid_tma_entry_t *entry = cache->buckets[bucket_of(cache, key)]; entry; entry = entry->next)
    if (equal(&entry->key, key))
      return entry;
  return NULL;
}

/* Doubles the buckets; keeping the old size is not an error, only slower. */
static void grow(nereid_tma_cache_t *cache) {
  nereid_tma_entry_t **old = cache->buckets;
  size_t n_old = cache->n_buckets;
  nereid_tma_entry_t **larger = calloc(n_old * 2, sizeof(nereid_tma_entry_t *));
  if (!larger)
    return;
  cache->buckets = larger;
  cache->n_buckets = n_old * 2;
  for (size_t i = 0; i < n_old; ++i)
    for (nereid_tma_entry_t *entry = old[i], *next; entry; entry = next) {
      size_t at = bucket_of(cache, &entry->key);
      next = entry->next;
      entry->next = larger[at];
      larger[at] = entry;
    }
  free(old);
}

static void insert(nereid_tma_cache_t *cache, nereid_tma_entry_t *entry) {
  if (cache->size >= cache->n_buckets)
    grow(cache);
  size_t at = bucket_of(cache, &entry->key);
  entry->next = cache->buckets[at];
  cache->buckets[at] = entry;
  ++cache->size;
}

static void take_out(nereid_tma_cache_t *cache, nereid_tma_entry_t *entry) {
  nereid_tma_entry_t **place = &cache->buckets[bucket_of(cache, &entry->key)];
  while (*place && *place != entry)
    place = &(*place)->next;
  *place = entry->next;
  --cache->size;
}

static void free_cache(nereid_tma_cache_t *cache) {
  pthread_mutex_destroy(&cache->lock);
  free(cache->buckets);
  free(cache);
}

nereid_status_t nereid_tma_cache_create(nereid_tma_backend_t backend, struct nereid_device *device,
                                        nereid_tma_cache_t **out_cache) {
  *out_cache = NULL;
  if (backend == NEREID_TMA_DRIVER && !device)
    return NEREID_ERROR_ARGUMENT;
  nereid_tma_cache_t *cache = calloc(1, sizeof *cache);
  if (!cache)
    return NEREID_ERROR_MEMORY;
  cache->backend = backend;
  cache->device = device;
  cache->n_buckets = 64;
  cache->buckets = calloc(cache->n_buckets, sizeof(nereid_tma_entry_t *));
  if (!cache->buckets || pthread_mutex_init(&cache->lock, NULL)) {
    free(cache->buckets);
    free(cache);
    return NEREID_ERROR_MEMORY;
  }
  *out_cache = cache;
  return NEREID_OK;
}

void nereid_tma_cache_destroy(nereid_tma_cache_t *cache) {
  if (!cache)
    return;
  pthread_mutex_lock(&cache->lock);
  cache->destroyed = true;
  bool last = cache->size == 0;
  pthread_mutex_unlock(&cache->lock);
  if (last)
    free_cache(cache);
}

static nereid_tma_entry_t *take(nereid_tma_cache_t *cache, const nereid_tma_request_t *key) {
  pthread_mutex_lock(&cache->lock);
  nereid_tma_entry_t *entry = find(cache, key);
  if (entry)
    ++entry->references;
  pthread_mutex_unlock(&cache->lock);
  return entry;
}

static nereid_status_t make(nereid_tma_cache_t *cache, const nereid_tma_request_t *key, const nereid_tma_owner_t *owner,
                            nereid_tma_entry_t **out_entry, nereid_message_t *message) {
  size_t room = (sizeof(nereid_tma_entry_t) + 63) / 64 * 64;
  nereid_tma_entry_t *entry = aligned_alloc(64, room);
  if (!entry)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  *entry = (nereid_tma_entry_t){.key = *key, .cache = cache, .references = 1};
  if (owner)
    entry->owner = *owner;
  nereid_status_t status = nereid_tma_encode(cache->backend, cache->device, key, &entry->descriptor, message);
  if (status)
    free(entry);
  else
    *out_entry = entry;
  return status;
}

nereid_status_t nereid_tma_cache_get(nereid_tma_cache_t *cache, const nereid_tma_request_t *request,
                                     const nereid_tma_owner_t *owner, nereid_tma_entry_t **out_entry,
                                     nereid_message_t *message) {
  nereid_tma_request_t key = key_of(request);
  nereid_tma_entry_t *made = NULL;
  *out_entry = take(cache, &key);
  if (*out_entry)
    return NEREID_OK;
  nereid_status_t status = make(cache, &key, owner, &made, message); /* the driver is called without the lock */
  if (status || !made)
    return status;
  if (made->owner.retain)
    made->owner.retain(made->owner.data);
  pthread_mutex_lock(&cache->lock);
  nereid_tma_entry_t *other = find(cache, &key); /* another thread may have inserted it */
  if (other)
    ++other->references;
  else
    insert(cache, made);
  pthread_mutex_unlock(&cache->lock);
  *out_entry = other ? other : made;
  if (!other)
    return NEREID_OK;
  if (made->owner.release)
    made->owner.release(made->owner.data);
  free(made);
  return NEREID_OK;
}

void nereid_tma_entry_retain(nereid_tma_entry_t *entry) {
  pthread_mutex_lock(&entry->cache->lock);
  ++entry->references;
  pthread_mutex_unlock(&entry->cache->lock);
}

void nereid_tma_entry_release(nereid_tma_entry_t *entry) {
  if (!entry)
    return;
  nereid_tma_cache_t *cache = entry->cache;
  pthread_mutex_lock(&cache->lock);
  bool last = --entry->references == 0;
  if (last)
    take_out(cache, entry);
  bool last_of_cache = last && cache->destroyed && cache->size == 0;
  pthread_mutex_unlock(&cache->lock);
  if (last && entry->owner.release)
    entry->owner.release(entry->owner.data);
  if (last)
    free(entry);
  if (last_of_cache)
    free_cache(cache);
}

const nereid_tma_descriptor_t *nereid_tma_entry_descriptor(const nereid_tma_entry_t *entry) {
  return &entry->descriptor;
}

size_t nereid_tma_cache_size(nereid_tma_cache_t *cache) {
  pthread_mutex_lock(&cache->lock);
  size_t size = cache->size;
  pthread_mutex_unlock(&cache->lock);
  return size;
}

/* A list without a lock, to which destructors of graphs append and which the program's threads empty.
 *
 *   capture: retain, cuUserObjectCreate(kept, dispose), cuGraphRetainUserObject
 *   graph destroyed: dispose(kept) on a thread of the driver --> pending list
 *   next launch, synchronize or close: release, free
 *
 * The list is counted: a graph may be destroyed after its device was closed. */
#include "python-free-bindings/launch/owners.h"

#include "python-free-bindings/launch/driver.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct kept {
  nereid_tma_owner_t owner;
  nereid_owners_t *owners; /* counted */
  struct kept *next;
} kept_t;

struct nereid_owners {
  _Atomic(kept_t *) pending; /* the newest first */
  _Atomic size_t references; /* one of the device, and one per owner that a graph keeps */
  _Atomic bool closed;       /* the device is closed: no later call empties the list */
};

nereid_owners_t *nereid_owners_create(void) {
  nereid_owners_t *owners = calloc(1, sizeof *owners);
  if (owners)
    atomic_store_explicit(&owners->references, 1, memory_order_relaxed);
  return owners;
}

static void drop(nereid_owners_t *owners) {
  if (atomic_fetch_sub_explicit(&owners->references, 1, memory_order_acq_rel) == 1)
    free(owners);
}

static void release_pending(nereid_owners_t *owners) {
  kept_t *oldest = NULL;
  for (kept_t *kept = atomic_exchange(&owners->pending, NULL), *next; kept; kept = next) {
    next = kept->next;
    kept->next = oldest;
    oldest = kept;
  }
  for (kept_t *kept = oldest, *next; kept; kept = next) {
    next = kept->next;
    kept->owner.release(kept->owner.data);
    free(kept);
  }
}

/* In another mode than RELAXED, freeing memory invalidates a capture of this thread. */
void nereid_owners_collect(nereid_owners_t *owners, const struct nereid_driver *driver) {
  enum { RELAXED = 2 }; /* CUstreamCaptureMode */
  int mode = RELAXED;
  if (!atomic_load_explicit(&owners->pending, memory_order_relaxed))
    return;
  const bool exchanged = driver->thread_exchange_capture_mode && !driver->thread_exchange_capture_mode(&mode);
  release_pending(owners);
  if (exchanged)
    (void)driver->thread_exchange_capture_mode(&mode);
}

void nereid_owners_destroy(nereid_owners_t *owners, const struct nereid_driver *driver) {
  if (!owners)
    return;
  atomic_store(&owners->closed, true);
  nereid_owners_collect(owners, driver);
  drop(owners);
}

/* The destructor of a user object. A close at the same time empties the list before or after the append; in the second
 * case this thread sees `closed`. */
static void dispose(void *data) {
  kept_t *kept = data;
  nereid_owners_t *owners = kept->owners;
  kept->next = atomic_load(&owners->pending);
  while (!atomic_compare_exchange_weak(&owners->pending, &kept->next, kept)) {
  }
  if (atomic_load(&owners->closed))
    release_pending(owners);
  drop(owners);
}

nereid_status_t nereid_owners_keep(nereid_owners_t *owners, const struct nereid_driver *driver, void *graph,
                                   const nereid_tma_owner_t *owner, nereid_message_t *message) {
  enum { NO_DESTRUCTOR_SYNC = 1, MOVE = 1 }; /* CUuserObject_flags, CUuserObjectRetain_flags */
  void *object = NULL;
  if (!owner->release)
    return NEREID_OK;
  kept_t *kept = malloc(sizeof *kept);
  if (!kept)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  *kept = (kept_t){.owner = *owner, .owners = owners};
  nereid_cu_result_t result = driver->user_object_create(&object, kept, dispose, 1, NO_DESTRUCTOR_SYNC);
  if (result) {
    free(kept);
    return nereid_driver_check(driver, result, "creating a user object for a captured graph", message);
  }
  if (owner->retain)
    owner->retain(owner->data);
  atomic_fetch_add(&owners->references, 1);
  result = driver->graph_retain_user_object(graph, object, 1, MOVE);
  if (result)
    driver->user_object_release(object, 1);
  return nereid_driver_check(driver, result, "retaining a tensor's owner for a captured graph", message);
}

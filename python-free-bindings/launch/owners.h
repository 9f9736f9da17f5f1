/* Owners of memory that captured graphs use, and their deferred release.
 *
 * A driver calls the destructor of a graph's user object on a thread of its own, where the driver must not be called. A
 * release may free device memory, so the destructor only appends to a list that a later call of the program empties. */
#ifndef NEREID_LAUNCH_OWNERS_H
#define NEREID_LAUNCH_OWNERS_H

#include "nereid/tma.h"

struct nereid_driver;
typedef struct nereid_owners nereid_owners_t;

/* Null: out of memory. */
nereid_owners_t *nereid_owners_create(void);

/* Releases the pending owners. Those of graphs that still exist are released when their graph is destroyed, by its
 * destructor. Null is valid. */
void nereid_owners_destroy(nereid_owners_t *owners, const struct nereid_driver *driver);

/* Releases the owners whose graphs were destroyed, in the order of destruction. One load if there are none. A release
 * may free memory while this thread captures a stream. */
void nereid_owners_collect(nereid_owners_t *owners, const struct nereid_driver *driver);

/* Retains an owner for as long as a graph, or an executable graph of it, exists. The driver has user objects. */
NEREID_MUST_USE nereid_status_t nereid_owners_keep(nereid_owners_t *owners, const struct nereid_driver *driver,
                                                   void *graph, const nereid_tma_owner_t *owner,
                                                   nereid_message_t *message);

#endif

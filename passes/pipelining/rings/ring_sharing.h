/* The CTAs of a cluster that need the same part of a tensor: they load it together, each a slice into the slots of all,
 * and release their slots at each other's empty barriers.
 *
 * A set of CTAs is stored relative to any of its members: bit x is the CTA whose number is the member's xor x. */
#ifndef NEREID_PASSES_RING_SHARING_H
#define NEREID_PASSES_RING_SHARING_H

#include <mlir-c/IR.h>

#include <stdint.h>

enum { NEREID_RING_NOT_SHARED = 1 /* only the CTA itself */ };

/* The CTAs that load the tensor of `load`, a tt.descriptor_load, together with the executing one: those that hold the
 * same elements, if the tensor map has a box for each of them. Each must load a part: then no CTA releases a slot twice
 * before another one has released it. */
uint32_t nereid_ring_sharing(MlirOperation load);

#endif

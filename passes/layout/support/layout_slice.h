/* Backward slices that are recomputed in another layout: requests, versions of values, and the recomputation.
 *
 *   %s = arith.addf %a, %b : #x        request {%s, #y}: its sources are {%a, #y} and {%b, #y}
 *   %r = scf.for … iter_args(%p = %i)  requests {%p, #y} and {%r, #y}: the sources are {%i, #y} and the yielded
 *                                      value in #y */
#ifndef NEREID_PASSES_LAYOUT_SLICE_H
#define NEREID_PASSES_LAYOUT_SLICE_H

#include "base/map.h"
#include "base/vector.h"
#include "dialects/ir.h"
#include "passes/layout/support/layout_flow.h"

#include "nereid/builder.h"

/* A value that is required in `encoding`. */
typedef struct nereid_layout_request {
  MlirValue value;
  MlirAttribute encoding;
} nereid_layout_request_t;

typedef NEREID_VECTOR(nereid_layout_request_t) nereid_layout_requests_t;

/* A value in another layout; one list per value. */
typedef struct nereid_layout_version nereid_layout_version_t;
struct nereid_layout_version {
  MlirAttribute encoding;
  MlirValue value;
  MlirOperation moves; /* a conversion to move after its operand's defining op if its result is used; or null */
  nereid_layout_version_t *next;
};

/* The versions of all values. */
typedef struct nereid_layout_versions {
  nereid_arena_t *arena;
  nereid_map_t lists;     /* original value -> list of nereid_layout_version_t, with itself */
  nereid_map_t originals; /* version -> original value */
  nereid_map_t renamed;   /* result of a replaced op -> result of its replacement */
} nereid_layout_versions_t;

void nereid_layout_versions_initialize(nereid_layout_versions_t *versions, nereid_arena_t *arena);

/* The values that a value is computed from. */
typedef struct nereid_layout_producer {
  MlirOperation op; /* null for a block argument that no loop carries */
  nereid_layout_flow_t flow;
  intptr_t n_sources;
  MlirValue carried[2]; /* the sources, if `flow` is NEREID_LAYOUT_FLOW_CARRIED */
} nereid_layout_producer_t;

/* What defines `value`: an op, a slot of an scf.for (its iter_arg or result), or a result of an scf.if. */
nereid_layout_producer_t nereid_layout_producer_of(MlirValue value);

/* Source `i` in the encoding that the result requires in `encoding`; a null encoding for scalars, buffers and operands
 * of any layout. False when no encoding of the source fits. */
bool nereid_layout_source(const nereid_layout_producer_t *producer, intptr_t i, MlirAttribute encoding,
                          nereid_layout_request_t *out);

/* A builder at the first position where every user of `value` can use a new value. */
nereid_builder_t nereid_layout_after_definition(MlirValue value);

/* The version of a value; null when there is none. */
nereid_layout_version_t *nereid_layout_versions_find(const nereid_layout_versions_t *versions,
                                                     nereid_layout_request_t request);

/* Adds `value` as the version for `request`; false when out of memory. */
bool nereid_layout_versions_add(nereid_layout_versions_t *versions, nereid_layout_request_t request, MlirValue value);

/* Replaces `old` by `made`, which inherits its versions; false when out of memory. The op of `old` must live as long as
 * `versions`. */
bool nereid_layout_versions_rename(nereid_layout_versions_t *versions, MlirValue old, MlirValue made);

/* The value for `request`: the requested value itself or a version of it; null when there is none. */
MlirValue nereid_layout_versions_lookup(nereid_layout_versions_t *versions, nereid_layout_request_t request);

/* Converts the values of `converted` and recomputes those of `recomputed`. Versions of carried values must exist. False
 * when out of memory. */
bool nereid_layout_slice_rebuild(nereid_layout_versions_t *versions, const nereid_layout_requests_t *recomputed,
                                 const nereid_layout_requests_t *converted);

#endif

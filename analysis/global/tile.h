/* Tiles of tensors that TMA accesses through a descriptor.
 *
 *   store %d[%i, %j], store %d[%i + 64, %j]     tiles of 64 rows: disjoint
 *   store %d[%i, %j] in the next iteration      disjoint if %i or %j advances by at least the tile's extent
 *
 * Two tiles of one tensor are disjoint if their intervals in some dimension are. An interval is compared like an access
 * of that many bytes (analysis/global/address_relation.h). Tiles of different descriptors are not compared. */
#ifndef NEREID_ANALYSIS_GLOBAL_TILE_H
#define NEREID_ANALYSIS_GLOBAL_TILE_H

#include "analysis/global/address_relation.h"

enum { NEREID_TILE_RANK = 5 };

typedef struct nereid_tile {
  MlirValue descriptor; /* from nereid_descriptor_of_kernel: equal for one tensor */
  intptr_t rank;
  nereid_address_t intervals[NEREID_TILE_RANK]; /* outermost first; a null form: anywhere */
  const struct nereid_tile *next;               /* next tile with the same forms in the first dimension */
} nereid_tile_t;

/* Sets the interval [coordinate, coordinate + extent) of dimension `d`; one without a usable form is anywhere. */
void nereid_tile_set(nereid_tile_t *tile, intptr_t d, nereid_forms_t *forms, const nereid_form_t *coordinate,
                     int64_t extent);

/* Whether every dimension is anywhere, so that the tile is never disjoint from another. */
bool nereid_tile_is_anywhere(const nereid_tile_t *tile);

/* Whether the tiles have no element in common. `earlier` has crossed all edges up to `later`. */
bool nereid_tiles_are_disjoint(const nereid_tile_t *earlier, const nereid_tile_t *later);

bool nereid_tiles_are_equal(const nereid_tile_t *a, const nereid_tile_t *b);

#endif

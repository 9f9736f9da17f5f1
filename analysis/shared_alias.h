/* Which values may be the same buffer in shared memory: classes of memdesc values of one function.
 *
 *   %b = ttg.local_alloc          class 0: %b, %v, the block argument %x
 *   %v = ttg.memdesc_index %b[%i]
 *   cf.br ^loop(%v)               ^loop(%x: !ttg.memdesc<...>)
 *
 * Views, block arguments, loop-carried values and selections join classes. Shapes of views are not told apart. */
#ifndef NEREID_ANALYSIS_SHARED_ALIAS_H
#define NEREID_ANALYSIS_SHARED_ALIAS_H

#include "base/map.h"
#include "base/vector.h"

#include "mlir-c/IR.h"

typedef struct nereid_shared_alias {
  nereid_arena_t *arena;
  nereid_map_t numbers; /* value -> its number + 1 */
  NEREID_VECTOR(size_t) parents;
} nereid_shared_alias_t;

/* Everything below `function`; near linear in its ops. Lives in `arena`; false when memory is out. */
bool nereid_shared_alias_run(MlirOperation function, nereid_arena_t *arena, nereid_shared_alias_t *out);

/* The class of a memdesc value of the function: a number below nereid_shared_alias_classes. */
size_t nereid_shared_alias_class(nereid_shared_alias_t *alias, MlirValue value);
size_t nereid_shared_alias_classes(const nereid_shared_alias_t *alias);

/* Whether `value` is of memdesc type. */
bool nereid_shared_alias_is_buffer(MlirValue value);

#endif

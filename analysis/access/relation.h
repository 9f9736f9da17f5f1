/* How the threads of two accesses relate where both touch a byte. */
#ifndef NEREID_ANALYSIS_ACCESS_RELATION_H
#define NEREID_ANALYSIS_ACCESS_RELATION_H

/* A thread is lane, warp << NEREID_ACCESS_LANE_BITS. */
enum { NEREID_ACCESS_LANE_BITS = 8 };

typedef enum nereid_shapes_relation {
  NEREID_SHAPES_DISJOINT,    /* no byte in common */
  NEREID_SHAPES_SAME_THREAD, /* each byte that both touch is touched by one thread */
  NEREID_SHAPES_SAME_WARP,   /* ... by threads of one warp */
  NEREID_SHAPES_ANY,
} nereid_shapes_relation_t;

#endif

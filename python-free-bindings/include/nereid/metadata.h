/* What a launcher must know of a compiled kernel: the `.json` beside a cubin or PTX file (docs/metadata.md).
 *
 * The compiler fills the structure and prints it, the launcher parses it; both sides are here so that they cannot
 * drift apart. Triton 3.6's own metadata is read too: it has no signature, and `signature` is false then. */
#ifndef NEREID_METADATA_H
#define NEREID_METADATA_H

#include "base/arena.h"
#include "base/element.h"
#include "base/message.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  NEREID_METADATA_VERSION = 1, /* the "nereid" field */
  NEREID_RANK_LIMIT = 5,       /* dimensions of a tensor that TMA can describe */
};

/* How a parameter is passed. */
typedef enum nereid_parameter_kind {
  NEREID_PARAMETER_SCALAR = 0,     /* by value; i1 and i8 in one byte */
  NEREID_PARAMETER_POINTER = 1,    /* a global address, 8 bytes */
  NEREID_PARAMETER_DESCRIPTOR = 2, /* a tensor map, 128 bytes by value, aligned to 64 */
  NEREID_PARAMETER_OPAQUE = 3,     /* only its size is known */
} nereid_parameter_kind_t;

/* What the launcher puts there. All parameters of one descriptor carry its group. */
typedef enum nereid_parameter_role {
  NEREID_ROLE_ARGUMENT = 0,   /* what the caller passes */
  NEREID_ROLE_DESCRIPTOR = 1, /* the tensor map */
  NEREID_ROLE_BASE = 2,       /* the pointer that a rewritten descriptor became */
  NEREID_ROLE_SHAPE = 3,      /* elements along `dimension` */
  NEREID_ROLE_STRIDE = 4,     /* elements from one index of `dimension` to the next */
  NEREID_ROLE_PADDING = 5,    /* i1: out-of-bounds elements read as NaN */
} nereid_parameter_role_t;

typedef struct nereid_parameter {
  const char *name; /* in the IR; descriptors share it with their shapes and strides. Null when not known */
  nereid_parameter_kind_t kind;
  nereid_element_t element; /* scalar: its type. pointer: the pointee, NONE for a pointer to pointers or unknown.
                               descriptor: the tensor's */
  uint32_t size;            /* bytes */
  uint32_t divisibility;    /* of the value (of the address in bytes, for pointers); 1: nothing is known */
  nereid_parameter_role_t role;
  int32_t group;     /* which descriptor, counted from 0; -1: none */
  int32_t dimension; /* of shape and stride, outermost 0; -1: none */

  /* Descriptors (kind DESCRIPTOR, or role BASE): the tile in elements, outermost first; rank 0: the caller brings an
   * encoded map, the kernel does not say what it describes. */
  int32_t rank;
  int32_t block[NEREID_RANK_LIMIT];
  int32_t swizzle; /* bytes: 0, 32, 64 or 128 */
  bool fp4_padded;
  bool nan_padding;
} nereid_parameter_t;

/* The parameters that a kernel has beyond its arguments. */
typedef enum nereid_abi {
  NEREID_ABI_TRITON = 0, /* the two scratch pointers of docs/abi.md, after the arguments */
  NEREID_ABI_PTX = 1,    /* none: PTX of another compiler */
} nereid_abi_t;

typedef struct nereid_metadata {
  const char *name;               /* the kernel's symbol */
  const char *arch;               /* "sm_90a" */
  int32_t capability;             /* 90; 0: not known */
  int32_t num_warps;              /* per CTA, as asked for */
  int32_t total_num_warps;        /* per CTA, as launched: more when the kernel is warp-specialised */
  int32_t num_ctas;               /* per cluster */
  int32_t num_stages;             /* 0: not known */
  int32_t maxnreg;                /* 0: no limit */
  int32_t ptx_version;            /* 87 for 8.7; 0: not known */
  int32_t registers;              /* per thread, as assembled; 0: not assembled, or not known */
  uint64_t spill_stores;          /* bytes per thread that go to local memory for want of registers; with `registers` */
  uint64_t spill_loads;           /* bytes per thread that come back; with `registers` */
  uint64_t shared;                /* dynamic shared memory, bytes per CTA */
  uint64_t global_scratch_size;   /* bytes per CTA */
  uint64_t global_scratch_align;  /* bytes, a power of two */
  uint64_t profile_scratch_size;  /* bytes per CTA */
  uint64_t profile_scratch_align; /* bytes, a power of two */
  bool cooperative;               /* all CTAs of the grid are resident at once */
  bool pdl;                       /* programmatic dependent launch */
  bool fp_fusion;                 /* multiply and add may have been contracted */
  const char *compiler;           /* "nereid 0.1.0, LLVM 22.1.8"; null: not known */
  const char *assembler;          /* "ptxas 13.0.48"; null: none was used, or not known */
  const char *grid_map;           /* affine map text, "(d0) -> (d0 ceildiv 1024)"; null: none */
  size_t n_grid_arguments;        /* operands of the map, dimensions first, then symbols */
  const int32_t *grid_arguments;  /* parameter positions */
  int32_t grid_per_sm;            /* > 0: grid x is at most this times the multiprocessors */
  bool signature;                 /* `parameters` is all of them, in order, without the two scratch pointers */
  size_t n_parameters;            /* without a signature: the descriptors that Triton's metadata describes */
  const nereid_parameter_t *parameters;
  bool foreign; /* written by Triton */
  nereid_abi_t abi;
  uint32_t block[3]; /* threads per CTA; zeros: 32 * total_num_warps, 1, 1 */
} nereid_metadata_t;

/* All defaults: one warp count of 4, one CTA, alignments of 1, no signature. */
void nereid_metadata_initialize(nereid_metadata_t *metadata);

/* Reads metadata, Nereid's or Triton 3.6's; strings and arrays go to `arena`, which must outlive `out_metadata`.
 * NEREID_ERROR_ARGUMENT: the text is no JSON, a field is missing, of another type or out of range (the message names
 * it), or `nereid` is a version this build does not read. NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_metadata_parse(nereid_arena_t *arena, nereid_view_t text,
                                                      nereid_metadata_t *out_metadata, nereid_message_t *message);

/* The same text for the same metadata, ending in a newline, in `arena`. Parsing it gives equal metadata.
 * NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_metadata_print(nereid_arena_t *arena, const nereid_metadata_t *metadata,
                                                      nereid_view_t *out_text);

/* Experimental: what follows may change in any version. Define NEREID_EXPERIMENTAL before the include to use it; all
 * above is stable: names, values, sizes and meaning stay within a major version. */

#ifdef NEREID_EXPERIMENTAL

/* The type of a parameter as metadata spells it: `i32`, `ptr<f32>`, `tensordesc<f16[128x64]>`, `tensormap` (rank 0),
 * `opaque`. In `arena`; null when memory is out. */
const char *nereid_parameter_type_print(nereid_arena_t *arena, const nereid_parameter_t *parameter);

/* Reads such a type into kind, element, size, rank and block; other fields are left alone. False when it is none. */
bool nereid_parameter_type_parse(nereid_view_t text, nereid_parameter_t *parameter);

/* The name of a role as metadata spells it; static storage. */
const char *nereid_role_name(nereid_parameter_role_t role);

#endif /* NEREID_EXPERIMENTAL */

#ifdef __cplusplus
}
#endif

#endif

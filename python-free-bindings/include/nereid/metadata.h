/* Metadata of a compiled kernel for a launcher: the `.json` next to a cubin or PTX file (docs/metadata.md).
 *
 * The compiler fills the structure and prints it, the launcher parses it. Triton 3.6's own metadata can be parsed too;
 * it has no signature, and `signature` is false. */
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
  NEREID_RANK_LIMIT = 5,       /* limit on the dimensions of a tensor map */
};

/* How a parameter is passed. */
typedef enum nereid_parameter_kind {
  NEREID_PARAMETER_SCALAR = 0,     /* by value; i1 and i8 in one byte */
  NEREID_PARAMETER_POINTER = 1,    /* a global address, 8 bytes */
  NEREID_PARAMETER_DESCRIPTOR = 2, /* a tensor map, 128 bytes by value, aligned to 64 */
  NEREID_PARAMETER_OPAQUE = 3,     /* only its size is known */
  NEREID_PARAMETER_TENSOR = 4,     /* an argument only: a tensor that the launcher passes as a descriptor */
} nereid_parameter_kind_t;

/* The value that the launcher passes. All parameters of one descriptor have the same group. */
typedef enum nereid_parameter_role {
  NEREID_ROLE_ARGUMENT = 0,   /* the caller's value */
  NEREID_ROLE_DESCRIPTOR = 1, /* the tensor map */
  NEREID_ROLE_BASE = 2,       /* the pointer that replaces a rewritten descriptor */
  NEREID_ROLE_SHAPE = 3,      /* elements along `dimension` */
  NEREID_ROLE_STRIDE = 4,     /* elements from one index of `dimension` to the next */
  NEREID_ROLE_PADDING = 5,    /* i1: out-of-bounds elements read as NaN */
} nereid_parameter_role_t;

/* A property of an argument for which a kernel is specialized (docs/kernels.md). Values are stable. */
typedef enum nereid_property {
  NEREID_PROPERTY_AS_WRITTEN = 0, /* what the IR states */
  NEREID_PROPERTY_GENERIC = 1,    /* none: tt.divisibility of the IR is ignored */
  NEREID_PROPERTY_DIVISIBLE = 2,  /* an integer or address divisible by 16 */
  NEREID_PROPERTY_ONE = 3,        /* the integer 1, which replaces the argument in the kernel */
  NEREID_PROPERTY_NULL = 4,       /* the address 0, which replaces the argument in the kernel */
} nereid_property_t;

typedef struct nereid_parameter {
  const char *name; /* name in the IR; descriptors share it with their shapes and strides. Null: unknown */
  nereid_parameter_kind_t kind;
  nereid_element_t element; /* scalar: its type. pointer: the pointee, NONE for a pointer to pointers or unknown.
                               descriptor: the tensor's */
  uint32_t size;            /* bytes */
  uint32_t divisibility;    /* known divisor of the value (for pointers: of the address in bytes); 1: unknown */
  nereid_parameter_role_t role;
  int32_t group;     /* index of its descriptor, from 0; -1: none */
  int32_t dimension; /* of shape and stride, outermost 0; -1: none */

  /* Descriptors (kind DESCRIPTOR, or role BASE): the tile in elements, outermost first. Rank 0: the caller passes an
   * encoded map, because the kernel does not specify the tile. */
  int32_t rank;
  int32_t block[NEREID_RANK_LIMIT];
  int32_t swizzle; /* bytes: 0, 32, 64 or 128 */
  bool fp4_padded;
  bool nan_padding;
  bool im2col; /* the map is in im2col mode; the tile is pixels and channels, and the caller passes an encoded map */
} nereid_parameter_t;

/* The additional parameters of a kernel after its arguments. */
typedef enum nereid_abi {
  NEREID_ABI_TRITON = 0, /* the two scratch pointers of docs/abi.md, after the arguments */
  NEREID_ABI_PTX = 1,    /* none: PTX of another compiler */
} nereid_abi_t;

typedef struct nereid_metadata {
  const char *name;               /* the kernel's symbol */
  const char *arch;               /* "sm_90a" */
  int32_t capability;             /* 90; 0: unknown */
  int32_t num_warps;              /* per CTA, as requested */
  int32_t total_num_warps;        /* per CTA, as launched: more for a warp-specialized kernel */
  int32_t num_ctas;               /* per cluster */
  int32_t num_stages;             /* 0: unknown */
  int32_t maxnreg;                /* 0: no limit */
  int32_t ptx_version;            /* 87 for 8.7; 0: unknown */
  int32_t registers;              /* per thread, as assembled; 0: not assembled, or unknown */
  uint64_t spill_stores;          /* bytes per thread that spills store to local memory; valid with `registers` */
  uint64_t spill_loads;           /* bytes per thread that spills load; valid with `registers` */
  int32_t tensor_registers;       /* per thread, that tensors need, by an estimate; 0: unknown */
  uint64_t shared;                /* dynamic shared memory, bytes per CTA */
  uint64_t global_scratch_size;   /* bytes per CTA */
  uint64_t global_scratch_align;  /* bytes, a power of two */
  uint64_t profile_scratch_size;  /* bytes per CTA */
  uint64_t profile_scratch_align; /* bytes, a power of two */
  bool cooperative;               /* all CTAs of the grid must be resident at once */
  bool pdl;                       /* programmatic dependent launch */
  bool fp_fusion;                 /* multiply and add may have been contracted to fma */
  const char *compiler;           /* "nereid 0.1.0, LLVM 22.1.8"; null: unknown */
  const char *assembler;          /* "ptxas 13.0.48"; null: none was used, or unknown */
  const char *grid_map;           /* affine map text, "(d0) -> (d0 ceildiv 1024)"; null: none */
  size_t n_grid_arguments;        /* operands of the map, dimensions first, then symbols */
  const int32_t *grid_arguments;  /* parameter positions */
  int32_t grid_per_sm;            /* > 0: limit of grid x, multiplied by the number of multiprocessors */
  bool signature;                 /* `parameters` contains all of them, in order, without the two scratch pointers */
  size_t n_parameters;            /* without a signature: the number of descriptors in Triton's metadata */
  const nereid_parameter_t *parameters;
  bool foreign; /* written by Triton */
  nereid_abi_t abi;
  uint32_t block[3]; /* threads per CTA; zeros: 32 * total_num_warps, 1, 1 */
} nereid_metadata_t;

/* Sets defaults: 4 warps, one CTA, alignments of 1, no signature. */
void nereid_metadata_initialize(nereid_metadata_t *metadata);

/* Parses metadata, Nereid's or Triton 3.6's; strings and arrays are allocated in `arena`, which must outlive
 * `out_metadata`. NEREID_ERROR_ARGUMENT: the text is not JSON, a field is missing, of another type or out of range (the
 * message names it), or this build does not support the version in `nereid`. NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_metadata_parse(nereid_arena_t *arena, nereid_view_t text,
                                                      nereid_metadata_t *out_metadata, nereid_message_t *message);

/* Prints metadata as text in `arena`, ending in a newline. The text is deterministic, and parsing it gives equal
 * metadata. NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_metadata_print(nereid_arena_t *arena, const nereid_metadata_t *metadata,
                                                      nereid_view_t *out_text);

/* Sets the grid map of metadata with a signature, from a text in names of the kernel's arguments:
 *
 *   x = ceildiv(m, 128) * ceildiv(n, 256), y = batch, per_sm = 2
 *
 * Operators: + - * / (rounded down), ceildiv, floordiv and mod, also as functions of two operands; cdiv is ceildiv.
 * Names: integer arguments; argN for an argument by its position; d[1] for the extent of dimension 1 of descriptor d;
 * num_warps, num_stages, num_ctas and maxnreg for the options in the metadata. Missing dimensions are 1; without x,
 * `per_sm` alone is the number of CTAs per multiprocessor. Entries without a key are x, y, z in order. The map is
 * allocated in `arena`, which must outlive the metadata. NEREID_ERROR_ARGUMENT: the message names the problem, and
 * `metadata` is unchanged. NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_metadata_set_grid(nereid_arena_t *arena, nereid_view_t text,
                                                         nereid_metadata_t *metadata, nereid_message_t *message);

/* Experimental: the declarations below may change in any version. Define NEREID_EXPERIMENTAL before the include to use
 * them. All declarations above are stable: names, values, sizes and meaning stay within a major version. */

#ifdef NEREID_EXPERIMENTAL

/* Returns the spelling of a parameter's type in metadata: `i32`, `ptr<f32>`, `tensordesc<f16[128x64]>`, `tensormap`
 * (rank 0), `opaque`. In `arena`; null when out of memory. */
const char *nereid_parameter_type_print(nereid_arena_t *arena, const nereid_parameter_t *parameter);

/* Parses such a type into kind, element, size, rank and block; other fields are unchanged. False when it is
 * malformed. */
bool nereid_parameter_type_parse(nereid_view_t text, nereid_parameter_t *parameter);

/* Returns the spelling of a role in metadata; static storage. */
const char *nereid_role_name(nereid_parameter_role_t role);

#endif /* NEREID_EXPERIMENTAL */

#ifdef __cplusplus
}
#endif

#endif

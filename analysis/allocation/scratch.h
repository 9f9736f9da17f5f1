/* Shared memory that an op needs during its execution. */
#ifndef NEREID_ANALYSIS_SCRATCH_H
#define NEREID_ANALYSIS_SCRATCH_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/* How a ttg.convert_layout moves its elements. */
typedef enum nereid_conversion_path {
  NEREID_CONVERSION_RENAMES, /* every thread already holds its elements: registers are renamed */
  NEREID_CONVERSION_WARP,    /* within the warp: shuffles and selects */
  NEREID_CONVERSION_SHARED,  /* through shared memory */
  NEREID_CONVERSION_CLUSTER, /* between CTAs, through the shared memory of the cluster */
  NEREID_CONVERSION_INVALID, /* the layouts are of different tensors, or one is not distributed */
} nereid_conversion_path_t;

/* The path of a ttg.convert_layout. */
nereid_conversion_path_t nereid_conversion_path(MlirOperation op);

/* Whether CTAs of a cluster hold elements of one result of a tt.reduce: their partial results are exchanged. */
bool nereid_reduction_crosses_ctas(MlirOperation op);

/* The number of parts, a power of two, in which a ttg.convert_layout through shared memory moves its elements: at most
 * allocation.parts of the op, as far as its layouts can be divided. Its scratch holds one part. */
int64_t nereid_conversion_parts(MlirOperation op);

/* Bytes of scratch that `op` needs; 0 for most ops. A multiple of 16, except for the captures of ttg.warp_specialize,
 * which are contiguous. */
int64_t nereid_scratch_bytes(MlirOperation op);

/* The same with conversions through shared memory divided into up to `most` parts, instead of allocation.parts. */
int64_t nereid_scratch_bytes_in_parts(MlirOperation op, int64_t most);

/* Bytes of scratch for a capture of type `type`. */
int64_t nereid_scratch_capture_bytes(MlirType type);

/* Whether `capture`, an operand of ttg.warp_specialize, is a buffer that its function allocates. It needs no scratch:
 * partitions compute its address again. */
bool nereid_scratch_is_own_buffer(MlirValue capture);

/* The required alignment of that scratch, in bytes. */
int64_t nereid_scratch_alignment(MlirOperation op);

/* `bytes` rounded up to a multiple of 16, the next possible offset. */
int64_t nereid_scratch_align(int64_t bytes);

/* Bytes that one element of `type` takes in shared memory: i1 takes 1, pointers 8. */
int64_t nereid_scratch_element_bytes(MlirType type);

/* Bytes of all elements of a tensor type. */
int64_t nereid_scratch_tensor_bytes(MlirType tensor);

/* Bytes of the elements of a tensor type that one CTA of a cluster has; of all elements without an encoding. */
int64_t nereid_scratch_part_bytes(MlirType tensor);

#endif

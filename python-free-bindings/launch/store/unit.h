/* A unit as bytes: the content of its file, and of the uncompressed value on the server.
 *
 *   offset  bytes
 *        0      8  "NEREIDU" and the version of the format, 1
 *        8      8  size of all, with this header          integers: least significant byte first
 *       16     32  key
 *       48     24  sizes of metadata, tuning, image
 *       72      8  0
 *       80     32  BLAKE3 of bytes 0 to 79 and of all after the checksum
 *      112         metadata, NUL, tuning, NUL, image
 *
 * The key is part of the unit, so that a file under a wrong name is damage, too. Metadata precede the image, so that a
 * list of kernels reads the beginning of each file only. */
#ifndef NEREID_LAUNCH_STORE_UNIT_H
#define NEREID_LAUNCH_STORE_UNIT_H

#include "nereid/store.h"

enum {
  NEREID_UNIT_HEADER = 112,                   /* bytes */
  NEREID_UNIT_TEXT_LIMIT = 16 << 20,          /* bytes of metadata or tuning */
  NEREID_UNIT_IMAGE_LIMIT = 1 << 30,          /* bytes */
  NEREID_UNIT_LIMIT = (1 << 30) + (33 << 20), /* bytes of a unit: more than its parts and its header */
};

struct nereid_store_unit {
  nereid_store_content_t content; /* points into `bytes` */
  char *bytes;                    /* owned; malloc */
  size_t size;
};

/* Encodes a unit. `out_unit->bytes` is owned by the caller (free). NEREID_ERROR_ARGUMENT: empty, or too large; the
 * message names the part. NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_unit_encode(const nereid_store_key_t *key, const nereid_store_content_t *content,
                                                   nereid_store_unit_t *out_unit, nereid_message_t *message);

/* Checks untrusted bytes and finds their parts. On NEREID_OK the content points into `bytes`; otherwise it is
 * unchanged, and the result is NEREID_ERROR_IO with the first difference from the format as the message. */
NEREID_MUST_USE nereid_status_t nereid_unit_decode(const nereid_store_key_t *key, nereid_view_t bytes,
                                                   nereid_store_content_t *out_content, nereid_message_t *message);

/* Returns the size of the unit that begins with this header, for a reader of a stream; 0 when it is not a header. */
uint64_t nereid_unit_size(const uint8_t header[NEREID_UNIT_HEADER]);

/* Gets the key of a header that nereid_unit_size accepted. */
void nereid_unit_key(const uint8_t header[NEREID_UNIT_HEADER], nereid_store_key_t *out_key);

/* Checks bytes, which the unit then owns (malloc), and creates the unit; on failure they are freed. As
 * nereid_unit_decode; NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_unit_create(const nereid_store_key_t *key, char *bytes, size_t size,
                                                   nereid_store_unit_t **out_unit, nereid_message_t *message);

#endif

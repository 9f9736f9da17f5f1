/* libFuzzer: replies of a hostile Redis server, and values of units. Replies arrive in two parts; a string is decoded
 * as a value. Arrays are rejected whatever their size. */
#include "python-free-bindings/launch/store/redis/connection.h"
#include "python-free-bindings/launch/store/redis/value.h"
#include "python-free-bindings/launch/store/unit.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fuzz_value(nereid_view_t value) {
  const nereid_store_key_t key = {{0}};
  nereid_store_unit_t *unit;
  nereid_message_t message;
  char *bytes;
  size_t size;
  if (nereid_redis_value_decode(value, &bytes, &size, &message) == NEREID_OK &&
      nereid_unit_create(&key, bytes, size, &unit, &message) == NEREID_OK)
    nereid_store_unit_destroy(unit);
}

static void fuzz_replies(const char *bytes, size_t size) {
  redisReplyObjectFunctions functions;
  redisReader *reader = redisReaderCreate();
  void *reply = NULL;
  if (!reader)
    return;
  nereid_redis_restrict(reader, &functions);
  const size_t first = size ? (unsigned char)bytes[0] % size : 0;
  bool is_good = redisReaderFeed(reader, bytes, first) == REDIS_OK && redisReaderGetReply(reader, &reply) == REDIS_OK;
  if (is_good && !reply)
    is_good = redisReaderFeed(reader, bytes + first, size - first) == REDIS_OK;
  while (is_good && (reply || (redisReaderGetReply(reader, &reply) == REDIS_OK && reply))) {
    const redisReply *string = reply;
    if (string->type == REDIS_REPLY_ARRAY)
      abort();
    if (string->type == REDIS_REPLY_STRING)
      fuzz_value(nereid_view_of(string->str, (size_t)string->len));
    freeReplyObject(reply);
    reply = NULL;
  }
  redisReaderFree(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_replies((const char *)bytes, size);
  fuzz_value(nereid_view_of((const char *)bytes, size));
  return 0;
}

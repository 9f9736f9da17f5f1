/* What tests without MLIR share: cmocka, an arena and a message that every test finds empty. */
#ifndef NEREID_TEST_FIXTURE_H
#define NEREID_TEST_FIXTURE_H

#include "base/arena.h"
#include "base/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static nereid_arena_t arena;
static nereid_message_t message;

static inline int set_up(void **state) {
  (void)state;
  nereid_arena_initialize(&arena);
  message.text[0] = '\0';
  return 0;
}

static inline int tear_down(void **state) {
  (void)state;
  nereid_arena_deinitialize(&arena);
  return 0;
}

#endif

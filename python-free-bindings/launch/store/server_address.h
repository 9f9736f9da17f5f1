/* The address of a server. */
#ifndef NEREID_LAUNCH_STORE_SERVER_ADDRESS_H
#define NEREID_LAUNCH_STORE_SERVER_ADDRESS_H

#include "base/message.h"

#include <stdbool.h>

typedef struct nereid_server_address {
  char host[256]; /* name or number; of a local socket the path */
  unsigned port;
  unsigned database;
  bool is_local;                 /* unix://PATH */
  bool is_tls;                   /* rediss:// */
  char user[128], password[256]; /* empty: none */
} nereid_server_address_t;

/* Parses redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE], rediss:// or unix://PATH. %XX is a byte in USER and
 * PASSWORD; an IPv6 address is in brackets. NEREID_ERROR_ARGUMENT: the message names the part, never the password. */
NEREID_MUST_USE nereid_status_t nereid_server_address_parse(const char *url, nereid_server_address_t *out_address,
                                                            nereid_message_t *message);

#endif

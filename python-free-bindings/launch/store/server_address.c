/* Parses the URL of a server.
 *
 *   redis://user:secret@cache.example.org:6380/2   →   host, port 6380, database 2, user, password
 *
 * Messages do not repeat the URL, because it may contain the password. */
#include "python-free-bindings/launch/store/server_address.h"

#include "base/view.h"

#include <stdio.h>

enum { DEFAULT_PORT = 6379, MAX_DATABASE = 65535 };

static nereid_status_t refuse(nereid_message_t *message, const char *part) {
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                            "the URL of a server has %s; expected redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], "
                            "rediss:// or unix://PATH",
                            part);
}

static bool copy(nereid_view_t text, char *out, size_t size) {
  if (text.size >= size || (text.size && memchr(text.data, '\0', text.size)))
    return false;
  if (text.size)
    memcpy(out, text.data, text.size);
  out[text.size] = '\0';
  return true;
}

static int digit(char letter) {
  const char *digits = "0123456789abcdef", *at = letter ? strchr(digits, letter | (letter >= 'A' ? 0x20 : 0)) : NULL;
  return at ? (int)(at - digits) : -1;
}

/* Copies with %XX decoded; false when it is malformed or too long. */
static bool decode(nereid_view_t text, char *out, size_t size) {
  size_t n = 0;
  for (size_t i = 0; i < text.size; ++i) {
    int letter = (unsigned char)text.data[i];
    if (letter == '%') {
      const int high = i + 2 < text.size ? digit(text.data[i + 1]) : -1, low = high < 0 ? -1 : digit(text.data[i + 2]);
      letter = low < 0 ? 0 : high << 4 | low;
      i += 2;
    }
    if (!letter || n + 1 >= size)
      return false;
    out[n++] = (char)letter;
  }
  out[n] = '\0';
  return true;
}

static bool parse_number(nereid_view_t text, unsigned limit, unsigned *out_number) {
  unsigned number = 0;
  for (size_t i = 0; i < text.size; ++i) {
    if (text.data[i] < '0' || text.data[i] > '9' || number > limit)
      return false;
    number = number * 10 + (unsigned)(text.data[i] - '0');
  }
  *out_number = number;
  return text.size > 0 && number <= limit;
}

/* Splits `text` at the first (or last) `separator`; `out_rest` is empty and unset when there is none. */
static bool split(nereid_view_t *text, char separator, bool at_last, nereid_view_t *out_rest) {
  const char *at = !text->size ? NULL
                   : at_last   ? memrchr(text->data, separator, text->size)
                               : memchr(text->data, separator, text->size);
  if (!at)
    return false;
  *out_rest = nereid_view_of(at + 1, text->size - (size_t)(at - text->data) - 1);
  text->size = (size_t)(at - text->data);
  return true;
}

static nereid_status_t parse_login(nereid_view_t login, nereid_server_address_t *address, nereid_message_t *message) {
  nereid_view_t password = {NULL, 0};
  split(&login, ':', false, &password);
  if (!decode(login, address->user, sizeof address->user))
    return refuse(message, "a malformed user name");
  if (!decode(password, address->password, sizeof address->password))
    return refuse(message, "a malformed password");
  return NEREID_OK;
}

static nereid_status_t parse_host(nereid_view_t host, nereid_server_address_t *address, nereid_message_t *message) {
  nereid_view_t port = {NULL, 0}, rest = {NULL, 0};
  bool has_port;
  if (host.size && host.data[0] == '[') { /* IPv6 */
    host = nereid_view_of(host.data + 1, host.size - 1);
    if (!split(&host, ']', false, &rest) || (rest.size && rest.data[0] != ':'))
      return refuse(message, "a malformed host");
    has_port = rest.size > 0;
    port = has_port ? nereid_view_of(rest.data + 1, rest.size - 1) : rest;
  } else
    has_port = split(&host, ':', true, &port);
  if (has_port && (!parse_number(port, 65535, &address->port) || !address->port))
    return refuse(message, "a port that is not 1 to 65535");
  if (!host.size || !copy(host, address->host, sizeof address->host))
    return refuse(message, host.size ? "a host that is too long" : "no host");
  return NEREID_OK;
}

static bool starts(nereid_view_t *url, const char *scheme) {
  const nereid_view_t prefix = nereid_view(scheme);
  if (!nereid_view_starts_with(*url, prefix))
    return false;
  *url = nereid_view_of(url->data + prefix.size, url->size - prefix.size);
  return true;
}

nereid_status_t nereid_server_address_parse(const char *url, nereid_server_address_t *out_address,
                                            nereid_message_t *message) {
  nereid_server_address_t address = {.port = DEFAULT_PORT};
  nereid_view_t rest = nereid_view(url), database = {NULL, 0}, host;
  address.is_local = starts(&rest, "unix://");
  address.is_tls = !address.is_local && starts(&rest, "rediss://");
  if (!address.is_local && !address.is_tls && !starts(&rest, "redis://"))
    return refuse(message, "another scheme");
  nereid_status_t status = NEREID_OK;
  if (address.is_local) {
    /* sun_path has 108 bytes. */
    if (!rest.size || rest.data[0] != '/' || rest.size >= 108 || !copy(rest, address.host, sizeof address.host))
      return refuse(message, "a path that is not absolute, or longer than 107 bytes");
  } else {
    host = rest;
    if (split(&rest, '@', true, &host))
      status = parse_login(rest, &address, message);
    if (status == NEREID_OK && split(&host, '/', false, &database) && database.size &&
        !parse_number(database, MAX_DATABASE, &address.database))
      return refuse(message, "a malformed database number");
    if (status == NEREID_OK)
      status = parse_host(host, &address, message);
  }
  if (status == NEREID_OK)
    *out_address = address;
  return status;
}

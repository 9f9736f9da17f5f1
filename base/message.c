/* printf into a message that the caller owns. */
#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>

nereid_status_t nereid_message_set(nereid_message_t *message, nereid_status_t status, const char *format, ...) {
  if (!message)
    return status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message->text, sizeof message->text, format, arguments);
  va_end(arguments);
  return status;
}

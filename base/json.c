/* JSON text; see json.h. */
#include "base/json.h"

void nereid_json_print_string(FILE *out, nereid_view_t text) {
  fputc('"', out);
  for (size_t i = 0; i < text.size; ++i) {
    const unsigned char c = (unsigned char)text.data[i];
    if (c == '"' || c == '\\')
      fprintf(out, "\\%c", c);
    else if (c < 0x20)
      fprintf(out, "\\u%04x", c);
    else
      fputc(c, out);
  }
  fputc('"', out);
}

/* Puts the JSON of a report into the page of tools/nereid/report/page/.
 *
 *   <style>page.css</style> page.html <script type="application/json" id="report">{...}</script> <script>*.js</script>
 *
 * Lists of equal types in the text of the page are shortened: the struct of a wgmma's 128 results is repeated in every
 * line that uses it. */
#include "tools/nereid/report/write_page.h"

#include "tools/nereid/report/write_json.h"

#include <stdlib.h>

/* Generated from the files in page/. */
extern const char report_page_html[], report_page_style[], report_page_script[];

/* "<" could end the script element; in JSON it occurs in strings only. */
static void print_embedded(const char *json, size_t size, FILE *out) {
  for (size_t i = 0; i < size; ++i)
    if (json[i] == '<')
      fputs("\\u003c", out);
    else
      fputc(json[i], out);
}

bool report_write_page(const report_t *report, FILE *out) {
  char *json = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&json, &size);
  if (!memory)
    return false;
  report_write_json(report, REPORT_JSON_SHORT, memory);
  if (fclose(memory)) {
    free(json);
    return false;
  }
  fprintf(out,
          "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>nereid report</title>\n"
          "<style>\n%s</style>\n</head>\n<body>\n%s<script type=\"application/json\" id=\"report\">\n",
          report_page_style, report_page_html);
  print_embedded(json, size, out);
  fprintf(out, "</script>\n<script>\n%s</script>\n</body>\n</html>\n", report_page_script);
  free(json);
  return true;
}

/* Prints a layout as text.
 *
 *   register  [(0,1)]
 *   lane      [(0,2) (0,4) (1,0) (2,0) (4,0)]
 *   thread:register
 *
 *          0     1     2     3
 *   0   T0:0  T0:1  T1:0  T1:1        thread 1 holds element (0,2) in its register 0
 *
 * A cell of a shared layout is the offset in elements and, after a slash, its bank. */
#include "tools/nereid/layout/layout_text.h"

static void print_bases(const nereid_layout_t *layout, const char *name, nereid_layout_dim_t in, FILE *out) {
  if (!layout->in_bits[in])
    return;
  fprintf(out, "%-9s [", name);
  for (int bit = 0; bit < layout->in_bits[in]; ++bit) {
    int32_t at[NEREID_LAYOUT_MAX_RANK];
    nereid_layout_coordinates(layout, layout->bases[in][bit], at);
    fputs(bit ? " (" : "(", out);
    for (int d = 0; d < layout->rank; ++d)
      fprintf(out, d ? ",%d" : "%d", (int)at[d]);
    fputc(')', out);
  }
  fputs("]\n", out);
}

static int cell(const tool_layout_t *layout, uint32_t element, char out[48]) {
  const tool_place_t *place = &layout->first[element];
  char block[16] = "";
  if (layout->layout.in_bits[NEREID_LAYOUT_BLOCK])
    snprintf(block, sizeof block, "C%u:", (unsigned)place->block);
  if (layout->shared)
    return snprintf(out, 48, "%s%u/%u", block, (unsigned)place->registr, (unsigned)tool_layout_bank(layout, element));
  uint32_t thread = place->warp << layout->layout.in_bits[NEREID_LAYOUT_LANE] | place->lane;
  return snprintf(out, 48, "%sT%u:%u", block, (unsigned)thread, (unsigned)place->registr);
}

void tool_layout_print(const tool_layout_t *layout, FILE *out) {
  uint32_t slices, rows, columns;
  char text[48];
  int width = 0;
  print_bases(&layout->layout, layout->shared ? "offset" : "register", NEREID_LAYOUT_REGISTER, out);
  print_bases(&layout->layout, "lane", NEREID_LAYOUT_LANE, out);
  print_bases(&layout->layout, "warp", NEREID_LAYOUT_WARP, out);
  print_bases(&layout->layout, "block", NEREID_LAYOUT_BLOCK, out);
  if (layout->copies > 1)
    fprintf(out, "each element has %u places; the first is shown\n", (unsigned)layout->copies);
  fprintf(out, "%s\n", tool_layout_legend(layout));
  tool_layout_grid(layout, &slices, &rows, &columns);
  for (uint32_t i = 0; i < layout->n; ++i) {
    int n = cell(layout, i, text);
    width = n > width ? n : width;
  }
  for (uint32_t slice = 0; slice < slices; ++slice) {
    fprintf(out, slices > 1 ? "\nslice %u\n" : "\n", (unsigned)slice);
    fprintf(out, "%5s", "");
    for (uint32_t column = 0; column < columns; ++column)
      fprintf(out, "  %*u", width, (unsigned)column);
    for (uint32_t row = 0; row < rows; ++row) {
      fprintf(out, "\n%5u", (unsigned)row);
      for (uint32_t column = 0; column < columns; ++column) {
        (void)cell(layout, (slice * rows + row) * columns + column, text);
        fprintf(out, "  %*s", width, text);
      }
    }
    fputc('\n', out);
  }
}

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

/* The part of the grid that is printed. */
typedef struct grid {
  uint32_t slices, rows, columns; /* slices, rows and columns of the layout */
  uint32_t n_slices, n_rows, n_columns;
} grid_t;

static grid_t choose_grid(const tool_layout_t *layout, uint32_t limit) {
  grid_t grid;
  tool_layout_grid(layout, &grid.slices, &grid.rows, &grid.columns);
  grid.n_slices = limit ? 1 : grid.slices;
  grid.n_rows = limit && limit < grid.rows ? limit : grid.rows;
  grid.n_columns = limit && limit < grid.columns ? limit : grid.columns;
  return grid;
}

static int find_width(const tool_layout_t *layout, const grid_t *grid) {
  char text[48];
  int width = 0;
  for (uint32_t row = 0; row < grid->n_slices * grid->rows; ++row)
    for (uint32_t column = 0; column < grid->n_columns && row % grid->rows < grid->n_rows; ++column) {
      const int n = cell(layout, row * grid->columns + column, text);
      width = n > width ? n : width;
    }
  return width;
}

static void print_slice(const tool_layout_t *layout, const grid_t *grid, uint32_t slice, int width, FILE *out) {
  char text[48];
  const bool cut = grid->n_columns < grid->columns;
  fprintf(out, "%5s", "");
  for (uint32_t column = 0; column < grid->n_columns; ++column)
    fprintf(out, "  %*u", width, (unsigned)column);
  for (uint32_t row = 0; row < grid->n_rows; ++row) {
    fprintf(out, "%s\n%5u", row == 0 && cut ? "  ..." : "", (unsigned)row);
    for (uint32_t column = 0; column < grid->n_columns; ++column) {
      (void)cell(layout, (slice * grid->rows + row) * grid->columns + column, text);
      fprintf(out, "  %*s", width, text);
    }
  }
  fputs(grid->n_rows < grid->rows ? "\n  ...\n" : "\n", out);
}

void tool_layout_print(const tool_layout_t *layout, uint32_t limit, FILE *out) {
  print_bases(&layout->layout, layout->shared ? "offset" : "register", NEREID_LAYOUT_REGISTER, out);
  print_bases(&layout->layout, "lane", NEREID_LAYOUT_LANE, out);
  print_bases(&layout->layout, "warp", NEREID_LAYOUT_WARP, out);
  print_bases(&layout->layout, "block", NEREID_LAYOUT_BLOCK, out);
  if (layout->copies > 1)
    fprintf(out, "each element has %u places; the first is shown\n", (unsigned)layout->copies);
  fprintf(out, "%s\n", tool_layout_legend(layout));
  const grid_t grid = choose_grid(layout, limit);
  const int width = find_width(layout, &grid);
  for (uint32_t slice = 0; slice < grid.n_slices; ++slice) {
    fprintf(out, grid.slices > 1 ? "\nslice %u\n" : "\n", (unsigned)slice);
    print_slice(layout, &grid, slice, width, out);
  }
}

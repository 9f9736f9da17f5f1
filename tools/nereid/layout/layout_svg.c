/* Draws a layout as SVG, without scripts, fonts or other files.
 *
 * For a distributed layout it draws the tensor. Each warp has a hue, its lanes go from light to dark, and adjacent
 * elements in consecutive registers of one thread form one box. For a shared layout it draws the tensor in the colors
 * of the banks, and next to it the memory: one line per 128 bytes, in the colors of the tensor's rows. A column of one
 * color on the left is a bank conflict. */
#include "tools/nereid/layout/layout_svg.h"

enum { CELL_WIDTH = 44, CELL_HEIGHT = 24, MARGIN = 46, GAP = 40, TITLE = 68, MEMORY_WIDTH = 512 };

static void escape(const char *text, FILE *out) {
  for (; *text; ++text) {
    const char *name = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : NULL;
    if (name)
      fputs(name, out);
    else
      fputc(*text, out);
  }
}

/* Returns a hue for `number`. Steps of the golden angle separate the hues of consecutive numbers as far as possible. */
static double hue(uint32_t number) {
  double turns = number * 0.381966;
  return 210 + 360 * (turns - (double)(uint32_t)turns);
}

static void box(FILE *out, double x, double y, double width, double height, double angle, double lightness,
                const char *text, const char *tip) {
  fprintf(
      out,
      "<g><title>%s</title><rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' rx='3' fill='hsl(%.0f,62%%,%.0f%%)'/>",
      tip, x + 0.75, y + 0.75, width - 1.5, height - 1.5, angle, lightness);
  if (*text)
    fprintf(out, "<text x='%.1f' y='%.1f' fill='%s'>%s</text>", x + width / 2, y + height / 2,
            lightness < 56 ? "white" : "#1a1a1a", text);
  fputs("</g>\n", out);
}

static void label(FILE *out, double x, double y, const char *kind, uint32_t number) {
  fprintf(out, "<text class='%s' x='%.1f' y='%.1f'>%u</text>\n", kind, x, y, (unsigned)number);
}

static void axes(FILE *out, double x, double y, uint32_t rows, uint32_t columns, double width, double height) {
  for (uint32_t row = 0; row < rows; ++row)
    label(out, x - 8, y + height * (row + 0.5), "row", row);
  for (uint32_t column = 0; column < columns; ++column)
    label(out, x + width * (column + 0.5), y - 9, "column", column);
}

/* Returns the number of elements from `element` on, in its row, that are in consecutive registers of one thread or at
 * consecutive offsets. A run of offsets ends at a multiple of 16 bytes. */
static uint32_t run_length(const tool_layout_t *layout, uint32_t element, uint32_t left) {
  const tool_place_t *first = &layout->first[element];
  uint32_t n = 1, vector = layout->shared && layout->element_bits < 128 ? 128 / layout->element_bits : left;
  while (n < left && first[n].lane == first->lane && first[n].warp == first->warp && first[n].block == first->block &&
         first[n].registr == first->registr + n && (!layout->shared || first[n].registr % vector))
    ++n;
  return n;
}

static void draw_threads(const tool_layout_t *layout, FILE *out, double x, double y, uint32_t slice, uint32_t rows,
                         uint32_t columns) {
  int lane_bits = layout->layout.in_bits[NEREID_LAYOUT_LANE], warp_bits = layout->layout.in_bits[NEREID_LAYOUT_WARP];
  axes(out, x, y, rows, columns, CELL_WIDTH, CELL_HEIGHT);
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t column = 0, n; column < columns; column += n) {
      uint32_t element = (slice * rows + row) * columns + column;
      const tool_place_t *place = &layout->first[element];
      n = run_length(layout, element, columns - column);
      uint32_t thread = place->warp << lane_bits | place->lane;
      char text[64], tip[160];
      int at = snprintf(text, sizeof text, "T%u:%u", (unsigned)thread, (unsigned)place->registr);
      if (n > 1)
        snprintf(text + at, sizeof text - (size_t)at, "–%u", (unsigned)(place->registr + n - 1));
      snprintf(tip, sizeof tip, "row %u, columns %u to %u: CTA %u, warp %u, lane %u, registers from %u", (unsigned)row,
               (unsigned)column, (unsigned)(column + n - 1), (unsigned)place->block, (unsigned)place->warp,
               (unsigned)place->lane, (unsigned)place->registr);
      box(out, x + column * CELL_WIDTH, y + row * CELL_HEIGHT, n * (double)CELL_WIDTH, CELL_HEIGHT,
          hue(place->block << warp_bits | place->warp), 88 - 40.0 * place->lane / (double)(UINT32_C(1) << lane_bits),
          text, tip);
    }
}

/* Formats the banks of n consecutive elements: "4" or "4–7". */
static void banks(const tool_layout_t *layout, uint32_t element, uint32_t n, char out[32]) {
  uint32_t first = tool_layout_bank(layout, element);
  uint32_t more = (n * layout->element_bits + 31) / 32;
  snprintf(out, 32, more > 1 ? "%u–%u" : "%u", (unsigned)first, (unsigned)(first + more - 1));
}

static void draw_banks(const tool_layout_t *layout, FILE *out, double x, double y, double width, uint32_t slice,
                       uint32_t rows, uint32_t columns) {
  for (uint32_t row = 0; row < rows; ++row) {
    label(out, x - 8, y + CELL_HEIGHT * (row + 0.5), "row", row);
    for (uint32_t column = 0, n; column < columns; column += n) {
      uint32_t element = (slice * rows + row) * columns + column;
      char text[32], tip[160];
      n = run_length(layout, element, columns - column);
      banks(layout, element, n, text);
      snprintf(tip, sizeof tip, "row %u, columns %u to %u: offset %u, bank %s", (unsigned)row, (unsigned)column,
               (unsigned)(column + n - 1), (unsigned)layout->first[element].registr, text);
      if (row == 0)
        label(out, x + width * (column + 0.5), y - 9, "column", column);
      box(out, x + column * width, y + row * CELL_HEIGHT, n * width, CELL_HEIGHT,
          tool_layout_bank(layout, element) * 11.25, 74, n * width < 20 ? "" : text, tip);
    }
  }
}

/* Draws the memory of one CTA: the width of an element is its size, 128 bytes per line. */
static void draw_memory(const tool_layout_t *layout, FILE *out, double x, double y, uint32_t columns) {
  double unit = MEMORY_WIDTH / 1024.0; /* width of one bit */
  for (uint32_t element = 0, n; element < layout->n; element += n) {
    const tool_place_t *place = &layout->first[element];
    uint32_t row = element / columns, column = element % columns;
    uint64_t bit = (uint64_t)place->registr * layout->element_bits, line = bit / 1024;
    char text[32], tip[160];
    n = run_length(layout, element, columns - column);
    if (place->block)
      continue;
    snprintf(text, sizeof text, "%u,%u", (unsigned)row, (unsigned)column);
    snprintf(tip, sizeof tip, "byte %u: row %u, columns %u to %u", (unsigned)(bit / 8), (unsigned)row, (unsigned)column,
             (unsigned)(column + n - 1));
    double width = n * layout->element_bits * unit;
    box(out, x + (double)(bit % 1024) * unit, y + (double)line * CELL_HEIGHT, width, CELL_HEIGHT, hue(row), 74,
        width < 36 ? "" : text, tip);
  }
  for (uint32_t bank = 0; bank < 32; bank += 4)
    label(out, x + (bank + 2) * 32 * unit, y - 9, "column", bank);
}

/* Draws the caption above each of the grids. */
static void captions(const tool_layout_t *layout, FILE *out, double memory_x) {
  static const char *const format = "<text class='caption' x='%.0f' y='33'>%s</text>\n";
  char text[160];
  if (!layout->shared) {
    int at = snprintf(text, sizeof text, "elements: thread:registers, one hue per warp");
    if (layout->copies > 1)
      snprintf(text + at, sizeof text - (size_t)at, "; each element has %u places, the first is shown",
               (unsigned)layout->copies);
    fprintf(out, format, 12.0, text);
    return;
  }
  fprintf(out, format, 12.0, "elements: banks, vectors of 16 bytes");
  fprintf(out, format, memory_x, "memory, 128 bytes per line: elements");
}

void tool_layout_draw(const tool_layout_t *layout, const char *title, FILE *out) {
  uint32_t slices, rows, columns;
  tool_layout_grid(layout, &slices, &rows, &columns);
  double width = !layout->shared             ? CELL_WIDTH
                 : layout->element_bits < 64 ? layout->element_bits * 0.45 + 2
                                             : CELL_WIDTH;
  double panel = columns * width, height = (double)rows * CELL_HEIGHT;
  double memory = layout->shared ? MEMORY_WIDTH : 0;
  const uint64_t lines_of_memory = (layout->end * (uint64_t)layout->element_bits + 1023) / 1024;
  double lines = (double)lines_of_memory * CELL_HEIGHT;
  double total_width = MARGIN + panel + (memory > 0 ? GAP + memory : 0) + 16;
  double total_height = TITLE + slices * (height + GAP) - 16;
  if (memory > 0 && lines + TITLE + GAP > total_height)
    total_height = lines + TITLE + GAP;
  double shown = total_width < 420 ? 420 : total_width;
  fprintf(out,
          "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' width='%.0f' "
          "height='%.0f'>\n<style>text{font:11px "
          "system-ui,sans-serif;text-anchor:middle;dominant-baseline:central}.row{text-anchor:end;fill:#666}"
          ".column{fill:#666}.caption{fill:#666;text-anchor:start}.title{font-weight:600;font-size:12px;text-anchor:"
          "start}</style>\n"
          "<rect width='100%%' height='100%%' fill='white'/>\n<text class='title' x='%d' y='16'>",
          shown, total_height, shown, total_height, 12);
  escape(title, out);
  fputs("</text>\n", out);
  captions(layout, out, MARGIN + panel + GAP);
  for (uint32_t slice = 0; slice < slices; ++slice) {
    double y = TITLE + slice * (height + GAP);
    if (layout->shared)
      draw_banks(layout, out, MARGIN, y, width, slice, rows, columns);
    else
      draw_threads(layout, out, MARGIN, y, slice, rows, columns);
  }
  if (layout->shared)
    draw_memory(layout, out, MARGIN + panel + GAP, TITLE, columns);
  fputs("</svg>\n", out);
}

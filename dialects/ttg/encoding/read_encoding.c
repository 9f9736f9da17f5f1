/* Parses the keys of an encoding: `#ttg.blocked<{order = [1, 0], sizePerThread = [1, 8], ...}>`.
 *
 *   {order = [1, 0], ...}  ->  nereid_ttg_blocked_attr_create(ctx, array<i32: 1, 8>, ..., no CTA layout)
 *
 * Keys may be in any order. A CTA layout is parsed in the spelling of Triton 3.6 (`CGALayout = [[0, 1]]`) and in the
 * older one (CTAsPerCGA, CTASplitNum, CTAOrder). The layout of a single CTA is dropped, so that equal encodings are one
 * attribute. One error is reported, at the start of the encoding's text. */
#include "base/bits.h"
#include "dialects/diagnose.h"
#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/ttg_hooks.h"

#include "bindings/ttg_hooks.h"
#include "nereid/dialects/ttg.h"
#include "seam/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct reader {
  nereid_error_sink_t sink;
  MlirContext ctx;
  MlirStringRef mnemonic;
  MlirAttribute inside, outside;
  bool failed;
} reader_t;

/* Reports the first error only; later ones result from it. */
static void fail(reader_t *reader, const char *format, ...) NEREID_PRINTF(2, 3);

static void fail(reader_t *reader, const char *format, ...) {
  if (reader->failed)
    return;
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  nereid_diagnose_to(reader->sink, "#ttg.%.*s %s", (int)reader->mnemonic.length, reader->mnemonic.data, message);
  reader->failed = true;
}

static MlirAttribute find(MlirAttribute dictionary, const char *key) {
  return mlirDictionaryAttrGetElementByName(dictionary, mlirStringRefCreateFromCString(key));
}

static bool among(MlirStringRef name, const char *const *keys) {
  for (; *keys; keys++)
    if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(*keys)))
      return true;
  return false;
}

/* Checks that every key of `dictionary` is one of `keys`, a null-terminated list. */
static void check_keys(reader_t *reader, MlirAttribute dictionary, const char *const *keys) {
  for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(dictionary); i++) {
    MlirStringRef name = mlirIdentifierStr(mlirDictionaryAttrGetElement(dictionary, i).name);
    if (!among(name, keys))
      fail(reader, "has an unknown key '%.*s'", (int)name.length, name.data);
  }
}

static bool integer_value(MlirAttribute attribute, int32_t *out) {
  if (!mlirAttributeIsAInteger(attribute))
    return false;
  MlirType type = mlirAttributeGetType(attribute);
  if (!mlirTypeIsAInteger(type) || !mlirIntegerTypeIsSignless(type) || mlirIntegerTypeGetWidth(type) < 8 ||
      mlirIntegerTypeGetWidth(type) > 64)
    return false;
  int64_t value = mlirIntegerAttrGetValueInt(attribute);
  *out = (int32_t)value;
  return value >= 0 && value <= INT32_MAX;
}

/* Reads a number; it is optional when `fallback` is not negative. */
static unsigned read_unsigned(reader_t *reader, const char *key, int32_t fallback) {
  MlirAttribute attribute = find(reader->inside, key);
  int32_t value = fallback;
  if (mlirAttributeIsNull(attribute) ? fallback < 0 : !integer_value(attribute, &value))
    fail(reader, "expects key '%s' with a nonnegative number", key);
  return (unsigned)value;
}

static bool read_bool(reader_t *reader, const char *key) {
  MlirAttribute attribute = find(reader->inside, key);
  if (!mlirAttributeIsNull(attribute) && !mlirAttributeIsABool(attribute))
    fail(reader, "expects true or false for key '%s'", key);
  return !reader->failed && !mlirAttributeIsNull(attribute) && mlirBoolAttrGetValue(attribute);
}

/* Reads the numbers of `[1, 0]`. Returns their count, -1 for other attributes. */
static int array_values(MlirAttribute attribute, int32_t *out) {
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAArray(attribute))
    return -1;
  intptr_t size = mlirArrayAttrGetNumElements(attribute);
  if (size > NEREID_TTG_MAX_RANK)
    return -1;
  for (intptr_t i = 0; i < size; i++)
    if (!integer_value(mlirArrayAttrGetElement(attribute, i), &out[i]))
      return -1;
  return (int)size;
}

static int read_ints(reader_t *reader, const char *key, int32_t *out) {
  int size = array_values(find(reader->inside, key), out);
  if (size < 0)
    fail(reader, "expects key '%s' with an array of at most %d nonnegative numbers", key, NEREID_TTG_MAX_RANK);
  return size;
}

static MlirAttribute read_array(reader_t *reader, const char *key) {
  int32_t values[NEREID_TTG_MAX_RANK];
  int size = read_ints(reader, key, values);
  return nereid_ttg_ints_make(reader->ctx, size < 0 ? 0 : size, values);
}

/* Reads `[[0, 1], [8, 0]]`. All vectors have length *rank, which is set when it is 0. */
static void read_bases(reader_t *reader, const char *key, int *rank, nereid_ttg_bases_t *out) {
  MlirAttribute array = find(reader->inside, key);
  memset(out, 0, sizeof *out);
  if (mlirAttributeIsNull(array) || !mlirAttributeIsAArray(array) ||
      mlirArrayAttrGetNumElements(array) > NEREID_TTG_MAX_BASES) {
    fail(reader, "expects key '%s' with an array of at most %d vectors", key, NEREID_TTG_MAX_BASES);
    return;
  }
  out->count = (int)mlirArrayAttrGetNumElements(array);
  for (int i = 0; i < out->count; i++) {
    out->rank = array_values(mlirArrayAttrGetElement(array, i), out->vectors[i]);
    if (*rank == 0)
      *rank = out->rank;
    if (out->rank <= 0 || out->rank != *rank)
      fail(reader, "expects vector %d of '%s' to be an array of %d numbers, one per dimension", i, key,
           *rank > 0 ? *rank : 1);
  }
}

static MlirAttribute read_bases_attribute(reader_t *reader, const char *key, int *rank) {
  nereid_ttg_bases_t bases;
  read_bases(reader, key, rank, &bases);
  return reader->failed ? mlirAttributeGetNull() : nereid_ttg_bases_make(reader->ctx, &bases);
}

static bool is_permutation(int size, const int32_t *order) {
  uint64_t seen = 0;
  for (int i = 0; i < size; i++)
    seen |= order[i] >= 0 && order[i] < size ? UINT64_C(1) << order[i] : 0;
  return size > 0 && seen == (UINT64_C(1) << size) - 1;
}

/* Reads CTAsPerCGA, CTASplitNum, CTAOrder: the spelling before Triton 3.6. */
static void read_cta_counts(reader_t *reader, int rank, nereid_ttg_bases_t *out) {
  int32_t ctas[NEREID_TTG_MAX_RANK], split[NEREID_TTG_MAX_RANK], order[NEREID_TTG_MAX_RANK];
  if (array_values(find(reader->inside, "CTAsPerCGA"), ctas) != rank ||
      array_values(find(reader->inside, "CTASplitNum"), split) != rank ||
      array_values(find(reader->inside, "CTAOrder"), order) != rank || !is_permutation(rank, order)) {
    fail(reader, "expects CTAsPerCGA, CTASplitNum and CTAOrder together, of rank %d, CTAOrder a permutation", rank);
    return;
  }
  for (int d = 0; d < rank; d++)
    if (!nereid_is_power_of_two(ctas[d]) || !nereid_is_power_of_two(split[d]) || split[d] > ctas[d])
      fail(reader, "expects powers of two in CTAsPerCGA and CTASplitNum, the latter not larger");
  if (!reader->failed)
    nereid_ttg_cga_from_counts(rank, ctas, split, order, out);
}

/* Reads the CTA layout in either spelling; null for one CTA. */
static MlirAttribute read_cga(reader_t *reader, int rank) {
  static const char *const counts[] = {"CTAsPerCGA", "CTASplitNum", "CTAOrder"};
  nereid_ttg_bases_t bases = {0};
  bool older = false;
  for (int i = 0; i < 3; i++)
    older |= !mlirAttributeIsNull(find(reader->inside, counts[i]));
  bool newer = !mlirAttributeIsNull(find(reader->inside, "CGALayout"));
  if (older && newer)
    fail(reader, "has CGALayout and CTAsPerCGA, CTASplitNum, CTAOrder; expected one of the two spellings");
  else if (older)
    read_cta_counts(reader, rank, &bases);
  else if (newer)
    read_bases(reader, "CGALayout", &rank, &bases);
  return reader->failed ? mlirAttributeGetNull() : nereid_ttg_cga_make(reader->ctx, &bases);
}

static int rank_of(MlirAttribute array) {
  return (int)mlirDenseArrayGetNumElements(array);
}

#define CTA_KEYS "CGALayout", "CTAsPerCGA", "CTASplitNum", "CTAOrder"

/* Creates an attribute after its verifier accepts it. */
#define MADE(verified, created)                                                                                        \
  (reader->failed || mlirLogicalResultIsFailure(verified) ? mlirAttributeGetNull() : (created))

static MlirAttribute read_blocked(reader_t *reader) {
  static const char *const keys[] = {"sizePerThread", "threadsPerWarp", "warpsPerCTA", "order", CTA_KEYS, NULL};
  check_keys(reader, reader->inside, keys);
  MlirAttribute size = read_array(reader, keys[0]), threads = read_array(reader, keys[1]);
  MlirAttribute warps = read_array(reader, keys[2]), order = read_array(reader, keys[3]);
  MlirAttribute cga = read_cga(reader, rank_of(order));
  return MADE(nereid_ttg_blocked_attr_verify(reader->sink, size, threads, warps, order, cga),
              nereid_ttg_blocked_attr_create(reader->ctx, size, threads, warps, order, cga));
}

static void read_vectors(reader_t *reader, MlirAttribute out[NEREID_LAYOUT_DIMS]) {
  static const char *const keys[] = {"register", "lane", "warp", "block", NULL};
  check_keys(reader, reader->inside, keys);
  int rank = 0;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    out[in] = read_bases_attribute(reader, keys[in], &rank);
}

static MlirAttribute read_linear(reader_t *reader) {
  MlirAttribute bases[NEREID_LAYOUT_DIMS];
  read_vectors(reader, bases);
  return MADE(nereid_ttg_linear_attr_verify(reader->sink, bases[0], bases[1], bases[2], bases[3]),
              nereid_ttg_linear_attr_create(reader->ctx, bases[0], bases[1], bases[2], bases[3]));
}

static MlirAttribute read_generic_linear(reader_t *reader) {
  MlirAttribute bases[NEREID_LAYOUT_DIMS];
  read_vectors(reader, bases);
  nereidMlirContextRaiseTritonMinor(reader->ctx, NEREID_TTG_GENERIC_LINEAR_SINCE);
  return MADE(nereid_ttg_generic_linear_attr_verify(reader->sink, bases[0], bases[1], bases[2], bases[3]),
              nereid_ttg_generic_linear_attr_create(reader->ctx, bases[0], bases[1], bases[2], bases[3]));
}

static MlirAttribute read_slice(reader_t *reader) {
  static const char *const keys[] = {"dim", "parent", NULL};
  check_keys(reader, reader->inside, keys);
  unsigned dim = read_unsigned(reader, "dim", -1);
  MlirAttribute parent = find(reader->inside, "parent");
  return MADE(nereid_ttg_slice_attr_verify(reader->sink, dim, parent),
              nereid_ttg_slice_attr_create(reader->ctx, dim, parent));
}

static MlirAttribute read_dot_op(reader_t *reader) {
  static const char *const keys[] = {"opIdx", "parent", "kWidth", NULL};
  check_keys(reader, reader->inside, keys);
  unsigned op_idx = read_unsigned(reader, "opIdx", -1), k_width = read_unsigned(reader, "kWidth", 0);
  MlirAttribute parent = find(reader->inside, "parent");
  return MADE(nereid_ttg_dot_op_attr_verify(reader->sink, op_idx, parent, k_width),
              nereid_ttg_dot_op_attr_create(reader->ctx, op_idx, parent, k_width));
}

static MlirAttribute read_nvidia_mma(reader_t *reader) {
  static const char *const keys[] = {"versionMajor", "versionMinor", "warpsPerCTA", "instrShape", CTA_KEYS, NULL};
  check_keys(reader, reader->inside, keys);
  unsigned major = read_unsigned(reader, keys[0], -1), minor = read_unsigned(reader, keys[1], 0);
  MlirAttribute warps = read_array(reader, keys[2]), shape = read_array(reader, keys[3]);
  MlirAttribute cga = read_cga(reader, rank_of(warps));
  return MADE(nereid_ttg_nvidia_mma_attr_verify(reader->sink, major, minor, warps, cga, shape),
              nereid_ttg_nvidia_mma_attr_create(reader->ctx, major, minor, warps, cga, shape));
}

static MlirAttribute read_swizzled_shared(reader_t *reader) {
  static const char *const keys[] = {"vec", "perPhase", "maxPhase", "order", CTA_KEYS, NULL};
  check_keys(reader, reader->inside, keys);
  unsigned vec = read_unsigned(reader, keys[0], -1), per_phase = read_unsigned(reader, keys[1], -1);
  unsigned max_phase = read_unsigned(reader, keys[2], -1);
  MlirAttribute order = read_array(reader, keys[3]), cga = read_cga(reader, rank_of(order));
  return MADE(nereid_ttg_swizzled_shared_attr_verify(reader->sink, vec, per_phase, max_phase, order, cga),
              nereid_ttg_swizzled_shared_attr_create(reader->ctx, vec, per_phase, max_phase, order, cga));
}

static MlirAttribute read_nvmma_shared(reader_t *reader) {
  /* Triton 3.6 leaves the width uninitialized when the key is missing; its own texts without the key are for f16. */
  enum { DEFAULT_ELEMENT_BITS = 16 };
  static const char *const keys[] = {
      "swizzlingByteWidth", "transposed", "elementBitWidth", "fp4Padded", "rank", CTA_KEYS, NULL};
  check_keys(reader, reader->inside, keys);
  unsigned swizzle = read_unsigned(reader, keys[0], -1), bits = read_unsigned(reader, keys[2], DEFAULT_ELEMENT_BITS);
  bool transposed = read_bool(reader, keys[1]), padded = read_bool(reader, keys[3]);
  int32_t counts[NEREID_TTG_MAX_RANK];
  int rank = array_values(find(reader->inside, "CTAOrder"), counts);
  rank = (int)read_unsigned(reader, "rank", rank > 0 ? rank : 2);
  MlirAttribute cga = find(reader->inside, "CGALayout");
  bool bases = !mlirAttributeIsNull(cga) && mlirAttributeIsAArray(cga) && mlirArrayAttrGetNumElements(cga) > 0;
  cga = read_cga(reader, bases ? 0 : rank);
  if (bases && !reader->failed)
    rank = rank_of(mlirArrayAttrGetElement(cga, 0));
  return MADE(nereid_ttg_nvmma_shared_attr_verify(reader->sink, swizzle, transposed, bits, padded, cga, (unsigned)rank),
              nereid_ttg_nvmma_shared_attr_create(reader->ctx, swizzle, transposed, bits, padded, cga, (unsigned)rank));
}

/* Computes the shape that the vectors span: dimension d has twice the largest coordinate. */
static void shape_of(const nereid_ttg_bases_t *offset, const nereid_ttg_bases_t *block, int rank, int64_t *out) {
  for (int d = 0; d < rank; d++)
    out[d] = 1;
  for (int k = 0; k < 2; k++) {
    const nereid_ttg_bases_t *bases = k == 0 ? offset : block;
    for (int i = 0; i < bases->count; i++)
      for (int d = 0; d < rank; d++)
        while (out[d] <= bases->vectors[i][d])
          out[d] *= 2;
  }
}

/* Reads `{order = [1, 0], shape = [16, 32]}`: offsets in the plain order. */
static int read_plain_order(reader_t *reader, nereid_ttg_bases_t *offset, int64_t *shape) {
  static const char *const keys[] = {"order", "shape", NULL};
  check_keys(reader, reader->inside, keys);
  int32_t order[NEREID_TTG_MAX_RANK], sizes[NEREID_TTG_MAX_RANK];
  int rank = read_ints(reader, "order", order);
  if (read_ints(reader, "shape", sizes) != rank || !is_permutation(rank, order))
    fail(reader, "expects order to be a permutation of the dimensions of shape");
  for (int i = 0; !reader->failed && i < rank; i++) {
    int d = order[i];
    shape[d] = sizes[d];
    if (!nereid_is_power_of_two(sizes[d]))
      fail(reader, "expects powers of two in shape");
    for (int64_t step = 1; step < sizes[d] && offset->count < NEREID_TTG_MAX_BASES; step *= 2)
      offset->vectors[offset->count++][d] = (int32_t)step;
  }
  offset->rank = offset->count ? rank : 0;
  return rank;
}

static MlirAttribute read_padded_shared(reader_t *reader) {
  static const char *const keys[] = {"offset", "block", NULL}, *const beside[] = {"intervals", "paddings", NULL};
  check_keys(reader, reader->outside, beside);
  MlirAttribute intervals = find(reader->outside, "intervals"), paddings = find(reader->outside, "paddings");
  if (mlirAttributeIsNull(intervals))
    fail(reader, "expects [interval:+padding, ...] before its keys");
  nereid_ttg_bases_t offset = {0}, block = {0};
  int64_t shape[NEREID_TTG_MAX_RANK];
  int rank = 0;
  if (mlirAttributeIsNull(find(reader->inside, "offset")) && mlirAttributeIsNull(find(reader->inside, "block"))) {
    rank = read_plain_order(reader, &offset, shape);
  } else {
    check_keys(reader, reader->inside, keys);
    read_bases(reader, "offset", &rank, &offset);
    read_bases(reader, "block", &rank, &block);
    shape_of(&offset, &block, rank > 0 ? rank : 0, shape);
  }
  if (rank <= 0)
    fail(reader, "expects at least one vector");
  if (reader->failed)
    return mlirAttributeGetNull();
  MlirAttribute offset_bases = nereid_ttg_bases_make(reader->ctx, &offset);
  MlirAttribute block_bases = nereid_ttg_bases_make(reader->ctx, &block);
  MlirAttribute dims = mlirDenseI64ArrayGet(reader->ctx, rank, shape);
  return MADE(nereid_ttg_padded_shared_attr_verify(reader->sink, intervals, paddings, offset_bases, block_bases, dims),
              nereid_ttg_padded_shared_attr_create(reader->ctx, intervals, paddings, offset_bases, block_bases, dims));
}

static MlirAttribute read_shared_linear(reader_t *reader) {
  static const char *const keys[] = {"offset", "block", NULL}, *const beside[] = {"alignment", NULL};
  check_keys(reader, reader->inside, keys);
  check_keys(reader, reader->outside, beside);
  int rank = 0;
  MlirAttribute offset = read_bases_attribute(reader, "offset", &rank), block = mlirArrayAttrGet(reader->ctx, 0, NULL);
  if (!mlirAttributeIsNull(find(reader->inside, "block")))
    block = read_bases_attribute(reader, "block", &rank);
  MlirAttribute alignment = find(reader->outside, "alignment");
  int32_t bytes = 0;
  if (mlirAttributeIsNull(alignment) || !integer_value(alignment, &bytes))
    fail(reader, "expects `, alignment = <bytes>` after its braces");
  return MADE(nereid_ttg_shared_linear_attr_verify(reader->sink, offset, block, (unsigned)bytes),
              nereid_ttg_shared_linear_attr_create(reader->ctx, offset, block, (unsigned)bytes));
}

MlirAttribute nereid_ttg_encoding_parse(nereid_error_sink_t sink, MlirStringRef mnemonic, MlirAttribute inside,
                                        MlirAttribute outside) {
  static const struct {
    const char *mnemonic;
    MlirAttribute (*read)(reader_t *reader);
    bool beside; /* has text outside of its braces */
  } encodings[] = {
      {"blocked", read_blocked, false},
      {"linear", read_linear, false},
      {"generic_linear", read_generic_linear, false},
      {"slice", read_slice, false},
      {"dot_op", read_dot_op, false},
      {"nvidia_mma", read_nvidia_mma, false},
      {"swizzled_shared", read_swizzled_shared, false},
      {"nvmma_shared", read_nvmma_shared, false},
      {"padded_shared", read_padded_shared, true},
      {"shared_linear", read_shared_linear, true},
  };
  static const char *const nothing[] = {NULL};
  reader_t reader = {sink, mlirAttributeGetContext(inside), mnemonic, inside, outside, false};
  for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
    if (!mlirStringRefEqual(mnemonic, mlirStringRefCreateFromCString(encodings[i].mnemonic)))
      continue;
    if (!encodings[i].beside)
      check_keys(&reader, outside, nothing);
    return encodings[i].read(&reader);
  }
  return mlirAttributeGetNull();
}

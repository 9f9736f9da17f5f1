/* Merges the options with the module's settings and reports contradictions.
 *
 *   --num-warps 8, ttg.num-warps = 4               error at the module: its layouts are for 4 warps
 *   --num-warps 8, nereid.options num_warps = 4    8: an option of the call overrides the author's value
 *   nothing, nothing                               4
 *
 * Settings that the module does not contain yet are written to it (nereid.options, ttg.maxnreg), so that a dump of an
 * early stage compiles to the same result without the options. */
#include "session.h"

#include "passes/ttir/respell.h"

#include "base/bits.h"
#include "base/target_facts.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/nereid.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Diagnostics.h>

#define OPTIONS_ATTRIBUTE "nereid.options"

bool nereid_settings_integer(MlirOperation op, const char *name, int64_t *out_value) {
  MlirAttribute attribute = nereid_ir_attribute(op, name);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAInteger(attribute))
    return false;
  *out_value = mlirIntegerAttrGetValueInt(attribute);
  return true;
}

/* --- the options by themselves --- */

static nereid_status_t check_counts(const nereid_compile_options_t *options, const nereid_report_t *report) {
  if (options->num_warps && (!nereid_is_power_of_two(options->num_warps) || options->num_warps > 32))
    return nereid_report(report, NEREID_ERROR_ARGUMENT, "num-warps is %d; expected a power of two up to 32",
                         options->num_warps);
  if (options->num_ctas && (!nereid_is_power_of_two(options->num_ctas) || options->num_ctas > 16))
    return nereid_report(report, NEREID_ERROR_ARGUMENT, "num-ctas is %d; expected a power of two up to 16",
                         options->num_ctas);
  if (options->num_stages < 0 || options->num_stages > 64)
    return nereid_report(report, NEREID_ERROR_ARGUMENT, "num-stages is %d; expected 1 to 64", options->num_stages);
  if (options->maxnreg < 0 || options->maxnreg > 256)
    return nereid_report(report, NEREID_ERROR_ARGUMENT, "maxnreg is %d; expected 1 to 256", options->maxnreg);
  if (options->emit < NEREID_STAGE_NONE || options->emit > NEREID_STAGE_CUBIN)
    return nereid_report(report, NEREID_ERROR_ARGUMENT, "unknown stage number %d", (int)options->emit);
  return NEREID_OK;
}

nereid_status_t nereid_settings_check(nereid_compilation_t *compilation) {
  const nereid_report_t *report = &compilation->compiler->report;
  nereid_compile_options_t *options = &compilation->options;
  nereid_status_t status = check_counts(options, report);
  if (options->emit == NEREID_STAGE_NONE)
    options->emit = NEREID_STAGE_CUBIN;
  if (status == NEREID_OK)
    status = nereid_pass_range_check(compilation);
  if (status == NEREID_OK)
    status = nereid_target_parse(nereid_view(options->target ? options->target : NEREID_TTG_DEFAULT_TARGET), report,
                                 &compilation->settings.target);
  if (status == NEREID_OK && options->ptx_version)
    status = nereid_target_set_ptx_version(&compilation->settings.target, nereid_view(options->ptx_version), report);
  if (status == NEREID_OK && options->print_triton_version) {
    compilation->triton_minor =
        nereid_triton_version_parse(mlirStringRefCreateFromCString(options->print_triton_version));
    if (!compilation->triton_minor)
      status =
          nereid_report(report, NEREID_ERROR_ARGUMENT, "'%s' is not a version to print: expected 3.6, 3.7, 3.8 or 3.9",
                        options->print_triton_version);
  }
  return status;
}

/* --- against the module --- */

/* A number that an option, an attribute of ttg, nereid.options and a default may each specify. */
typedef struct choice {
  const char *option, *attribute; /* names */
  int32_t asked, noted, fallback; /* 0: not specified */
  bool is_limit;                  /* passes may have lowered what was noted */
  bool may_double;                /* convert-triton-to-tritongpu may have doubled what was specified */
} choice_t;

static bool choose(MlirOperation module, const choice_t *choice, int32_t *out_value) {
  int64_t fixed = 0;
  int32_t specified = choice->asked ? choice->asked : choice->noted;
  bool is_fixed = choice->attribute && nereid_settings_integer(module, choice->attribute, &fixed);
  *out_value = is_fixed ? (int32_t)fixed : (specified ? specified : choice->fallback);
  if (!is_fixed || !specified || specified == fixed || (choice->is_limit && !choice->asked && specified > fixed) ||
      (choice->may_double && fixed == 2 * specified))
    return true;
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  const char *text = nereid_arena_format(
      &arena, "%s %d contradicts %s = %d of this module; omit it, or compile from a stage without the attribute",
      choice->asked ? choice->option : "nereid.options contains a number that", specified, choice->attribute,
      (int)fixed);
  mlirEmitError(mlirOperationGetLocation(module), text ? text : "out of memory");
  nereid_arena_deinitialize(&arena);
  return false;
}

/* Reads nereid.options; all 0 when there are none. */
static nereid_compile_options_t read_noted(MlirOperation module, bool *out_fp_fusion, int *out_ptx_version) {
  nereid_compile_options_t noted = {.size = sizeof noted};
  MlirAttribute attribute = nereid_ir_attribute(module, OPTIONS_ATTRIBUTE);
  *out_fp_fusion = true;
  *out_ptx_version = 0;
  if (mlirAttributeIsNull(attribute) || !nereid_nereid_launch_options_attr_isa(attribute))
    return noted;
  noted.num_warps = nereid_nereid_launch_options_attr_get_num_warps(attribute);
  noted.num_stages = nereid_nereid_launch_options_attr_get_num_stages(attribute);
  noted.num_ctas = nereid_nereid_launch_options_attr_get_num_ctas(attribute);
  noted.maxnreg = nereid_nereid_launch_options_attr_get_maxnreg(attribute);
  noted.cooperative = nereid_nereid_launch_options_attr_get_cooperative(attribute);
  noted.pdl = nereid_nereid_launch_options_attr_get_pdl(attribute);
  *out_fp_fusion = nereid_nereid_launch_options_attr_get_fp_fusion(attribute);
  *out_ptx_version = nereid_nereid_launch_options_attr_get_ptx_version(attribute);
  return noted;
}

/* A limit on a number of the module. */
typedef struct limit {
  const char *name;
  int64_t least, most;
  bool power_of_two;
} limit_t;

static bool check_limit(nereid_compilation_t *compilation, const limit_t *limit) {
  int64_t value;
  if (!nereid_settings_integer(compilation->module, limit->name, &value) ||
      (value >= limit->least && value <= limit->most && (!limit->power_of_two || nereid_is_power_of_two(value))))
    return true;
  const char *why =
      nereid_arena_format(&compilation->scratch, "%s is %lld; expected %s%lld", limit->name, (long long)value,
                          limit->least == limit->most ? "" : (limit->power_of_two ? "a power of two up to " : "1 to "),
                          (long long)limit->most);
  mlirEmitError(mlirOperationGetLocation(compilation->module), why ? why : "out of memory");
  return false;
}

static bool check_module(nereid_compilation_t *compilation) {
  static const limit_t limits[] = {{"ttg.num-warps", 1, 32, true},
                                   {"ttg.num-ctas", 1, 16, true},
                                   {"ttg.threads-per-warp", 32, 32, true},
                                   {"ttg.total-num-warps", 1, 32, false},
                                   {"ttg.maxnreg", 1, 256, false}};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (!check_limit(compilation, &limits[i]))
      return false;
  return true;
}

static bool resolve_target(nereid_compilation_t *compilation) {
  nereid_target_t said, *target = &compilation->settings.target;
  MlirAttribute attribute = nereid_ir_attribute(compilation->module, "ttg.target");
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAString(attribute))
    return true;
  MlirStringRef text = mlirStringAttrGetValue(attribute);
  MlirLocation location = mlirOperationGetLocation(compilation->module);
  nereid_report_t silent = {0};
  if (nereid_target_parse(nereid_view_of(text.data, text.length), &silent, &said) != NEREID_OK) {
    const char *list = nereid_arena_format(&compilation->scratch, "ttg.target is '%.*s'; supported are %s",
                                           (int)text.length, text.data, nereid_target_list());
    mlirEmitError(location, list ? list : "out of memory");
    return false;
  }
  if (!compilation->options.target) {
    unsigned asked = compilation->options.ptx_version ? target->ptx_version : said.ptx_version;
    *target = said;
    target->ptx_version = asked;
  } else if (said.capability != target->capability) {
    const char *why =
        nereid_arena_format(&compilation->scratch, "target %s contradicts ttg.target = \"%.*s\" of this module",
                            target->name, (int)text.length, text.data);
    mlirEmitError(location, why ? why : "out of memory");
    return false;
  }
  return true;
}

/* Writes the options of the call to the module, merged with the existing nereid.options. */
static void note(nereid_compilation_t *compilation) {
  const nereid_compile_options_t *options = &compilation->options;
  const nereid_settings_t *settings = &compilation->settings;
  if (!options->num_warps && !options->num_stages && !options->num_ctas && !options->maxnreg && !options->cooperative &&
      !options->pdl && !options->no_fp_fusion && !options->ptx_version)
    return;
  MlirContext context = mlirOperationGetContext(compilation->module);
  mlirContextGetOrLoadDialect(context, mlirStringRefCreateFromCString("nereid"));
  MlirAttribute attribute = nereid_nereid_launch_options_attr_create(
      context, settings->num_warps, settings->num_stages, settings->num_ctas, settings->maxnreg,
      options->ptx_version ? (int)settings->target.ptx_version : 0, settings->cooperative, settings->pdl,
      settings->fp_fusion);
  mlirOperationSetDiscardableAttributeByName(compilation->module, mlirStringRefCreateFromCString(OPTIONS_ATTRIBUTE),
                                             attribute);
}

static void set_maxnreg(nereid_compilation_t *compilation) {
  MlirContext context = mlirOperationGetContext(compilation->module);
  if (compilation->settings.maxnreg)
    mlirOperationSetDiscardableAttributeByName(
        compilation->module, mlirStringRefCreateFromCString("ttg.maxnreg"),
        mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), compilation->settings.maxnreg));
}

static bool has_attribute(MlirOperation op, const char *name) {
  return !mlirAttributeIsNull(mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name)));
}

/* Adds attributes that handwritten ttgir may lack and convert-triton-to-tritongpu would set: the number of warps,
 * against which layouts are verified, and the target. */
static void complete_module(nereid_compilation_t *compilation) {
  MlirOperation module = compilation->module;
  MlirContext context = mlirOperationGetContext(module);
  const nereid_settings_t *settings = &compilation->settings;
  if (compilation->stage != NEREID_STAGE_TTGIR)
    return;
  if (!has_attribute(module, "ttg.num-warps"))
    mlirOperationSetDiscardableAttributeByName(
        module, mlirStringRefCreateFromCString("ttg.num-warps"),
        mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), settings->num_warps));
  const char *target = nereid_arena_format(&compilation->scratch, "cuda:%u", settings->target.capability);
  if (target && !has_attribute(module, "ttg.target"))
    mlirOperationSetDiscardableAttributeByName(module, mlirStringRefCreateFromCString("ttg.target"),
                                               mlirStringAttrGet(context, mlirStringRefCreateFromCString(target)));
}

static nereid_status_t resolve_module(nereid_compilation_t *compilation) {
  const nereid_compile_options_t *asked = &compilation->options;
  nereid_settings_t *settings = &compilation->settings;
  MlirOperation module = compilation->module;
  bool fp_fusion;
  int ptx_version;
  nereid_compile_options_t noted = read_noted(module, &fp_fusion, &ptx_version);
  const choice_t warps = {"num-warps", "ttg.num-warps", asked->num_warps, noted.num_warps, 4, false, true};
  const choice_t ctas = {"num-ctas", "ttg.num-ctas", asked->num_ctas, noted.num_ctas, 1, false, false};
  const choice_t maxnreg = {"maxnreg", "ttg.maxnreg", asked->maxnreg, noted.maxnreg, 0, true, false};
  const choice_t stages = {"num-stages", NULL, asked->num_stages, noted.num_stages, 3, false, false};
  if (!check_module(compilation) || !choose(module, &warps, &settings->num_warps) ||
      !choose(module, &ctas, &settings->num_ctas) || !choose(module, &maxnreg, &settings->maxnreg) ||
      !choose(module, &stages, &settings->num_stages) || !resolve_target(compilation))
    return NEREID_ERROR_PROGRAM;
  settings->cooperative = asked->cooperative || noted.cooperative;
  settings->pdl = asked->pdl || noted.pdl;
  settings->fp_fusion = fp_fusion && !asked->no_fp_fusion;
  if (!asked->ptx_version && ptx_version)
    settings->target.ptx_version = (unsigned)ptx_version;
  set_maxnreg(compilation);
  complete_module(compilation);
  note(compilation);
  return NEREID_OK;
}

/* LLVM IR and PTX have fixed settings. Only the target can be chosen, and PTX specifies the minimum. */
static nereid_status_t resolve_text(nereid_compilation_t *compilation) {
  const nereid_compile_options_t *asked = &compilation->options;
  nereid_settings_t *settings = &compilation->settings;
  nereid_ptx_facts_t facts;
  nereid_target_t said;
  settings->fp_fusion = !asked->no_fp_fusion;
  settings->cooperative = asked->cooperative;
  settings->pdl = asked->pdl;
  settings->num_warps = asked->num_warps;
  settings->num_ctas = asked->num_ctas;
  settings->num_stages = asked->num_stages;
  settings->maxnreg = asked->maxnreg;
  if (compilation->stage != NEREID_STAGE_PTX)
    return NEREID_OK;
  if (!nereid_ptx_read(compilation->ptx, &compilation->scratch, &facts))
    return NEREID_ERROR_MEMORY;
  nereid_report_t silent = {0};
  if (nereid_target_parse(facts.target, &silent, &said) != NEREID_OK ||
      (asked->target && (said.capability > settings->target.capability ||
                         (said.architecture_only && strcmp(said.name, settings->target.name) != 0)))) {
    nereid_report_at(&compilation->compiler->report, NEREID_REPORT_ERROR, compilation->name, facts.target_line, 0,
                     "this PTX is for '%.*s'; %s%s", (int)facts.target.size, facts.target.data ? facts.target.data : "",
                     asked->target ? "it does not run on " : "supported are ",
                     asked->target ? settings->target.name : nereid_target_list());
    return NEREID_ERROR_PROGRAM;
  }
  if (!asked->target)
    settings->target = said;
  settings->target.ptx_version = facts.version;
  return NEREID_OK;
}

/* Checks that the target supports clusters (sm_90 and later). */
static nereid_status_t check_clusters(nereid_compilation_t *compilation) {
  const nereid_settings_t *settings = &compilation->settings;
  if (settings->num_ctas <= 1 || nereid_target_has_clusters((int)settings->target.capability))
    return NEREID_OK;
  return nereid_report(&compilation->compiler->report, NEREID_ERROR_ARGUMENT,
                       "num-ctas is %d, but %s does not support clusters; expected sm_90 or later", settings->num_ctas,
                       settings->target.name);
}

nereid_status_t nereid_settings_resolve(nereid_compilation_t *compilation) {
  nereid_status_t status =
      mlirOperationIsNull(compilation->module) ? resolve_text(compilation) : resolve_module(compilation);
  return status == NEREID_OK ? check_clusters(compilation) : status;
}

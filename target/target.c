/* The table of targets.
 *
 *   name     PTX written   first PTX that supports it (PTX ISA, "Target and feature support")
 *   sm_80    8.4           7.0
 *   sm_86    8.4           7.1
 *   sm_87    8.4           7.4
 *   sm_89    8.4           7.8
 *   sm_90    8.7           7.8
 *   sm_90a   8.7           8.0
 *
 * 8.4 is the first version with every instruction used below sm_90 (fp8 mma on sm_89), and is supported by CUDA 12.4;
 * 8.7 is the version of Triton 3.6 for sm_90a. */
#include "target/target.h"

#include "base/target_facts.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct target_row {
  const char *name;
  unsigned capability;
  bool architecture_only;
  unsigned ptx_version, ptx_minimum;
} target_row_t;

static const target_row_t targets[] = {
    {"sm_80", NEREID_SM_80, false, 84, 70}, {"sm_86", NEREID_SM_86, false, 84, 71},
    {"sm_87", NEREID_SM_87, false, 84, 74}, {"sm_89", NEREID_SM_89, false, 84, 78},
    {"sm_90", NEREID_SM_90, false, 87, 78}, {"sm_90a", NEREID_SM_90, true, 87, 80},
};

/* Versions the NVPTX back end of LLVM 22 has a feature for, from the first that supports sm_80. */
static const unsigned ptx_versions[] = {70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};

#define COUNT(array) (sizeof(array) / sizeof *(array))

const char *nereid_target_list(void) {
  return "sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a";
}

/* "cuda:NN" names the row of that capability that has the architecture's own instructions, if there is one. */
static const target_row_t *find_by_capability(nereid_view_t digits) {
  const target_row_t *found = NULL;
  for (size_t i = 0; i < COUNT(targets); i++) {
    char text[16];
    snprintf(text, sizeof text, "%u", targets[i].capability);
    if (nereid_view_equal(nereid_view(text), digits))
      found = &targets[i];
  }
  return found;
}

static const target_row_t *find(nereid_view_t text) {
  nereid_view_t prefix = nereid_view("cuda:");
  if (nereid_view_starts_with(text, prefix))
    return find_by_capability(nereid_view_of(text.data + prefix.size, text.size - prefix.size));
  for (size_t i = 0; i < COUNT(targets); i++)
    if (nereid_view_equal(nereid_view(targets[i].name), text))
      return &targets[i];
  return NULL;
}

nereid_status_t nereid_target_parse(nereid_view_t text, const nereid_report_t *report, nereid_target_t *out_target) {
  const target_row_t *row = find(text);
  if (!row)
    return nereid_report(report, NEREID_ERROR_ARGUMENT, "unknown target '%.*s'; supported are %s, and cuda:NN for them",
                         (int)(text.size < 64 ? text.size : 64), text.data ? text.data : "", nereid_target_list());
  *out_target = (nereid_target_t){.capability = row->capability,
                                  .architecture_only = row->architecture_only,
                                  .ptx_version = row->ptx_version,
                                  .ptx_minimum = row->ptx_minimum};
  snprintf(out_target->name, sizeof out_target->name, "%s", row->name);
  return NEREID_OK;
}

/* "8.4" and "84" are 84; 0 when it is neither. */
static unsigned parse_version(nereid_view_t text) {
  unsigned value = 0;
  if (text.size == 3 && text.data[1] == '.')
    value = (unsigned)(text.data[0] - '0') * 10 + (unsigned)(text.data[2] - '0');
  else if (text.size == 2)
    value = (unsigned)(text.data[0] - '0') * 10 + (unsigned)(text.data[1] - '0');
  return value;
}

nereid_status_t nereid_target_set_ptx_version(nereid_target_t *target, nereid_view_t text,
                                              const nereid_report_t *report) {
  unsigned version = parse_version(text);
  bool known = false;
  for (size_t i = 0; i < COUNT(ptx_versions); i++)
    known |= ptx_versions[i] == version;
  if (!known)
    return nereid_report(report, NEREID_ERROR_ARGUMENT,
                         "unknown PTX version '%.*s'; expected 7.0 to 7.8, 8.0 to 8.8 or 9.0",
                         (int)(text.size < 64 ? text.size : 64), text.data ? text.data : "");
  if (version < target->ptx_minimum)
    return nereid_report(report, NEREID_ERROR_ARGUMENT,
                         "PTX version %u.%u does not support %s, which needs %u.%u or later", version / 10,
                         version % 10, target->name, target->ptx_minimum / 10, target->ptx_minimum % 10);
  target->ptx_version = version;
  return NEREID_OK;
}

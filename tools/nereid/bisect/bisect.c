/* nereid bisect: finds the pass at fault.
 *
 *   $ nereid bisect k.ttir --grid 4 --arg x=f32[1024]:rand --arg y=f32[1024]:zeros --arg n=1000
 *   numbers: 24 of 1024 elements of y differ ..., element 1001 most: 0 instead of 0.25
 *   tritongpu-pipeline (pass 23 of 48, ttgir) is the first pass after which this holds
 *
 * This file has the options; bisection.c has the search, shrink.c chooses the launch, findings.c prints the report. */
#include "tools/nereid/bisect/bisection.h"

#include "base/file.h"
#include "tools/nereid/interrupt.h"

#include <cjson/cJSON.h>
#include <stdio.h>

static const tool_option_t options[] = {
    {"--what", "PROPERTY",
     "numbers (default), race, fault, crash, compile-error, counter=NAME, counter=NAME>N or counter=NAME<N", TOOL_TEXT,
     offsetof(bisect_settings_t, what)},
    TOOL_JOB_OPTIONS,
    TOOL_PLAN_OPTIONS(bisect_settings_t, plan),
    {"--all", NULL, "probe every position instead of searching, and list all changes of the property", TOOL_FLAG,
     offsetof(bisect_settings_t, all)},
    {"--shrink", "WHEN",
     "search on a smaller launch that shows the property: auto (default: if the given one takes long), "
     "always or never",
     TOOL_TEXT, offsetof(bisect_settings_t, shrink)},
    {"--json", NULL, "print JSON (docs/bisect.md)", TOOL_FLAG, offsetof(bisect_settings_t, json)},
    {"--timeout", "SECONDS", "stop a probe after this time (default: 120)", TOOL_INTEGER,
     offsetof(bisect_settings_t, time_limit)},
    {"-o", "FILE", "write the IR before the pass to this file (default: NAME.before-PASS.STAGE)", TOOL_TEXT,
     offsetof(bisect_settings_t, output)},
    {"--context", "N", "unchanged operations around a changed one (default: 1)", TOOL_INTEGER,
     offsetof(bisect_settings_t, context)},
    {"--verbose", NULL, "print each probe on standard error", TOOL_FLAG, offsetof(bisect_settings_t, verbose)},
};

static int run(int argc, char **argv);

const tool_command_t tool_command_bisect = {
    "bisect",
    "IN",
    "finds the pass that makes a kernel wrong, racy or slow, or its compilation fail",
    options,
    TOOL_COUNT(options),
    run};

static nereid_status_t prepare(nereid_arena_t *arena, const bisect_settings_t *settings, const char *path,
                               tool_case_t *subject, nereid_message_t *message) {
  *subject = (tool_case_t){.settings = settings->run,
                           .plan = settings->plan,
                           .path = path,
                           .tolerance = -1,
                           .time_limit = settings->time_limit};
  nereid_status_t status =
      tool_property_parse(settings->what ? settings->what : "numbers", &subject->property, message);
  if (!status)
    status = tool_plan_validate(&subject->plan, arena, message);
  if (!status)
    status = nereid_file_read(arena, path, &subject->input, message);
  return status ? status : tool_case_check_input(path, subject->input, message);
}

static int run_input(nereid_arena_t *arena, const bisect_settings_t *settings, const char *path) {
  bisection_t it = {.settings = settings,
                    .arena = arena,
                    .outcome = tool_outcome_create(),
                    .json = settings->json ? cJSON_CreateObject() : NULL};
  nereid_message_t message = {""};
  int code = TOOL_CALL;
  (void)tool_interrupt_begin(); /* probes end at a signal, and the report has what is known */
  if (!it.outcome || (settings->json && !it.json)) {
    tool_error(&tool_command_bisect, "out of memory");
  } else {
    bisect_report_begin(&it, path);
    const nereid_status_t status = prepare(arena, settings, path, &it.subject, &message);
    code = status ? tool_failed(&tool_command_bisect, status, &message) : bisect_run(&it);
    bisect_report_end(&it);
  }
  tool_outcome_destroy(it.outcome);
  cJSON_Delete(it.json);
  fflush(stdout);
  tool_interrupt_end();
  tool_interrupt_finish();
  return code;
}

static bool is_word(const char *text, const char *const *words, size_t n) {
  bool found = !text;
  for (size_t i = 0; i < n; ++i)
    found |= text && strcmp(text, words[i]) == 0;
  return found;
}

static int check(const bisect_settings_t *settings, const tool_list_t *operands) {
  static const char *const choices[] = {"auto", "always", "never"};
  if (operands->size != 1)
    tool_error(&tool_command_bisect, "expected one input; see nereid bisect --help");
  else if (settings->time_limit < 1 || settings->time_limit > 86400 || settings->context < 0 ||
           settings->context > 1000)
    tool_error(&tool_command_bisect,
               "--timeout or --context is out of range: expected 1 to 86400 seconds, and 0 to 1000 lines");
  else if (!is_word(settings->shrink, choices, TOOL_COUNT(choices)))
    tool_error(&tool_command_bisect, "--shrink: expected auto, always or never, not '%s'", settings->shrink);
  else
    return TOOL_CONTINUE;
  return TOOL_CALL;
}

static int run(int argc, char **argv) {
  nereid_arena_t arena;
  bisect_settings_t settings = {.run.shared = -1, .time_limit = 120, .context = 1};
  tool_list_t operands = {0};
  nereid_arena_initialize(&arena);
  int code = tool_options_parse(&arena, &tool_command_bisect, argc, argv, &settings, &operands);
  if (code == TOOL_CONTINUE)
    code = check(&settings, &operands);
  nereid_message_t message = {""};
  if (code == TOOL_CONTINUE) {
    const nereid_status_t status = tool_record_open(&arena, &operands.items[0], &settings.run, &message);
    code =
        status ? tool_failed(&tool_command_bisect, status, &message) : run_input(&arena, &settings, operands.items[0]);
  }
  nereid_arena_deinitialize(&arena);
  return code;
}

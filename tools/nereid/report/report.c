/* nereid report: a page, or JSON, with the lines of every stage, what each became, and what it cost.
 *
 *   $ nereid report matmul.ttir --grid 4 --arg a=f16[256x64]:rand … -o matmul.html
 *
 * The kernel is compiled twice: as always, for the code that is shown and run, and with numbers as locations, for the
 * links between stages (tracker.c). Whatever fails is a message in the report, which has the stages before it. */
#include "tools/nereid/report/model.h"

#include "base/file.h"
#include "python-free-bindings/launch/image/image.h"
#include "tools/nereid/define.h"
#include "tools/nereid/paths.h"
#include "tools/nereid/report/execution.h"
#include "tools/nereid/report/machine_code.h"
#include "tools/nereid/report/pass_changes.h"
#include "tools/nereid/report/ptx_lines.h"
#include "tools/nereid/report/source_lines.h"
#include "tools/nereid/report/write_json.h"
#include "tools/nereid/report/write_page.h"

#include <stdlib.h>

typedef struct settings {
  run_settings_t run; /* first member, for TOOL_JOB_OPTIONS */
  const char *output, *source;
  bool json;
} settings_t;

static const tool_option_t options[] = {
    {"-o", "FILE", "output file (default: the name of the input with .html, or standard output with --json)", TOOL_TEXT,
     offsetof(settings_t, output)},
    {"--json", NULL, "write JSON (docs/report.md) instead of a page", TOOL_FLAG, offsetof(settings_t, json)},
    {"--source", "FOLDER", "folder with the source files that locations name (default: as they are named)", TOOL_TEXT,
     offsetof(settings_t, source)},
    TOOL_JOB_OPTIONS,
    TOOL_PLAN_OPTIONS(settings_t, run.plan),
    {"--block", "X[,Y[,Z]]", "threads per CTA, for PTX without .reqntid", TOOL_TEXT, offsetof(settings_t, run.block)},
    {"--abi", "ABI",
     "ABI of PTX without metadata: triton, with two scratch pointers after the arguments, or ptx, without (default: "
     "triton "
     "if the IR is next to it, else ptx)",
     TOOL_TEXT, offsetof(settings_t, run.abi)},
};

static int run(int argc, char **argv);

const tool_command_t tool_command_report = {
    "report", "IN", "writes a page that links every line of every stage, with counters", options, TOOL_COUNT(options),
    run};

/* The work of one command. */
typedef struct work {
  settings_t *settings;
  const char *path;
  nereid_view_t input;
  report_t report;
  tool_job_t job;
  nereid_message_t message; /* reason of a failed compilation */
} work_t;

/* --- compilation --- */

/* Replaces the operation in "<ttgir>:137:0" by its line, "ttgir:116". */
static const char *spell_place(const report_tracker_t *tracker, const char *text) {
  const char *marker = tracker->started ? tracker->numbering.marker : NULL, *at = marker ? strstr(text, marker) : NULL;
  char *end;
  if (!at || at[strlen(marker)] != ':')
    return nereid_arena_copy(tracker->report->arena, nereid_view(text));
  const unsigned long number = strtoul(at + strlen(marker) + 1, &end, 10);
  end += strncmp(end, ":0", 2) == 0 ? 2 : 0;
  const char *rest = spell_place(tracker, end);
  return rest ? nereid_arena_format(tracker->report->arena, "%.*s%s:%u%s", (int)(at - text), text,
                                    report_stage_name(tracker->stage),
                                    report_numbered_line(&tracker->numbering, (uint32_t)number), rest)
              : NULL;
}

static void keep_remark(void *user_data, const nereid_remark_t *remark) {
  static const char *const kinds[] = {"passed", "missed", "failed", "analysis"};
  report_tracker_t *tracker = user_data;
  report_t *report = tracker->report;
  const bool numbered = tracker->started && remark->file && strcmp(remark->file, tracker->numbering.marker) == 0;
  const report_remark_t kept = {
      .kind = kinds[remark->kind],
      .pass = remark->pass ? nereid_arena_copy(report->arena, nereid_view(remark->pass)) : NULL,
      .name = remark->name ? nereid_arena_copy(report->arena, nereid_view(remark->name)) : NULL,
      .text = spell_place(tracker, remark->text),
      .stage = numbered ? tracker->stage : REPORT_STAGES,
      .line = numbered ? report_numbered_line(&tracker->numbering, remark->line) : 0};
  (void)nereid_vector_push(report->arena, &report->remarks, kept);
}

/* Compiles with the tracker's locations; `out_ptx` is empty when the kernel does not compile. */
static nereid_status_t track(work_t *work, report_tracker_t *tracker, nereid_view_t *out_ptx) {
  const nereid_session_hooks_t hooks = {.pipeline = {.checkpoint = report_track_pass, .user_data = tracker},
                                        .stage = report_track};
  run_settings_t settings = work->settings->run;
  tool_job_t job = {0};
  *tracker = (report_tracker_t){.report = &work->report, .input = work->input, .name = work->path};
  settings.hooks = &hooks;
  settings.remark_handler = keep_remark;
  settings.remark_data = tracker;
  const nereid_status_t status = tool_job_load(work->report.arena, &settings, work->path, work->input, NEREID_STAGE_PTX,
                                               "sm_90a", &job, &work->message);
  work->job.reported |= job.reported;
  *out_ptx = job.image;
  return status;
}

/* Compiles as always, without source lines, into work->job. */
static nereid_status_t compile(work_t *work) {
  run_settings_t settings = work->settings->run;
  double tolerance;
  settings.plain = true;
  nereid_status_t status = tool_job_configure(&settings, &work->job, &tolerance, &work->message);
  return status ? status
                : tool_job_load(work->report.arena, &settings, work->path, work->input, NEREID_STAGE_PTX, "sm_90a",
                                &work->job, &work->message);
}

static nereid_status_t link_stages(work_t *work, const report_numbering_t *ll, nereid_view_t located) {
  report_t *report = &work->report;
  const bool is_ptx = nereid_image_kind(work->input) == NEREID_IMAGE_PTX;
  if (!report_stage_split(report, REPORT_PTX, work->job.image, "ptx") || !report_find_instructions(report))
    return NEREID_ERROR_MEMORY;
  return (is_ptx ? report_link_ptx_to_source(report) : report_link_ptx(report, ll, located)) ? NEREID_OK
                                                                                             : NEREID_ERROR_MEMORY;
}

/* Compiles the input and creates the stages, as far as the compilation goes. */
static nereid_status_t create_stages(work_t *work) {
  report_tracker_t tracker = {.report = &work->report};
  nereid_view_t located = {NULL, 0};
  nereid_status_t status = NEREID_OK;
  if (nereid_image_kind(work->input) != NEREID_IMAGE_PTX)
    status = track(work, &tracker, &located);
  if (!status)
    status = compile(work);
  if (!status)
    status = link_stages(work, &tracker.numbering, located);
  const report_stage_kind_t first = work->report.stages[REPORT_INPUT].n_lines ? REPORT_INPUT : REPORT_PTX;
  if (status != NEREID_ERROR_MEMORY && work->report.stages[first].n_lines &&
      !report_add_source(&work->report, first, work->settings->source))
    status = NEREID_ERROR_MEMORY;
  return status;
}

/* --- the run --- */

/* Runs the kernel if its arguments are given; what prevents that is a message. */
static nereid_status_t execute(work_t *work) {
  report_t *report = &work->report;
  nereid_status_t status = tool_job_prepare(report->arena, &work->settings->run, &work->job, &work->message);
  report->kernel = work->job.metadata.name;
  report->target = work->job.metadata.arch;
  if (status && status != NEREID_ERROR_ARGUMENT)
    return status;
  if (status && !work->settings->run.arguments.size) {
    report_add_message(report, "note", REPORT_STAGES,
                       "no arguments (--arg) were given: the report has no counters and no timeline");
    work->message.text[0] = 0;
    return NEREID_OK;
  }
  if (status)
    return status;
  return report_execute(report, &work->job) && report_propagate_costs(report) ? NEREID_OK : NEREID_ERROR_MEMORY;
}

/* Adds machine code and the changes of the passes. */
static void add_details(work_t *work) {
  report_t *report = &work->report;
  if (report->stages[REPORT_PTX].n_lines)
    (void)report_assemble(report, work->settings->run.target);
  if (report->stages[REPORT_INPUT].n_lines && report->stages[REPORT_LLVM].n_lines)
    (void)report_add_passes(report, work->input, &work->settings->run);
}

/* --- output --- */

/* Returns the path to write to: -o, standard output for JSON, else the name of the input with .html, in this folder. */
static const char *output_path(const work_t *work) {
  const char *slash = strrchr(work->path, '/'), *name = slash ? slash + 1 : work->path;
  if (work->settings->output)
    return work->settings->output;
  if (work->settings->json)
    return "-";
  return strcmp(name, "-") == 0 ? "report.html" : tool_path_with_suffix(work->report.arena, name, ".html");
}

static int write_report(work_t *work) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return tool_failed(&tool_command_report, NEREID_ERROR_MEMORY, &work->message);
  bool done = true;
  if (work->settings->json)
    report_write_json(&work->report, REPORT_JSON_FULL, out);
  else
    done = report_write_page(&work->report, out);
  const char *path = output_path(work);
  nereid_status_t status = fclose(out) || !done || !path ? NEREID_ERROR_MEMORY : NEREID_OK;
  if (!status)
    status = nereid_file_write(path, nereid_view_of(text, size), &work->message);
  free(text);
  return status ? tool_failed(&tool_command_report, status, &work->message) : TOOL_DONE;
}

/* Returns the exit code of a report that is written although `status` is an error. */
static int report_failure(work_t *work, nereid_status_t status) {
  if (work->message.text[0] || !work->job.reported)
    return tool_failed(&tool_command_report, status, &work->message);
  return status == NEREID_ERROR_PROGRAM ? TOOL_PROGRAM : TOOL_CALL;
}

/* Reads the input and replaces its placeholders. */
static nereid_status_t read_input(work_t *work) {
  run_settings_t *settings = &work->settings->run;
  nereid_status_t status = tool_record_open(work->report.arena, &work->path, settings, &work->message);
  if (!status)
    status = nereid_file_read(work->report.arena, work->path, &work->input, &work->message);
  if (!status && nereid_image_kind(work->input) == NEREID_IMAGE_CUBIN)
    return nereid_message_set(&work->message, NEREID_ERROR_ARGUMENT, "'%s' is a cubin: a report starts from IR or PTX",
                              work->path);
  if (!status)
    status = tool_define(work->report.arena, work->path, &settings->defines, &work->input, &work->message);
  settings->defines.size = 0; /* they are replaced */
  work->report.input = work->path;
  work->job.reported = status && !work->message.text[0];
  return status;
}

static int create_report(work_t *work) {
  report_t *report = &work->report;
  nereid_status_t status = read_input(work);
  if (status)
    return report_failure(work, status);
  status = create_stages(work);
  if (!status)
    status = execute(work);
  if (!status || status == NEREID_ERROR_ARGUMENT)
    add_details(work);
  const int code = status ? report_failure(work, status) : TOOL_DONE;
  if (status == NEREID_ERROR_MEMORY || (status && !report->stages[REPORT_INPUT].n_lines))
    return code;
  if (status)
    report_add_message(report, "error", REPORT_STAGES, "%s",
                       work->message.text[0] ? work->message.text : "the input does not compile");
  const int written = write_report(work);
  return written > code ? written : code;
}

static int run(int argc, char **argv) {
  nereid_arena_t arena;
  settings_t settings = {.run.shared = -1};
  tool_list_t operands = {0};
  nereid_arena_initialize(&arena);
  int code = tool_options_parse(&arena, &tool_command_report, argc, argv, &settings, &operands);
  if (code == TOOL_CONTINUE && operands.size != 1) {
    tool_error(&tool_command_report, "expected one input; see nereid report --help");
    code = TOOL_CALL;
  }
  if (code == TOOL_CONTINUE) {
    work_t work = {.settings = &settings, .path = operands.items[0], .report.arena = &arena};
    code = create_report(&work);
  }
  nereid_arena_deinitialize(&arena);
  return code;
}

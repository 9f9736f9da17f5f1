/* The thread that wrote an element last: the job runs again with a watch on the element's bytes. */
#include "tools/nereid/bisect/writer.h"

#include <stdio.h>

typedef struct watcher {
  const tool_job_t *job;
  size_t tensor, element;
  tool_writer_t *writer;
} watcher_t;

static void keep_write(void *user_data, const nereid_emulator_write_t *write) {
  tool_writer_t *out = ((const watcher_t *)user_data)->writer;
  const nereid_emulator_place_t *place = &write->place;
  *out = (tool_writer_t){.count = write->count, .line = place->line, .source_line = place->source_line};
  memcpy(out->thread, write->thread, sizeof out->thread);
  memcpy(out->cta, write->cta, sizeof out->cta);
  snprintf(out->source, sizeof out->source, "%s", place->source ? place->source : "");
  snprintf(out->text, sizeof out->text, "%.*s", (int)place->text.size, place->text.data);
}

static void prepare(void *user_data, nereid_emulator_launch_t *launch) {
  const watcher_t *it = user_data;
  const tool_tensor_t *tensor = &it->job->tensors[it->tensor];
  const size_t size = nereid_element_size(tensor->element);
  launch->watch = (const char *)tensor->data + it->element * size;
  launch->watch_bytes = (uint32_t)size;
  launch->write = keep_write;
  launch->user_data = user_data;
}

static void finish(void *user_data, const nereid_emulator_report_t *report) {
  (void)user_data;
  (void)report;
}

bool tool_writer_find(tool_job_t *job, size_t tensor, size_t element, tool_writer_t *out_writer) {
  const tool_engine_t *engine = tool_engine_find("emulator");
  watcher_t watcher = {job, tensor, element, out_writer};
  const tool_observer_t observer = {prepare, finish, &watcher};
  nereid_message_t message = {""};
  void *state = NULL;
  *out_writer = (tool_writer_t){.count = 0};
  if (engine->open(&state, &message))
    return false;
  job->observer = &observer;
  const nereid_status_t status = engine->run(state, job, &message);
  engine->close(state);
  return status == NEREID_OK;
}

/* "by thread (3,0,0) of CTA (1,0,0), line 40 of the PTX (k.py:7): st.global.b32 [%rd1], %r4;" */
void tool_writer_print(const tool_writer_t *writer, char *out, size_t size) {
  if (!writer->count) {
    snprintf(out, size, "no thread writes the element\n");
    return;
  }
  snprintf(out, size, "written %llu %s, last by thread (%u,%u,%u) of CTA (%u,%u,%u), line %u of the PTX%s%s%s: %s\n",
           (unsigned long long)writer->count, writer->count == 1 ? "time" : "times", writer->thread[0],
           writer->thread[1], writer->thread[2], writer->cta[0], writer->cta[1], writer->cta[2], writer->line,
           writer->source[0] ? " (" : "", writer->source, writer->source[0] ? ")" : "", writer->text);
}

/* An I/O engine of fathom in a shared object: blocks in memory. Copies happen in submit(), so a request has ended when it
 * is taken.
 *
 *   cc -shared -fPIC -O2 -o memory.so memory.c
 *   fathom run --name=m --ioengine=external:./memory.so --filename=ram --plugin_options=size=64m --rw=randrw
 *
 * Options: size=BYTES with k, m or g (default: 16m). Each job has memory of its own. */
#include <errno.h>
#include <fathom_engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 512 };

struct fathom_queue {
  char* data;
  uint64_t size_bytes;
  struct fathom_completion* done;
  uint32_t done_count;
};

static int refuse(struct fathom_error* error, int number, const char* cause, const char* help) {
  error->number = number;
  snprintf(error->cause, sizeof error->cause, "%s", cause);
  snprintf(error->help, sizeof error->help, "%s", help);
  return number == 0 ? -EINVAL : -number;
}

static int read_size(const char* text, uint64_t* size_bytes) {
  char* end;
  *size_bytes = strtoull(text, &end, 10);
  for (const char* unit = "kmg"; *unit != 0; ++unit) {
    *size_bytes <<= 10;
    if (*end == *unit && end[1] == 0) return 0;
  }
  *size_bytes >>= 30;
  return *end == 0 ? 0 : -EINVAL;
}

static int size_of(const struct fathom_open* asked, uint64_t* size_bytes, struct fathom_error* error) {
  *size_bytes = 16 << 20;
  for (uint32_t i = 0; i < asked->option_count; ++i) {
    if (strcmp(asked->options[i].name, "size") != 0)
      return refuse(error, 0, "unknown option", "write `plugin_options=size=BYTES`");
    if (read_size(asked->options[i].value, size_bytes) != 0 || *size_bytes < BLOCK_BYTES)
      return refuse(error, 0, "size= is not a size", "write for example `plugin_options=size=64m`");
  }
  *size_bytes -= *size_bytes % BLOCK_BYTES;
  return 0;
}

static int look_at(const struct fathom_open* asked, struct fathom_facts* facts, struct fathom_error* error) {
  int rc = size_of(asked, &facts->size_bytes, error);
  if (rc != 0) return rc;
  facts->block_bytes = BLOCK_BYTES;
  facts->can = FATHOM_CAN_WRITE | FATHOM_CAN_TRIM | FATHOM_KEEPS_DATA | FATHOM_HARMLESS | FATHOM_COPIES;
  snprintf(facts->about, sizeof facts->about, "example engine in memory");
  return 0;
}

static void close_queue(struct fathom_queue* queue) {
  free(queue->data);
  free(queue->done);
  free(queue);
}

static struct fathom_queue* open_queue(const struct fathom_open* asked, struct fathom_error* error) {
  struct fathom_queue* queue = calloc(1, sizeof *queue);
  if (queue == NULL) {
    refuse(error, ENOMEM, "memory of the queue", "");
    return NULL;
  }
  if (size_of(asked, &queue->size_bytes, error) == 0) {
    queue->data = calloc(1, queue->size_bytes);
    queue->done = calloc(asked->depth, sizeof *queue->done);
    if (queue->data != NULL && queue->done != NULL) return queue;
    refuse(error, ENOMEM, "memory of the target", "lower size= in plugin_options=");
  }
  close_queue(queue);
  return NULL;
}

static int32_t perform(struct fathom_queue* queue, const struct fathom_request* request, void* buffer) {
  char* place = queue->data + request->offset_bytes;
  if (request->dir == FATHOM_SYNC) return 0;
  if (request->offset_bytes > queue->size_bytes || request->length_bytes > queue->size_bytes - request->offset_bytes)
    return -ENXIO;
  if (request->dir == FATHOM_READ) memcpy(buffer, place, request->length_bytes);
  if (request->dir == FATHOM_WRITE) memcpy(place, buffer, request->length_bytes);
  if (request->dir == FATHOM_TRIM) memset(place, 0, request->length_bytes);
  return (int32_t)request->length_bytes;
}

static int submit(struct fathom_queue* queue, const struct fathom_post* posts, uint32_t count, uint32_t wait_for) {
  (void)wait_for;
  for (uint32_t i = 0; i < count; ++i) {
    struct fathom_completion* done = &queue->done[queue->done_count++];
    done->slot = posts[i].slot;
    done->result = perform(queue, posts[i].request, posts[i].buffer);
  }
  return (int)count;
}

static int reap(struct fathom_queue* queue, uint32_t min, struct fathom_completion* out, uint32_t most) {
  uint32_t count = queue->done_count < most ? queue->done_count : most;
  (void)min;
  memcpy(out, queue->done, count * sizeof *out);
  queue->done_count -= count;
  memmove(queue->done, queue->done + count, queue->done_count * sizeof *out);
  return (int)count;
}

const struct fathom_engine fathom_io_engine = {
    FATHOM_ENGINE_VERSION, sizeof(struct fathom_engine), "memory", look_at, open_queue, submit, reap, NULL, close_queue,
};

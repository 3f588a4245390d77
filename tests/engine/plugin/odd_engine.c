/* The example engine with oddities, for external_test.py. Options beside those of the example:
 *   take=N      at most N requests are in flight: submit() takes fewer than it is given, or returns -EAGAIN
 *   calls=PATH  close() writes the numbers of calls of submit() and reap(), and of requests
 *   fail=WHERE  open, look_at: fails there. FAIL_WITHOUT_CAUSE: look_at fails without a text
 *   facts=NAME  changes a fact: sync, readonly, largest, preferred, flight, queues, aligned */
#define fathom_io_engine memory_engine
#include "memory.c"
#undef fathom_io_engine

struct odd {
  uint32_t take, in_flight;
  unsigned long submits, reaps, requests;
  const char* calls;
};

static struct odd odd;

static const char* value_of(const struct fathom_open* asked, const char* name) {
  for (uint32_t i = 0; i < asked->option_count; ++i)
    if (strcmp(asked->options[i].name, name) == 0) return asked->options[i].value;
  return "";
}

/* Only size= is for the example. */
static struct fathom_open without_odd(const struct fathom_open* asked, struct fathom_option* size) {
  struct fathom_open plain = *asked;
  size->name = "size";
  size->value = value_of(asked, "size");
  plain.options = size;
  plain.option_count = size->value[0] != 0;
  return plain;
}

static void change(struct fathom_facts* facts, const char* fact) {
  if (strcmp(fact, "sync") == 0) facts->can |= FATHOM_CAN_SYNC;
  if (strcmp(fact, "readonly") == 0) facts->can &= ~FATHOM_CAN_WRITE;
  if (strcmp(fact, "file") == 0) {
    facts->can |= FATHOM_IS_FILE | FATHOM_IS_MISSING;
    facts->size_bytes = 0;
  }
  if (strcmp(fact, "largest") == 0) facts->largest_bytes = 8192;
  if (strcmp(fact, "preferred") == 0) facts->preferred_bytes = 65536;
  if (strcmp(fact, "flight") == 0) facts->most_in_flight = 4;
  if (strcmp(fact, "queues") == 0) facts->most_queues = 1;
  if (strcmp(fact, "aligned") == 0) facts->alignment_bytes = 1 << 20;
}

static int odd_look_at(const struct fathom_open* asked, struct fathom_facts* facts, struct fathom_error* error) {
  struct fathom_option size;
  struct fathom_open plain = without_odd(asked, &size);
  if (strcmp(value_of(asked, "fail"), "look_at") == 0)
    return refuse(error, ECONNREFUSED, "no server at odd://nowhere", "start the odd server");
  if (strcmp(value_of(asked, "fail"), "FAIL_WITHOUT_CAUSE") == 0) return -EPIPE;
  int rc = memory_engine.look_at(&plain, facts, error);
  change(facts, value_of(asked, "facts"));
  return rc;
}

static struct fathom_queue* odd_open(const struct fathom_open* asked, struct fathom_error* error) {
  struct fathom_option size;
  struct fathom_open plain = without_odd(asked, &size);
  if (strcmp(value_of(asked, "fail"), "open") == 0) {
    refuse(error, EACCES, "the odd server refuses this client", "ask the odd administrator");
    return NULL;
  }
  odd.take = (uint32_t)atoi(value_of(asked, "take"));
  odd.calls = value_of(asked, "calls")[0] != 0 ? strdup(value_of(asked, "calls")) : NULL;
  return memory_engine.open(&plain, error);
}

static int odd_submit(struct fathom_queue* queue, const struct fathom_post* posts, uint32_t count, uint32_t wait_for) {
  ++odd.submits;
  if (odd.take != 0) {
    uint32_t room = odd.take - odd.in_flight;
    if (room == 0 && count != 0) return -EAGAIN;
    if (count > room) count = room;
  }
  odd.in_flight += count;
  odd.requests += count;
  return memory_engine.submit(queue, posts, count, wait_for);
}

static int odd_reap(struct fathom_queue* queue, uint32_t min, struct fathom_completion* out, uint32_t most) {
  ++odd.reaps;
  int count = memory_engine.reap(queue, min, out, most);
  odd.in_flight -= (uint32_t)count;
  return count;
}

static void odd_close(struct fathom_queue* queue) {
  FILE* file = odd.calls != NULL ? fopen(odd.calls, "w") : NULL;
  if (file != NULL) {
    fprintf(file, "%lu %lu %lu\n", odd.submits, odd.reaps, odd.requests);
    fclose(file);
  }
  memory_engine.close(queue);
}

const struct fathom_engine fathom_io_engine = {
    FATHOM_ENGINE_VERSION,
    sizeof(struct fathom_engine),
    "odd",
    odd_look_at,
    odd_open,
    odd_submit,
    odd_reap,
    NULL,
    odd_close,
};

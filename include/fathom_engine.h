/* An I/O engine of fathom in a shared object: `ioengine=external:PATH`, and the engines that need a library (nbd, nfs).
 *
 * The file defines one object, which fathom finds by its name:
 *
 *   const struct fathom_engine fathom_io_engine = { FATHOM_ENGINE_VERSION, sizeof(struct fathom_engine), "name", ... };
 *
 * A C compiler and this header are enough: cc -shared -fPIC -o engine.so engine.c. examples/engine/memory.c is complete.
 * fathom loads a file only if version and size equal its own. Each change of this header changes the version.
 *
 * Order of calls: look_at() for each target, in the process that plans the jobs. Then, in each job's process or thread,
 * open(), submit() and reap() in turns, close(). No request is in flight when close() is called, unless the job was
 * killed or the connection is lost.
 *
 * Threads: all calls for one queue come from one thread at a time. Two queues may be used by two threads at the same
 * time, and look_at() runs while no queue of its process is open. The process may fork between look_at() and open(), so
 * look_at() leaves no thread and no connection behind.
 *
 * Speed: fathom calls submit() and reap() once per batch, and measures the time between them as the latency. They should
 * not allocate, lock or print. Only fathom reads clocks and counts; an engine that measures is not needed.
 *
 * Errors: a failed request is a result, -errno, and the job decides whether to go on. A call that cannot work returns
 * -errno, or NULL from open(), and look_at() and open() write the cause into `struct fathom_error`.
 * Sizes and offsets are in bytes. Texts are UTF-8 and end with a zero. */
#ifndef FATHOM_ENGINE_H
#define FATHOM_ENGINE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FATHOM_ENGINE_VERSION 2u

/* fathom_request.dir */
enum { FATHOM_READ = 0, FATHOM_WRITE = 1, FATHOM_TRIM = 2, FATHOM_SYNC = 3 };

/* fathom_request.flags. A write with FATHOM_DURABLE is on stable storage when it completes. For a sync, the same bit
 * means that only the data must be durable (fdatasync). */
enum { FATHOM_DURABLE = 1 };

struct fathom_request {
  uint64_t offset_bytes;
  uint64_t reserved;
  uint32_t length_bytes; /* 0 for a sync */
  uint16_t target;       /* index in fathom_open.targets */
  uint8_t dir;
  uint8_t flags;
};

/* A request of a batch. It and its buffer stay valid until reap() has returned its slot. */
struct fathom_post {
  const struct fathom_request* request;
  void* buffer;  /* the data of a write; receives that of a read */
  uint32_t slot; /* from 0 to fathom_open.depth - 1; not in flight */
  uint32_t reserved;
};

/* result: bytes that were moved (a trim: its length, a sync: 0), or -errno. */
struct fathom_completion {
  uint32_t slot;
  int32_t result;
};

/* An option of the job for the engine, as written. */
struct fathom_option {
  const char* name;
  const char* value;
};

/* fathom_open.wants and fathom_facts.can */
enum {
  FATHOM_CAN_WRITE = 1,
  FATHOM_CAN_TRIM = 2,
  FATHOM_CAN_SYNC = 4,    /* a sync makes all completed writes durable */
  FATHOM_CAN_DURABLE = 8, /* FATHOM_DURABLE of a write */
  FATHOM_KEEPS_DATA = 16, /* a read returns what was written */
  FATHOM_HARMLESS = 32,   /* the target holds no data of a user: a job may write to it unasked */
  FATHOM_COPIES = 64,     /* the processor copies the data, for example to a socket */
  /* The target is a file: open() with FATHOM_CAN_WRITE creates it if it is missing, and a write behind its end extends
   * it. fathom fills a file before a job reads it. Then open() gets no buffers: a slot may use any. */
  FATHOM_IS_FILE = 128,
  FATHOM_IS_MISSING = 256 /* the file does not exist; size_bytes is 0 */
};

/* What look_at() reports. fathom has set all members to 0 before. */
struct fathom_facts {
  uint64_t size_bytes;      /* 0: no size of its own, as a set of objects has none: the job gives it */
  uint64_t largest_bytes;   /* of a request; 0: no limit */
  uint32_t block_bytes;     /* offsets and lengths are multiples of it; 0: 1 */
  uint32_t preferred_bytes; /* requests of whole blocks of this size are efficient; 0: unknown */
  uint32_t alignment_bytes; /* of buffers; 0: 1. At most 4096 */
  uint32_t most_in_flight;  /* of a queue; 0: no limit */
  uint32_t most_queues;     /* open at the same time, by all jobs; 0: no limit */
  uint32_t can;
  char about[128]; /* library and version, server; may be empty */
};

/* What a job will do. */
struct fathom_open {
  const char* const* targets; /* filename=, or the engine's option for it */
  uint32_t target_count;      /* look_at(): 1 */
  uint32_t option_count;
  const struct fathom_option* options;
  uint32_t wants; /* FATHOM_CAN_...; with FATHOM_CAN_DURABLE every write has to be durable when it completes */
  uint32_t depth; /* most requests in flight. look_at(): 0 */
  void* buffers;  /* `depth` buffers, aligned to 4096; slot i uses buffer i. look_at(), filling a file: NULL */
  uint64_t buffer_stride_bytes;
  const uint32_t* stop; /* atomic. 2 or more: return from any wait at once, with -EINTR. look_at(): NULL */
};

struct fathom_error {
  int32_t number;  /* errno of the failed call, or 0 */
  char cause[256]; /* what failed: "connect: connection refused" */
  char help[256];  /* what the user can do; may be empty */
};

struct fathom_queue; /* defined by the engine */

struct fathom_engine {
  uint32_t version;    /* FATHOM_ENGINE_VERSION */
  uint32_t size_bytes; /* sizeof(struct fathom_engine) */
  const char* name;

  /* Facts about targets[0], which is opened and closed again. Returns 0 or -errno. */
  int (*look_at)(const struct fathom_open* asked, struct fathom_facts* facts, struct fathom_error* error);

  /* Opens the targets. Allocates everything that submit() and reap() need. NULL: error. */
  struct fathom_queue* (*open)(const struct fathom_open* asked, struct fathom_error* error);

  /* Starts a batch of `count` requests, which may be 0. Returns how many it took from the front, or -errno. The others are handed over
   * again in a later call. -EAGAIN: none can be taken before a request in flight completes. wait_for: the caller will
   * next wait for this number of completions. */
  int (*submit)(struct fathom_queue* queue, const struct fathom_post* posts, uint32_t count, uint32_t wait_for);

  /* Waits until at least `min` requests have ended (0: polls), or none is in flight. Writes at most `most` results to
   * `out`, and returns their number, or -errno. -EINTR: a signal arrived, or *stop is 2. */
  int (*reap)(struct fathom_queue* queue, uint32_t min, struct fathom_completion* out, uint32_t most);

  /* Writes why the last request of a slot failed, beyond errno, or an empty text. NULL: the engine never knows. */
  void (*explain)(struct fathom_queue* queue, uint32_t slot, char* text, uint32_t text_bytes);

  void (*close)(struct fathom_queue* queue);
};

/* The engine that the shared object defines. */
extern const struct fathom_engine fathom_io_engine;

#ifdef __cplusplus
}
#endif

#endif

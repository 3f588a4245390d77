// ioengine=rados: objects of a Ceph pool, by librados's asynchronous calls. A target is an object. A queue is one
// connection.
// A write completes when the cluster has it on stable storage. A sync waits for all writes before it. A trim makes its
// range zeros.
// Source: librados.h of Ceph 16.
#include <fathom_engine.h>

#include <rados/librados.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "ceph.h"

namespace {

using fathom::plugins::say;
using fathom::plugins::say_code;

int look_at(const fathom_open* asked, fathom_facts* facts, fathom_error* error) {
  fathom::plugins::Connection connection;
  if (!connect(*asked, connection, *error)) return -EIO;
  facts->can = FATHOM_CAN_WRITE | FATHOM_CAN_TRIM | FATHOM_CAN_SYNC | FATHOM_CAN_DURABLE | FATHOM_KEEPS_DATA |
               FATHOM_COPIES | FATHOM_IS_FILE;
  int major = 0, minor = 0, extra = 0;
  rados_version(&major, &minor, &extra);
  std::snprintf(facts->about, sizeof facts->about, "librados %d.%d.%d", major, minor, extra);
  const char* const name = fathom::plugins::name_in_pool(*asked, asked->targets[0]);
  std::time_t changed = 0;
  const int rc = rados_stat(connection.pool.get(), name, &facts->size_bytes, &changed);
  if (rc == -ENOENT) facts->can |= FATHOM_IS_MISSING;
  if (rc < 0 && rc != -ENOENT) return say_code(*error, rc, "rados_stat", "the user of clientname= needs rights"), rc;
  return 0;
}

struct Slot {
  fathom_queue* queue = nullptr;
  std::uint32_t slot = 0;
  std::int32_t moved = -1;                  // result without an error; -1: that of the call
  rados_completion_t completion = nullptr;  // of the last request
};

}  // namespace

struct fathom_queue {
  explicit fathom_queue(const fathom_open& asked) : ended(asked.depth, asked), slots(asked.depth) {}
  ~fathom_queue() {
    for (const Slot& slot : slots)
      if (slot.completion != nullptr) rados_aio_release(slot.completion);
  }

  fathom::plugins::EndedElsewhere ended;
  std::vector<Slot> slots;
  std::vector<std::string> objects;
  fathom::plugins::Connection connection;  // last member: its end waits for the threads that call finished()
};

namespace {

// In a thread of librados.
void finished(rados_completion_t completion, void* user_data) {
  const Slot& slot = *static_cast<const Slot*>(user_data);
  const int result = rados_aio_get_return_value(completion);
  slot.queue->ended.end(slot.slot, result < 0 || slot.moved < 0 ? result : slot.moved);
}

// An object of 0 bytes where there is none, as touch_objects=1 asks.
int touch(const fathom_open& asked, fathom_queue& queue, fathom_error& error) {
  const char* const wanted = fathom::plugins::option_of(asked, "touch_objects");
  if ((asked.wants & FATHOM_CAN_WRITE) == 0 || (wanted != nullptr && std::strcmp(wanted, "0") == 0)) return 0;
  for (const auto& object : queue.objects) {
    const int rc = rados_write(queue.connection.pool.get(), object.c_str(), "", 0, 0);
    if (rc < 0) return say_code(error, rc, "create the object", "the user of clientname= needs rights"), rc;
  }
  return 0;
}

fathom_queue* open_connected(const fathom_open& asked, fathom_error& error) {
  auto queue = std::make_unique<fathom_queue>(asked);
  if (!connect(asked, queue->connection, error)) return nullptr;
  for (std::uint32_t i = 0; i < asked.target_count; ++i)
    queue->objects.emplace_back(fathom::plugins::name_in_pool(asked, asked.targets[i]));
  if (touch(asked, *queue, error) < 0) return nullptr;
  for (std::uint32_t i = 0; i < asked.depth; ++i) queue->slots[i] = {queue.get(), i};
  return queue.release();
}

fathom_queue* open_queue(const fathom_open* asked, fathom_error* error) {
  try {
    return open_connected(*asked, *error);
  } catch (const std::bad_alloc&) {
    return say(*error, ENOMEM, "memory of the queue", "lower iodepth="), nullptr;
  }
}

int trim(fathom_queue& queue, const fathom_request& r, rados_completion_t completion) {
  const rados_write_op_t op = rados_create_write_op();
  if (op == nullptr) return -ENOMEM;
  rados_write_op_zero(op, r.offset_bytes, r.length_bytes);
  const int rc = rados_aio_write_op_operate(op, queue.connection.pool.get(), completion,
                                            queue.objects[r.target].c_str(), nullptr, LIBRADOS_OPERATION_NOFLAG);
  rados_release_write_op(op);
  return rc;
}

int send(fathom_queue& queue, const fathom_post& post, rados_completion_t completion) {
  const fathom_request& r = *post.request;
  const rados_ioctx_t pool = queue.connection.pool.get();
  const char* const object = queue.objects[r.target].c_str();
  char* const data = static_cast<char*>(post.buffer);
  switch (r.dir) {
    case FATHOM_READ:
      return rados_aio_read(pool, object, completion, data, r.length_bytes, r.offset_bytes);
    case FATHOM_WRITE:
      return rados_aio_write(pool, object, completion, data, r.length_bytes, r.offset_bytes);
    case FATHOM_TRIM:
      return trim(queue, r, completion);
    default:
      return rados_aio_flush_async(pool, completion);
  }
}

int submit(fathom_queue* queue, const fathom_post* posts, std::uint32_t count, std::uint32_t) {
  for (std::uint32_t i = 0; i < count; ++i) {
    Slot& slot = queue->slots[posts[i].slot];
    const fathom_request& r = *posts[i].request;
    slot.moved = r.dir == FATHOM_READ ? -1 : static_cast<std::int32_t>(r.length_bytes);
    if (slot.completion != nullptr) rados_aio_release(slot.completion);
    slot.completion = nullptr;
    queue->ended.begin();
    int rc = rados_aio_create_completion2(&slot, finished, &slot.completion);
    if (rc >= 0) rc = send(*queue, posts[i], slot.completion);
    if (rc < 0) queue->ended.end(slot.slot, rc);
  }
  return static_cast<int>(count);
}

int reap(fathom_queue* queue, std::uint32_t min, fathom_completion* out, std::uint32_t most) {
  return queue->ended.reap(min, out, most);
}

// What is in flight is withdrawn: a completion whose request has ended is not harmed by that.
void close_queue(fathom_queue* queue) {
  if (!queue->ended.settled(std::chrono::milliseconds(0)))
    for (const Slot& slot : queue->slots)
      if (slot.completion != nullptr) rados_aio_cancel(queue->connection.pool.get(), slot.completion);
  if (queue->ended.settled(std::chrono::seconds(2))) delete queue;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const struct fathom_engine fathom_io_engine = {
    FATHOM_ENGINE_VERSION, sizeof(struct fathom_engine), "rados", look_at, open_queue, submit, reap, nullptr,
    close_queue,
};

// ioengine=rbd: a block device image of a Ceph cluster, by librbd's asynchronous calls. A queue is one connection with the
// image open. A sync is rbd_aio_flush().
// With librbd's cache (rbd_cache, the default), a write completes before the cluster has it. So only without the cache is
// a write that has completed durable.
// Source: librbd.h of Ceph 16.
#include <fathom_engine.h>

#include <rbd/librbd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "ceph.h"

namespace {

using fathom::plugins::say;
using fathom::plugins::say_code;

struct CloseImage {
  void operator()(rbd_image_t image) const { rbd_close(image); }
};
using Image = std::unique_ptr<void, CloseImage>;

// nullptr: see `error`.
Image open_image(const fathom_open& asked, rados_ioctx_t pool, bool writes, fathom_error& error) {
  const char* const name = fathom::plugins::name_in_pool(asked, asked.targets[0]);
  rbd_image_t image = nullptr;
  const int rc = writes ? rbd_open(pool, name, &image, nullptr) : rbd_open_read_only(pool, name, &image, nullptr);
  if (rc < 0) return say_code(error, rc, "open the image", "rbdname= names it; `rbd ls POOL` lists them"), nullptr;
  return Image(image);
}

std::string setting(rados_t cluster, const char* name) {
  char value[64] = "";
  return rados_conf_get(cluster, name, value, sizeof value) < 0 ? "" : value;
}

int look_at(const fathom_open* asked, fathom_facts* facts, fathom_error* error) {
  fathom::plugins::Connection connection;
  if (!connect(*asked, connection, *error)) return -EIO;
  const Image image = open_image(*asked, connection.pool.get(), false, *error);
  if (image == nullptr) return -EIO;
  rbd_image_info_t info = {};
  const int rc = rbd_stat(image.get(), &info, sizeof info);
  if (rc < 0) return say_code(*error, rc, "rbd_stat", ""), rc;
  const bool caches = setting(connection.cluster.get(), "rbd_cache") != "false";
  facts->size_bytes = info.size;
  facts->can = FATHOM_CAN_WRITE | FATHOM_CAN_TRIM | FATHOM_CAN_SYNC | FATHOM_KEEPS_DATA | FATHOM_COPIES;
  if (!caches) facts->can |= FATHOM_CAN_DURABLE;
  int major = 0, minor = 0, extra = 0;
  rbd_version(&major, &minor, &extra);
  const std::string cache =
      caches ? "writes complete in its cache (" + setting(connection.cluster.get(), "rbd_cache_policy") + ")"
             : "no cache";
  std::snprintf(facts->about, sizeof facts->about, "librbd %d.%d.%d, %s", major, minor, extra, cache.c_str());
  return 0;
}

struct Slot {
  fathom_queue* queue = nullptr;
  std::uint32_t slot = 0;
  std::int32_t moved = 0;  // result without an error
};

}  // namespace

struct fathom_queue {
  explicit fathom_queue(const fathom_open& asked) : ended(asked.depth, asked), slots(asked.depth) {}

  fathom::plugins::EndedElsewhere ended;
  std::vector<Slot> slots;
  fathom::plugins::Connection connection;
  Image image;
};

namespace {

// In a thread of librbd.
void finished(rbd_completion_t completion, void* user_data) {
  const Slot& slot = *static_cast<const Slot*>(user_data);
  const auto result = rbd_aio_get_return_value(completion);
  rbd_aio_release(completion);
  slot.queue->ended.end(slot.slot, result < 0 ? static_cast<std::int32_t>(result) : slot.moved);
}

fathom_queue* open_connected(const fathom_open& asked, fathom_error& error) {
  if (asked.target_count != 1) return say(error, EINVAL, "one image per job", "write a job for each image"), nullptr;
  auto queue = std::make_unique<fathom_queue>(asked);
  if (!connect(asked, queue->connection, error)) return nullptr;
  const bool writes = (asked.wants & (FATHOM_CAN_WRITE | FATHOM_CAN_TRIM)) != 0;
  queue->image = open_image(asked, queue->connection.pool.get(), writes, error);
  if (queue->image == nullptr) return nullptr;
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

int send(rbd_image_t image, const fathom_post& post, rbd_completion_t completion) {
  const fathom_request& r = *post.request;
  char* const data = static_cast<char*>(post.buffer);
  switch (r.dir) {
    case FATHOM_READ:
      return rbd_aio_read(image, r.offset_bytes, r.length_bytes, data, completion);
    case FATHOM_WRITE:
      return rbd_aio_write(image, r.offset_bytes, r.length_bytes, data, completion);
    case FATHOM_TRIM:
      return rbd_aio_discard(image, r.offset_bytes, r.length_bytes, completion);
    default:
      return rbd_aio_flush(image, completion);
  }
}

int submit(fathom_queue* queue, const fathom_post* posts, std::uint32_t count, std::uint32_t) {
  for (std::uint32_t i = 0; i < count; ++i) {
    Slot& slot = queue->slots[posts[i].slot];
    slot.moved = static_cast<std::int32_t>(posts[i].request->length_bytes);
    rbd_completion_t completion = nullptr;
    queue->ended.begin();
    int rc = rbd_aio_create_completion(&slot, finished, &completion);
    if (rc >= 0) {
      rc = send(queue->image.get(), posts[i], completion);
      if (rc < 0) rbd_aio_release(completion);
    }
    if (rc < 0) queue->ended.end(slot.slot, rc);
  }
  return static_cast<int>(count);
}

int reap(fathom_queue* queue, std::uint32_t min, fathom_completion* out, std::uint32_t most) {
  return queue->ended.reap(min, out, most);
}

// librbd cannot withdraw a request. The image of a killed job whose cluster does not answer stays open until the process
// ends.
void close_queue(fathom_queue* queue) {
  if (queue->ended.settled(std::chrono::seconds(2))) delete queue;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const struct fathom_engine fathom_io_engine = {
    FATHOM_ENGINE_VERSION, sizeof(struct fathom_engine), "rbd", look_at, open_queue, submit, reap, nullptr, close_queue,
};

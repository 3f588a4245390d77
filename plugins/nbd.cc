// ioengine=nbd: a client of the Network Block Device protocol, by libnbd's asynchronous calls. A queue is one connection.
// libnbd sends a request when it is submitted, as far as the socket takes it, and reads answers while reap() polls the
// socket. A request that has ended calls finished().
// Source: libnbd(3); the protocol's document, proto.md of the NBD project.
#include <fathom_engine.h>
#include <libnbd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "ended.h"
#include "said.h"

namespace {

using fathom::plugins::say;

constexpr int kConnect_ms = 10'000, kDisconnect_ms = 1'000;
// Without an advertised limit, servers accept 32 MiB; larger requests make some of them close the connection.
constexpr std::uint64_t kLargest_bytes = std::uint64_t{32} << 20;

struct CloseHandle {
  void operator()(nbd_handle* handle) const { nbd_close(handle); }
};
using Handle = std::unique_ptr<nbd_handle, CloseHandle>;

void say_last(fathom_error& error, const char* help) {
  const char* const text = nbd_get_error();
  say(error, nbd_get_errno(), text != nullptr ? text : "libnbd gave no cause", help);
}

// Runs the state machine until `is_over`, for a limited time. False: an error, or the time is over.
template <class IsOver>
bool poll_until(nbd_handle* handle, int limit_ms, IsOver is_over) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(limit_ms);
  while (!is_over()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    if (nbd_poll(handle, static_cast<int>(left)) < 0 && nbd_get_errno() != EINTR) return false;
  }
  return true;
}

// nullptr: see `error`.
Handle connect(const char* uri, fathom_error& error) {
  constexpr const char* kHelp =
      "start the server, and write for example uri=nbd://HOST:PORT/EXPORT or "
      "uri=nbd+unix:///EXPORT?socket=PATH";
  Handle handle(nbd_create());
  if (handle == nullptr) return say_last(error, ""), nullptr;
  nbd_handle* const h = handle.get();
  // A read that fails is an error of its I/O, so its buffer needs no zeros before. The URI is the user's.
  nbd_set_pread_initialize(h, false);
  nbd_set_uri_allow_local_file(h, true);
  if (nbd_aio_connect_uri(h, uri) != 0) return say_last(error, kHelp), nullptr;
  const auto connecting = [h] { return nbd_aio_is_connecting(h) == 1; };
  if (!poll_until(h, kConnect_ms, [&] { return !connecting(); }) && connecting()) {
    say(error, ETIMEDOUT, "the server did not answer within 10 seconds",
        "a server with one connection at a time answers the second client when the first has left: use qemu-nbd "
        "--shared=N, or end the other client");
    return nullptr;
  }
  if (nbd_aio_is_ready(h) != 1) return say_last(error, kHelp), nullptr;
  return handle;
}

// Waits until the server has seen the end: it may accept one connection at a time.
void disconnect(nbd_handle* h) {
  if (nbd_aio_is_ready(h) != 1 || nbd_aio_disconnect(h, 0) != 0) return;
  poll_until(h, kDisconnect_ms, [h] { return nbd_aio_is_closed(h) == 1 || nbd_aio_is_dead(h) == 1; });
}

std::uint32_t abilities(nbd_handle* h) {
  std::uint32_t can = FATHOM_KEEPS_DATA | FATHOM_COPIES;
  if (nbd_is_read_only(h) == 0) can |= FATHOM_CAN_WRITE;
  if (nbd_can_trim(h) == 1) can |= FATHOM_CAN_TRIM;
  if (nbd_can_flush(h) == 1) can |= FATHOM_CAN_SYNC;
  if (nbd_can_fua(h) == 1) can |= FATHOM_CAN_DURABLE;
  return can;
}

std::uint64_t block_size(nbd_handle* h, int kind) {
  const auto bytes = nbd_get_block_size(h, kind);
  return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

int look_at(const fathom_open* asked, fathom_facts* facts, fathom_error* error) {
  const Handle handle = connect(asked->targets[0], *error);
  if (handle == nullptr) return -EIO;
  nbd_handle* const h = handle.get();
  const auto size_bytes = nbd_get_size(h);
  if (size_bytes < 0) return say_last(*error, ""), -EIO;
  if (size_bytes == 0) return say(*error, 0, "the export has 0 bytes", "name another export"), -EIO;
  const std::uint64_t largest_bytes = block_size(h, LIBNBD_SIZE_MAXIMUM);
  facts->size_bytes = static_cast<std::uint64_t>(size_bytes);
  facts->largest_bytes = largest_bytes == 0 ? kLargest_bytes : largest_bytes;
  facts->block_bytes = static_cast<std::uint32_t>(block_size(h, LIBNBD_SIZE_MINIMUM));
  facts->preferred_bytes = static_cast<std::uint32_t>(block_size(h, LIBNBD_SIZE_PREFERRED));
  facts->most_queues = nbd_can_multi_conn(h) == 1 ? 0 : 1;
  facts->can = abilities(h);
  std::snprintf(facts->about, sizeof facts->about, "libnbd %s, protocol %s", nbd_get_version(h),
                nbd_get_protocol(h) != nullptr ? nbd_get_protocol(h) : "unknown");
  disconnect(h);
  return 0;
}

struct Slot {
  fathom_queue* queue;
  std::uint32_t slot;
  std::int32_t moved;  // result without an error
};

}  // namespace

struct fathom_queue {
  explicit fathom_queue(std::uint32_t depth) : slots(depth), ended(depth) {}

  Handle handle;
  std::vector<Slot> slots;
  fathom::plugins::Ended ended;
  std::uint32_t in_flight = 0;
  std::uint32_t write_flags[2] = {0, LIBNBD_CMD_FLAG_FUA};  // by FATHOM_DURABLE of the request
  const std::uint32_t* stop = nullptr;
};

namespace {

// Called by libnbd. 1: the request needs no further handling.
int finished(void* user_data, int* error) {
  const Slot& slot = *static_cast<const Slot*>(user_data);
  --slot.queue->in_flight;
  slot.queue->ended.add(slot.slot, *error != 0 ? -*error : slot.moved);
  return 1;
}

fathom_queue* open_connected(const fathom_open& asked, fathom_error& error) {
  if (asked.target_count != 1) return say(error, EINVAL, "one uri= per job", "write a job for each server"), nullptr;
  auto queue = std::make_unique<fathom_queue>(asked.depth);
  queue->handle = connect(asked.targets[0], error);
  if (queue->handle == nullptr) return nullptr;
  for (std::uint32_t i = 0; i < asked.depth; ++i) queue->slots[i] = {queue.get(), i, 0};
  if ((asked.wants & FATHOM_CAN_DURABLE) != 0) queue->write_flags[0] = LIBNBD_CMD_FLAG_FUA;
  queue->stop = asked.stop;
  return queue.release();
}

fathom_queue* open_queue(const fathom_open* asked, fathom_error* error) {
  try {
    return open_connected(*asked, *error);
  } catch (const std::bad_alloc&) {
    return say(*error, ENOMEM, "memory of the queue", "lower iodepth="), nullptr;
  }
}

std::int64_t send(fathom_queue& queue, const fathom_post& post) {
  const fathom_request& r = *post.request;
  Slot& slot = queue.slots[post.slot];
  slot.moved = static_cast<std::int32_t>(r.length_bytes);
  const nbd_completion_callback at_end{finished, &slot, nullptr};
  nbd_handle* const h = queue.handle.get();
  switch (r.dir) {
    case FATHOM_READ:
      return nbd_aio_pread(h, post.buffer, r.length_bytes, r.offset_bytes, at_end, 0);
    case FATHOM_WRITE:
      return nbd_aio_pwrite(h, post.buffer, r.length_bytes, r.offset_bytes, at_end, queue.write_flags[r.flags & 1]);
    case FATHOM_TRIM:
      return nbd_aio_trim(h, r.length_bytes, r.offset_bytes, at_end, 0);
    default:
      slot.moved = 0;
      return nbd_aio_flush(h, at_end, 0);
  }
}

// A request that libnbd refuses has ended: beyond the end of the export, or the connection is lost.
int submit(fathom_queue* queue, const fathom_post* posts, std::uint32_t count, std::uint32_t) {
  for (std::uint32_t i = 0; i < count; ++i) {
    ++queue->in_flight;
    if (send(*queue, posts[i]) >= 0) continue;
    --queue->in_flight;
    const int number = nbd_get_errno();
    queue->ended.add(posts[i].slot, number != 0 ? -number : -EIO);
  }
  return static_cast<int>(count);
}

int wait(fathom_queue& queue, int limit_ms) {
  const int polled = nbd_poll(queue.handle.get(), limit_ms);
  if (polled < 0 && nbd_get_errno() == EINTR) return -EINTR;
  if (polled < 0 && queue.in_flight != 0) return nbd_get_errno() != 0 ? -nbd_get_errno() : -EIO;
  if (polled == 0 && queue.ended.count() == 0 && fathom::plugins::must_stop(queue.stop)) return -EINTR;
  return 0;
}

int reap(fathom_queue* queue, std::uint32_t min, fathom_completion* out, std::uint32_t most) {
  return queue->ended.reap(min, out, most, queue->in_flight, [&](int limit_ms) { return wait(*queue, limit_ms); });
}

void explain(fathom_queue* queue, std::uint32_t, char* text, std::uint32_t text_bytes) {
  nbd_handle* const h = queue->handle.get();
  const bool lost = nbd_aio_is_dead(h) == 1 || nbd_aio_is_closed(h) == 1;
  std::snprintf(text, text_bytes, "%s", lost ? "the connection to the server is lost" : "");
}

void close_queue(fathom_queue* queue) {
  if (queue->in_flight == 0) disconnect(queue->handle.get());
  delete queue;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const struct fathom_engine fathom_io_engine = {
    FATHOM_ENGINE_VERSION, sizeof(struct fathom_engine), "nbd", look_at, open_queue, submit, reap, explain, close_queue,
};

// ioengine=nfs: a client of the Network File System, by libnfs's asynchronous calls. A queue is one connection, and has
// an open file per target. A request that has ended calls finished().
//
// A sync is COMMIT. With sync=1 the files are opened with O_SYNC: libnfs then asks for stable writes (FILE_SYNC).
// libnfs 4.0 connects again without end when the server is lost, which would hide it. So the engine turns that off; the
// URL's autoreconnect= sets it again.
// Source: libnfs.h; RFC 1813 (NFS 3), RFC 7530 (NFS 4).
#include <fathom_engine.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <nfsc/libnfs.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "ended.h"
#include "said.h"

namespace {

using fathom::plugins::say;

constexpr int kAnswer_ms = 10'000;  // of a call that opens or looks

struct DestroyContext {
  void operator()(nfs_context* context) const { nfs_destroy_context(context); }
};
using Context = std::unique_ptr<nfs_context, DestroyContext>;
struct DestroyUrl {
  void operator()(nfs_url* url) const { nfs_destroy_url(url); }
};

void say_last(fathom_error& error, int number, nfs_context* context, const char* help) {
  const char* const text = nfs_get_error(context);
  std::string_view cause = text != nullptr && *text != 0 ? text : std::strerror(number);
  if (cause == "nfs_service failed")
    cause = "the server refused the connection, or closed it";  // all that libnfs tells
  say(error, number, cause, help);
}

std::string_view url_of_export(const fathom_open& asked) {
  for (std::uint32_t i = 0; i < asked.option_count; ++i)
    if (std::strcmp(asked.options[i].name, "nfs_url") == 0) return asked.options[i].value;
  return {};
}

// A target is the URL of the export with the name of the file between its path and its arguments.
std::string name_of(std::string_view target, std::string_view url) {
  const auto arguments = url.substr(std::min(url.find('?'), url.size()));
  url.remove_suffix(arguments.size());
  while (url.ends_with('/')) url.remove_suffix(1);
  target.remove_suffix(std::min(arguments.size(), target.size()));
  return std::string(target.substr(std::min(url.size(), target.size())));
}

// libnfs names a client of NFS 4 by process and second. Two connections of a process would be one client to the server,
// and the second would end the first.
void name_client(nfs_context* context) {
  static std::atomic<unsigned> number{0};
  char name[64];
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  std::snprintf(name, sizeof name, "fathom %d %u %llx", static_cast<int>(::getpid()), number.fetch_add(1),
                static_cast<unsigned long long>(now));
  nfs4_set_client_name(context, name);
}

// nullptr: see `error`.
Context mount(const fathom_open& asked, fathom_error& error) {
  constexpr const char* kHelp =
      "write nfs_url=nfs://HOST/EXPORT?ARGUMENTS: version=4 for NFS 4, nfsport= and mountport= without a port mapper";
  Context context(nfs_init_context());
  if (context == nullptr) return say(error, ENOMEM, "libnfs has no memory", ""), nullptr;
  nfs_set_autoreconnect(context.get(), 0);
  nfs_set_timeout(context.get(), kAnswer_ms);
  const std::unique_ptr<nfs_url, DestroyUrl> url(
      nfs_parse_url_dir(context.get(), std::string(url_of_export(asked)).c_str()));
  if (url == nullptr) return say_last(error, EINVAL, context.get(), kHelp), nullptr;
  name_client(context.get());
  if (const int rc = nfs_mount(context.get(), url->server, url->path); rc != 0)
    return say_last(error, -rc, context.get(), kHelp), nullptr;
  return context;
}

int look_at_file(nfs_context* context, const char* name, fathom_facts& facts, fathom_error& error) {
  nfs_stat_64 st = {};
  const int rc = nfs_stat64(context, name, &st);
  if (rc == -ENOENT) {
    facts.can |= FATHOM_IS_MISSING;
    return 0;
  }
  if (rc != 0) return say_last(error, -rc, context, "name a file that the user of uid= may access"), rc;
  if (!S_ISREG(st.nfs_mode))
    return say(error, EINVAL, "it is not a regular file", "name a file below the export in filename="), -EINVAL;
  facts.size_bytes = st.nfs_size;
  return 0;
}

int look_at(const fathom_open* asked, fathom_facts* facts, fathom_error* error) {
  const Context context = mount(*asked, *error);
  if (context == nullptr) return -EIO;
  facts->can =
      FATHOM_CAN_WRITE | FATHOM_CAN_SYNC | FATHOM_CAN_DURABLE | FATHOM_KEEPS_DATA | FATHOM_COPIES | FATHOM_IS_FILE;
  const std::string name = name_of(asked->targets[0], url_of_export(*asked));
  if (const int rc = look_at_file(context.get(), name.c_str(), *facts, *error); rc != 0) return rc;
  facts->largest_bytes = std::min(nfs_get_readmax(context.get()), nfs_get_writemax(context.get()));
  std::snprintf(facts->about, sizeof facts->about, "libnfs, NFS version %s",
                facts->largest_bytes == 0 ? "4" : "3");  // libnfs knows no limit of NFS 4
  nfs_umount(context.get());
  return 0;
}

struct Slot {
  fathom_queue* queue = nullptr;
  void* buffer = nullptr;
  std::uint32_t slot = 0;
  bool reads = false;
  bool in_flight = false;
};

}  // namespace

struct fathom_queue {
  explicit fathom_queue(std::uint32_t depth) : slots(depth), ended(depth) {}

  std::vector<nfsfh*> files;
  std::vector<Slot> slots;
  fathom::plugins::Ended ended;
  std::uint32_t in_flight = 0;
  bool lost = false;
  const std::uint32_t* stop = nullptr;
  std::string failure;  // why the last request failed
  Context context;      // last member: its end calls finished() for what is in flight
};

namespace {

void end(Slot& slot, std::int32_t result) {
  if (!slot.in_flight) return;  // the connection was lost before
  slot.in_flight = false;
  --slot.queue->in_flight;
  slot.queue->ended.add(slot.slot, result);
}

// libnfs 4.0 gives EFAULT for each read and write of NFS 3 that fails. The server's error is the end of its text:
// "NFS3ERR_NOSPC(-28)".
int errno_of(int result, std::string_view text) {
  const auto at = text.rfind("(-");
  if (result != -EFAULT || at == std::string_view::npos) return -result;
  const int number = std::atoi(text.data() + at + 2);
  return number > 0 ? number : EFAULT;
}

// Called by libnfs. result: bytes, or -errno. data: what was read.
void finished(int result, nfs_context* context, void* data, void* user_data) {
  Slot& slot = *static_cast<Slot*>(user_data);
  if (result < 0 && slot.in_flight) {
    const char* const text = nfs_get_error(context);
    slot.queue->failure = text != nullptr ? text : "";
    result = -errno_of(result, slot.queue->failure);
  }
  if (slot.reads && slot.in_flight && result > 0) std::memcpy(slot.buffer, data, static_cast<std::size_t>(result));
  end(slot, result);
}

// libnfs 4.0 creates a file of NFS 4 only if it does not exist, so O_CREAT is the second try.
int open_file(nfs_context* context, const std::string& name, int flags, bool create, nfsfh** file) {
  int rc = nfs_open(context, name.c_str(), flags, file);
  if (rc != -ENOENT || !create) return rc;
  rc = nfs_open2(context, name.c_str(), flags | O_CREAT, 0644, file);
  return rc == -EEXIST ? nfs_open(context, name.c_str(), flags, file) : rc;
}

fathom_queue* open_mounted(const fathom_open& asked, fathom_error& error) {
  auto queue = std::make_unique<fathom_queue>(asked.depth);
  queue->context = mount(asked, error);
  if (queue->context == nullptr) return nullptr;
  nfs_context* const context = queue->context.get();
  const bool writes = (asked.wants & FATHOM_CAN_WRITE) != 0;
  const int flags = (writes ? O_RDWR : O_RDONLY) | ((asked.wants & FATHOM_CAN_DURABLE) != 0 ? O_SYNC : 0);
  for (std::uint32_t i = 0; i < asked.target_count; ++i) {
    const std::string name = name_of(asked.targets[i], url_of_export(asked));
    nfsfh* file = nullptr;
    if (const int rc = open_file(context, name, flags, writes, &file); rc != 0)
      return say_last(error, -rc, context, "name a file that the user of uid= may open"), nullptr;
    queue->files.push_back(file);
  }
  for (std::uint32_t i = 0; i < asked.depth; ++i) queue->slots[i] = {queue.get(), nullptr, i};
  nfs_set_timeout(context, -1);
  queue->stop = asked.stop;
  return queue.release();
}

fathom_queue* open_queue(const fathom_open* asked, fathom_error* error) {
  try {
    return open_mounted(*asked, *error);
  } catch (const std::bad_alloc&) {
    return say(*error, ENOMEM, "memory of the queue", "lower iodepth="), nullptr;
  }
}

int send(fathom_queue& queue, Slot& slot, const fathom_request& r) {
  nfs_context* const context = queue.context.get();
  nfsfh* const file = queue.files[r.target];
  switch (r.dir) {
    case FATHOM_READ:
      return nfs_pread_async(context, file, r.offset_bytes, r.length_bytes, finished, &slot);
    case FATHOM_WRITE:
      return nfs_pwrite_async(context, file, r.offset_bytes, r.length_bytes, slot.buffer, finished, &slot);
    case FATHOM_SYNC:
      return nfs_fsync_async(context, file, finished, &slot);
    default:
      return -1;
  }
}

// The connection is lost: nothing in flight will be answered.
void lose(fathom_queue& queue) {
  queue.lost = true;
  for (Slot& slot : queue.slots) end(slot, -ENOTCONN);
}

void serve(fathom_queue& queue, int events) {
  if (nfs_service(queue.context.get(), events) < 0) lose(queue);
}

// What the socket takes is sent at once, the rest while reap() waits.
int submit(fathom_queue* queue, const fathom_post* posts, std::uint32_t count, std::uint32_t) {
  for (std::uint32_t i = 0; i < count; ++i) {
    Slot& slot = queue->slots[posts[i].slot];
    slot.buffer = posts[i].buffer;
    slot.reads = posts[i].request->dir == FATHOM_READ;
    slot.in_flight = true;
    ++queue->in_flight;
    if (queue->lost) {
      end(slot, -ENOTCONN);
    } else if (send(*queue, slot, *posts[i].request) < 0) {
      queue->failure = nfs_get_error(queue->context.get());
      end(slot, -EMSGSIZE);  // it does not fit into libnfs's message
    }
  }
  if (!queue->lost && (nfs_which_events(queue->context.get()) & POLLOUT) != 0) serve(*queue, POLLOUT);
  return static_cast<int>(count);
}

// 0: something ended, or the time is over. Otherwise -errno.
int wait(fathom_queue& queue, int limit_ms) {
  pollfd on{nfs_get_fd(queue.context.get()), static_cast<short>(nfs_which_events(queue.context.get())), 0};
  const int ready = ::poll(&on, 1, limit_ms);
  if (ready < 0) return -errno;
  if (ready > 0) serve(queue, on.revents);
  if (ready == 0 && queue.ended.count() == 0 && fathom::plugins::must_stop(queue.stop)) return -EINTR;
  return 0;
}

int reap(fathom_queue* queue, std::uint32_t min, fathom_completion* out, std::uint32_t most) {
  return queue->ended.reap(min, out, most, queue->in_flight, [&](int limit_ms) { return wait(*queue, limit_ms); });
}

void explain(fathom_queue* queue, std::uint32_t, char* text, std::uint32_t text_bytes) {
  std::snprintf(text, text_bytes, "%s", queue->lost ? "the connection to the server is lost" : queue->failure.c_str());
}

void close_queue(fathom_queue* queue) {
  if (queue->in_flight == 0 && !queue->lost) {
    nfs_set_timeout(queue->context.get(), kAnswer_ms);
    for (nfsfh* const file : queue->files) nfs_close(queue->context.get(), file);
    nfs_umount(queue->context.get());
  }
  delete queue;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const struct fathom_engine fathom_io_engine = {
    FATHOM_ENGINE_VERSION, sizeof(struct fathom_engine), "nfs", look_at, open_queue, submit, reap, explain, close_queue,
};

// bare_rbd, bare_rados CONF POOL NAME DEPTH SECONDS: random 4 KiB reads of an image by librbd, or of an object by librados.
// A request ends in a thread of the library, and is sent again from the loop, so at most DEPTH are in flight.
#include <rados/librados.h>
#ifdef BARE_RBD
#include <rbd/librbd.h>
#endif

#include <condition_variable>
#include <mutex>
#include <vector>

#include "bare.h"

namespace {

struct Done {
  std::mutex mutex;
  std::condition_variable there_is_one;
  std::vector<struct Flight*> flights;
};
struct Flight {
  char* buffer;
  Done* done;
  void* completion;
};

void finished(void* completion, void* user) {
  auto* const flight = static_cast<Flight*>(user);
#ifdef BARE_RBD
  if (rbd_aio_get_return_value(completion) != static_cast<ssize_t>(bare::kBlock)) bare::fail("read");
#else
  if (rados_aio_get_return_value(completion) != static_cast<int>(bare::kBlock)) bare::fail("read");
#endif
  const std::lock_guard lock(flight->done->mutex);
  flight->done->flights.push_back(flight);
  flight->done->there_is_one.notify_one();
}

#ifdef BARE_RBD
struct Target {
  rbd_image_t image = nullptr;
  std::uint64_t open(rados_ioctx_t pool, const char* name) {
    std::uint64_t bytes = 0;
    if (rbd_open_read_only(pool, name, &image, nullptr) != 0 || rbd_get_size(image, &bytes) != 0) bare::fail("open");
    return bytes;
  }
  void read(Flight* flight, std::uint64_t offset) {
    if (flight->completion != nullptr) rbd_aio_release(flight->completion);
    rbd_aio_create_completion(flight, finished, &flight->completion);
    if (rbd_aio_read(image, offset, bare::kBlock, flight->buffer, flight->completion) != 0) bare::fail("read");
  }
};
#else
struct Target {
  rados_ioctx_t in = nullptr;
  const char* object = nullptr;
  std::uint64_t open(rados_ioctx_t pool, const char* name) {
    std::uint64_t bytes = 0;
    std::time_t changed = 0;
    in = pool, object = name;
    if (rados_stat(pool, name, &bytes, &changed) != 0) bare::fail("open");
    return bytes;
  }
  void read(Flight* flight, std::uint64_t offset) {
    if (flight->completion != nullptr) rados_aio_release(flight->completion);
    rados_aio_create_completion2(flight, finished, &flight->completion);
    if (rados_aio_read(in, object, flight->completion, flight->buffer, bare::kBlock, offset) != 0) bare::fail("read");
  }
};
#endif

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const unsigned depth = static_cast<unsigned>(std::atoi(argv[4]));
  rados_t cluster = nullptr;
  rados_ioctx_t pool = nullptr;
  if (rados_create(&cluster, nullptr) != 0 || rados_conf_read_file(cluster, argv[1]) != 0 ||
      rados_connect(cluster) != 0 || rados_ioctx_create(cluster, argv[2], &pool) != 0)
    bare::fail("connect");
  Target target;
  const std::uint64_t blocks = target.open(pool, argv[3]) / bare::kBlock;
  char* const memory = bare::buffers(depth);
  fathom::base::Prng prng(1);
  Done done;
  std::vector<Flight> flights(depth);
  std::vector<Flight*> ended;
  for (unsigned i = 0; i < depth; ++i) {
    flights[i] = {memory + i * bare::kBlock, &done, nullptr};
    target.read(&flights[i], prng.below(blocks) * bare::kBlock);
  }
  const int status = bare::measure(std::atof(argv[5]), [&](volatile sig_atomic_t& stop) {
    std::uint64_t ios = 0;
    while (!stop) {
      {
        std::unique_lock lock(done.mutex);
        done.there_is_one.wait(lock, [&] { return !done.flights.empty(); });
        ended.swap(done.flights);
      }
      for (Flight* const flight : ended) target.read(flight, prng.below(blocks) * bare::kBlock);
      ios += ended.size();
      ended.clear();
    }
    return ios;
  });
  std::fflush(stdout);
  std::_Exit(status);  // reads are in flight
}

// bare_nfs URL DEPTH SECONDS: random 4 KiB reads of a file by libnfs's asynchronous calls. A completed request is sent
// again from the loop, so at most DEPTH are in flight.
#include <fcntl.h>
#include <poll.h>
#include <sys/time.h>

#include <nfsc/libnfs.h>

#include <vector>

#include "bare.h"

namespace {

struct Flight {
  char* buffer;
  std::vector<Flight*>* done;
};

void finished(int result, nfs_context*, void* data, void* user) {
  if (result != static_cast<int>(bare::kBlock)) bare::fail("read");
  auto* const flight = static_cast<Flight*>(user);
  std::memcpy(flight->buffer, data, bare::kBlock);
  flight->done->push_back(flight);
}

void wait(nfs_context* nfs) {
  pollfd on{nfs_get_fd(nfs), static_cast<short>(nfs_which_events(nfs)), 0};
  if (::poll(&on, 1, -1) > 0 && nfs_service(nfs, on.revents) < 0) bare::fail(nfs_get_error(nfs));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const unsigned depth = static_cast<unsigned>(std::atoi(argv[2]));
  nfs_context* const nfs = nfs_init_context();
  nfs_url* const url = nfs_parse_url_full(nfs, argv[1]);
  nfsfh* file = nullptr;
  nfs_stat_64 facts = {};
  if (url == nullptr || nfs_mount(nfs, url->server, url->path) != 0 || nfs_open(nfs, url->file, O_RDONLY, &file) != 0 ||
      nfs_fstat64(nfs, file, &facts) != 0)
    bare::fail(nfs_get_error(nfs));
  const std::uint64_t blocks = facts.nfs_size / bare::kBlock;
  char* const memory = bare::buffers(depth);
  fathom::base::Prng prng(1);
  std::vector<Flight*> done;
  done.reserve(depth);
  std::vector<Flight> flights(depth);
  const auto send = [&](Flight* flight) {
    if (nfs_pread_async(nfs, file, prng.below(blocks) * bare::kBlock, bare::kBlock, finished, flight) < 0)
      bare::fail(nfs_get_error(nfs));
    if ((nfs_which_events(nfs) & POLLOUT) != 0 && nfs_service(nfs, POLLOUT) < 0) bare::fail(nfs_get_error(nfs));
  };
  for (unsigned i = 0; i < depth; ++i) {
    flights[i] = {memory + i * bare::kBlock, &done};
    send(&flights[i]);
  }
  const int status = bare::measure(std::atof(argv[3]), [&](volatile sig_atomic_t& stop) {
    std::uint64_t ios = 0;
    while (!stop) {
      while (done.empty()) wait(nfs);
      Flight* const flight = done.back();
      done.pop_back();
      send(flight);
      ++ios;
    }
    return ios;
  });
  while (done.size() < depth) wait(nfs);
  nfs_close(nfs, file);
  nfs_destroy_context(nfs);
  return status;
}

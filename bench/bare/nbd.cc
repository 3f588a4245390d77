// bare_nbd URI DEPTH SECONDS: random 4 KiB reads by libnbd's asynchronous calls. A completed request is sent again from
// the loop, so at most DEPTH are in flight.
#include <libnbd.h>

#include <vector>

#include "bare.h"

namespace {

struct Flight {
  char* buffer;
  std::vector<Flight*>* done;
};

int finished(void* user, int* error) {
  if (*error != 0) bare::fail("read");
  auto* const flight = static_cast<Flight*>(user);
  flight->done->push_back(flight);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const unsigned depth = static_cast<unsigned>(std::atoi(argv[2]));
  nbd_handle* const h = nbd_create();
  nbd_set_pread_initialize(h, false);
  if (nbd_connect_uri(h, argv[1]) != 0) bare::fail(nbd_get_error());
  const std::uint64_t blocks = static_cast<std::uint64_t>(nbd_get_size(h)) / bare::kBlock;
  char* const memory = bare::buffers(depth);
  fathom::base::Prng prng(1);
  std::vector<Flight*> done;
  done.reserve(depth);
  std::vector<Flight> flights(depth);
  const auto send = [&](Flight* flight) {
    const nbd_completion_callback at_end{finished, flight, nullptr};
    if (nbd_aio_pread(h, flight->buffer, bare::kBlock, prng.below(blocks) * bare::kBlock, at_end, 0) < 0)
      bare::fail(nbd_get_error());
  };
  for (unsigned i = 0; i < depth; ++i) {
    flights[i] = {memory + i * bare::kBlock, &done};
    send(&flights[i]);
  }
  const int status = bare::measure(std::atof(argv[3]), [&](volatile sig_atomic_t& stop) {
    std::uint64_t ios = 0;
    while (!stop) {
      while (done.empty())
        if (nbd_poll(h, -1) < 0) bare::fail(nbd_get_error());
      Flight* const flight = done.back();
      done.pop_back();
      send(flight);
      ++ios;
    }
    return ios;
  });
  while (nbd_aio_in_flight(h) > 0)  // nbdkit 1.32 aborts if a client leaves with requests in flight
    if (nbd_poll(h, -1) < 0) bare::fail(nbd_get_error());
  nbd_shutdown(h, 0);
  nbd_close(h);
  return status;
}

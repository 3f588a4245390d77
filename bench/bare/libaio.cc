// bare_libaio FILE SECONDS: random 4 KiB reads at depth 128, io_submit of one and io_getevents of one in turns, iocbs
// prepared once.
#include <libaio.h>

#include "bare.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  constexpr unsigned kDepth = 128;
  const bare::File file(argv[1]);
  char* const memory = bare::buffers(kDepth);
  fathom::base::Prng prng(1);
  static iocb requests[kDepth];
  io_context_t context = nullptr;
  if (io_setup(kDepth, &context) < 0) bare::fail("io_setup");
  const auto submit = [&](iocb* request) {
    request->u.c.offset = static_cast<long long>(prng.below(file.blocks) * bare::kBlock);
    if (io_submit(context, 1, &request) != 1) bare::fail("io_submit");
  };
  for (unsigned i = 0; i < kDepth; ++i) {
    io_prep_pread(&requests[i], file.fd, memory + i * bare::kBlock, bare::kBlock, 0);
    submit(&requests[i]);
  }
  return bare::measure(std::atof(argv[2]), [&](volatile sig_atomic_t& stop) {
    std::uint64_t ios = 0;
    while (!stop) {
      io_event event;
      if (io_getevents(context, 1, 1, &event, nullptr) != 1 || event.res != bare::kBlock) bare::fail("io_getevents");
      submit(event.obj);
      ++ios;
    }
    return ios;
  });
}

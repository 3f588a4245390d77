// bare_soft DEPTH SECONDS [nt|plain] [OPTIONS]: the soft controller against the least driver there can be, to know how
// fast the device is: one queue pair, 4 KiB reads of one block, no request, no callback, no histogram; completions are
// counted by their phase tags, doorbells are rung once a poll. The device's thread runs on CPU 1, this one on CPU 0.
// Prints I/Os a second. OPTIONS: the controller's, by default "ideal,cpu=1" (src/nvme/soft/options.h).
#include <immintrin.h>
#include <sched.h>

#include "bare.h"
#include "nvme/command.h"
#include "nvme/registers.h"
#include "nvme/soft/transport.h"

namespace {

using namespace fathom::nvme;

constexpr std::uint32_t kEntries = 256;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "bare_soft: %s\n", what);
  std::exit(1);
}

struct Bare {
  Transport& device;
  DmaMemory admin_sq = take(64 * 64), admin_cq = take(64 * 16), sq = take(kEntries * 64), cq = take(kEntries * 16);
  std::uint32_t admin_tail = 0;

  DmaMemory take(std::size_t bytes) const {
    auto memory = device.allocate(bytes);
    if (!memory) give_up("no memory");
    return *memory;
  }

  void admin(const Command& command) {
    std::memcpy(admin_sq.memory + admin_tail * 64, &command, 64);
    auto* status = reinterpret_cast<volatile std::uint16_t*>(admin_cq.memory + admin_tail * 16 + 14);
    __atomic_store_n(&device.doorbells()[0], ++admin_tail, __ATOMIC_RELEASE);
    while (*status == 0) device.idle();
    if (*status != 1) give_up("an admin command failed");
  }

  void bring_up() {
    device.write32(kAqa, 63 << 16 | 63);
    device.write64(kAsq, admin_sq.iova);
    device.write64(kAcq, admin_cq.iova);
    device.write32(kCc, kCcEnable | cc_entry_sizes(6, 4));
    if (device.read32(kCsts) != kCstsReady) give_up("not ready");
    Command create;
    create.opcode = static_cast<std::uint8_t>(AdminOpcode::create_io_cq);
    create.prp1 = cq.iova;
    create.cdw10 = (kEntries - 1) << 16 | 1;
    create.cdw11 = 1;
    admin(create);
    create.opcode = static_cast<std::uint8_t>(AdminOpcode::create_io_sq);
    create.prp1 = sq.iova;
    create.cdw11 = 1 << 16 | 1;
    admin(create);
  }
};

template <bool kStreaming>
inline void put(std::byte* slot, const Command& command) {
  const auto* from = reinterpret_cast<const __m128i*>(&command);
  auto* to = reinterpret_cast<__m128i*>(slot);
  for (int i = 0; i < 4; ++i) kStreaming ? _mm_stream_si128(to + i, from[i]) : _mm_store_si128(to + i, from[i]);
}

template <bool kStreaming>
std::uint64_t run(Bare& bare, std::uint32_t depth, volatile sig_atomic_t& stop) {
  static std::uint32_t tail = 0, head = 0, phase = 1, busy = 0;
  auto* sq_doorbell = bare.device.doorbells() + 2;
  auto* cq_doorbell = bare.device.doorbells() + 3;
  Command command;
  command.opcode = static_cast<std::uint8_t>(NvmOpcode::read);
  command.nsid = 1;
  command.prp1 = bare.sq.iova;
  std::uint64_t ios = 0;
  while (!stop) {
    const std::uint32_t before = busy;
    for (; busy < depth; ++busy) {
      command.cid = static_cast<std::uint16_t>(tail);
      command.cdw10 = tail * 977;
      put<kStreaming>(bare.sq.memory + std::size_t{tail} * 64, command);
      tail = (tail + 1) % kEntries;
    }
    if (kStreaming) _mm_sfence();
    if (busy != before) __atomic_store_n(sq_doorbell, tail, __ATOMIC_RELEASE);
    std::uint32_t reaped = 0;
    for (; reaped < busy; ++reaped) {
      const auto word = __atomic_load_n(
          reinterpret_cast<const std::uint64_t*>(bare.cq.memory + std::size_t{head} * 16 + 8), __ATOMIC_ACQUIRE);
      if (((word >> 48) & 1) != phase) break;
      head = (head + 1) % kEntries;
      phase ^= head == 0;
    }
    if (reaped != 0) __atomic_store_n(cq_doorbell, head, __ATOMIC_RELEASE);
    busy -= reaped;
    ios += reaped;
  }
  return ios;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto depth = static_cast<std::uint32_t>(std::atoi(argv[1]));
  const bool streaming = argc > 3 ? std::strcmp(argv[3], "nt") == 0 : depth > 16;
  if (depth < 1 || depth >= kEntries) give_up("DEPTH: 1 to 255");
  const auto options = soft::parse_options(argc > 4 ? argv[4] : "ideal,cpu=1");
  if (!options) give_up(options.error().what.c_str());
  auto device = soft::SoftTransport::make(*options);
  if (!device) give_up(device.error().what.c_str());
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(0, &here);
  if (sched_setaffinity(0, sizeof here, &here) != 0) bare::fail("CPU 0");
  Bare bare{**device};
  bare.bring_up();
  return bare::measure(std::atof(argv[2]), [&](volatile sig_atomic_t& stop) {
    return streaming ? run<true>(bare, depth, stop) : run<false>(bare, depth, stop);
  });
}

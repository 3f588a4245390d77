// The controller's interface: registers by offset, the doorbell page, the driver's memory, steps through the gate.
#include "nvme/soft/controller.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "base/system/fd.h"
#include "base/time.h"
#include "nvme/soft/gate.h"
#include "nvme/soft/state.h"

namespace fathom::nvme::soft {
namespace {

// BAR0: one page of registers, which is never mapped, and the doorbells.
struct Bar {
  base::system::UniqueFd fd;
  std::byte* memory = nullptr;
  Bar() = default;
  Bar(Bar&& other) noexcept : fd(std::move(other.fd)), memory(std::exchange(other.memory, nullptr)) {}
  Bar& operator=(Bar&&) = delete;
  ~Bar() {
    if (memory != nullptr) ::munmap(memory, kBarBytes);
  }
  volatile std::uint32_t* doorbells() const { return reinterpret_cast<volatile std::uint32_t*>(memory + kDoorbells); }
};

base::Expected<Bar> make_bar() {
  Bar bar;
  bar.fd.reset(::memfd_create("fathom-nvme-bar0", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!bar.fd || ::ftruncate(bar.fd.get(), kBarBytes) != 0) return base::system_error("memory for BAR0", errno);
  // if a client could shrink it, SIGBUS would end this process
  ::fcntl(bar.fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  void* memory = ::mmap(nullptr, kBarBytes, PROT_READ | PROT_WRITE, MAP_SHARED, bar.fd.get(), 0);
  if (memory == MAP_FAILED) return base::system_error("map BAR0", errno);
  bar.memory = static_cast<std::byte*>(memory);
  return bar;
}

constexpr std::uint64_t low_half(std::uint64_t whole, std::uint32_t half) { return (whole & ~0xffffffffull) | half; }
constexpr std::uint64_t high_half(std::uint64_t whole, std::uint32_t half) {
  return (whole & 0xffffffffull) | std::uint64_t{half} << 32;
}

std::uint32_t read_word(const State& state, std::uint32_t offset) {
  const Registers& r = state.registers;
  const auto half = [&](std::uint64_t whole, std::uint32_t base) {
    return static_cast<std::uint32_t>(offset == base ? whole : whole >> 32);
  };
  switch (offset) {
    case kCap:
    case kCap + 4:
      return half(capabilities(state.options), kCap);
    case kVs:
      return kVersion;
    case kIntms:
    case kIntmc:
      return r.interrupt_mask.load(std::memory_order_relaxed);
    case kCc:
      return r.cc.load(std::memory_order_relaxed);
    case kCsts:
      return r.csts.load(std::memory_order_acquire);
    case kAqa:
      return r.aqa.load(std::memory_order_relaxed);
    case kAsq:
    case kAsq + 4:
      return half(r.asq.load(std::memory_order_relaxed), kAsq);
    case kAcq:
    case kAcq + 4:
      return half(r.acq.load(std::memory_order_relaxed), kAcq);
    default:
      return 0;  // reserved
  }
}

void write_word(State& state, std::uint32_t offset, std::uint32_t value) {
  Registers& r = state.registers;
  const auto set = [](auto& where, std::uint64_t to) {
    using Word = decltype(where.load());
    where.store(static_cast<Word>(to), std::memory_order_relaxed);
  };
  switch (offset) {
    case kIntms:
      return set(r.interrupt_mask, r.interrupt_mask | value);
    case kIntmc:
      return set(r.interrupt_mask, r.interrupt_mask & ~value);
    case kCc:
      return write_cc(state, value);
    default:
      break;
  }
  if ((r.cc & kCcEnable) != 0) return;  // the admin queue must not move while it is used
  switch (offset) {
    case kAqa:
      return set(r.aqa, value & 0x0fff0fff);
    case kAsq:
      return set(r.asq, low_half(r.asq, value));
    case kAsq + 4:
      return set(r.asq, high_half(r.asq, value));
    case kAcq:
      return set(r.acq, low_half(r.acq, value));
    case kAcq + 4:
      return set(r.acq, high_half(r.acq, value));
    default:
      return;
  }
}

base::Error out_of_range(std::string what, std::string cause) {
  return {base::ErrorKind::usage, "soft controller: " + std::move(what), std::move(cause), {}, {}, 0};
}

// Refuses impossible values, regardless of their origin.
base::Expected<void> check(const Options& o) {
  if (o.block_bytes != 512 && o.block_bytes != 4096)
    return out_of_range(fmt::format("bs={}", o.block_bytes), "a block has 512 or 4096 bytes");
  if (o.size_bytes < o.block_bytes || o.size_bytes % 4096 != 0 || o.size_bytes > 1ull << 50)
    return out_of_range(fmt::format("size={}", o.size_bytes), "a namespace has whole pages of 4096 bytes, up to 1 PiB");
  if (o.namespaces < 1 || o.namespaces > 1024)
    return out_of_range(fmt::format("ns={}", o.namespaces), "a controller has 1 to 1024 namespaces");
  if (o.queue_entries_max < 2 || o.queue_entries_max > 65536)
    return out_of_range(fmt::format("entries={}", o.queue_entries_max), "a queue has 2 to 65536 entries");
  if (o.cqes < 4 || o.cqes > 6)
    return out_of_range(fmt::format("cqes={}", o.cqes), "a completion entry has 2^4 to 2^6 bytes");
  if (o.mdts > 16) return out_of_range(fmt::format("mdts={}", o.mdts), "0 (no limit) to 16 (2^16 pages)");
  if (o.doorbell_stride > 8) return out_of_range(fmt::format("dstrd={}", o.doorbell_stride), "0 to 8");
  const std::uint32_t pairs = kDoorbellBytes / (8u << o.doorbell_stride);
  if (o.io_queues_max < 1 || o.io_queues_max >= pairs)
    return out_of_range(fmt::format("queues={}", o.io_queues_max),
                        fmt::format("with dstrd={} doorbells exist for 1 to {}", o.doorbell_stride, pairs - 1));
  if (o.latency.kind == LatencyModel::Kind::table && o.latency.table.empty())
    return out_of_range("latency=table", "the table has no row");
  return {};
}

}  // namespace

State::State(const Options& the_options, Clock the_clock, std::unique_ptr<memory::Store> the_store,
             volatile std::uint32_t* the_doorbells)
    : options(the_options),
      clock(std::move(the_clock)),
      store(std::move(the_store)),
      doorbells(the_doorbells),
      submission(options.io_queues_max + 1),
      completion(options.io_queues_max + 1),
      active_namespaces(options.namespaces, true),
      latency(options.latency, options.seed),
      faults(options.faults),
      io_queues(options.io_queues_max) {
  shape.block_shift = static_cast<unsigned>(std::countr_zero(options.block_bytes));
  shape.blocks = options.size_bytes >> shape.block_shift;
  shape.namespaces = options.namespaces;
  const std::uint64_t most = options.mdts == 0 ? 65536 : std::uint64_t{4096} << options.mdts >> shape.block_shift;
  shape.nlb_most = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, 65536) - 1);
  ideal = options.media == Media::ideal && options.latency.kind == LatencyModel::Kind::none && !faults.any();
}

struct Controller::Impl {
  Impl(const Options& options, Clock clock, std::unique_ptr<memory::Store> store, Bar the_bar)
      : bar(std::move(the_bar)), state(options, std::move(clock), std::move(store), bar.doorbells()) {}
  Bar bar;
  Gate gate;
  State state;
};

Controller::Controller(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Controller::~Controller() = default;

base::Expected<std::unique_ptr<Controller>> Controller::make(const Options& options, Clock clock) {
  if (auto good = check(options); !good) return good.error();
  auto store = memory::make_store(options);
  if (!store) return store.error();
  auto bar = make_bar();
  if (!bar) return bar.error();
  if (!clock) clock = base::monotonic_ns;
  auto impl = std::make_unique<Impl>(options, std::move(clock), std::move(*store), std::move(*bar));
  return std::unique_ptr<Controller>(new Controller(std::move(impl)));
}

std::uint64_t Controller::read_register(std::uint32_t offset, std::uint32_t bytes) {
  const State& state = impl_->state;
  const std::uint64_t nothing = bytes == 4 ? kAllOnes : ~0ull;
  if ((bytes != 4 && bytes != 8) || offset % bytes != 0 || offset >= kDoorbells || removed()) return nothing;
  const std::uint64_t low = read_word(state, offset);
  return bytes == 4 ? low : low | std::uint64_t{read_word(state, offset + 4)} << 32;
}

void Controller::write_register(std::uint32_t offset, std::uint32_t bytes, std::uint64_t value) {
  if ((bytes != 4 && bytes != 8) || offset % bytes != 0 || offset >= kDoorbells) return;
  const Gate::Closed closed(impl_->gate);
  if (removed()) return;
  write_word(impl_->state, offset, static_cast<std::uint32_t>(value));
  if (bytes == 8) write_word(impl_->state, offset + 4, static_cast<std::uint32_t>(value >> 32));
}

int Controller::bar_fd() const { return impl_->bar.fd.get(); }
volatile std::uint32_t* Controller::doorbells() { return impl_->bar.doorbells(); }

bool Controller::map(std::uint64_t iova, const HostMemory& memory, memory::Access access) {
  const Gate::Closed closed(impl_->gate);
  if (!impl_->state.regions.add(iova, memory.memory, memory.bytes, access)) return false;
  find_rings(impl_->state);
  return true;
}

bool Controller::unmap(std::uint64_t iova, std::uint64_t bytes) {
  const Gate::Closed closed(impl_->gate);
  if (!impl_->state.regions.remove(iova, bytes)) return false;
  find_rings(impl_->state);
  return true;
}

void Controller::drop_queue_at(std::uint64_t iova) {
  const Gate::Closed closed(impl_->gate);
  forget_ring_at(impl_->state, iova);
}

unsigned Controller::step() {
  Impl& impl = *impl_;
  if (!impl.state.running.load(std::memory_order_relaxed) || !impl.gate.enter()) return 0;
  const unsigned done = impl.state.running.load(std::memory_order_relaxed) ? soft::step(impl.state) : 0;
  impl.gate.leave();
  return done;
}

bool Controller::removed() const { return impl_->state.gone.load(std::memory_order_acquire); }

void Controller::remove() {
  const Gate::Closed closed(impl_->gate);
  take_away(impl_->state);
}

void Controller::reset() {
  const Gate::Closed closed(impl_->gate);
  if (removed()) return;
  impl_->state.registers.cc.store(0, std::memory_order_relaxed);
  stop(impl_->state);
}

bool Controller::set_active(std::uint32_t nsid, bool active) {
  const Gate::Closed closed(impl_->gate);
  State& state = impl_->state;
  if (nsid < 1 || nsid > state.options.namespaces) return false;
  if (state.active_namespaces[nsid - 1] == active) return true;
  state.active_namespaces[nsid - 1] = active;
  state.changed.add(nsid);
  const auto configuration = state.features[static_cast<std::size_t>(Feature::async_event_configuration)];
  if ((configuration & memory::kNamespaceNotices) != 0) state.events.happen(memory::kNamespaceChanged);
  // The ideal path supports only "all of them": while one is missing, every command takes the general path.
  const auto& each = state.active_namespaces;
  const bool all = std::find(each.begin(), each.end(), false) == each.end();
  state.shape.namespaces = all ? state.options.namespaces : 0;
  return true;
}

const Options& Controller::options() const { return impl_->state.options; }

bool Controller::harmless() const { return impl_->state.store == nullptr || impl_->state.store->fresh(); }

}  // namespace fathom::nvme::soft

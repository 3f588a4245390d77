// The signals of the reader are blocked: it runs in the measuring process. Ring, buffer and stack are small, because
// they are locked with the thread's own memory: together they may take at most 256 KiB. The reader polls for room in
// the ring, so the measuring thread never has to wake it. It polls after a fifth of the time that a full ring lasts at
// 100 ns per access.
#include "paging/sources/trace_source.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include <atomic>
#include <limits>
#include <optional>
#include <vector>

#include "base/spsc_ring.h"
#include "paging/sources/sources_drawn.h"
#include "paging/sources/thread_stack.h"
#include "paging/sources/trace_file.h"
#include "paging/sources/trace_layout.h"

namespace fathom::paging::sources {
namespace {

constexpr std::size_t kRingSlots = 8 << 10;  // 64 KiB
constexpr std::size_t kReaderStackBytes = 16 << 10;
constexpr long kWait_ns = 160'000;
constexpr std::uint64_t kNotKnown = std::numeric_limits<std::uint64_t>::max();

void sleep_ns(long ns) {
  const timespec time{0, ns};
  ::nanosleep(&time, nullptr);
}

// The side of the reader.
class TraceReader {
 public:
  TraceReader(TraceFile file, std::shared_ptr<const TraceLayout> layout, bool loop)
      : file_(std::move(file)), layout_(std::move(layout)), loop_(loop), slots_(kRingSlots) {}
  ~TraceReader() {
    if (!running_) return;
    stop_.store(true, std::memory_order_relaxed);
    ::pthread_join(thread_, nullptr);
  }
  base::Expected<void> start();
  // Blocks until the ring is full or has the rest of the trace.
  void wait_until_ready() const {
    while (!ready_.load(std::memory_order_acquire)) sleep_ns(200'000);
  }
  base::RingReader<Access> ring() { return {ends_, slots_}; }
  // The total number of accesses; kNotKnown before the end was read.
  std::uint64_t total() const { return total_.load(std::memory_order_acquire); }
  const char* trouble() const { return trouble_.load(std::memory_order_acquire); }
  std::vector<std::span<const std::byte>> memory() const;

 private:
  void read_all();
  bool push(const TraceAccess& access);
  std::optional<TraceAccess> next();
  bool room();

  TraceFile file_;
  std::shared_ptr<const TraceLayout> layout_;
  bool loop_;
  base::RingEnds ends_{};
  std::vector<Access> slots_;
  std::uint64_t pushed_ = 0, seen_tail_ = 0, last_page_ = TraceLayout::kNowhere, last_place_ = 0;
  std::atomic<std::uint64_t> total_{kNotKnown};
  std::atomic<const char*> trouble_{nullptr};
  std::atomic<bool> stop_{false}, ready_{false};
  ThreadStack stack_{kReaderStackBytes};
  pthread_t thread_{};
  bool running_ = false;
};

base::Expected<void> TraceReader::start() {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto body = [](void* self) -> void* {
    static_cast<TraceReader*>(self)->read_all();
    return nullptr;
  };
  auto ok = stack_.start(thread_, body, this);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  running_ = ok.ok();
  return ok;
}

std::vector<std::span<const std::byte>> TraceReader::memory() const {
  return {bytes_of(*this), std::as_bytes(std::span(slots_)), std::as_bytes(file_.buffer()), stack_.memory()};
}

bool TraceReader::room() {
  if (pushed_ - seen_tail_ < kRingSlots) return true;
  for (;;) {
    seen_tail_ = ends_.tail.load(std::memory_order_acquire);
    if (pushed_ - seen_tail_ < kRingSlots) return true;
    ready_.store(true, std::memory_order_release);
    if (stop_.load(std::memory_order_relaxed)) return false;
    sleep_ns(kWait_ns);
  }
}

// False: asked to stop, or the page did not exist when the trace was scanned.
bool TraceReader::push(const TraceAccess& access) {
  const std::uint64_t page = access.address >> kPageShift;
  if (page != last_page_) {
    last_page_ = page;
    last_place_ = layout_->place_of(page);
  }
  if (last_place_ == TraceLayout::kNowhere) {
    trouble_.store("a page that was not in the trace when it was scanned", std::memory_order_release);
    return false;
  }
  if (!room()) return false;
  base::RingWriter<Access>(ends_, slots_)
      .push(Access::of(last_place_ << kPageShift | (access.address & 0xffc), access.write));
  ++pushed_;
  return true;
}

std::optional<TraceAccess> TraceReader::next() {
  auto access = file_.next();
  if (access) return *access;
  trouble_.store("the trace file changed after it was scanned", std::memory_order_release);
  return std::nullopt;
}

void TraceReader::read_all() {
  for (;;) {
    const auto access = next();
    if (trouble() != nullptr || stop_.load(std::memory_order_relaxed)) break;
    if (!access) {
      if (!loop_) break;
      if (!file_.rewind() || pushed_ == 0) {
        trouble_.store("the trace cannot be read again from its start", std::memory_order_release);
        break;
      }
    }
    if (access && !push(*access)) break;
  }
  total_.store(pushed_, std::memory_order_release);
  ready_.store(true, std::memory_order_release);
}

class TraceSource final : public AccessSource {
 public:
  explicit TraceSource(std::unique_ptr<TraceReader> reader) : reader_(std::move(reader)), ring_(reader_->ring()) {}

  void refill(std::span<Access, kAccessBlock> out, std::uint64_t) override {
    std::size_t got = ring_.take(out);
    if (got < out.size()) got = wait_for_rest(out, got);
    played_ += got;
    in_block_ = got;
    for (; got < out.size(); ++got) out[got] = Access{};
  }
  std::size_t in_block() const override { return in_block_; }
  std::uint64_t warmup_accesses() const override { return 0; }
  bool exhausted() const override { return played_ >= reader_->total(); }
  std::uint64_t starved() const override { return starved_; }
  const char* trouble() const override { return reader_->trouble(); }
  std::vector<std::span<const std::byte>> memory() const override {
    auto all = reader_->memory();
    all.push_back(bytes_of(*this));
    return all;
  }

 private:
  std::size_t wait_for_rest(std::span<Access, kAccessBlock> out, std::size_t got) {
    if (played_ + got < reader_->total()) ++starved_;
    while (got < out.size() && played_ + got < reader_->total()) {
      ::sched_yield();
      got += ring_.take(out.subspan(got));
    }
    return got;
  }
  std::unique_ptr<TraceReader> reader_;
  base::RingReader<Access> ring_;
  std::uint64_t played_ = 0, starved_ = 0;
  std::size_t in_block_ = 0;
};

base::Expected<std::shared_ptr<const TraceLayout>> fitting_layout(const PatternPlan& plan, std::uint64_t pages) {
  auto layout = scan_trace(plan.file);
  if (!layout) return layout.error();
  if ((*layout)->pages() <= pages) return *layout;
  const auto mib = [](std::uint64_t n) { return (n + 255) / 256; };
  return base::Error{base::ErrorKind::usage,
                     fmt::format("trace {}: the trace touches {} pages ({} MiB), the set has {} ({} MiB)", plan.file,
                                 (*layout)->pages(), mib((*layout)->pages()), pages, pages / 256),
                     "a smaller set would change which pages are near each other",
                     fmt::format("use a set of {} MiB or more", mib((*layout)->pages())),
                     {}};
}

}  // namespace

base::Expected<void> check_trace(const PatternPlan& plan, std::uint64_t pages) {
  auto layout = fitting_layout(plan, pages);
  if (!layout) return layout.error();
  return {};
}

base::Expected<std::unique_ptr<AccessSource>> make_trace_source(const PatternPlan& plan, std::uint64_t pages) {
  auto layout = fitting_layout(plan, pages);
  if (!layout) return layout.error();
  auto file = TraceFile::open(plan.file);
  if (!file) return file.error();
  auto reader = std::make_unique<TraceReader>(std::move(*file), std::move(*layout), plan.trace_loop);
  if (auto started = reader->start(); !started) return started.error();
  reader->wait_until_ready();
  return std::unique_ptr<AccessSource>(std::make_unique<TraceSource>(std::move(reader)));
}

}  // namespace fathom::paging::sources

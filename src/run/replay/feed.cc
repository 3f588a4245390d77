// The thread that reads the trace ahead, and the ring between it and the loop.
#include "run/replay/feed.h"

#include <signal.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/time.h"
#include "trace/event.h"

namespace fathom::run::replay {
namespace {

constexpr long kEmpty_ns = 20'000, kFull_ns = 2'000'000;
constexpr std::uint64_t kFirstFill_ns = 100'000'000;  // of a stream
constexpr std::uint64_t kLastWait_ns = 500'000'000;

void sleep_ns(long ns) {
  const timespec time{0, ns};
  ::nanosleep(&time, nullptr);
}

void copy_text(std::string_view from, std::span<char> to) {
  const std::size_t n = std::min(from.size(), to.size() - 1);
  std::memcpy(to.data(), from.data(), n);
  to[n] = 0;
}

}  // namespace

void EndsFeed::operator()(std::shared_ptr<Feed>* feed) const {
  static_cast<void>((*feed)->end());
  delete feed;
}

base::Expected<FeedHandle> Feed::start(Trace& trace, const job::Job& job, Setup setup) {
  std::unique_ptr<trace::Reader> reader = std::move(trace.stream);
  const bool stream = reader != nullptr;
  if (!stream) {
    auto opened = open(job);
    if (!opened) return opened.error();
    reader = std::move(*opened);
  }
  const std::shared_ptr<Feed> feed(new Feed(std::move(reader), std::move(trace.ahead), std::move(setup)));
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  feed->thread_ = std::thread([kept = feed] { kept->read(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  const std::uint64_t until_ns = base::monotonic_ns() + kFirstFill_ns;
  while (!feed->ended_.load() && feed->taker_.waiting() < kSlots && feed->setup_.stop->load() == 0 &&
         (!stream || base::monotonic_ns() < until_ns))
    sleep_ns(kEmpty_ns);
  return FeedHandle(new std::shared_ptr<Feed>(feed));
}

Feed::Feed(std::unique_ptr<trace::Reader> reader, std::vector<trace::Event> ahead, Setup setup)
    : reader_(std::move(reader)),
      ahead_(std::move(ahead)),
      setup_(std::move(setup)),
      slots_(kSlots),
      writer_(ends_, slots_),
      taker_(ends_, slots_),
      holds_(setup_.closed != nullptr ? 2 * kSlots : 0),
      hold_writer_(hold_ends_, holds_),
      hold_taker_(hold_ends_, holds_),
      numbers_(2 * holds_.size()),
      number_writer_(number_ends_, numbers_),
      number_taker_(number_ends_, numbers_) {}

void Feed::read() {
  bool goes_on = true;
  for (const auto& event : ahead_)
    if (goes_on) goes_on = put(event);
  trace::Event event;
  while (goes_on) {
    auto more = reader_->next(event);
    if (!more) error_ = more.error();
    goes_on = more && *more && put(event);
  }
  ended_.store(true, std::memory_order_release);
}

bool Feed::put(const trace::Event& event) {
  ++records_;
  io::Request made[workload::ReplayRequests::kMost];
  const std::size_t n = setup_.requests.make(event, made);
  if (setup_.closed != nullptr && n > 0 && !push_hold(event, static_cast<std::uint32_t>(n))) return false;
  for (std::size_t i = 0; i < n; ++i)
    if (!push_into(writer_, made[i])) return false;
  return !over_.load(std::memory_order_relaxed);
}

// Before its request, so that it is there when the request is. Several requests of one record wait for the same.
bool Feed::push_hold(const trace::Event& event, std::uint32_t requests) {
  const auto& ended = recorded_ends_.before(event, requests);
  for (const auto number : ended)
    if (!push_into(number_writer_, number)) return false;
  Hold hold{static_cast<std::uint32_t>(ended.size()), setup_.requests.paused_ns(recorded_ends_.pause_ns())};
  for (std::uint32_t i = 0; i < requests; ++i, hold.ended = 0)
    if (!push_into(hold_writer_, hold)) return false;
  return true;
}

template <class T>
bool Feed::push_into(base::RingWriter<T>& ring, const T& value) {
  while (!ring.try_push(value)) {
    if (over_.load(std::memory_order_relaxed)) return false;
    sleep_ns(kFull_ns);
  }
  return true;
}

void Feed::job_begins() {
  begun_ = true;
  if (setup_.runtime_ns != 0) end_ns_ = base::monotonic_ns() + setup_.runtime_ns;
}

bool Feed::must_end() const { return setup_.stop->load() != 0 || base::monotonic_ns() >= end_ns_; }

std::size_t Feed::next(std::span<io::Request> out) {
  auto& record = *setup_.record;
  if (setup_.closed != nullptr) out = out.first(1);
  std::size_t n = taker_.take(out);
  if (n == 0 && begun_ && !ended_.load(std::memory_order_acquire)) ++record.reader_waits;
  while (n == 0) {
    const bool ended = ended_.load(std::memory_order_acquire);
    n = taker_.take(out);
    if (n != 0 || ended || must_end()) break;
    sleep_ns(kEmpty_ns);
  }
  record.wanted_ios += n;
  for (const auto& request : out.first(n))
    if (request.dir != io::Dir::sync && request.due_ns != 0) record.recorded.add(request.due_ns);
  if (n > 0) record.recorded_ns = std::max(record.recorded_ns, out[n - 1].due_ns);
  if (setup_.closed != nullptr && n > 0) {
    Hold hold;
    hold_taker_.take({&hold, 1});
    for (std::uint64_t number; hold.ended > 0; --hold.ended) {
      number_taker_.take({&number, 1});
      setup_.closed->wait_for(number);
    }
    setup_.closed->hold(out[0], hold.pause_ns);
    if (setup_.one_at_a_time) setup_.closed->nothing_in_flight();
  }
  return n;
}

base::Expected<void> Feed::end() {
  if (!thread_.joinable()) return error_ ? base::Expected<void>(*error_) : base::Expected<void>();
  over_.store(true);
  const std::uint64_t until_ns = base::monotonic_ns() + kLastWait_ns;
  while (!ended_.load(std::memory_order_acquire) && base::monotonic_ns() < until_ns) sleep_ns(kFull_ns);
  if (!ended_.load(std::memory_order_acquire)) {
    thread_.detach();
    return {};
  }
  thread_.join();
  complete_record();
  return error_ ? base::Expected<void>(*error_) : base::Expected<void>();
}

void Feed::complete_record() {
  auto& record = *setup_.record;
  record.records = records_;
  record.times_back = reader_->times_back();
  std::size_t used = 0;
  const auto add = [&](std::string_view reason, std::uint64_t records, std::string_view first) {
    if (records == 0 || used == records::ReplayRecord::kSkips) return;
    auto& skip = record.skips[used++];
    copy_text(reason, skip.reason);
    copy_text(first, skip.first);
    skip.records = records;
  };
  for (const auto& skip : reader_->skipped()) {
    record.records += skip.records;
    add(skip.reason, skip.records, skip.first);
  }
  for (std::size_t i = 0; i < workload::kReplaySkipReasons; ++i) {
    const auto reason = static_cast<workload::ReplaySkipReason>(i);
    add(workload::text_of(reason), setup_.requests.skipped(reason), "");
  }
  std::size_t note = 0;
  for (const auto& text : reader_->notes())
    if (note < std::size(record.notes)) copy_text(text, record.notes[note++]);
}

}  // namespace fathom::run::replay

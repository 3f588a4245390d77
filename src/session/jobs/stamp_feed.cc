// The thread and its rings.
#include "session/jobs/stamp_feed.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/time.h"

namespace fathom::session::jobs {
namespace {

constexpr std::uint64_t kBetween_ns = 1'000'000;

}  // namespace

StampFeed::StampFeed(std::span<const run::files::Plan> plans, std::span<const std::uint32_t> jobs,
                     StampListener listener)
    : logs_(plans.size()), listener_(std::move(listener)) {
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (jobs.empty() || std::find(jobs.begin(), jobs.end(), i) != jobs.end())
      sources_.push_back({logs_.reader(i), &plans[i]});
}

void StampFeed::drain() {
  std::array<result::IoStamp, 256> stamps;
  for (auto& source : sources_)
    for (std::size_t n = source.reader.take(stamps); n > 0; n = source.reader.take(stamps)) {
      listener_.on_stamps(source.reader.pid(), number_ + 1, std::span(stamps).first(n), *source.plan);
      number_ += n;
    }
}

void StampFeed::begin() {
  thread_ = std::thread([this] {
    while (!over_.load()) {
      drain();
      base::sleep_ns(kBetween_ns);
    }
  });
}

void StampFeed::end() {
  if (!thread_.joinable()) return;
  over_.store(true);
  thread_.join();
  drain();
  for (const auto& source : sources_)
    if (const auto lost = source.reader.lost(); lost > 0) listener_.on_lost(source.reader.pid(), lost);
}

}  // namespace fathom::session::jobs

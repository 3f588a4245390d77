// DAMON with one region per page (damon_sysfs.h). The kernel marks and checks the pages. A separate thread empties the
// TLBs in each sample, so that pages touched all the time are seen again. It also reads the soft-dirty bits if the
// kernel has them. With physical addresses, a page that moved to another frame during a window is omitted from it.
#include <algorithm>
#include <thread>

#include "paging/learn/observe/damon_sysfs.h"
#include "paging/learn/observe/observer.h"
#include "result/findings/rows.h"

namespace fathom::paging::learn::observe {
namespace {

constexpr double kTlbsASample = 4, kTlbShare = 0.3;  // share of the time, at most; but at least once per sample

class DamonPages final : public Observer {
 public:
  DamonPages(const Scene& scene, const std::string& operations, const std::string& folder)
      : scene_(scene), operations_(operations), damon_(folder) {}

  base::Expected<void> begin(const PageSample& sample) override {
    if (auto cause = damon_.cause_against(operations_)) {
      base::Error error;
      error.kind = base::ErrorKind::refused;
      error.what = "DAMON cannot be used";
      error.cause = *cause;
      return error;
    }
    followed_ = sample.size();
    return {};
  }

  Window window(PageSample& sample, double interval_s, unsigned intervals) override {
    Window out;
    if (!running(sample, interval_s, intervals)) return out;
    out.begin_s = scene_.now_s();
    out.written.pages.assign(sample.size(), 0);
    std::atomic<bool> enough{false};
    std::thread beside([&] { empty_tlbs(out, sample, interval_s, enough); });
    const auto counts = damon_.counts();
    enough = true;
    beside.join();
    out.end_s = scene_.now_s();
    if (!counts.ok()) {
      if (!scene_.target.ended())
        failure_ = counts.error().what + (counts.error().cause.empty() ? "" : ": " + counts.error().cause);
      return out;
    }
    take(out, sample, *counts);
    out.look_s += kernel_s_ * intervals;
    out.complete = !scene_.over();
    return out;
  }

  std::vector<result::Finding> findings() const override {
    if (failure_.empty()) return {};
    return {result::findings::found("learn.damon_failed", {.values = {{"cause", failure_}}})};
  }

 private:
  struct Region {
    std::uint64_t address;
    std::uint32_t number;
  };

  // Starts DAMON, or starts it again for another interval.
  bool running(PageSample& sample, double interval_s, unsigned intervals) {
    if (interval_s == interval_s_ && intervals == intervals_) return !scene_.over();
    find_regions(sample);
    DamonPlan plan{operations_, scene_.target.pid(), {}, static_cast<std::uint64_t>(interval_s * 1e6), intervals};
    for (const Region& region : regions_) plan.pages.push_back(region.address);
    const auto started = damon_.start(plan);
    if (!started.ok()) {
      failure_ = started.error().what + (started.error().cause.empty() ? "" : ": " + started.error().cause);
      return false;
    }
    interval_s_ = interval_s;
    intervals_ = intervals;
    // Two ends of aggregations show how long one really takes. Marking and checking add to the sleep; a page sees about
    // half of that.
    if (!damon_.pass().ok()) return false;
    const double begin = scene_.now_s();
    if (!damon_.pass().ok()) return false;
    const double period = (scene_.now_s() - begin) / intervals;
    kernel_s_ = std::max(0.0, period - interval_s);
    seen_interval_s_ = (std::clamp(period, interval_s, 4 * interval_s) + interval_s) / 2;
    return !scene_.over();
  }

  void find_regions(PageSample& sample) {
    regions_.clear();
    sample.read(scene_.target, words_);
    for (std::uint32_t n = 0; n < std::min(followed_, words_.size()); ++n) {
      const std::uint64_t physical = frame(words_[n]) * kPageBytes;
      if (operations_ != "paddr")
        regions_.push_back({sample.address(n), n});
      else if (physical != 0)
        regions_.push_back({physical, n});
    }
    std::sort(regions_.begin(), regions_.end(), [](auto& a, auto& b) { return a.address < b.address; });
    // Two pages of one file may share a frame.
    const auto same = [](auto& a, auto& b) { return a.address == b.address; };
    regions_.erase(std::unique(regions_.begin(), regions_.end(), same), regions_.end());
  }

  // Runs until `enough` is set. Empties the TLBs several times in each sample, as often as that is cheap: a page in a
  // TLB is not seen between its mark and the next time that the TLBs are emptied. Also reads the soft-dirty bits of the
  // times in between.
  void empty_tlbs(Window& out, PageSample& sample, double interval_s, const std::atomic<bool>& enough) {
    if (!scene_.target.clear(Marks::soft_dirty)) return;
    for (double begin = scene_.now_s(); !enough;) {
      if (!sleep_until(scene_, begin + std::clamp(look_s_ / kTlbShare, interval_s / kTlbsASample, interval_s / 2)))
        return;
      const double woken = scene_.now_s();
      if (scene_.soft_dirty) {
        sample.read(scene_.target, dirty_words_);
        for (const Region& region : regions_)
          if ((dirty_words_[region.number] & kPresent) != 0 && (dirty_words_[region.number] & kSoftDirty) != 0)
            ++out.written.pages[region.number];
        ++out.written.intervals;
        out.written.interval_s += woken - begin;
      }
      if (!scene_.target.clear(Marks::soft_dirty)) return;
      begin = scene_.now_s();
      look_s_ = begin - woken;
      out.look_s += look_s_;
    }
  }

  void take(Window& out, PageSample& sample, const std::vector<std::uint16_t>& counts) {
    out.touched = {intervals_, seen_interval_s_, std::vector<std::uint16_t>(sample.size(), 0)};
    if (out.written.intervals > 0) out.written.interval_s /= out.written.intervals;
    if (operations_ == "paddr") sample.read(scene_.target, words_);
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      const std::uint32_t n = regions_[i].number;
      const bool moved = operations_ == "paddr" && frame(words_[n]) * kPageBytes != regions_[i].address;
      if (!moved) out.touched.pages[n] = std::min<std::uint16_t>(counts[i], static_cast<std::uint16_t>(intervals_));
    }
  }

  Scene scene_;
  std::string operations_;
  Damon damon_;
  std::size_t followed_ = 0;
  double interval_s_ = 0, seen_interval_s_ = 0, look_s_ = 0, kernel_s_ = 0;
  unsigned intervals_ = 0;
  std::vector<Region> regions_;
  std::vector<std::uint64_t> words_, dirty_words_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Observer> observe_damon(const Scene& scene, const std::string& operations, const std::string& folder) {
  return std::make_unique<DamonPages>(scene, operations, folder);
}

}  // namespace fathom::paging::learn::observe

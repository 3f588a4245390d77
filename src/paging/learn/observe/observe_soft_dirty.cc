// Soft-dirty bits (Documentation/admin-guide/mm/soft-dirty.rst): clearing them write-protects the process's pages. The
// first write to each page sets its bit again by a short fault. So the written pages are known one by one. The number
// of touched pages comes from Referenced in smaps, in every other interval: reading both in each interval would
// lengthen it.
#include <algorithm>

#include "paging/learn/observe/observer.h"

namespace fathom::paging::learn::observe {
namespace {

class SoftDirty final : public Observer {
 public:
  explicit SoftDirty(const Scene& scene) : scene_(scene) {}

  Window window(PageSample& sample, double interval_s, unsigned intervals) override {
    Window out;
    out.begin_s = scene_.now_s();
    out.written.pages.assign(sample.size(), 0);
    out.complete = true;
    for (unsigned i = 0; out.complete && i < intervals; ++i)
      out.complete = interval(out, sample, interval_s, i % 2 == 0);
    out.end_s = scene_.now_s();
    if (out.written.intervals > 0) out.written.interval_s /= out.written.intervals;
    if (out.touched_intervals > 0) {
      out.touched_pages /= out.touched_intervals;
      out.touched_interval_s /= out.touched_intervals;
    }
    return out;
  }

 private:
  bool interval(Window& out, PageSample& sample, double interval_s, bool count_touched) {
    const double begin = scene_.now_s();
    if (count_touched && !scene_.target.clear(Marks::referenced)) return false;
    if (!scene_.target.clear(Marks::soft_dirty)) return false;
    const double cleared = scene_.now_s();
    if (!sleep_until(scene_, cleared + interval_s)) return false;
    const double woken = scene_.now_s();
    sample.read(scene_.target, words_);
    const double read = scene_.now_s();
    const std::uint64_t referenced = count_touched ? scene_.target.referenced_bytes() : 0;
    if (scene_.target.ended()) return false;
    ++out.written.intervals;
    out.written.interval_s += woken - cleared;
    for (std::size_t n = 0; n < words_.size(); ++n)
      if ((words_[n] & kPresent) != 0 && (words_[n] & kSoftDirty) != 0) ++out.written.pages[n];
    if (count_touched) {
      ++out.touched_intervals;
      out.touched_pages += static_cast<double>(referenced) / static_cast<double>(kPageBytes);
      out.touched_interval_s += read - cleared;
    }
    out.look_s += (cleared - begin) + (scene_.now_s() - woken);
    return true;
  }

  Scene scene_;
  std::vector<std::uint64_t> words_;
};

}  // namespace

std::unique_ptr<Observer> observe_soft_dirty(const Scene& scene) { return std::make_unique<SoftDirty>(scene); }

}  // namespace fathom::paging::learn::observe

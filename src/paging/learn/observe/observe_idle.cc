// Idle page tracking (Documentation/admin-guide/mm/idle_page_tracking.rst): a bitmap with one bit per page frame.
// Setting a bit marks the frame idle and clears the processor's accessed bits; any touch clears it. Pagemap gives the
// frames at the start of each interval. Soft-dirty bits, if the kernel has them, show writes. Clearing them also
// empties the TLBs: otherwise a page that is touched all the time would look idle.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/system/fd.h"
#include "paging/learn/observe/observer.h"

namespace fathom::paging::learn::observe {
namespace {

constexpr std::uint64_t kFramesPerWord = 64;

class Idle final : public Observer {
 public:
  Idle(const Scene& scene, const std::string& bitmap)
      : scene_(scene), path_(bitmap), bitmap_(open(bitmap.c_str(), O_RDWR | O_CLOEXEC)) {}

  base::Expected<void> begin(const PageSample&) override {
    if (!bitmap_) return base::system_error(path_, ENOENT);
    return {};
  }

  Window window(PageSample& sample, double interval_s, unsigned intervals) override {
    Window out;
    out.begin_s = scene_.now_s();
    out.touched.pages.assign(sample.size(), 0);
    if (scene_.soft_dirty) out.written.pages.assign(sample.size(), 0);
    out.complete = true;
    for (unsigned i = 0; out.complete && i < intervals; ++i) out.complete = interval(out, sample, interval_s);
    out.end_s = scene_.now_s();
    for (Counts* counts : {&out.touched, &out.written})
      if (counts->intervals > 0) counts->interval_s /= counts->intervals;
    return out;
  }

 private:
  struct Frame {
    std::uint64_t frame;
    std::uint32_t number;
  };
  struct Word {  // of the bitmap: its position, and the bits of followed pages
    std::uint64_t at, bits;
  };

  void find_frames(PageSample& sample) {
    sample.read(scene_.target, words_);
    frames_.clear();
    for (std::size_t n = 0; n < words_.size(); ++n)
      if (frame(words_[n]) != 0) frames_.push_back({frame(words_[n]), static_cast<std::uint32_t>(n)});
    std::sort(frames_.begin(), frames_.end(), [](auto& a, auto& b) { return a.frame < b.frame; });
    bits_.clear();
    for (const Frame& f : frames_) {
      const std::uint64_t at = f.frame / kFramesPerWord;
      if (bits_.empty() || bits_.back().at != at) bits_.push_back({at, 0});
      bits_.back().bits |= 1ull << f.frame % kFramesPerWord;
    }
  }

  // Calls f(first, count) for runs of adjacent words, so that a run needs one system call.
  template <class F>
  void runs(F&& f) const {
    for (std::size_t i = 0; i < bits_.size();) {
      std::size_t end = i + 1;
      while (end < bits_.size() && bits_[end].at == bits_[end - 1].at + 1) ++end;
      f(i, end - i);
      i = end;
    }
  }

  void mark() {
    runs([&](std::size_t first, std::size_t count) {
      line_.resize(count);
      for (std::size_t i = 0; i < count; ++i) line_[i] = bits_[first + i].bits;
      (void)!pwrite(bitmap_.get(), line_.data(), count * 8, static_cast<off_t>(bits_[first].at * 8));
    });
  }

  // Afterwards bits_ has the bits that are still idle.
  void read_marks() {
    runs([&](std::size_t first, std::size_t count) {
      line_.assign(count, ~0ull);
      (void)!pread(bitmap_.get(), line_.data(), count * 8, static_cast<off_t>(bits_[first].at * 8));
      for (std::size_t i = 0; i < count; ++i) bits_[first + i].bits &= line_[i];
    });
  }

  void count(Window& out) {
    auto word = bits_.begin();
    for (const Frame& f : frames_) {
      while (word->at != f.frame / kFramesPerWord) ++word;
      if ((word->bits >> f.frame % kFramesPerWord & 1) == 0) ++out.touched.pages[f.number];
    }
    if (out.written.pages.empty()) return;
    for (std::size_t n = 0; n < words_.size(); ++n)
      if ((words_[n] & kPresent) != 0 && (words_[n] & kSoftDirty) != 0) ++out.written.pages[n];
  }

  bool interval(Window& out, PageSample& sample, double interval_s) {
    const double begin = scene_.now_s();
    find_frames(sample);
    mark();
    if (!scene_.target.clear(Marks::soft_dirty)) return false;
    const double marked = scene_.now_s();
    if (!sleep_until(scene_, marked + interval_s)) return false;
    const double woken = scene_.now_s();
    read_marks();
    if (scene_.soft_dirty) sample.read(scene_.target, words_);
    if (scene_.target.ended()) return false;
    count(out);
    ++out.touched.intervals;
    out.touched.interval_s += woken - marked;
    if (scene_.soft_dirty) ++out.written.intervals, out.written.interval_s += woken - marked;
    out.look_s += (marked - begin) + (scene_.now_s() - woken);
    return true;
  }

  Scene scene_;
  std::string path_;
  base::system::UniqueFd bitmap_;
  std::vector<std::uint64_t> words_, line_;
  std::vector<Frame> frames_;
  std::vector<Word> bits_;
};

}  // namespace

std::unique_ptr<Observer> observe_idle(const Scene& scene, const std::string& bitmap) {
  return std::make_unique<Idle>(scene, bitmap);
}

}  // namespace fathom::paging::learn::observe

// A method that every kernel has, and that needs only the privileges of the process's own user. clear_refs clears the
// referenced marks, and smaps reports the number of pages referenced since then. One window is one curve: marked once,
// counted at doubling times. The processor does not mark a page again while its translation stays in a TLB. So the TLBs
// are emptied at the start (the other clear_refs does that on kernels with and without soft-dirty bits).
#include "paging/learn/observe/observer.h"

namespace fathom::paging::learn::observe {
namespace {

class Referenced final : public Observer {
 public:
  explicit Referenced(const Scene& scene) : scene_(scene) {}

  // intervals: points of the curve, plus one at once. The next point is after interval_s, then each time doubles.
  Window window(PageSample&, double interval_s, unsigned intervals) override {
    Window out;
    out.begin_s = scene_.now_s();
    bool cleared = scene_.target.clear(Marks::referenced);
    // The walk clears each page at some moment of its duration. The counting walk reads the page at a similar moment.
    // So times count from middle to middle.
    const double start = (out.begin_s + scene_.now_s()) / 2;
    cleared = cleared && scene_.target.clear(Marks::soft_dirty);
    out.look_s = scene_.now_s() - out.begin_s;
    out.complete = cleared;
    for (unsigned i = 0; out.complete && i <= intervals; ++i) {
      if (i > 0) out.complete = sleep_until(scene_, start + interval_s * static_cast<double>(1u << (i - 1)));
      if (!out.complete) break;
      const double begin = scene_.now_s();
      const std::uint64_t bytes = scene_.target.referenced_bytes();
      const double end = scene_.now_s();
      if (bytes == 0 && scene_.target.ended()) out.complete = false;
      out.growth.push_back({(begin + end) / 2 - start, static_cast<double>(bytes) / static_cast<double>(kPageBytes)});
      out.look_s += end - begin;
    }
    out.end_s = scene_.now_s();
    return out;
  }

 private:
  Scene scene_;
};

}  // namespace

std::unique_ptr<Observer> observe_referenced(const Scene& scene) { return std::make_unique<Referenced>(scene); }

}  // namespace fathom::paging::learn::observe

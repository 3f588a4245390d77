// What every kernel has and no privilege beyond the process's own user is needed for: clear_refs forgets which pages
// were referenced, smaps counts them again, in number. One window is one curve: marked once, counted at doubling times.
// A page whose translation stays in a TLB is not marked again by the processor, so the TLBs are emptied at the begin
// (the other clear_refs does that on kernels with and without soft-dirty bits).
#include "paging/learn/observe/observer.h"

namespace fathom::paging::learn::observe {
namespace {

class Referenced final : public Observer {
 public:
  explicit Referenced(const Scene& scene) : scene_(scene) {}

  // intervals: points of the curve, one more at once; the next after interval_s, then always twice as long.
  Window window(PageSample&, double interval_s, unsigned intervals) override {
    Window out;
    out.begin_s = scene_.now_s();
    bool cleared = scene_.target.clear(Marks::referenced);
    // The walk clears a page at some moment of its time, as the counting walk meets it: from middle to middle.
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
      out.growth.push_back({(begin + end) / 2 - start, static_cast<double>(bytes / kPageBytes)});
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

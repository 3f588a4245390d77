// The page generators for DrawnSource: each wraps one law of pattern/ and returns the bits for word and direction.
#pragma once
#include <cstdint>

#include "base/prng.h"
#include "paging/sources/sources_drawn.h"
#include "pattern/draws/zipf.h"
#include "pattern/hot_set.h"
#include "pattern/moving_window.h"
#include "pattern/stride.h"

namespace fathom::paging::sources {

// One draw gives page, word and direction.
struct UniformPages {
  std::uint64_t n;
  DrawnPage operator()(base::Prng& prng) const {
    const std::uint64_t bits = prng.next();
    return {static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits) * n) >> 64), bits};
  }
};

struct LinearPages {
  pattern::Stride stride;
  DrawnPage operator()(base::Prng& prng) { return {stride(), prng.next()}; }
};

// A law that makes a rank from any number of draws; one more draw gives word and direction.
template <class Law>
struct RankPages {
  Law law;
  DrawnPage operator()(base::Prng& prng) const {
    const std::uint64_t page = law(prng);
    return {page, prng.next()};
  }
};

struct HotPages {
  pattern::HotSet set;
  MoveTimer timer;
  DrawnPage operator()(base::Prng& prng) const {
    const auto draw = set(prng);
    return {draw.rank, draw.bits};
  }
  void advance(std::uint64_t elapsed_ns) {
    timer.advance(elapsed_ns, [this] { set.move(); });
  }
};

// A learnt working set: Zipf over its pages, which move through the set.
struct ProfilePages {
  pattern::draws::Zipf zipf;
  pattern::MovingWindow window;
  MoveTimer timer;
  DrawnPage operator()(base::Prng& prng) const {
    const std::uint64_t page = window(zipf(prng));
    return {page, prng.next()};
  }
  void advance(std::uint64_t elapsed_ns) {
    timer.advance(elapsed_ns, [this] { window.move(); });
  }
};

}  // namespace fathom::paging::sources

// The generators that DrawnSource is made of: each wraps one law of pattern/ and hands out the bits that word and
// direction are taken from.
#pragma once
#include <cstdint>

#include "base/prng.h"
#include "paging/sources/sources_drawn.h"
#include "pattern/draws/zipf.h"
#include "pattern/hot_set.h"
#include "pattern/moving_window.h"
#include "pattern/stride.h"

namespace fathom::paging::sources {

// One draw for all.
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

// A law that makes a rank of what draws it likes; one draw more for the rest.
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

// A learnt working set: Zipf over its pages, which wander through the set.
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

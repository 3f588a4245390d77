// Where in one target the next I/O goes. Positions and their corner cases are fio's (tests/workload/order_test.cc has
// its logs):
//  * Sequential directions keep a position each. `rw=read:8k` leaves a hole of 8k after each I/O; past the end of the
//    file it wraps, a negative hole walks backwards. An I/O of fixed size that begins inside the window may end beyond
//    it while the file goes on (size=18k, bs=4k in a larger file: five I/Os); at the end of the file the tail that
//    holds no whole block is left out.
//  * Random directions: without repeats over the window (coverage.h, tiling.h; directions share the map if their
//    smallest block is the same), or drawn from the named distribution (norandommap, blockalign, any distribution but
//    uniform). Only whole blocks of the window.
//  * `rw=randread:8` draws an offset every 8 I/Os; those between follow on, or repeat it (rw_sequencer=identical). They
//    do not count as visits. Where following on would leave the window a new offset is drawn (fio ends the job there
//    if the file is larger).
//  * trimwrite: the write repeats the extent of the trim before it.
// Thread rule: one owner.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/prng.h"
#include "io/target.h"
#include "job/job.h"
#include "pattern/sampler.h"
#include "workload/coverage.h"
#include "workload/sizes.h"
#include "workload/tiling.h"

namespace fathom::workload {

// What all targets of a job share.
struct Layout {
  explicit Layout(const job::Job& job);
  void share_maps(const job::Job& job);
  std::size_t first_used() const { return used[0] ? 0 : used[1] ? 1 : 2; }
  io::PerDir<bool> used{};
  io::PerDir<Sizes> sizes;
  io::PerDir<std::uint64_t> align{};            // random offsets are multiples of it
  io::PerDir<std::uint8_t> coverage_of{};       // which of the target's maps a direction uses
  io::PerDir<std::uint8_t> lane_of{};           // and whose tiles of it, where blocks have several sizes
  io::PerDir<std::vector<Tiling::Lane>> lanes;  // by coverage_of; empty: all blocks of a map are of one size
  bool random = false, mapped = false, identical = false, trim_then_write = false;
  std::int64_t hole = 0;
  std::uint32_t largest = 0;
  bool plain = false;  // one block size, one map, no sequencer, hole or trimwrite
};

struct Extent {
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
};

class Cursor {
 public:
  Cursor(const job::Job& job, const Layout& layout, const io::Target& target, std::uint64_t seed);

  // The next extent of a direction; fresh: a random job draws a new offset. False: nothing is left of the window.
  bool next(io::Dir dir, bool fresh, Extent& out);

  // The window from its start again: one sequential direction, or everything; random jobs in a new order.
  void rewind(io::Dir dir);
  void rewind();
  // As constructed: the window from its start, random sequences from their beginning.
  void reset();

  bool done = false;  // no turn until the next rewind()

  // trimwrite: whose turn it is.
  io::Dir trim_or_write() const { return trimmed_ ? io::Dir::write : io::Dir::trim; }
  // Many at once, for jobs of which Layout::plain says that a request depends on none before it but by its position: as
  // many as the window holds, at most out.size(). Random: the directions are in place, and no more than random_left()
  // are asked for.
  std::size_t fill_sequential(io::Dir dir, std::span<io::Request> out);
  void fill_random(std::span<io::Request> out);
  // All of one direction, which need not be in place. Not inlined: among its caller's variables its own do not fit the
  // registers.
  [[gnu::noinline]] void fill_random(io::Dir dir, std::span<io::Request> out);
  std::uint64_t random_left() const;

  bool wrapped_out(io::Dir dir) const { return last_end_[io::index(dir)] >= start_ + length_; }

 private:
  bool random_extent(io::Dir dir, Extent& out);
  bool mapped_extent(io::Dir dir, Extent& out);
  bool sampled_extent(io::Dir dir, Extent& out);
  bool sequential_extent(io::Dir dir, Extent& out);
  bool identical_extent(io::Dir dir, Extent& out);
  std::uint64_t after_hole(std::uint64_t last_end) const;
  bool place(io::Dir dir, std::uint64_t relative, Extent& out);
  void took(io::Dir dir, const Extent& extent);

  const Layout* layout_;
  std::uint64_t start_, length_, file_end_;
  io::PerDir<std::uint64_t> last_start_{}, last_end_{};
  bool trimmed_ = false;
  std::vector<Coverage> coverage_;  // by Layout::coverage_of; a map is one of the two
  std::vector<Tiling> tilings_;
  io::PerDir<std::optional<pattern::Sampler>> samplers_;
  std::uint64_t seed_;
  base::Prng offsets_, lengths_;
};

}  // namespace fathom::workload

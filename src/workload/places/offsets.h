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
//  * percentage_random: an I/O of a random job that is not random follows on where its direction's last one ended, and
//    does not count as a visit.
//  * zonemode=strided: the window is a zone, which moves on when zonesize bytes were moved in it, and returns to the
//    start of the job's window where it would not lie in the file whole. Each file has zones of its own.
//  * sprandom: an order of its own (sprandom.h).
//  * trimwrite: the write repeats the extent of the trim before it.
// Thread rule: one owner.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/prng.h"
#include "io/target.h"
#include "job/fields/offset_choice.h"
#include "job/job.h"
#include "pattern/lfsr.h"
#include "pattern/sampler.h"
#include "pattern/tausworthe.h"
#include "workload/places/coverage.h"
#include "workload/places/sizes.h"
#include "workload/places/sprandom.h"
#include "workload/places/tiling.h"

namespace fathom::workload::places {

// What all targets of a job share.
struct Layout {
  explicit Layout(const job::Job& job);
  void choose_way(const job::Job& job);
  void choose_order(const job::Job& job);
  void share_maps(const job::Job& job);
  // It visits each block of a pass once, or goes through them in order.
  bool each_pass_once() const {
    return !random || (way == Way::random && (order == Order::once || order == Order::lfsr));
  }
  std::size_t first_used() const { return used[0] ? 0 : used[1] ? 1 : 2; }
  io::PerDir<bool> used{};
  // How an I/O is placed, and how a random one is.
  enum class Way : std::uint8_t { sequential, random, partly_random, zones };
  enum class Order : std::uint8_t { once, sampled, lfsr, tausworthe, tausworthe64, sequence, spread };
  Way way = Way::sequential, way_in_zone = Way::sequential;
  job::fields::Generator generator = job::fields::Generator::own;
  Order order = Order::sampled;
  io::PerDir<Sizes> sizes;                   // of random I/Os in a random job, else of all
  io::PerDir<Sizes> following_sizes;         // of those that follow on
  io::PerDir<std::uint64_t> random_draws{};  // partly_random: the share of 2^64 that is random
  job::fields::StridedZones zones;
  job::fields::SpRandom sprandom;
  std::vector<std::uint64_t> sequence;
  bool sequence_stride = false;
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
  // The same, of a request that has an extent already. Apart, so that next() has one caller, which it becomes a part of.
  [[gnu::noinline]] bool next_in_request(io::Dir dir, bool fresh, Extent& out);

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
  bool draw(io::Dir dir, bool fresh, Extent& out);
  [[gnu::noinline]] bool extent(Layout::Way way, io::Dir dir, bool fresh, Extent& out);
  [[gnu::noinline]] bool extent_by_name(io::Dir dir, Extent& out);
  bool follow(io::Dir dir, Extent& out);
  bool extent_in_zone(io::Dir dir, bool fresh, Extent& out);
  bool random_extent(io::Dir dir, Extent& out);
  [[gnu::always_inline]] inline bool extent_at(io::Dir dir, std::uint64_t position, Extent& out);
  bool lfsr_extent(io::Dir dir, Extent& out);
  bool listed_extent(io::Dir dir, Extent& out);
  bool spread_extent(io::Dir dir, Extent& out);
  std::uint64_t drawn_position(std::size_t dir);
  void begin_zone(std::uint64_t start);
  void begin_maps();
  std::uint64_t key();
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
  std::vector<pattern::Lfsr> lfsrs_;       // as coverage_
  io::PerDir<std::uint64_t> positions_{};  // tausworthe, sequence: how many multiples of Layout::align there are
  pattern::Taus88 taus88_;
  pattern::Lfsr258 lfsr258_;
  std::uint64_t in_list_ = 0, list_base_ = 0;  // sequence
  std::optional<SpreadWrites> spread_;         // sprandom
  std::uint64_t window_start_, window_end_;    // of which start_ and length_ are a zone
  std::uint64_t moved_in_zone_ = 0, moved_in_range_ = 0;
  io::PerDir<std::optional<pattern::Sampler>> samplers_;
  std::uint64_t seed_;
  base::Prng offsets_, lengths_;
};

}  // namespace fathom::workload::places

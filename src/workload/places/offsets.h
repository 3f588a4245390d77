// Chooses the position of the next I/O in one target. Positions and their corner cases are fio's
// (tests/workload/order_test.cc has its logs):
//  * Sequential directions keep one position each. `rw=read:8k` leaves a hole of 8k after each I/O; past the end of the
//    file it wraps, and a negative hole walks backwards. An I/O of fixed size that begins inside the window may end
//    beyond it, up to the end of the file (size=18k, bs=4k in a larger file: five I/Os). At the end of the file, a tail
//    shorter than a block is omitted.
//  * Random directions: without repeats over the window (coverage.h, tiling.h; directions with the same smallest block
//    share the map), or drawn from the named distribution (norandommap, blockalign, any distribution but uniform).
//    Only whole blocks of the window.
//  * `rw=randread:8` draws an offset every 8 I/Os. Those between continue after it, or repeat it
//    (rw_sequencer=identical). They do not count as visits. If continuing would leave the window, a new offset is drawn
//    (fio ends the job there if the file is larger).
//  * percentage_random: an I/O of a random job that is not random continues at the end of its direction's last one, and
//    does not count as a visit.
//  * zonemode=strided: the window is a zone. It moves on when zonesize bytes were moved in it, and returns to the start
//    of the job's window if it would not fit in the file whole. Each file has separate zones.
//  * sprandom: a separate order (sprandom.h).
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

// State shared by all targets of a job.
struct Layout {
  explicit Layout(const job::Job& job);
  void choose_way(const job::Job& job);
  void choose_order(const job::Job& job);
  void share_maps(const job::Job& job);
  // True: a pass visits each block once, or goes through the blocks in order.
  bool each_pass_once() const {
    return !random || (way == Way::random && (order == Order::once || order == Order::lfsr));
  }
  std::size_t first_used() const { return used[0] ? 0 : used[1] ? 1 : 2; }
  io::PerDir<bool> used{};
  // Placement of an I/O, and the order of random ones.
  enum class Way : std::uint8_t { sequential, random, partly_random, zones };
  enum class Order : std::uint8_t { once, sampled, lfsr, tausworthe, tausworthe64, sequence, spread };
  Way way = Way::sequential, way_in_zone = Way::sequential;
  job::fields::Generator generator = job::fields::Generator::own;
  Order order = Order::sampled;
  io::PerDir<Sizes> sizes;                   // of random I/Os in a random job, else of all
  io::PerDir<Sizes> following_sizes;         // of I/Os that continue after the previous one
  io::PerDir<std::uint64_t> random_draws{};  // partly_random: the random share, of 2^64
  job::fields::StridedZones zones;
  job::fields::SpRandom sprandom;
  std::vector<std::uint64_t> sequence;
  bool sequence_stride = false;
  io::PerDir<std::uint64_t> align{};            // random offsets are multiples of it
  io::PerDir<std::uint8_t> coverage_of{};       // the target's map that a direction uses
  io::PerDir<std::uint8_t> lane_of{};           // the lane of that map, if blocks have several sizes
  io::PerDir<std::vector<Tiling::Lane>> lanes;  // by coverage_of; empty: all blocks of a map have one size
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

  // The next extent of a direction; fresh: a random job draws a new offset. False: the window is used up.
  bool next(io::Dir dir, bool fresh, Extent& out);
  // The same for a request that already has an extent. Separate, so that next() has one caller and is inlined there.
  [[gnu::noinline]] bool next_in_request(io::Dir dir, bool fresh, Extent& out);

  // Restarts the window for one sequential direction, or for everything; random jobs get a new order.
  void rewind(io::Dir dir);
  void rewind();
  // Restores the state after construction: start of the window, start of the random sequences.
  void reset();

  // The last I/O of this direction went elsewhere. Sequential ones continue at `next`.
  void placed(io::Dir dir, const Extent& extent, std::uint64_t next) {
    last_start_[io::index(dir)] = extent.offset;
    last_end_[io::index(dir)] = next;
  }

  bool done = false;  // not used until the next rewind()

  // trimwrite: the next direction.
  io::Dir trim_or_write() const { return trimmed_ ? io::Dir::write : io::Dir::trim; }
  // Many requests at once, for jobs with Layout::plain, where a request depends on earlier ones only by its position:
  // as many as fit in the window, at most out.size(). Random: the caller has set the directions, and requests at most
  // random_left().
  std::size_t fill_sequential(io::Dir dir, std::span<io::Request> out);
  void fill_random(std::span<io::Request> out);
  // As above, all in one direction, which the caller need not set. Not inlined: with its caller's variables, its own do
  // not fit the registers.
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
  std::vector<pattern::Lfsr> lfsrs_;       // indexed as coverage_
  io::PerDir<std::uint64_t> positions_{};  // tausworthe, sequence: number of multiples of Layout::align
  pattern::Taus88 taus88_;
  pattern::Lfsr258 lfsr258_;
  std::uint64_t in_list_ = 0, list_base_ = 0;  // sequence
  std::optional<SpreadWrites> spread_;         // sprandom
  std::uint64_t window_start_, window_end_;    // the job's window; start_ and length_ are a zone in it
  std::uint64_t moved_in_zone_ = 0, moved_in_range_ = 0;
  io::PerDir<std::optional<pattern::Sampler>> samplers_;
  std::uint64_t seed_;
  base::Prng offsets_, lengths_;
};

}  // namespace fathom::workload::places

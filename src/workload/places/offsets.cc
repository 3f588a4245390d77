// Generates offsets within one target.
#include "workload/places/offsets.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace fathom::workload::places {
namespace {

// The last eight bytes of a request.
struct Tail {
  std::uint32_t length;
  std::uint16_t target;
  io::Dir dir;
  std::uint8_t flags;
};
static_assert(sizeof(Tail) == 8 && offsetof(io::Request, length) + sizeof(Tail) == sizeof(io::Request));

constexpr std::uint64_t kNowhere = ~0ull;

// The number of multiples of `align` at which a block may begin.
std::uint64_t random_positions(std::uint64_t length, std::uint64_t smallest, std::uint64_t align) {
  const std::uint64_t overhang = smallest > align ? smallest - align : 0;
  return length < smallest ? 0 : (length - overhang) / align;
}

}  // namespace

Layout::Layout(const job::Job& job)
    : used{job.mode.reads, job.mode.writes, job.mode.trims},
      generator(job.of<job::fields::OffsetChoice>().generator),
      zones(job.of<job::fields::StridedZones>()),
      sprandom(job.of<job::fields::SpRandom>()),
      random(job.mode.random),
      identical(job.sequencer == job::Sequencer::identical),
      trim_then_write(job.mode.trim_then_write),
      hole(job.mode.random ? 0 : job.mode.sequential_add) {
  const bool by_order = job.of<job::fields::OffsetChoice>().bs_is_seq_rand;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    if (!used[d]) continue;
    const auto dir = static_cast<io::Dir>(d);
    following_sizes[d] = Sizes(job, by_order ? io::Dir::read : dir);
    sizes[d] = by_order && random ? Sizes(job, io::Dir::write) : following_sizes[d];
    const bool as_size = job.blockalign[d] == 0 || (by_order && job.blockalign[d] == job.bs_min[d]);
    align[d] = as_size ? sizes[d].min() : job.blockalign[d];
    largest = std::max({largest, sizes[d].max(), following_sizes[d].max()});
  }
  choose_way(job);
  choose_order(job);
  if (mapped || order == Order::lfsr) share_maps(job);
  plain = way != Way::zones && way != Way::partly_random && order != Order::sequence && order != Order::spread &&
          !trim_then_write && hole == 0 && (!random || job.mode.sequence <= 1) && (random || !job.mode.mixed());
  for (std::size_t d = 0; d < io::kDataDirs; ++d)
    plain = plain && (!used[d] || (sizes[d].fixed() && sizes[d].min() == largest));
}

void Layout::choose_way(const job::Job& job) {
  way = random ? Way::random : Way::sequential;
  const auto& percent = job.of<job::fields::OffsetChoice>().percentage_random;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    random_draws[d] = percent[d] >= 100 ? ~0ull : ~0ull / 100 * percent[d];
    if (random && used[d] && percent[d] < 100) way = Way::partly_random;
  }
  way_in_zone = way;
  if (zones.used) way = Way::zones;
}

// A shift register visits every block once, with or without norandommap.
void Layout::choose_order(const job::Job& job) {
  const auto& choice = job.of<job::fields::OffsetChoice>();
  bool uniform = true, whole = true;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    uniform = uniform && (!used[d] || job.distribution[d].kind == pattern::Kind::uniform);
    whole = whole && (!used[d] || align[d] == sizes[d].min());
  }
  sequence = choice.sequence;
  sequence_stride = choice.sequence_stride;
  if (!random || !uniform) return;
  if (!sequence.empty())
    order = Order::sequence;
  else if (sprandom.used)
    order = Order::spread;
  else if (generator == job::fields::Generator::lfsr)
    order = Order::lfsr;
  else if (!job.norandommap && whole)
    order = Order::once;
  else if (generator == job::fields::Generator::tausworthe)
    order = Order::tausworthe;
  else if (generator == job::fields::Generator::tausworthe64)
    order = Order::tausworthe64;
  mapped = order == Order::once;
}

// Directions with the same smallest block share a map. If blocks have several sizes, each mix of sizes is a lane of the
// map. A lane's share of the I/Os is the sum over the directions with that mix.
void Layout::share_maps(const job::Job& job) {
  const double reads = job.mode.mixed() ? job.rwmix_read_percent / 100.0 : 1;
  const io::PerDir<double> shares{reads, job.mode.mixed() ? 1 - reads : 1, 1};
  // The write of a trimwrite uses the offset of the trim before it.
  const auto draws = [&](std::size_t d) { return used[d] && !(trim_then_write && d == io::index(io::Dir::write)); };
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    coverage_of[d] = static_cast<std::uint8_t>(d);
    if (!draws(d)) continue;
    for (std::size_t other = 0; other < d; ++other)
      if (draws(other) && align[other] == align[d]) coverage_of[d] = coverage_of[other];
    auto& of_map = lanes[coverage_of[d]];
    std::size_t lane = 0;
    while (lane < of_map.size() && !(of_map[lane].sizes == sizes[d])) ++lane;
    if (lane == of_map.size()) of_map.push_back({sizes[d], 0});
    of_map[lane].share += shares[d];
    lane_of[d] = static_cast<std::uint8_t>(lane);
  }
  for (auto& of_map : lanes)
    if (of_map.size() == 1 && of_map.front().sizes.fixed()) of_map.clear();
}

Cursor::Cursor(const job::Job& job, const Layout& layout, const io::Target& target, std::uint64_t seed)
    : layout_(&layout),
      start_(target.start),
      length_(layout.zones.used ? std::min(layout.zones.range_bytes, target.length) : target.length),
      file_end_(std::max(target.size, target.start + target.length)),
      window_start_(target.start),
      window_end_(target.start + target.length),
      seed_(seed) {
  if (layout.mapped) coverage_.resize(io::kDataDirs), tilings_.resize(io::kDataDirs);
  if (layout.order == Layout::Order::lfsr) lfsrs_.resize(io::kDataDirs);
  std::uint64_t key = seed;
  for (std::size_t d = 0; layout.random && d < io::kDataDirs; ++d) {
    if (!layout.used[d]) continue;
    const Sizes& sizes = layout.sizes[d];
    const bool shares = layout.coverage_of[d] != d;
    positions_[d] = random_positions(length_, sizes.min(), layout.align[d]);
    if (layout.order == Layout::Order::sampled) {
      if (positions_[d] > 0)
        samplers_[d].emplace(job.distribution[d], positions_[d], layout.align[d], base::splitmix64(key));
    } else if (layout.order == Layout::Order::spread) {
      const auto& s = layout.sprandom;
      const SpreadWrites::Shape shape{s.over_provisioning, s.regions, s.cache_bytes / layout.align[d]};
      if (positions_[d] > 0) spread_.emplace(positions_[d], shape);
    } else if (layout.order == Layout::Order::lfsr) {
      if (!shares && positions_[d] > 0)
        lfsrs_[d] = pattern::Lfsr(std::min(positions_[d], std::uint64_t{1} << pattern::Lfsr::kMostBits));
    } else if (!layout.mapped) {
      continue;
    } else if (!shares && !layout.lanes[d].empty()) {
      tilings_[d] = Tiling(length_, layout.lanes[d], base::splitmix64(key));
    } else if (!shares) {
      coverage_[d] = Coverage(length_ / sizes.min());
    }
  }
  reset();
}

void Cursor::reset() {
  std::uint64_t state = seed_;
  offsets_ = base::Prng(base::splitmix64(state));
  lengths_ = base::Prng(base::splitmix64(state));
  taus88_ = pattern::Taus88(base::splitmix64(state));
  lfsr258_ = pattern::Lfsr258(base::splitmix64(state));
  rewind();
}

bool Cursor::next(io::Dir dir, bool fresh, Extent& out) { return draw(dir, fresh, out); }

bool Cursor::next_in_request(io::Dir dir, bool fresh, Extent& out) { return draw(dir, fresh, out); }

[[gnu::always_inline]] inline bool Cursor::draw(io::Dir dir, bool fresh, Extent& out) {
  if (layout_->trim_then_write && dir == io::Dir::write) {
    const std::size_t trim = io::index(io::Dir::trim);
    out = {last_start_[trim], static_cast<std::uint32_t>(last_end_[trim] - last_start_[trim])};
    took(dir, out);
    return true;
  }
  bool found = false;
  if (layout_->way == Layout::Way::sequential)
    found = sequential_extent(dir, out);
  else if (fresh && layout_->way == Layout::Way::random)
    found = random_extent(dir, out);
  else
    found = extent(layout_->way, dir, fresh, out);
  if (found) took(dir, out);
  return found;
}

bool Cursor::extent(Layout::Way way, io::Dir dir, bool fresh, Extent& out) {
  switch (way) {
    case Layout::Way::sequential:
      return sequential_extent(dir, out);
    case Layout::Way::zones:
      return extent_in_zone(dir, fresh, out);
    case Layout::Way::partly_random:
      if (fresh && lengths_.next() > layout_->random_draws[io::index(dir)])
        return sequential_extent(dir, out) || random_extent(dir, out);
      break;
    case Layout::Way::random:
      break;
  }
  if (fresh) return random_extent(dir, out);
  return layout_->identical ? identical_extent(dir, out) : sequential_extent(dir, out) || random_extent(dir, out);
}

// The functions called here see the zone as their window. The zone's maps restart whenever the bytes moved reach its
// size.
bool Cursor::extent_in_zone(io::Dir dir, bool fresh, Extent& out) {
  const auto& zones = layout_->zones;
  if (moved_in_zone_ >= zones.zone_bytes) {
    const std::uint64_t next = start_ + zones.range_bytes + zones.skip_bytes;
    begin_zone(next + length_ <= window_end_ ? next : window_start_);
  } else if (moved_in_range_ >= length_) {
    moved_in_range_ = 0;
    begin_maps();
  }
  auto& last_end = last_end_[io::index(dir)];
  if (last_end >= start_ + length_) last_end = start_;
  bool found = extent(layout_->way_in_zone, dir, fresh, out);
  if (!found) {
    last_end = start_;
    begin_maps();
    found = extent(layout_->way_in_zone, dir, fresh, out);
  }
  if (!found) return false;
  moved_in_zone_ += out.length;
  moved_in_range_ += out.length;
  return true;
}

void Cursor::begin_zone(std::uint64_t start) {
  start_ = start;
  moved_in_zone_ = moved_in_range_ = 0;
  last_start_.fill(kNowhere);
  last_end_.fill(start_);
  begin_maps();
}

void Cursor::took(io::Dir dir, const Extent& extent) {
  last_start_[io::index(dir)] = extent.offset;
  last_end_[io::index(dir)] = extent.offset + extent.length;
  if (layout_->trim_then_write) trimmed_ = dir == io::Dir::trim;
}

bool Cursor::random_extent(io::Dir dir, Extent& out) {
  if (layout_->order == Layout::Order::once) return mapped_extent(dir, out);
  if (layout_->order == Layout::Order::sampled) return sampled_extent(dir, out);
  return extent_by_name(dir, out);
}

// Orders that few jobs request by name.
bool Cursor::extent_by_name(io::Dir dir, Extent& out) {
  if (layout_->order == Layout::Order::lfsr) return lfsr_extent(dir, out);
  if (layout_->order == Layout::Order::sequence) return listed_extent(dir, out);
  if (layout_->order == Layout::Order::spread) return spread_extent(dir, out);
  const std::size_t d = io::index(dir);
  return positions_[d] != 0 && extent_at(dir, drawn_position(d), out);
}

bool Cursor::extent_at(io::Dir dir, std::uint64_t position, Extent& out) {
  const std::uint64_t relative = position * layout_->align[io::index(dir)];
  out = {start_ + relative, layout_->sizes[io::index(dir)].draw(lengths_, length_ - relative)};
  return true;
}

bool Cursor::lfsr_extent(io::Dir dir, Extent& out) {
  std::uint64_t position = 0;
  return lfsrs_[layout_->coverage_of[io::index(dir)]].next(position) && extent_at(dir, position, out);
}

bool Cursor::spread_extent(io::Dir dir, Extent& out) {
  std::uint64_t position = 0;
  return spread_ && spread_->next(position) && extent_at(dir, position, out);
}

bool Cursor::listed_extent(io::Dir dir, Extent& out) {
  const std::uint64_t position = list_base_ + layout_->sequence[in_list_];
  if (position >= positions_[io::index(dir)]) return false;
  if (++in_list_ == layout_->sequence.size()) {
    in_list_ = 0;
    if (layout_->sequence_stride) list_base_ += layout_->sequence.size();
  }
  return extent_at(dir, position, out);
}

std::uint64_t Cursor::drawn_position(std::size_t dir) {
  const std::uint64_t count = positions_[dir];
  return layout_->order == Layout::Order::tausworthe && count <= 1ull << pattern::Taus88::kBits ? taus88_.below(count)
                                                                                                : lfsr258_.below(count);
}

bool Cursor::mapped_extent(io::Dir dir, Extent& out) {
  const std::size_t d = io::index(dir);
  const std::size_t map = layout_->coverage_of[d];
  if (tilings_[map].used()) {
    Tiling::Tile tile;
    if (!tilings_[map].next(layout_->lane_of[d], tile)) return false;
    out = {start_ + tile.offset, tile.length};
    return true;
  }
  std::uint64_t block = 0;
  if (!coverage_[map].next(block)) return false;
  const std::uint32_t bytes = layout_->sizes[d].min();
  out = {start_ + block * bytes, bytes};
  return true;
}

bool Cursor::sampled_extent(io::Dir dir, Extent& out) {
  const std::size_t d = io::index(dir);
  return samplers_[d] && extent_at(dir, (*samplers_[d])(offsets_), out);
}

std::size_t Cursor::fill_sequential(io::Dir dir, std::span<io::Request> out) {
  const std::uint32_t bytes = layout_->largest;
  const std::uint64_t limit = file_end_ < bytes ? 0 : std::min(start_ + length_, file_end_ - bytes + 1);
  std::uint64_t& position = last_end_[io::index(dir)];
  std::size_t filled = 0;
  for (; filled < out.size() && position < limit; ++filled, position += bytes)
    out[filled] = {position, 0, bytes, 0, dir, 0};
  return filled;
}

std::uint64_t Cursor::random_left() const {
  if (layout_->mapped) return coverage_[layout_->first_used()].left();
  if (layout_->order == Layout::Order::lfsr) return lfsrs_[layout_->first_used()].left();
  for (std::size_t d = 0; d < io::kDataDirs; ++d)
    if (layout_->used[d] && positions_[d] == 0) return 0;
  return ~0ull;
}

void Cursor::fill_random(std::span<io::Request> out) {
  const std::uint64_t bytes = layout_->largest;
  const auto each = [&](auto unit_of) {
    for (auto& request : out) request.offset = start_ + unit_of(io::index(request.dir));
  };
  std::uint64_t unit = 0;
  switch (layout_->order) {
    case Layout::Order::once: {
      Coverage& coverage = coverage_[layout_->first_used()];
      return each([&](std::size_t) { return coverage.next(unit), unit * bytes; });
    }
    case Layout::Order::lfsr: {
      pattern::Lfsr& lfsr = lfsrs_[layout_->first_used()];
      return each([&](std::size_t d) { return lfsr.next(unit), unit * layout_->align[d]; });
    }
    case Layout::Order::sampled:
      return each([&](std::size_t d) { return (*samplers_[d])(offsets_)*layout_->align[d]; });
    default:
      return each([&](std::size_t d) { return drawn_position(d) * layout_->align[d]; });
  }
}

void Cursor::fill_random(io::Dir dir, std::span<io::Request> out) {
  const std::uint32_t bytes = layout_->largest;
  const std::size_t d = io::index(dir);
  const std::uint64_t start = start_, step = layout_->mapped ? bytes : layout_->align[d];
  io::Request* const requests = out.data();
  // Only the offset differs between requests: three stores per request instead of six.
  const auto tail = std::bit_cast<std::uint64_t>(Tail{bytes, 0, dir, 0});
  const auto put = [=](std::size_t i, std::uint64_t unit) {
    auto* const to = &requests[i];
    to->offset = start + unit * step;
    to->due_ns = 0;
    std::memcpy(&to->length, &tail, sizeof tail);
  };
  const auto draw = [&](auto& generator) {
    auto local = generator;
    const std::uint64_t count = positions_[d];
    for (std::size_t i = 0; i < out.size(); ++i) put(i, local.below(count));
    generator = local;
  };
  switch (layout_->order) {
    case Layout::Order::once:
      return coverage_[layout_->coverage_of[d]].next_many(out.size(), put);
    case Layout::Order::sampled:
      return samplers_[d]->draw_many(offsets_, out.size(), put);
    case Layout::Order::lfsr:
      return lfsrs_[layout_->coverage_of[d]].next_many(out.size(), put);
    case Layout::Order::tausworthe:
      if (positions_[d] <= 1ull << pattern::Taus88::kBits) return draw(taus88_);
      return draw(lfsr258_);
    default:
      return draw(lfsr258_);
  }
}

// This is fio's rule. It mixes offsets in the file and in the window, which are equal unless offset= is used.
std::uint64_t Cursor::after_hole(std::uint64_t last_end) const {
  const std::uint64_t window_end = std::min(length_, file_end_);
  if (layout_->hole < 0 && start_ != 0 && last_end == start_) last_end = window_end;
  std::uint64_t relative = last_end - start_;
  if (relative == 0) return 0;
  relative += static_cast<std::uint64_t>(layout_->hole);
  if (relative < file_end_) return relative;
  return layout_->hole > 0 ? start_ : window_end + static_cast<std::uint64_t>(layout_->hole);
}

bool Cursor::sequential_extent(io::Dir dir, Extent& out) {
  const std::uint64_t last_end = last_end_[io::index(dir)];
  if (last_end >= file_end_) return false;
  return place(dir, layout_->hole == 0 ? last_end - start_ : after_hole(last_end), out);
}

bool Cursor::identical_extent(io::Dir dir, Extent& out) {
  const std::uint64_t last_start = last_start_[io::index(dir)];
  return place(dir, last_start == kNowhere ? 0 : last_start - start_, out);
}

bool Cursor::place(io::Dir dir, std::uint64_t relative, Extent& out) {
  const Sizes& sizes = layout_->following_sizes[io::index(dir)];
  if (relative >= length_) return false;
  const std::uint64_t room = (sizes.fixed() ? file_end_ - start_ : length_) - relative;
  if (sizes.min() > room) return false;
  out = {start_ + relative, sizes.draw(lengths_, room)};
  return true;
}

void Cursor::rewind(io::Dir dir) {
  if (layout_->random) return rewind();
  last_end_[io::index(dir)] = start_;
  done = false;
}

void Cursor::rewind() {
  trimmed_ = false;
  done = false;
  in_list_ = list_base_ = 0;
  begin_zone(window_start_);
}

// Each map in use gets one key. A reading job then has the same order as a writing job, and can follow its state.
void Cursor::begin_maps() {
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    if (!layout_->used[d] || layout_->coverage_of[d] != d) continue;
    if (!coverage_.empty() && !tilings_[d].used()) coverage_[d].begin(key());
    if (!tilings_.empty() && tilings_[d].used()) tilings_[d].begin(key());
    if (!lfsrs_.empty()) lfsrs_[d].begin(key());
  }
  if (spread_) spread_->begin(key());
}

std::uint64_t Cursor::key() {
  if (layout_->generator == job::fields::Generator::tausworthe64) return lfsr258_.next();
  if (layout_->generator != job::fields::Generator::tausworthe) return offsets_.next();
  const std::uint64_t high = taus88_.next();
  return high << 32 | taus88_.next();
}

}  // namespace fathom::workload::places

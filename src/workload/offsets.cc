// Offsets within one target.
#include "workload/offsets.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace fathom::workload {
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

// How many multiples of `align` a block may begin at.
std::uint64_t random_positions(std::uint64_t length, std::uint64_t smallest, std::uint64_t align) {
  const std::uint64_t overhang = smallest > align ? smallest - align : 0;
  return length < smallest ? 0 : (length - overhang) / align;
}

}  // namespace

Layout::Layout(const job::Job& job)
    : used{job.mode.reads, job.mode.writes, job.mode.trims},
      random(job.mode.random),
      mapped(job.mode.random && !job.norandommap),
      identical(job.sequencer == job::Sequencer::identical),
      trim_then_write(job.mode.trim_then_write),
      hole(job.mode.random ? 0 : job.mode.sequential_add) {
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    if (!used[d]) continue;
    sizes[d] = Sizes(job, static_cast<io::Dir>(d));
    align[d] = job.blockalign[d] != 0 ? job.blockalign[d] : sizes[d].min();
    largest = std::max(largest, sizes[d].max());
    mapped = mapped && job.distribution[d].kind == pattern::Kind::uniform && align[d] == sizes[d].min();
  }
  if (mapped) share_maps(job);
  plain = !trim_then_write && hole == 0 && (!random || job.mode.sequence <= 1) && (random || !job.mode.mixed());
  for (std::size_t d = 0; d < io::kDataDirs; ++d)
    plain = plain && (!used[d] || (sizes[d].fixed() && sizes[d].min() == largest));
}

// Directions with the same smallest block share a map. Where blocks have several sizes, each mix of sizes is a lane of
// it, with the share of the I/Os that the directions of that mix have together.
void Layout::share_maps(const job::Job& job) {
  const double reads = job.mode.mixed() ? job.rwmix_read_percent / 100.0 : 1;
  const io::PerDir<double> shares{reads, job.mode.mixed() ? 1 - reads : 1, 1};
  // A trimwrite's write takes the place of the trim before it.
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
      length_(target.length),
      file_end_(std::max(target.size, target.start + target.length)),
      seed_(seed) {
  if (layout.mapped) coverage_.resize(io::kDataDirs), tilings_.resize(io::kDataDirs);
  std::uint64_t key = seed;
  for (std::size_t d = 0; layout.random && d < io::kDataDirs; ++d) {
    if (!layout.used[d]) continue;
    const Sizes& sizes = layout.sizes[d];
    const bool shares = layout.coverage_of[d] != d;
    if (!layout.mapped) {
      if (const auto n = random_positions(length_, sizes.min(), layout.align[d]); n > 0)
        samplers_[d].emplace(job.distribution[d], n, layout.align[d], base::splitmix64(key));
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
  rewind();
}

bool Cursor::next(io::Dir dir, bool fresh, Extent& out) {
  if (layout_->trim_then_write && dir == io::Dir::write) {
    const std::size_t trim = io::index(io::Dir::trim);
    out = {last_start_[trim], static_cast<std::uint32_t>(last_end_[trim] - last_start_[trim])};
    took(dir, out);
    return true;
  }
  bool found = false;
  if (!layout_->random)
    found = sequential_extent(dir, out);
  else if (fresh)
    found = random_extent(dir, out);
  else if (layout_->identical)
    found = identical_extent(dir, out);
  else
    found = sequential_extent(dir, out) || random_extent(dir, out);
  if (found) took(dir, out);
  return found;
}

void Cursor::took(io::Dir dir, const Extent& extent) {
  last_start_[io::index(dir)] = extent.offset;
  last_end_[io::index(dir)] = extent.offset + extent.length;
  if (layout_->trim_then_write) trimmed_ = dir == io::Dir::trim;
}

bool Cursor::random_extent(io::Dir dir, Extent& out) {
  return layout_->mapped ? mapped_extent(dir, out) : sampled_extent(dir, out);
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
  if (!samplers_[d]) return false;
  const std::uint64_t relative = (*samplers_[d])(offsets_)*layout_->align[d];
  out = {start_ + relative, layout_->sizes[d].draw(lengths_, length_ - relative)};
  return true;
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
  for (std::size_t d = 0; d < io::kDataDirs; ++d)
    if (layout_->used[d] && !samplers_[d]) return 0;
  return ~0ull;
}

void Cursor::fill_random(std::span<io::Request> out) {
  const std::uint64_t bytes = layout_->largest;
  if (layout_->mapped) {
    Coverage& coverage = coverage_[layout_->first_used()];
    for (auto& request : out) {
      std::uint64_t unit = 0;
      coverage.next(unit);
      request.offset = start_ + unit * bytes;
    }
    return;
  }
  for (auto& request : out) {
    const std::size_t d = io::index(request.dir);
    request.offset = start_ + (*samplers_[d])(offsets_)*layout_->align[d];
  }
}

void Cursor::fill_random(io::Dir dir, std::span<io::Request> out) {
  const std::uint32_t bytes = layout_->largest;
  const std::uint64_t start = start_, step = layout_->mapped ? bytes : layout_->align[io::index(dir)];
  io::Request* const requests = out.data();
  // All but the offset is the same: three stores a request, not six.
  const auto tail = std::bit_cast<std::uint64_t>(Tail{bytes, 0, dir, 0});
  const auto put = [=](std::size_t i, std::uint64_t unit) {
    auto* const to = &requests[i];
    to->offset = start + unit * step;
    to->due_ns = 0;
    std::memcpy(&to->length, &tail, sizeof tail);
  };
  if (layout_->mapped)
    coverage_[layout_->coverage_of[io::index(dir)]].next_many(out.size(), put);
  else
    samplers_[io::index(dir)]->draw_many(offsets_, out.size(), put);
}

// fio's rule, its mixture of offsets in the file and in the window included: both are the same unless offset= is used.
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
  const Sizes& sizes = layout_->sizes[io::index(dir)];
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
  last_start_.fill(kNowhere);
  last_end_.fill(start_);
  trimmed_ = false;
  done = false;
  for (Coverage& coverage : coverage_) coverage.begin(offsets_.next());
  for (Tiling& tiling : tilings_)
    if (tiling.used()) tiling.begin(offsets_.next());
}

}  // namespace fathom::workload

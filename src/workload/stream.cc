// The request stream of a job. Its parts: budget (how much), mix and sync cadence (which direction), files in turn,
// cursor (offsets), pacing (when).
// The general path generates one request at a time. Jobs that measure a device's limit have one file and one block
// size, and neither syncs, pacing, holes nor sequencer. The same parts generate their requests in blocks, in a third of
// the time.
#include "workload/stream.h"

#include <exception>
#include <optional>
#include <vector>

#include "base/prng.h"
#include "job/fields/offset_choice.h"
#include "workload/budget.h"
#include "workload/mix.h"
#include "workload/pacing.h"
#include "workload/places/file_choice.h"
#include "workload/places/offsets.h"
#include "workload/seed.h"
#include "workload/sync_cadence.h"

namespace fathom::workload {
namespace {

std::uint64_t total_length(std::span<const io::Target> targets) {
  std::uint64_t bytes = 0;
  for (const auto& target : targets) bytes += target.length;
  return bytes;
}

// With verify=, the passes of a time_based job without a map have the same offsets. A later job with the same seed then
// reads only what was written, if one pass was completed. This is fio's rule.
bool repeats_draws(const job::Job& job, const places::Layout& layout) {
  return job.verify && job.time_based && job.randrepeat && job.mode.random && !layout.each_pass_once();
}

}  // namespace

struct Stream::Impl {
  Impl(const job::Job& job, std::span<const io::Target> targets, std::uint32_t job_index);

  [[gnu::noinline]] std::size_t next(std::span<io::Request> out);  // a single body, with make() inlined
  [[gnu::noinline]] std::size_t next_of_ranges(std::span<io::Request> out);
  void restart(bool reseed);
  void begin_again(bool reseed);
  bool begin_pass();

  // The file and direction of the next request. A turn is selected once. It is kept when the pass ends because its
  // window is used up.
  struct Turn {
    std::uint32_t file = 0;
    io::Dir dir = io::Dir::read;
    bool fresh = true;
  };
  std::size_t make_plain(std::span<io::Request> out);
  bool make(io::Request& out);
  bool make_sync(io::Request& out);
  bool make_data(const Turn& turn, io::Request& out);
  void add_ranges(io::Request& request);
  bool next_file(std::uint32_t& file);
  [[gnu::noinline]] bool next_of_several(std::uint32_t& file);
  bool draw_turn(Turn& turn);
  bool used_up(const Turn& turn, bool again);
  void rewind_all();

  places::Layout layout;
  Budget budget;
  Mix mix;
  SyncCadence syncs;
  Pacing pacing;
  std::vector<places::Cursor> files;
  io::TrimRanges* ranges = nullptr;  // null: one extent per request
  std::uint64_t seed;
  base::Prng mix_prng;
  std::optional<places::FileChoice> choice;  // empty: each file in turn, all of them open
  std::uint32_t file_in_turn = 0;
  std::uint32_t sequence, sequence_left = 1;
  std::uint64_t loops_left;
  // reseeds: later passes (by loops=, or by an io_size= above size=) repeat the first one. As in fio, they continue the
  // sequence instead if there is no random map, except for repeats_draws().
  bool time_based, reseeds;
  bool wraps_alone, plain;
  bool pass_over = false, turn_held = false;
  Turn held;
};

Stream::Impl::Impl(const job::Job& job, std::span<const io::Target> targets, std::uint32_t job_index)
    : layout(job),
      budget(job, total_length(targets), layout.largest, repeats_draws(job, layout)),
      mix(job),
      syncs(job, targets.size()),
      pacing(job, job_seed(job, job_index)),
      seed(job_seed(job, job_index)),
      sequence(std::max<std::uint32_t>(job.mode.sequence, 1)),
      loops_left(job.loops),
      time_based(job.time_based),
      reseeds(repeats_draws(job, layout) ||
              (!job.time_based && job.randrepeat && layout.each_pass_once() && job.mode.sequence <= 1)),
      wraps_alone(job.time_based && (job.mode.random || targets.size() == 1)),
      plain(layout.plain && targets.size() == 1 && !syncs.used() && !pacing.used() &&
            !job.of<job::fields::ZonedDevice>().used) {
  std::uint64_t state = seed;
  mix_prng = base::Prng(base::splitmix64(state));
  if (places::FileChoice::needed(job, targets.size()))
    choice.emplace(job, static_cast<std::uint32_t>(targets.size()), ~seed);
  files.reserve(targets.size());
  for (const auto& target : targets) files.emplace_back(job, layout, target, base::splitmix64(state));
}

[[gnu::always_inline]] inline bool Stream::Impl::next_file(std::uint32_t& file) {
  if (files.size() > 1) return next_of_several(file);
  file = 0;
  return !files[0].done;
}

// Round robin over the files that are not finished, one I/O each.
bool Stream::Impl::next_of_several(std::uint32_t& file) {
  if (choice) return choice->next(files, file);
  const auto count = static_cast<std::uint32_t>(files.size());
  for (std::uint32_t tried = 0; tried < count; ++tried) {
    file = file_in_turn;
    if (++file_in_turn == count) file_in_turn = 0;
    if (!files[file].done) return true;
  }
  return false;
}

bool Stream::Impl::draw_turn(Turn& turn) {
  if (!next_file(turn.file)) return false;
  turn.dir = layout.trim_then_write ? files[turn.file].trim_or_write() : pacing.direction(mix.draw(mix_prng));
  turn.fresh = --sequence_left == 0;
  if (turn.fresh) sequence_left = sequence;
  return true;
}

// Generates a sync that is due. A range sync is skipped if the file was not written since its last one.
bool Stream::Impl::make_sync(io::Request& out) {
  while (syncs.due()) {
    std::uint32_t file = 0;
    if (!next_file(file)) return false;
    out = syncs.request(file);
    out.due_ns = pacing.used() ? pacing.last() : 0;
    if ((out.flags & io::kRangeSyncMask) == 0 || out.length != 0) return true;
  }
  return false;
}

// Turns a trim into one of several extents. It begins where the first extent does, and its length is the sum of all.
// There are fewer extents at the end of the window or of the budget.
void Stream::Impl::add_ranges(io::Request& request) {
  if (request.dir != io::Dir::trim) return;
  ranges->add(request.offset, request.length);
  places::Extent more;
  while (!ranges->full() && budget.bytes_left() > 0 && files[request.target].next_in_request(request.dir, true, more)) {
    ranges->add(more.offset, more.length);
    request.length += more.length;
    budget.count_more(more.length);
    pacing.take_more(request.dir, more.length);
  }
  ranges->end_request();
}

std::size_t Stream::Impl::next_of_ranges(std::span<io::Request> out) {
  std::size_t made = 0;
  for (; made < out.size() && next(out.subspan(made, 1)) == 1; ++made) add_ranges(out[made]);
  return made;
}

bool Stream::Impl::make_data(const Turn& turn, io::Request& out) {
  places::Cursor& file = files[turn.file];
  if (budget.wraps_in_run() && file.wrapped_out(turn.dir)) file.rewind(turn.dir);
  places::Extent extent;
  if (!file.next(turn.dir, turn.fresh, extent)) return false;
  out = {extent.offset, pacing.take(turn.dir, extent.length),
         extent.length, static_cast<std::uint16_t>(turn.file),
         turn.dir,      0};
  budget.count(turn.dir, extent.length);
  if (turn.dir == io::Dir::write && syncs.used()) syncs.wrote(turn.file, extent.offset, extent.length);
  return true;
}

// Handles a file with a used-up window. The file ends. In a time_based job the pass ends instead, and the turn is kept
// for the next pass. A random choice of files never ends: the file is rewound, and the turn is kept.
// again: the turn was already kept, so the window has no block at all.
bool Stream::Impl::used_up(const Turn& turn, bool again) {
  if (choice && choice->never_ends() && !again) {
    files[turn.file].rewind(turn.dir);
    held = turn;
    return turn_held = true;
  }
  if (!wraps_alone || again) {
    files[turn.file].done = true;
    return true;
  }
  held = turn;
  turn_held = true;
  return false;
}

bool Stream::Impl::make(io::Request& out) {
  if (budget.spent()) return false;
  if (syncs.due() && !turn_held && make_sync(out)) return true;
  for (;;) {
    Turn turn = held;
    const bool again = turn_held;
    turn_held = false;
    if (!again && !draw_turn(turn)) return false;
    if (make_data(turn, out)) return true;
    if (!used_up(turn, again)) return false;
  }
}

void Stream::Impl::rewind_all() {
  for (auto& file : files) file.rewind();
  if (choice) choice->rewind();
}

std::size_t Stream::Impl::make_plain(std::span<io::Request> out) {
  const std::uint32_t bytes = layout.largest;
  std::uint64_t count = budget.room(bytes, out.size());
  if (layout.random) {
    count = std::min(count, files[0].random_left());
    if (count == 0) return 0;  // a window below one block has no sampler
    if (!mix.mixed()) {
      files[0].fill_random(mix.draw(mix_prng), out.first(count));
    } else {
      for (auto& request : out.first(count)) request = {0, 0, bytes, 0, mix.draw(mix_prng), 0};
      files[0].fill_random(out.first(count));
    }
  } else {
    count = files[0].fill_sequential(mix.draw(mix_prng), out.first(count));
  }
  budget.count_many(bytes, count);
  return count;
}

std::size_t Stream::Impl::next(std::span<io::Request> out) {
  std::size_t made = plain && !turn_held && !pass_over ? make_plain(out) : 0;
  while (made < out.size() && !pass_over) {
    if (make(out[made]))
      ++made;
    else if (!turn_held && budget.begin_further_run())
      begin_again(reseeds);
    else
      pass_over = true;
  }
  return made;
}

void Stream::Impl::restart(bool reseed) {
  pass_over = false;
  budget.begin_pass();
  if (turn_held) return files[held.file].rewind(held.dir);
  begin_again(reseed);
}

void Stream::Impl::begin_again(bool reseed) {
  if (!reseed) return rewind_all();
  std::uint64_t state = seed;
  mix_prng = base::Prng(base::splitmix64(state));
  for (auto& file : files) file.reset();
  file_in_turn = 0;
  sequence_left = 1;
  if (choice) choice->reset();
}

bool Stream::Impl::begin_pass() {
  if (!time_based && --loops_left == 0) return false;
  restart(reseeds);
  return true;
}

Stream::Stream(const job::Job& job, std::span<const io::Target> targets, std::uint32_t job_index) {
  try {
    impl_ = std::make_unique<Impl>(job, targets, job_index);
  } catch (const std::exception&) {  // std::bad_alloc, or std::length_error of a vector
    if (!job.of<job::fields::OffsetChoice>().softrandommap || job.norandommap) throw;
    job::Job mapless = job;
    mapless.norandommap = without_map_ = true;
    impl_ = std::make_unique<Impl>(mapless, targets, job_index);
  }
}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
std::size_t Stream::next(std::span<io::Request> out) {
  return impl_->ranges == nullptr ? impl_->next(out) : impl_->next_of_ranges(out);
}
void Stream::restart(bool reseed) { impl_->restart(reseed); }
bool Stream::begin_pass() { return impl_->begin_pass(); }
void Stream::put_ranges_into(io::TrimRanges& ranges) {
  impl_->ranges = &ranges;
  impl_->plain = false;
}
void Stream::placed(const Placed& placed) {
  const auto& request = placed.request;
  impl_->files[request.target].placed(request.dir, {request.offset, request.length}, placed.next);
  if (request.length < placed.drawn_bytes)
    impl_->budget.count_less(placed.left_bytes, placed.drawn_bytes, request.length);
}
std::uint64_t Stream::bytes_left() const { return impl_->budget.bytes_left(); }
void Stream::end_file(std::uint16_t target) { impl_->files[target].done = true; }
std::uint64_t Stream::pass_bytes() const { return impl_->budget.pass_bytes(); }
std::uint32_t Stream::largest_request() const { return impl_->layout.largest; }

}  // namespace fathom::workload

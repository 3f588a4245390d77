// Determines the layout of headers, and the pattern, of a job with verify=.
#include "run/checks/verify_plan.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/prng.h"
#include "job/fields/offset_choice.h"
#include "job/fields/verify.h"
#include "run/process/stages.h"
#include "workload/budget.h"

namespace fathom::run::checks {
namespace {

using job::fields::VerifyOptions;

base::Error of_job(base::Error error, const job::Job& job) {
  error.kind = base::ErrorKind::usage;
  if (!error.place) error.place = job.place;
  return error;
}

// The interval already divides all block sizes (job/resolve.cc). Therefore fio's behavior for other intervals does not
// matter here.
verify::LayoutAsk ask_of(const job::Job& job, const VerifyOptions& options) {
  constexpr auto r = io::index(io::Dir::read), w = io::index(io::Dir::write);
  verify::LayoutAsk ask;
  ask.format =
      options.format == job::fields::VerifyFormat::fio_3_33 ? verify::Format::fio_3_33 : verify::Format::fio_3_42;
  ask.method = options.method.empty() ? verify::Method::pattern_hdr : verify::method_named(options.method)->method;
  ask.interval = job.verify_interval;
  ask.offset = options.offset;
  const auto d = job.mode.writes ? w : r;
  ask.min_write = job.bs_min[d];
  ask.max_write = job.bs_max[d];
  ask.min_read = job.mode.writes && job.mode.reads ? job.bs_min[r] : 0;
  ask.has_pattern = !options.pattern.empty();
  ask.writes = job.changes_targets();
  return ask;
}

}  // namespace

base::Expected<verify::Layout> verify_layout(const job::Job& job) {
  auto layout = verify::settle(ask_of(job, job.of<VerifyOptions>()));
  if (!layout) return of_job(layout.error(), job);
  return layout;
}

base::Expected<VerifyTools> VerifyTools::make(const job::Job& job, std::optional<verify::Format> as) {
  auto layout = verify_layout(job);
  if (!layout) return layout.error();
  layout->format = as.value_or(layout->format);
  const auto& options = job.of<VerifyOptions>();
  const auto pattern = [&] {
    if (options.pattern.empty()) return base::Expected<verify::PatternBytes>(verify::PatternBytes());
    return verify::PatternBytes::make(options.pattern, options.offset_places, options.pattern_interval);
  };
  auto for_sealer = pattern(), for_checker = pattern();
  if (!for_sealer) return of_job(for_sealer.error(), job);
  auto sealer = verify::Sealer::make(*layout, std::move(*for_sealer));
  if (!sealer) return of_job(sealer.error(), job);
  auto checker = verify::Checker::make(*layout, std::move(*for_checker));
  if (!checker) return of_job(checker.error(), job);
  return VerifyTools{std::move(*sealer), std::move(*checker)};
}

namespace {

bool write_the_same(const files::Plan& one, const files::Plan& other) {
  if (!one.job.changes_targets() || !other.job.changes_targets()) return false;
  return std::any_of(one.targets.begin(), one.targets.end(), [&](const files::PlannedTarget& a) {
    return std::any_of(other.targets.begin(), other.targets.end(), [&](const files::PlannedTarget& b) {
      const bool not_yet_known = a.read_again || b.read_again;
      return a.path == b.path && (not_yet_known || (a.start < b.start + b.length && b.start < a.start + a.length));
    });
  });
}

}  // namespace

void mark_shared_places(std::vector<files::Plan>& plans) {
  for (std::size_t first = 0; first < plans.size();) {
    const std::size_t end = process::stage_end(plans, first);
    for (std::size_t i = first; i < end; ++i)
      for (std::size_t j = first; plans[i].job.verify && j < end; ++j)
        plans[i].others_write_there |= i != j && write_the_same(plans[i], plans[j]);
    first = end;
  }
}

std::uint32_t order_hash(const job::Job& job, std::span<const io::Target> targets) {
  constexpr auto w = io::index(io::Dir::write);
  constexpr int kHalf = 32;
  std::uint64_t hash = job.bs_min[w];
  const auto add = [&hash](std::uint64_t value) { hash = base::splitmix64(hash) ^ value; };
  add(job.bs_max[w]);
  for (const bool is : {job.time_based, job.randrepeat, job.norandommap, job.mode.random, job.mode.reads}) add(is);
  add(job.mode.sequence);
  add(job.io_size.bytes);
  add(static_cast<std::uint64_t>(job.io_size.percent * 1e6));
  std::uint64_t window = 0;
  for (const auto& target : targets) {
    add(target.start);
    add(target.length);
    window += target.length;
  }
  add(job.size.set && job.size.percent <= 0 ? std::min(job.size.bytes, window) : window);
  hash = base::splitmix64(hash);
  return static_cast<std::uint32_t>(hash >> kHalf) | 1;
}

bool writes_each_place_once(const job::Job& job, std::span<const io::Target> targets) {
  constexpr auto w = io::index(io::Dir::write);
  const auto& choice = job.of<job::fields::OffsetChoice>();
  const auto& mode = job.mode;
  std::uint64_t window = 0;
  std::set<std::string_view> paths;
  for (const auto& target : targets) {
    window += target.length;
    if (!paths.insert(target.path).second) return false;
  }
  const std::uint64_t moves = workload::bytes_to_move(job, window, job.bs_max[w]);
  const bool one_pass = !job.time_based && job.loops == 1 && moves != 0 && moves <= window;
  const bool one_size = job.bs_min[w] == job.bs_max[w] && job.bssplit[w].empty() && !job.bs_unaligned &&
                        (job.blockalign[w] == 0 || job.blockalign[w] == job.bs_min[w]);
  const bool plain = !mode.trims && !mode.trim_then_write && mode.sequence == 1 && mode.sequential_add == 0 &&
                     job.sequencer == job::Sequencer::sequential && !job::fields::has_zones(job) &&
                     !job.of<job::fields::SpRandom>().used && choice.offset_align == 0;
  if (!one_pass || !one_size || !plain) return false;
  if (!mode.random) return true;
  constexpr auto r = io::index(io::Dir::read);
  const bool one_map = !mode.reads || (job.bs_min[r] == job.bs_min[w] && job.bs_max[r] == job.bs_max[w]);
  return one_map && !job.norandommap && !choice.softrandommap && choice.sequence.empty() &&
         choice.percentage_random[w] == 100 && job.distribution[w].kind == pattern::Kind::uniform;
}

}  // namespace fathom::run::checks

// Layout and pattern of a job.
#include "run/verify_plan.h"

#include <utility>

#include "job/verify.h"

namespace fathom::run {
namespace {

using job::VerifyOptions;

base::Error of_job(base::Error error, const job::Job& job) {
  error.kind = base::ErrorKind::usage;
  if (!error.place) error.place = job.place;
  return error;
}

// The interval divides all blocks already (job/resolve_verify.h), and what fio does where it does not is no matter.
verify::LayoutAsk ask_of(const job::Job& job, const VerifyOptions& options) {
  constexpr auto r = io::index(io::Dir::read), w = io::index(io::Dir::write);
  verify::LayoutAsk ask;
  ask.format = options.format == job::VerifyFormat::fio_3_33 ? verify::Format::fio_3_33 : verify::Format::fio_3_42;
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

base::Expected<VerifyTools> VerifyTools::make(const job::Job& job) {
  const auto layout = verify_layout(job);
  if (!layout) return layout.error();
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

}  // namespace fathom::run

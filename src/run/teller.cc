// Calls the listeners of progress. It has three progress watches, because each reports the change since its previous
// look.
#include "run/teller.h"

#include <algorithm>

#include "run/loop/pause.h"

namespace fathom::run {
Teller::Teller(const std::vector<files::Plan>& plans, const RunOptions& options, std::function<result::Run()> so_far)
    : options_(options),
      so_far_(std::move(so_far)),
      line_(plans),
      second_(plans),
      report_(plans),
      next_line_ns_(options.on_progress ? base::monotonic_ns() + options.progress_interval_ns : ~0ull),
      beat_(options.on_status ? options.status_interval_ns : 0, base::monotonic_ns()) {}

void Teller::begin_stage(std::size_t first, std::size_t last) {
  line_.begin_stage(first, last);
  second_.begin_stage(first, last);
  report_.begin_stage(first, last);
}

void Teller::sampled(std::optional<sampling::SamplePoint> all) {
  recent_.add(std::move(all));
  second_over_ = recent_.whole();
}

std::uint64_t Teller::next_ns() const { return std::min(next_line_ns_, beat_.next_ns()); }

void Teller::tell(const Workers& workers) {
  const std::uint64_t now = base::monotonic_ns();
  if (now >= next_line_ns_) {
    options_.on_progress(look(line_, workers));
    next_line_ns_ = std::max(next_line_ns_ + options_.progress_interval_ns, now);
  }
  if (options_.on_second && std::exchange(second_over_, false)) options_.on_second(look(second_, workers));
  const bool asked = options_.on_status && options_.status_asked && options_.status_asked();
  if (beat_.due(now) || asked) report(workers);
}

Progress Teller::look(ProgressWatch& watch, const Workers& workers) const {
  auto p = watch.look(workers);
  for (std::size_t d = 0; d < io::kDataDirs; ++d) p.lat[d] = recent_.latency(d);
  return p;
}

void Teller::report(const Workers& workers) {
  auto run = so_far_();
  const auto progress = report_.look(workers);
  for (auto* jobs : {&run.jobs, &run.group_members})
    for (auto& job : *jobs)
      if (job.running && progress.eta_known) job.eta_s = progress.eta_s;
  options_.on_status(std::move(run));
}

}  // namespace fathom::run

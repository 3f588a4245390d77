// Members before those of a run's objects.
#include "cli/sweep_commands/sweep_live.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files/output_file.h"
#include "base/time.h"
#include "report/parts/json_writer.h"

namespace fathom::cli::sweep_commands {
namespace {

using Kind = options::Live::Kind;

bool is_metrics(const options::Live& live) { return live.kind == Kind::metrics || live.kind == Kind::kept_metrics; }

bool is_metrics_text(std::string_view head) { return head.starts_with("# HELP fathom_"); }

// `{...}` as `...,`, on one line.
std::string members_of(std::string object) {
  for (std::size_t at = 0; (at = object.find('\n', at)) != object.npos;)
    object.erase(at, object.find_first_not_of("\n ", at) - at);
  const auto first = object.find('{') + 1, last = object.rfind('}');
  return object.substr(first, last - first) + ",";
}

}  // namespace

// The runs wrote the metrics file.
SweepLive::~SweepLive() {
  for (const auto& live : asked_)
    if (live.kind == Kind::metrics) base::files::remove_if(live.path, is_metrics_text);
}

base::Expected<void> SweepLive::open(report_commands::Outputs& outputs, bool output_is_free, std::string_view program) {
  begin_ns_ = base::monotonic_ns();
  return feed_.open(asked_, outputs, output_is_free, program);
}

std::vector<std::string> SweepLive::words() const {
  std::vector<std::string> out;
  for (const auto& live : asked_)
    if (is_metrics(live)) out.push_back("--live=metrics-keep:" + live.path);
  return out;
}

std::function<void(const std::string&)> SweepLive::listener(std::size_t number, std::size_t left,
                                                            const std::string& setting) {
  if (std::all_of(asked_.begin(), asked_.end(), is_metrics)) return {};
  return [this, number, left, setting](const std::string& object) {
    if (!object.starts_with('{')) return;
    report::parts::JsonWriter w;
    w.begin_object();
    w.field("run", number);
    w.field("runs_left", left);
    w.field("setting", setting);
    w.field("sweep_elapsed_s", static_cast<double>(base::monotonic_ns() - begin_ns_) * 1e-9);
    w.end_object();
    feed_.say(fmt::format("{{{}{}\n", members_of(w.take()), object.substr(1)), "");
  };
}

}  // namespace fathom::cli::sweep_commands

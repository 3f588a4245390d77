// Opens before the run, and writes each second.
#include "cli/run_commands/live_feed.h"

#include <cerrno>
#include <utility>

#include "base/text/printable.h"
#include "base/time.h"
#include "cli/show_error.h"
#include "cli/subcommand.h"
#include "report/page/live.h"
#include "session/identity.h"

namespace fathom::cli::run_commands {

LiveFeed::~LiveFeed() {
  if (metrics_ && !keep_metrics_) metrics_->remove();
}

base::Expected<void> LiveFeed::start_page(std::span<const options::Live> asked, const std::string& what) {
  for (const auto& live : asked) {
    if (live.kind != options::Live::Kind::page) continue;
    const int utc_offset_s = session::utc_offset_s(base::epoch_ms()).value_or(0);
    if (auto ok = page_.start(live.port, report::page::live_html(what, utc_offset_s)); !ok) return ok;
  }
  return {};
}

base::Expected<void> LiveFeed::open(std::span<const options::Live> asked, report_commands::Outputs& outputs,
                                    bool output_is_free, std::string_view program) {
  using Kind = options::Live::Kind;
  for (const auto& live : asked) {
    if (live.kind == Kind::page) {
      show_line("live page, for browsers on this machine: " + page_.address(), program);
      continue;
    }
    const bool json = live.kind == Kind::json;
    if (json && live.path.empty() && !output_is_free)
      return usage_error("--live=json: the report uses standard output", "",
                         "add --output=FILE, or write --live=json:FILE");
    auto place = outputs.look(json ? "--live=json" : "--live=metrics", live.path);
    if (!place) return place.error();
    if (json) {
      json_.emplace(std::move(*place));
    } else {
      metrics_.emplace(std::move(*place), base::files::Document::Durability::unsynced);
      keep_metrics_ = live.kind == Kind::kept_metrics;
    }
  }
  return {};
}

void LiveFeed::keep(base::Expected<void> done) {
  if (!done && done.error().sys_errno != EPIPE && !failed_) failed_ = done.error();
}

// A full disk does not affect the run, and is reported at its end. A closed pipe is not an error.
void LiveFeed::say(const std::string& object, const std::string& metrics) {
  if (json_) keep(json_->write(base::text::printable_lines(object)));
  if (metrics_ && !metrics.empty()) keep(metrics_->replace(base::text::printable_lines(metrics)));
  page_.say(object);
}

base::Expected<void> LiveFeed::end(const std::function<std::string()>& page) {
  if (page_.runs()) page_.end_with(page());
  return failed_ ? base::Expected<void>(*failed_) : base::Expected<void>();
}

}  // namespace fathom::cli::run_commands

// Opening before the run, writing each second.
#include "cli/run_commands/live_feed.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/time.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "report/page/live.h"
#include "session/identity.h"

namespace fathom::cli::run_commands {
namespace {

base::Error cannot_write(const std::string& path, int err) {
  base::Error e;
  e.kind = base::ErrorKind::io;
  e.sys_errno = err;
  e.what = fmt::format("--live: {} cannot be written", path);
  e.cause = std::strerror(err);
  e.help = "write the name of a file in a folder that can be written";
  return e;
}

}  // namespace

LiveFeed::~LiveFeed() {
  if (json_ != nullptr && json_ != stdout) std::fclose(json_);
  if (!metrics_.empty() && !keep_metrics_) ::unlink(metrics_.c_str());
}

base::Expected<void> LiveFeed::open_json(const std::string& path, bool output_is_free) {
  if (path.empty() && !output_is_free) {
    base::Error e;
    e.what = "--live=json: standard output has the report";
    e.help = "write --output=FILE too, or --live=json:FILE";
    return e;
  }
  json_ = path.empty() ? stdout : std::fopen(path.c_str(), "we");
  if (json_ == nullptr) return cannot_write(path, errno);
  return {};
}

base::Expected<void> LiveFeed::start_page(std::span<const options::Live> asked, const std::string& what) {
  for (const auto& live : asked) {
    if (live.kind != options::Live::Kind::page) continue;
    const int utc_offset_s = session::utc_offset_s(base::epoch_ms()).value_or(0);
    if (auto ok = page_.start(live.port, report::page::live_html(what, utc_offset_s)); !ok) return ok;
  }
  return {};
}

base::Expected<void> LiveFeed::open(std::span<const options::Live> asked, bool output_is_free,
                                    std::string_view program) {
  using Kind = options::Live::Kind;
  for (const auto& live : asked) {
    if (live.kind == Kind::page) {
      show_line("shown while it is measured, to browsers of this machine: " + page_.address(), program);
    } else if (live.kind == Kind::json) {
      if (auto ok = open_json(live.path, output_is_free); !ok) return ok;
    } else {
      metrics_ = live.path;
      keep_metrics_ = live.kind == Kind::kept_metrics;
      if (auto ok = write_metrics(""); !ok) {
        metrics_.clear();
        return ok;
      }
    }
  }
  return {};
}

base::Expected<void> LiveFeed::write_metrics(const std::string& text) {
  const std::string beside = fmt::format("{}.{}.new", metrics_, ::getpid());
  std::FILE* const file = std::fopen(beside.c_str(), "we");
  if (file == nullptr) return cannot_write(metrics_, errno);
  const bool written = write_text(file, text);
  if (std::fclose(file) == 0 && written && std::rename(beside.c_str(), metrics_.c_str()) == 0) return {};
  const int err = errno;
  ::unlink(beside.c_str());
  return cannot_write(metrics_, err);
}

// A reader that is gone, or a full disk, costs the run nothing.
void LiveFeed::say(const std::string& object, const std::string& metrics) {
  ignore_broken_pipes();
  if (json_ != nullptr) {
    write_text(json_, object);
    std::fflush(json_);
  }
  if (!metrics_.empty() && !metrics.empty()) (void)write_metrics(metrics);
  restore_broken_pipes();
  page_.say(object);
}

void LiveFeed::end(const std::function<std::string()>& page) {
  if (page_.runs()) page_.end_with(page());
}

}  // namespace fathom::cli::run_commands

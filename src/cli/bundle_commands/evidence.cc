// The names of logs follow from the jobs' options, as for a run.
#include "cli/bundle_commands/evidence.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/files/input_file.h"
#include "base/files/place.h"
#include "base/text/printable.h"
#include "bundle/archive.h"
#include "bundle/job_text.h"
#include "job/command.h"
#include "job/fields/process_options.h"
#include "run/logs/log_kinds.h"

namespace fathom::cli::bundle_commands {
namespace {

using base::text::printable;

// A log is complete when the jobs have ended. Writing a large one takes some time.
constexpr std::uint64_t kBefore_ms = 2'000, kAfter_ms = 60'000;

struct Log {
  std::string path;
  std::uint64_t written_epoch_ms = 0;
};

std::vector<std::string> names_of_logs(const job::JobSet& jobs) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < jobs.jobs.size(); ++i) {
    for (auto& name : run::logs::log_names(jobs.jobs[i], i + 1)) names.push_back(std::move(name));
    const auto& process = jobs.jobs[i].of<job::fields::ProcessOptions>();
    const auto file = base::files::file_name_of(jobs.jobs[i].name);
    if (!process.exec_prerun.empty()) names.push_back(file + ".prerun.txt");
    if (!process.exec_postrun.empty()) names.push_back(file + ".postrun.txt");
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<Log> existing(const std::vector<std::string>& names) {
  std::vector<Log> logs;
  for (const auto& name : names) {
    struct stat file = {};
    if (::stat(name.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) continue;
    const auto& time = file.st_mtim;
    logs.push_back(
        {name, static_cast<std::uint64_t>(time.tv_sec) * 1000 + static_cast<std::uint64_t>(time.tv_nsec) / 1'000'000});
  }
  return logs;
}

// Why a log is not of this run; empty: it may be.
std::string not_of(const result::Run& run, const Log& log) {
  if (log.written_epoch_ms + kBefore_ms < run.time_epoch_ms) return "it is older than the run";
  if (run.end_epoch_ms > 0 && log.written_epoch_ms > run.end_epoch_ms + kAfter_ms)
    return "it was written after the run";
  return {};
}

// The jobs as this machine reads them. Nothing is opened, and no variable is replaced.
base::Expected<job::JobSet> jobs_of(const result::Run& run) {
  const auto text = bundle::job_text(run);
  if (!text) return text.error();
  auto env = job::Environment::of_this_process();
  env.getenv = [](const std::string&) { return std::optional<std::string>(); };
  env.read_file = [](const std::string&) { return base::Expected<std::string>(std::string()); };
  return job::parse_job_text(text->text, "job", env);
}

base::Expected<void> read_one(const std::string& path, base::files::NamedFiles& named,
                              std::vector<bundle::Evidence>& read) {
  std::uint64_t left_bytes = bundle::kMostUnpacked_bytes;  // all files are in memory
  for (const auto& one : read) left_bytes -= one.bytes.size();
  auto bytes = base::files::read_input("file", path, left_bytes);
  if (!bytes) return bytes.error();
  named.add("a file of the bundle", path);
  read.push_back({std::filesystem::path(path).filename().string(), std::move(*bytes)});
  return {};
}

}  // namespace

base::Expected<std::vector<bundle::Evidence>> read_evidence(const std::vector<std::string>& paths, bool with_logs,
                                                            const result::Run& run, base::files::NamedFiles& named,
                                                            const std::function<void(const std::string&)>& on_omitted) {
  std::vector<bundle::Evidence> read;
  std::vector<base::files::Identity> known;
  for (const auto& path : paths) {
    known.push_back(base::files::identity_of(path));
    if (auto ok = read_one(path, named, read); !ok) return ok.error();
  }
  if (!with_logs) return read;
  const auto jobs = jobs_of(run);
  if (!jobs) {
    on_omitted(fmt::format("logs were not searched: {}", printable(jobs.error().what)));
    return read;
  }
  for (const auto& log : existing(names_of_logs(*jobs))) {
    if (std::find(known.begin(), known.end(), base::files::identity_of(log.path)) != known.end()) continue;
    if (const auto why = not_of(run, log); !why.empty())
      on_omitted(fmt::format("`{}` is omitted: {}; --add={} adds it", printable(log.path), why, printable(log.path)));
    else if (auto ok = read_one(log.path, named, read); !ok)
      on_omitted(fmt::format("`{}` is omitted: {}", printable(log.path), printable(ok.error().what)));
  }
  return read;
}

}  // namespace fathom::cli::bundle_commands

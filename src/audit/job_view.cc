// A job without filename= works on files called name.job.file, so its devices are found by that prefix.
#include "audit/job_view.h"

#include <algorithm>
#include <string>

#include "base/text/parse.h"

namespace fathom::audit {
namespace {

// "direct" alone and "direct=1" both mean yes.
bool is_true(std::string_view value) { return value.empty() || value == "1" || base::text::to_lower(value) == "true"; }

const std::string* last_value(const result::Options& options, std::string_view name) {
  const std::string* found = nullptr;
  for (const auto& row : options) {
    if (row.first == name) found = &row.second;
  }
  return found;
}

// Which of `direct` and `buffered` was written later in one list of options; nothing if neither.
std::optional<bool> direct_in(const result::Options& options) {
  std::optional<bool> direct;
  for (const auto& row : options) {
    if (row.first == "direct") direct = is_true(row.second);
    if (row.first == "buffered") direct = !is_true(row.second);
  }
  return direct;
}

bool names_target(std::string_view files, std::string_view target) {
  while (!files.empty()) {
    const auto end = files.find(':');
    const auto file = files.substr(0, end);
    if (target == file || target.ends_with("/" + std::string(file))) return true;
    files = end == std::string_view::npos ? std::string_view{} : files.substr(end + 1);
  }
  return false;
}

}  // namespace

std::optional<std::string_view> option(const result::Run& run, const result::Job& job, std::string_view name) {
  if (const auto* own = last_value(job.options, name)) return *own;
  if (const auto* global = last_value(run.global_options, name)) return *global;
  return std::nullopt;
}

bool is_on(const result::Run& run, const result::Job& job, std::string_view name) {
  return option(run, job, name).value_or("0") != "0";
}

bool is_direct(const result::Run& run, const result::Job& job) {
  const auto own = direct_in(job.options);
  return own ? *own : direct_in(run.global_options).value_or(false);
}

bool moved_data(const result::Job& job) {
  return std::any_of(job.dirs.begin(), job.dirs.end(), [](const result::Direction& d) { return d.ios > 0; });
}

std::vector<const result::DeviceFacts*> devices_of(const result::Run& run, const result::Job& job) {
  std::vector<const result::DeviceFacts*> own, all;
  const auto files = option(run, job, "filename");
  for (const auto& device : run.host.devices) {
    all.push_back(&device);
    const std::string_view target = device.target;
    const auto base_name = target.substr(target.rfind('/') + 1);
    const bool mine = files ? names_target(*files, target) : base_name.starts_with(job.name + ".");
    if (mine) own.push_back(&device);
  }
  return own.empty() ? all : own;
}

}  // namespace fathom::audit

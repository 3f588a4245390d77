// A row per option. tests/bundle/reach_test.cc fails if an option with a text value is in no list.
#include "bundle/reach.h"

#include <fmt/format.h>

#include <algorithm>

#include "job/job_file.h"
#include "job/option.h"

namespace fathom::bundle {
namespace {

constexpr std::string_view kStarts = "starts a program", kReads = "reads a file that is no target",
                           kTakes = "takes all files of a directory as targets",
                           kMaps = "uses a file as memory, and overwrites it", kVariable = "reads the environment";

// when: the option counts only if its value contains this; empty: always.
struct Row {
  std::string_view option, when, does;
};
constexpr Row kRows[] = {
    {"exec_prerun", "", kStarts},
    {"exec_postrun", "", kStarts},
    {"program", "", kStarts},
    {"ioengine", "exec", kStarts},
    {"ioengine", "external", kStarts},
    {"ioengine", "/", kStarts},
    {"dp_scheme", "", kReads},
    {"donorname", "", kReads},
    {"conf", "", kReads},
    {"read_iolog", "", kReads},
    {"verify_state_load", "1", kReads},
    {"buffer_pattern", "'", kReads},
    {"verify_pattern", "'", kReads},
    {"opendir", "", kTakes},
    {"mem", ":", kMaps},
};
constexpr std::string_view kPermissions[] = {"allow_mounted_write"};

std::string canonical(const std::string& key) {
  const auto* row = job::find_option(key);
  return row != nullptr ? std::string(row->name()) : key;
}

std::string written_as(const options::Assignment& a) { return a.value ? a.key + "=" + *a.value : a.key; }

// Calls each(section, assignment, canonical name) for every option of the text.
base::Expected<void> each_option(const std::string& text, std::vector<Reach>* included, const auto& each) {
  job::Environment env;
  env.read_file = [&](const std::string& path) -> base::Expected<std::string> {
    if (included != nullptr) included->push_back({"", "include " + path, kReads});
    return std::string();
  };
  const auto sections = job::read_job_text(text, std::string("job"), env);
  if (!sections) return sections.error();
  for (const auto& section : *sections)
    for (const auto& a : section.options) each(section.name, a, canonical(a.key));
  return {};
}

}  // namespace

bool is_permission(std::string_view option) {
  return std::find(std::begin(kPermissions), std::end(kPermissions), option) != std::end(kPermissions);
}

std::vector<std::string_view> reaching_options() {
  std::vector<std::string_view> names;
  for (const auto& row : kRows) names.push_back(row.option);
  return names;
}

base::Expected<std::vector<Reach>> reach_of(const std::string& job_text) {
  std::vector<Reach> found;
  const auto look = [&](const std::string& section, const options::Assignment& a, const std::string& name) {
    const std::string value = a.value.value_or("");
    const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const auto& r) {
      return r.option == name && value.find(r.when) != value.npos && !(r.when.empty() && value.empty());
    });
    if (row != std::end(kRows)) found.push_back({section, written_as(a), row->does});
    if (value.find("${") != value.npos) found.push_back({section, written_as(a), kVariable});
  };
  if (auto ok = each_option(job_text, &found, look); !ok) return ok.error();
  return found;
}

base::Expected<std::vector<Reach>> permissions_in(const std::string& job_text) {
  std::vector<Reach> found;
  const auto look = [&](const std::string& section, const options::Assignment& a, const std::string& name) {
    if (is_permission(name) && a.value.value_or("1") != "0")
      found.push_back({section, written_as(a), "permits writes to a mounted device"});
  };
  if (auto ok = each_option(job_text, nullptr, look); !ok) return ok.error();
  return found;
}

}  // namespace fathom::bundle

// Generates the names of files, and finds the files of opendir=.
#include "run/files/target_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "io/plugin_options.h"
#include "job/fields/files.h"
#include "run/files/targets.h"

namespace fathom::run::files {
namespace {

bool same_letters(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// filename_format=: keywords in any case. $clientuid is empty: a job without clients has no client ID.
std::string in_format(const std::string& format, const job::Job& job, std::uint32_t file) {
  const std::pair<std::string_view, std::string> words[] = {{"$jobname", job.section_name},
                                                            {"$jobnum", std::to_string(job.subjob)},
                                                            {"$filenum", std::to_string(file)},
                                                            {"$clientuid", ""}};
  std::string name;
  for (std::string_view rest = format; !rest.empty();) {
    const auto* const word = std::find_if(std::begin(words), std::end(words), [&](const auto& w) {
      return rest.size() >= w.first.size() && std::equal(w.first.begin(), w.first.end(), rest.begin(), same_letters);
    });
    const bool found = word != std::end(words);
    name += found ? word->second : std::string(1, rest[0]);
    rest.remove_prefix(found ? word->first.size() : 1);
  }
  return name;
}

std::string in_directory(const std::string& directory, const std::string& name) {
  if (directory.empty() || (!name.empty() && name[0] == '/')) return name;
  return (std::filesystem::path(directory) / name).string();
}

// opendir=: all regular files in the directory tree, sorted by name. As in fio, links to files are not included. A
// directory that cannot be read is an error: otherwise its files would be missing without notice.
base::Expected<std::vector<std::string>> files_below(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code ec;
  std::filesystem::recursive_directory_iterator it(directory, ec);
  for (const std::filesystem::recursive_directory_iterator end; !ec && it != end; it.increment(ec)) {
    std::error_code gone;
    if (std::filesystem::is_regular_file(it->symlink_status(gone))) names.push_back(it->path().string());
  }
  if (ec) {
    auto e = base::system_error(fmt::format("opendir={}", directory), ec.value());
    e.help = "name an existing directory, and run as a user with permission to read all of it";
    return e;
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::vector<std::string> formatted_names(const job::Job& job) {
  std::vector<std::string> names;
  const std::string format = job.filename_format.empty() ? "$jobname.$jobnum.$filenum" : job.filename_format;
  for (std::uint32_t i = 0; i < job.nrfiles; ++i) names.push_back(in_format(format, job, i));
  return names;
}

base::Expected<std::vector<std::string>> target_names(const job::Job& job) {
  if (const auto& opened = job.of<job::fields::FileOptions>().opendir; !opened.empty()) {
    auto names = files_below(opened);
    if (names) names->insert(names->begin(), job.filenames.begin(), job.filenames.end());
    if (!names) names.error().place = job.place;
    return names;
  }
  const std::string directory =
      job.directories.empty() ? "" : job.directories[static_cast<std::size_t>(job.subjob) % job.directories.size()];
  std::vector<std::string> names;
  if (!job.filenames.empty()) {
    for (const auto& name : job.filenames) names.push_back(in_directory(directory, name));
    return names;
  }
  for (auto& name : formatted_names(job)) {
    std::replace(name.begin(), name.end(), '/', '_');
    names.push_back(in_directory(directory, name));
  }
  return names;
}

std::string name_by_option(const job::Job& job) {
  const auto* known = engine::targets_of(job.ioengine);
  return known != nullptr && known->named_by != nullptr ? known->named_by(job.engine) : std::string();
}

base::Expected<std::vector<std::string>> engine_target_names(const job::Job& job, const engine::Targets& known) {
  if (std::string named = name_by_option(job); !named.empty()) return std::vector<std::string>{std::move(named)};
  if (const auto directory = known.directory != nullptr ? known.directory(job.engine) : ""; !directory.empty()) {
    auto names = target_names(job);
    if (names)
      for (auto& name : *names) name = io::url_below(directory, name);
    return names;
  }
  if (job.filenames.empty() && !job.filename_format.empty()) return formatted_names(job);
  if (job.filenames.empty())
    return nothing_to_do(job, fmt::format("ioengine={} without a filename= that names a device", job.ioengine),
                         "add filename= with a device; `--enghelp` shows which devices the engine supports");
  if (known.split_names == nullptr) return job.filenames;
  std::string joined;  // only the engine knows which colons divide names
  for (const auto& name : job.filenames) joined += (joined.empty() ? "" : ":") + name;
  auto split = known.split_names(joined);
  if (!split) split.error().place = job.place;
  return split;
}

}  // namespace fathom::run::files

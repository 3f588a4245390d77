// Calls read(2) up to the limit: sysfs and procfs files have no useful size in stat(2).
#include "host/proc/text_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/system/fd.h"
#include "base/text/parse.h"

namespace fathom::host::proc {

std::string read_text(const std::string& path, std::size_t max_bytes) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return {};
  std::string text;
  char buffer[4096];
  while (text.size() < max_bytes) {
    const ssize_t n = ::read(fd.get(), buffer, std::min(sizeof buffer, max_bytes - text.size()));
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

std::string read_line(const std::string& path) {
  const std::string text = read_text(path, 4096);
  return std::string(base::text::trim(std::string_view(text).substr(0, text.find('\n'))));
}

std::vector<std::string> list_names(const std::string& path) {
  struct Close {
    void operator()(DIR* d) const { ::closedir(d); }
  };
  const std::unique_ptr<DIR, Close> dir(::opendir(path.c_str()));
  std::vector<std::string> names;
  if (!dir) return names;
  while (const dirent* entry = ::readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe): the stream is our own
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace fathom::host::proc

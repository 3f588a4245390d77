// Compares names by the files that they refer to.
#include "base/files/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace fathom::base::files {

Identity identity_of(const struct stat& file) {
  if (!S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode)) return {};
  return {file.st_dev, file.st_ino, {}};
}

Identity identity_of(const std::string& path) {
  if (path == "-") return identity_of(std::string("/dev/stdin"));
  struct stat file = {};
  if (::stat(path.c_str(), &file) == 0) return identity_of(file);
  const std::filesystem::path name(path);
  const auto directory = name.has_parent_path() ? name.parent_path() : std::filesystem::path(".");
  if (::stat(directory.c_str(), &file) != 0) return {};
  return {file.st_dev, file.st_ino, name.filename()};
}

void NamedFiles::add(std::string as, Identity identity) {
  if (identity.inode != 0) rows_.push_back({std::move(as), std::move(identity)});
}

Expected<void> NamedFiles::check(const std::string& as, const std::string& path, const Identity& identity) const {
  const auto same = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.identity == identity; });
  if (identity.inode != 0 && same != rows_.end()) {
    Error e;
    e.kind = ErrorKind::refused;
    e.what = fmt::format("{}: `{}` is also {}", as, path, same->as);
    e.cause = "both are the same file, which would be overwritten";
    e.help = "name another file";
    return e;
  }
  return {};
}

Expected<void> NamedFiles::claim(std::string as, const std::string& path, Identity identity) {
  if (auto ok = check(as, path, identity); !ok) return ok;
  add(std::move(as), std::move(identity));
  return {};
}

}  // namespace fathom::base::files

// Writes blocks to files for verify_dump. It never follows a link and never appends: a link of that name may come from
// another user.
#include "run/checks/verify_dump.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/files/output_file.h"
#include "verify/fio_lines.h"

namespace fathom::run::checks {
namespace {

int write_file(const std::string& name, std::span<const std::byte> bytes) {
  constexpr mode_t kMode = 0600;    // the file contains user data
  constexpr bool kFiosRule = true;  // as fio: a regular file of that name is replaced
  struct stat file = {};
  if (::lstat(name.c_str(), &file) == 0 && !S_ISREG(file.st_mode)) return EEXIST;  // a device or a link
  base::files::NamedFiles none;
  auto place = base::files::look_at({"verify_dump", name, nullptr, kFiosRule, false, kMode}, none);
  if (!place) return place.error().sys_errno;
  base::files::Document dump(std::move(*place), base::files::Document::Durability::unsynced);
  const auto written = dump.replace(base::files::text_of(bytes));
  return written.ok() ? 0 : written.error().sys_errno;
}

}  // namespace

std::vector<std::string> dump_block(const DumpedBlock& block, const std::string& folder) {
  std::vector<std::string> lines;
  const auto dump = [&](const char* what, std::span<const std::byte> bytes) {
    const std::string name = verify::fio_dump_name(block.file, block.offset, what);
    const int err = write_file(folder.empty() ? name : folder + "/" + name, bytes);
    lines.push_back(err == 0 ? verify::fio_dump_line(what, name)
                             : fmt::format("{} data not dumped as {}: {}", what, name, std::strerror(err)));
  };
  if (block.verdict.of_header()) {
    dump("hdr_fail", block.received);
    return lines;
  }
  dump("received", block.received);
  if (!block.expected.empty()) dump("expected", block.expected);
  return lines;
}

}  // namespace fathom::run::checks

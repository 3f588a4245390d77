// Loads the shared object of an engine. The file is read before the loader of the system sees it: a plug-in of fio or
// SPDK would run its constructors, which call functions of fio and end the process.
#include <elf.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "base/files/input_file.h"
#include "base/system/shared_library.h"
#include "engine/plugin/plugin.h"
#include "io/plugin_options.h"

namespace fathom::engine::plugin {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargest_bytes = std::size_t{256} << 20;
constexpr const char* kSymbol = "fathom_io_engine";

base::Error cannot_load(const PluginRow& row, std::string cause, std::string help) {
  return {.kind = base::ErrorKind::privilege,
          .what = fmt::format("ioengine={} cannot be loaded", row.name),
          .cause = std::move(cause),
          .help = std::move(help),
          .place = std::nullopt};
}

// The program's private library directory (cmake/uninstall.cmake), or the directory of the build.
base::Expected<std::string> find_own(const PluginRow& row) {
  std::error_code unknown;
  const auto program = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  const fs::path places[] = {(program / "../lib/fathom").lexically_normal(), program};
  for (const auto& place : places)
    if (fs::exists(place / row.file, unknown)) return (place / row.file).string();
  return cannot_load(row,
                     fmt::format("{} is neither in {} nor in {}", row.file, places[0].string(), places[1].string()),
                     fmt::format("install the package fathom-{0}, or build fathom with the library of {1} "
                                 "(docs/network.md)",
                                 row.name, row.package));
}

bool is_shared_object(std::string_view bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_type == ET_DYN;
}

// Symbols are zero-terminated texts of the file. The linker may keep one as the end of a longer one.
bool has_symbol(std::string_view bytes, std::string symbol) {
  symbol += '\0';
  return bytes.find(symbol) != std::string_view::npos;
}

base::Error no_engine(const PluginRow& row, const std::string& path) {
  return cannot_load(row, fmt::format("`{}` does not define `{}`", path, kSymbol),
                     "an engine defines this object, as fathom_engine.h describes");
}

// An error, unless the file defines an engine of fathom.
base::Expected<void> examine(const PluginRow& row, const std::string& path) {
  struct stat st;
  if (::stat(path.c_str(), &st) != 0) {
    auto e = base::system_error(fmt::format("ioengine={}: `{}`", row.name, path), errno);
    e.help = "name the shared object of an engine";
    return e;
  }
  if (!S_ISREG(st.st_mode))
    return cannot_load(row, fmt::format("`{}` is not a regular file", path), "name the shared object of an engine");
  const auto bytes = base::files::read_input("the engine", path, kLargest_bytes);
  if (!bytes) return bytes.error();
  if (!is_shared_object(*bytes))
    return cannot_load(row, fmt::format("`{}` is not a shared object", path),
                       "build it with `cc -shared -fPIC` and fathom_engine.h");
  if (has_symbol(*bytes, kSymbol)) return {};
  constexpr const char* kOfFio[] = {"ioengine", "get_ioengine", "register_ioengine"};
  for (const auto* symbol : kOfFio) {
    if (!has_symbol(*bytes, symbol)) continue;
    const bool spdk = bytes->find("spdk_") != std::string::npos;
    return cannot_load(
        row,
        fmt::format("`{}` is a plug-in of {}: it uses structures of one version of fio, so that no other program can "
                    "load it",
                    path, spdk ? "SPDK for fio" : "fio"),
        spdk ? "write `ioengine=nvme`, which is fathom's NVMe driver"
             : "use fio for it, or write an engine with fathom_engine.h");
  }
  return no_engine(row, path);
}

base::Error other_interface(const PluginRow& row, const std::string& path, const fathom_engine& found) {
  return cannot_load(
      row,
      fmt::format("`{}` was built for version {} of the interface ({} bytes); this fathom has version {} "
                  "({} bytes)",
                  path, found.version, found.size_bytes, FATHOM_ENGINE_VERSION, sizeof(fathom_engine)),
      "build it again with this fathom's fathom_engine.h");
}

base::Expected<const fathom_engine*> open_file(const PluginRow& row, const std::string& path) {
  base::system::SharedLibrary library(path.c_str());
  const fathom_engine* found = nullptr;
  library.take(kSymbol, found);
  if (library.missing() == kSymbol) return no_engine(row, path);
  if (!library.missing().empty())
    return cannot_load(row, library.missing(),
                       row.package.empty() ? "install the library that it needs"
                                           : fmt::format("install the Debian package {}", row.package));
  if (found->version != FATHOM_ENGINE_VERSION || found->size_bytes != sizeof(fathom_engine))
    return other_interface(row, path, *found);
  if (found->look_at == nullptr || found->open == nullptr || found->submit == nullptr || found->reap == nullptr ||
      found->close == nullptr)
    return cannot_load(row, fmt::format("`{}` lacks a function: look_at, open, submit, reap or close", path),
                       "only explain may be missing");
  return found;
}

}  // namespace

base::Expected<const fathom_engine*> load(const PluginRow& row, const io::EngineOptions& options) {
  static std::mutex lock;
  static std::map<std::string, const fathom_engine*> loaded;
  std::string path = options.of<io::PluginOptions>().path;
  if (!row.file.empty()) {
    auto own = find_own(row);
    if (!own) return own.error();
    path = *own;
  } else if (path.find('/') == std::string::npos) {
    path = "./" + path;  // otherwise dlopen(3) would search the system's libraries
  }
  const std::lock_guard guard(lock);
  if (const auto known = loaded.find(path); known != loaded.end()) return known->second;
  if (auto ok = examine(row, path); !ok) return ok.error();
  const auto opened = open_file(row, path);
  if (opened) loaded[path] = *opened;
  return opened;
}

base::Error refused(const PluginRow& row, std::string_view call, const std::string& target, fathom_error error) {
  error.cause[sizeof error.cause - 1] = error.help[sizeof error.help - 1] = 0;
  base::Error e;
  e.kind = base::ErrorKind::io;
  e.what = fmt::format("ioengine={} cannot {} `{}`", row.name, call, target);
  e.cause = error.cause[0] != 0 ? error.cause
            : error.number != 0 ? std::strerror(error.number)
                                : "the engine gave no cause";
  e.help = error.help;
  e.sys_errno = error.number;
  return e;
}

}  // namespace fathom::engine::plugin

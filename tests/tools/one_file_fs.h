// What the FUSE file systems of the tests have in common: a file `data`, whose medium is a class of the tool, and a file
// `control`, which takes one command a line and, read, tells what the medium has to say. One thread serves all.
//
// Such a medium M has
//   static constexpr std::size_t kMost;                 bytes that `data` may have
//   std::size_t size() const;  void resize(std::size_t bytes);
//   void read(std::size_t at, char* bytes, std::size_t length, bool direct);
//   void write(std::size_t at, const char* bytes, std::size_t length);
//   bool cached() const;                                whether the page cache stands before `data`
//   bool command(const std::string& line);              false: not understood
//   std::string told() const;                           what `control` reads
//
// Reference: libfuse's high-level interface, https://libfuse.github.io/doxygen/structfuse__operations.html
#pragma once
#define FUSE_USE_VERSION 31
#include <fcntl.h>
#include <fuse.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <string>
#include <string_view>

namespace one_file_fs {

inline bool is_data(const char* path) { return std::string_view(path) == "/data"; }
inline bool is_control(const char* path) { return std::string_view(path) == "/control"; }

inline int list(const char* /*path*/, void* to, fuse_fill_dir_t add, off_t /*from*/, fuse_file_info* /*file*/,
                fuse_readdir_flags /*flags*/) {
  for (const char* name : {".", "..", "data", "control"})
    add(to, name, nullptr, 0, static_cast<fuse_fill_dir_flags>(0));
  return 0;
}

inline void* begin(fuse_conn_info* /*connection*/, fuse_config* config) {
  config->attr_timeout = config->entry_timeout = config->negative_timeout =
      0;  // sizes change by commands, which the kernel does not see
  return nullptr;
}

template <class M>
struct Served {
  static inline M medium;

  static int get_attributes(const char* path, struct stat* to, fuse_file_info* /*file*/) {
    *to = {};
    if (std::string_view(path) == "/") {
      to->st_mode = S_IFDIR | 0755;
      to->st_nlink = 2;
      return 0;
    }
    if (!is_data(path) && !is_control(path)) return -ENOENT;
    to->st_mode = S_IFREG | 0644;
    to->st_nlink = 1;
    to->st_size = static_cast<off_t>(is_data(path) ? medium.size() : 0);
    to->st_blocks = to->st_size / 512;
    to->st_blksize = 4096;
    return 0;
  }

  static int open_file(const char* path, fuse_file_info* file) {
    if (!is_data(path) && !is_control(path)) return -ENOENT;
    file->direct_io = is_control(path) || !medium.cached();
    file->keep_cache =
        is_data(path) && medium.cached();  // as a disk's file system: what is cached outlives the open file
    return 0;
  }

  static int read_file(const char* path, char* to, std::size_t length, off_t from, fuse_file_info* file) {
    const auto at = static_cast<std::size_t>(from);
    if (is_control(path)) {
      const std::string rows = medium.told();
      return static_cast<int>(at < rows.size() ? rows.copy(to, length, at) : 0);
    }
    if (at >= medium.size()) return 0;
    length = std::min(length, medium.size() - at);
    medium.read(at, to, length, (file->flags & O_DIRECT) != 0);
    return static_cast<int>(length);
  }

  static int write_file(const char* path, const char* bytes, std::size_t length, off_t from, fuse_file_info* /*file*/) {
    if (is_control(path)) {
      std::istringstream lines(std::string(bytes, length));
      for (std::string line; std::getline(lines, line);) {
        if (!medium.command(line)) return -EINVAL;
      }
      return static_cast<int>(length);
    }
    const auto at = static_cast<std::size_t>(from);
    if (at + length > M::kMost) return -ENOSPC;
    medium.write(at, bytes, length);
    return static_cast<int>(length);
  }

  static int set_size(const char* path, off_t size, fuse_file_info* /*file*/) {
    if (is_control(path)) return 0;
    if (static_cast<std::size_t>(size) > M::kMost) return -ENOSPC;
    medium.resize(static_cast<std::size_t>(size));
    return 0;
  }
};

template <class M>
int serve(int argc, char** argv) {
  fuse_operations operations{};
  operations.getattr = Served<M>::get_attributes;
  operations.truncate = Served<M>::set_size;
  operations.open = Served<M>::open_file;
  operations.read = Served<M>::read_file;
  operations.write = Served<M>::write_file;
  operations.readdir = list;
  operations.init = begin;
  return fuse_main(argc, argv, &operations, nullptr);
}

}  // namespace one_file_fs

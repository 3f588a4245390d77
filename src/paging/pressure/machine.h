// The operations that pressure performs on a machine, as an interface: a test can make the k-th of them fail, or end
// the program at it, and check what is left. LiveMachine performs them. Errors are errno values, 0 is success. Thread
// rule: the main thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/system/fd.h"

namespace fathom::paging::pressure {

// Distinguishes a file from another one that later has the same name.
struct FileId {
  std::uint64_t device = 0, inode = 0, size_bytes = 0;
  std::uint64_t rdev = 0;      // of a device node
  std::uint64_t birth_ns = 0;  // wall clock; 0: the file system keeps no birth (tmpfs before 6.0, ramfs)
  std::uint32_t mode = 0;      // st_mode
  std::uint32_t owner = 0;
  std::uint64_t changed_ns = 0;  // of its inode: every chmod moves it, so it never identifies a file
};

// A file that has no name yet: it disappears with the process.
struct UnnamedFile {
  base::system::UniqueFd fd;
  FileId id;
};

class Machine {
 public:
  virtual ~Machine() = default;
  // Whole text; nullopt: cannot be read.
  virtual std::optional<std::string> read(const std::string& path) = 0;
  virtual std::vector<std::string> list(const std::string& path) = 0;
  virtual bool exists(const std::string& path) = 0;
  virtual bool writable(const std::string& path) = 0;
  virtual std::optional<FileId> identify(const std::string& path) = 0;    // of the link itself, never of its target
  virtual std::vector<std::byte> read_page(const std::string& path) = 0;  // the first page; empty: cannot
  virtual std::optional<std::string> real_path(const std::string& path) = 0;
  // host::guards::guard_use(): whether this block device is unused now, whatever was allowed.
  virtual base::Expected<void> may_claim(const std::string& path) = 0;
  // host::guards::guard_write(): whether writing to this block device was allowed or destroys nothing.
  virtual base::Expected<void> may_overwrite(const std::string& path, const std::vector<std::string>& allowed) = 0;
  // Whether make_file() is possible (file system, free space). Changes nothing.
  virtual base::Expected<void> may_make_file(const std::string& path, std::uint64_t size_bytes) = 0;
  virtual bool administrator() = 0;  // may swapon (CAP_SYS_ADMIN)
  virtual std::uint32_t own_user() = 0;
  virtual std::uint64_t now_ns() = 0;  // wall clock
  virtual void pause_ms(unsigned ms) = 0;
  virtual int own_pid() = 0;
  virtual std::uint64_t own_pid_namespace() = 0;  // the inode of /proc/self/ns/pid; 0: cannot be read
  virtual base::system::UniqueFd lock(const std::string& path) = 0;  // flock(2), exclusive, waits; empty: failed
  virtual bool is_locked(const std::string& path) = 0;               // by a process of any namespace

  // Changes.
  virtual int write(const std::string& path, const std::string& text) = 0;   // one write(2) to an existing file
  virtual int append(const std::string& path, const std::string& text) = 0;  // makes a missing file, mode 0600
  virtual int make_directory(const std::string& path) = 0;                   // mode 0700 in the state directory's tree
  virtual int remove_directory(const std::string& path) = 0;
  virtual int remove_file(const std::string& path) = 0;
  virtual int kill(int pid) = 0;
  virtual int swap_on(const std::string& path, int priority) = 0;  // < 0: the kernel's choice
  // Signals do not interrupt it. each_second: called during the wait.
  virtual int swap_off(const std::string& path, const std::function<void()>& each_second) = 0;
  // Writes the first page, to disk. Claims a block device for it: EBUSY if the device is in use.
  virtual int write_page(const std::string& path, const std::vector<std::byte>& page) = 0;
  // size_bytes of zeros in the directory of `path`, all blocks written, mode 0600, beginning with `page`.
  virtual base::Expected<UnnamedFile> make_file(const std::string& path, std::uint64_t size_bytes,
                                                const std::vector<std::byte>& page,
                                                const std::function<bool()>& stop) = 0;
  virtual int name_file(const UnnamedFile& file, const std::string& path) = 0;  // EEXIST: never overwrites
};

class LiveMachine : public Machine {
 public:
  std::optional<std::string> read(const std::string& path) override;
  std::vector<std::string> list(const std::string& path) override;
  bool exists(const std::string& path) override;
  bool writable(const std::string& path) override;
  std::optional<FileId> identify(const std::string& path) override;
  std::vector<std::byte> read_page(const std::string& path) override;
  std::optional<std::string> real_path(const std::string& path) override;
  base::Expected<void> may_claim(const std::string& path) override;
  base::Expected<void> may_overwrite(const std::string& path, const std::vector<std::string>& allowed) override;
  base::Expected<void> may_make_file(const std::string& path, std::uint64_t size_bytes) override;
  bool administrator() override;
  std::uint32_t own_user() override;
  std::uint64_t now_ns() override;
  void pause_ms(unsigned ms) override;
  int own_pid() override;
  std::uint64_t own_pid_namespace() override;
  base::system::UniqueFd lock(const std::string& path) override;
  bool is_locked(const std::string& path) override;
  int write(const std::string& path, const std::string& text) override;
  int append(const std::string& path, const std::string& text) override;
  int make_directory(const std::string& path) override;
  int remove_directory(const std::string& path) override;
  int remove_file(const std::string& path) override;
  int kill(int pid) override;
  int swap_on(const std::string& path, int priority) override;
  int swap_off(const std::string& path, const std::function<void()>& each_second) override;
  int write_page(const std::string& path, const std::vector<std::byte>& page) override;
  base::Expected<UnnamedFile> make_file(const std::string& path, std::uint64_t size_bytes,
                                        const std::vector<std::byte>& page, const std::function<bool()>& stop) override;
  int name_file(const UnnamedFile& file, const std::string& path) override;
};

// First line without white space around it; nullopt: cannot be read.
std::optional<std::string> read_value(Machine& machine, const std::string& path);
// 0: no block device, or not readable.
std::uint64_t block_device_bytes(Machine& machine, const std::string& path);
// Repeats fn() while it returns EBUSY (udev opens a new block device for an instant), at most two seconds.
int while_busy(Machine& machine, const std::function<int()>& fn);

}  // namespace fathom::paging::pressure

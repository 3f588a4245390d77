// The place of an output: looked at before the job starts, opened by what writes there (output_file.h). The look changes nothing on the disk. It refuses
// block devices, the kernel's own file systems, links in directories that others can write to, a file that is also an input, a target or another output,
// and a file that is not empty and not ours. Character devices, pipes, terminals and sockets are opened: they are written to, never replaced, emptied or
// removed. Sources: open(2), openat(2), fifo(7), protected_symlinks in proc(5). Thread rule: one thread.
#pragma once
#include <sys/stat.h>

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/files/identity.h"
#include "base/system/fd.h"

namespace fathom::base::files {

// Whether the first bytes of a file, up to 256 MiB, are those of a file that this program wrote.
using Recognizer = bool (*)(std::string_view head);

struct OutputWish {
  std::string option;            // that names it, for messages: "--output"
  std::string path;              // empty: standard output
  Recognizer is_ours = nullptr;  // none: every file that is not empty is foreign
  bool overwrites = false;       // --force, or fio's rule: a foreign regular file is overwritten too
  bool device_memory = false;    // memory of a PCI device (sysfs) is a place too: it is mapped
  mode_t mode = 0666;            // of a new file, less the umask
};

enum class PlaceKind {
  standard_output,
  open,     // a descriptor: character device, pipe, terminal, socket, or whatever /dev/fd/N is
  missing,  // no file has that name yet
  regular,
};

struct Place {
  OutputWish wish;
  PlaceKind kind = PlaceKind::standard_output;
  system::UniqueFd fd;         // of PlaceKind::open
  system::UniqueFd directory;  // of missing and regular: where the file lies, links resolved; O_PATH
  std::string name;            // in that directory
  std::string path;            // the same, for messages
  struct stat old = {};        // of regular
};

// ErrorKind::refused: what lies there would be lost. ErrorKind::usage or io: it cannot be written.
Expected<Place> look_at(OutputWish wish, NamedFiles& named);
// Whether the name still refers to the file that look_at() found, with its size and modification time. False: call
// look_at() again.
bool is_unchanged(const Place& place);

// A name that a file can have: `/` becomes `_`, so that a job's name is no path.
std::string file_name_of(std::string_view name);
// Whether users other than this one (and root) can change what lies in the directory.
bool others_can_write(const struct stat& directory);

}  // namespace fathom::base::files

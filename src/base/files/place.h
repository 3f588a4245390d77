// The destination of an output: checked before the job starts, opened by the writer (output_file.h). The check changes
// nothing on the disk. It refuses block devices, the kernel's own file systems, links in directories that others can
// write to, a file that is also an input, a target or another output, and a nonempty file that this program did not
// write. Character devices, pipes, terminals and sockets are opened: they are written to, never replaced, emptied or
// removed. Sources: open(2), openat(2), fifo(7), protected_symlinks in proc(5). Thread rule: one thread.
#pragma once
#include <sys/stat.h>

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/files/identity.h"
#include "base/system/fd.h"

namespace fathom::base::files {

// True if the first bytes of a file, up to 256 MiB, are those of a file that this program wrote.
using Recognizer = bool (*)(std::string_view head);

struct OutputWish {
  std::string option;            // name of the option, for messages: "--output"
  std::string path;              // empty: standard output
  Recognizer is_ours = nullptr;  // nullptr: every nonempty file is foreign
  bool overwrites = false;       // --force, or fio's rule: a foreign regular file is overwritten too
  bool device_memory = false;    // accept memory of a PCI device (sysfs): the program maps it
  mode_t mode = 0666;            // of a new file, less the umask
};

enum class PlaceKind {
  standard_output,
  open,     // a descriptor: character device, pipe, terminal, socket, or the target of /dev/fd/N
  missing,  // no file has that name yet
  regular,
};

struct Place {
  OutputWish wish;
  PlaceKind kind = PlaceKind::standard_output;
  system::UniqueFd fd;         // of PlaceKind::open
  system::UniqueFd directory;  // of missing and regular: directory of the file, links resolved; O_PATH
  std::string name;            // in that directory
  std::string path;            // the same, for messages
  struct stat old = {};        // of regular
};

// ErrorKind::refused: the output would destroy existing content. ErrorKind::usage or io: the output cannot be written.
Expected<Place> look_at(OutputWish wish, NamedFiles& named);
// True if the name still refers to the file that look_at() found, with the same size and modification time. If false,
// call look_at() again.
bool is_unchanged(const Place& place);

// A valid file name: `/` becomes `_`, so that a job's name does not act as a path.
std::string file_name_of(std::string_view name);
// True if users other than this one (and root) can change files in the directory.
bool others_can_write(const struct stat& directory);

}  // namespace fathom::base::files

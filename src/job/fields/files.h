// Rarely used options for creation, opening, order, syncs and closing of a job's files.
#pragma once
#include <cstdint>
#include <string>

#include "job/job.h"
#include "pattern/spec.h"

namespace fathom::job::fields {

enum class FileOrder : std::uint8_t { roundrobin, random, sequential, drawn };  // drawn: by a distribution
enum class FileType : std::uint8_t { any, file, block, character };
enum class Advice : std::uint8_t { none, by_mode, random, sequential, noreuse };

struct FileOptions : OfJob {
  // made and removed
  bool create_on_open = false, create_serialize = true, create_fsync = true;
  bool append = false;       // file_append
  bool fill_device = false;  // write until there is no space
  bool unlink_each_loop = false;
  std::string opendir;
  FileType type = FileType::any;  // required type of its files
  // opened and closed
  std::uint32_t openfiles = 0;  // at a time; 0: all
  bool pre_read = false, fsync_on_close = false, end_syncfs = false;
  bool atomic = false;
  Advice advice = Advice::by_mode;  // fadvise_hint
  std::uint32_t write_hint = 0;     // RWH_WRITE_LIFE_*; 0: not given
  // in turn
  FileOrder order = FileOrder::roundrobin;
  std::uint32_t ios_a_turn = 1;
  pattern::Spec drawn_by;  // FileOrder::drawn
  // syncs in addition to fsync= and fdatasync=
  std::uint32_t range_sync_every = 0;  // writes; 0: never
  std::uint8_t range_sync_flags = 0;   // SYNC_FILE_RANGE_*
  std::uint32_t barrier_every = 0;     // write_barrier
};

}  // namespace fathom::job::fields

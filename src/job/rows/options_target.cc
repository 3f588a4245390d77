// Files and devices: names, number, sizes, and how they are created.
#include <linux/fcntl.h>

#include "job/fields/files.h"
#include "job/fields/offset_choice.h"
#include "job/option.h"
#include "job/values/file_order.h"
#include "job/values/zone_count.h"

namespace fathom::job {
namespace {

// fio adds every filename= to the job's list of files, including those of [global].
Outcome add_filenames(Job& job, const Value& value) {
  for (auto& name : split_names(value.text)) job.filenames.push_back(std::move(name));
  return {};
}

Outcome set_directories(Job& job, const Value& value) {
  job.directories = split_names(value.text);
  return {};
}

Outcome read_filesize(Job& job, const Value& value) {
  return read_one_or_range(value, job.filesize_min, job.filesize_max);
}

// The option affects only the file names of fio's clients, so its value is not stored.
Outcome read_unique_filename(Job&, const Value& value) {
  if (value.text == "0" || value.text == "1") return {};
  return wrong("not 0 or 1", fmt::format("`{}` is on (1) or off (0)", value.name()),
               fmt::format("write `{}`", value.with("1")), value.text);
}

constexpr Choice kFallocate[] = {
    {"native", int(Fallocate::native), "fallocate(2), if the file system supports it"},
    {"none", int(Fallocate::none), "do not allocate"},
    {"posix", int(Fallocate::posix), "posix_fallocate(3)"},
    {"keep", int(Fallocate::keep), "fallocate(2) that leaves the file's size alone"},
    {"truncate", int(Fallocate::truncate), "set the size by ftruncate(2)"},
    {"0", int(Fallocate::none), "as none"},
    {"1", int(Fallocate::posix), "as posix"},
};

constexpr Choice kAdvice[] = {
    {"0", int(fields::Advice::none), "none"},
    {"1", int(fields::Advice::by_mode), "random or sequential, as rw= is"},
    {"random", int(fields::Advice::random), "POSIX_FADV_RANDOM"},
    {"sequential", int(fields::Advice::sequential), "POSIX_FADV_SEQUENTIAL"},
    {"noreuse", int(fields::Advice::noreuse), "POSIX_FADV_NOREUSE"},
};
constexpr Choice kWriteHints[] = {
    {"none", RWH_WRITE_LIFE_NONE, "no life time"},
    {"short", RWH_WRITE_LIFE_SHORT, "a short life time"},
    {"medium", RWH_WRITE_LIFE_MEDIUM, "a medium life time"},
    {"long", RWH_WRITE_LIFE_LONG, "a long life time"},
    {"extreme", RWH_WRITE_LIFE_EXTREME, "a very long life time"},
};
constexpr Choice kTypes[] = {
    {"file", int(fields::FileType::file), "a regular file, created if it does not exist"},
    {"block", int(fields::FileType::block), "an existing block device"},
    {"char", int(fields::FileType::character), "an existing character device"},
    {"none", int(fields::FileType::any), "any type"},
};
constexpr Choice kOrders[] = {
    {"roundrobin", 0, "each file in turn"},
    {"random", 1, "any file, at random"},
    {"sequential", 2, "one file to its end, then the next"},
    {"zipf", 3, "at random, by zipf:theta"},
    {"pareto", 3, "at random, by pareto:h"},
    {"normal", 3, "at random, by normal:deviation"},
    {"gauss", 3, "as normal"},
};

constexpr Choice kRangeSyncFlags[] = {
    {"wait_before", 0, "wait until earlier write-back of the range ends"},
    {"write", 0, "begin to write the dirty pages of the range"},
    {"wait_after", 0, "wait until this write-back ends"},
};

constexpr Row kTargetRows[] = {
    special<add_filenames>({"filename", "",
                            "Files or devices to work on, separated by `:` (a colon in a name is `\\:`); `-` is "
                            "standard input or output"},
                           Type::list),
    choice<&fields::FileOptions::type>(
        {"filetype", "", "Type of the target of filename=: with another type the job fails; default: any type"},
        kTypes),
    special<set_directories>({"directory", "", "Directories of the files, separated by `:`"}, Type::list),
    text<&Job::filename_format>(
        {"filename_format", "$jobname.$jobnum.$filenum", "Format of the file names when filename= is not given"}),
    special<read_unique_filename>(
        {"unique_filename", "1", "Prefix file names with the client's address; without clients no effect"},
        Type::boolean, 0, 1),
    count<&Job::nrfiles>(
        {"nrfiles nr_files", "1", "Number of files of the job; filename= sets it to the number of its files; 0: as 1"},
        0, 65536),
    values::size_in_zones<&Job::size, &fields::SizesInZones::size>(
        {"size", "", "Bytes of all files together, or a part of the file or device"}),
    values::size_in_zones<&Job::io_size, &fields::SizesInZones::io_size>(
        {"io_size io_limit", "", "Bytes to transfer, if more or less than size"}),
    special<read_filesize>({"filesize", "", "Size of each file, or a range for a random size of each file"},
                           Type::bytes, 1, kMaxU64),
    values::size_in_zones<&Job::offset, &fields::SizesInZones::offset>(
        {"offset fileoffset", "0", "Offset in the file where the I/O begins"}),
    values::size_in_zones<&Job::offset_increment, &fields::SizesInZones::offset_increment>(
        {"offset_increment", "0", "Copy N of numjobs begins N times this after offset"}),
    choice<&Job::fallocate>({"fallocate", "native", "Allocation of space when files are laid out"}, kFallocate),
    boolean<&Job::overwrite>({"overwrite", "0", "Lay the file out before writing to it, so that writes overwrite"}),
    boolean<&fields::FileOptions::append>({"file_append", "0", "Start at the end of the file"}),
    boolean<&fields::FileOptions::fill_device>(
        {"fill_device fill_fs", "0", "Write until no space is left; size= can be omitted"}),
    text<&fields::FileOptions::opendir>({"opendir", "", "Work on every file below this directory"}),
    special<values::read_file_order>(
        {"file_service_type", "roundrobin", "Order in which several files are used; `roundrobin:N`: N I/Os per file"},
        Type::choice, 0, 0, 0, false, kOrders),
    count<&fields::FileOptions::openfiles>({"openfiles", "", "Files that are open at a time; default: all"}, 0,
                                           kMaxU32),
    boolean<&Job::unlink>({"unlink", "0", "Remove the job's files at its end"}),
    boolean<&fields::FileOptions::unlink_each_loop>({"unlink_each_loop", "0", "Remove the files after each of loops="}),
    boolean<&fields::FileOptions::create_on_open>(
        {"create_on_open", "0", "Create files when the job opens them, not before"}),
    boolean<&fields::FileOptions::create_serialize>(
        {"create_serialize", "1", "Jobs lay out their files one after the other"}),
    boolean<&fields::FileOptions::create_fsync>({"create_fsync", "1", "fsync(2) a file that was laid out"}),
    boolean<&Job::create_only>({"create_only", "0", "Lay out the files and do no I/O"}),
    boolean<&Job::allow_file_create>({"allow_file_create", "1", "Files that do not exist may be created"}),
    boolean<&fields::FileOptions::pre_read>(
        {"pre_read", "0", "Read the files into memory before the start; turns invalidate off"}),
    choice<&fields::FileOptions::advice>(
        {"fadvise_hint", "1", "Advice to the kernel for each file, by posix_fadvise(2)"}, kAdvice),
    choice<&fields::FileOptions::write_hint>({"write_hint", "none", "Expected life time of written data, by fcntl(2)"},
                                             kWriteHints),
    boolean<&fields::FileOptions::atomic>(
        {"atomic", "0", "O_DIRECT and writes that are never torn: RWF_ATOMIC (Linux 6.11), or the I/O fails"}),
    special<values::read_range_sync>(
        {"sync_file_range", "", "sync_file_range(2) after every N writes: wait_before,write,wait_after:N"}, Type::text,
        0, 0, 0, false, kRangeSyncFlags),
    count<&fields::FileOptions::barrier_every>(
        {"write_barrier", "0", "Every N-th write is a barrier: fdatasync(2) after it"}, 0, kMaxU32),
    boolean<&fields::FileOptions::fsync_on_close>({"fsync_on_close", "0", "fsync(2) a written file before its close"}),
    boolean<&fields::FileOptions::end_syncfs>({"end_syncfs", "0", "syncfs(2) at the end of the job"}),
    boolean<&Job::allow_mounted_write>({"allow_mounted_write", "0", "Called as fio: allow writes to a mounted device"}),
};

}  // namespace

std::span<const Row> target_options() { return kTargetRows; }

}  // namespace fathom::job

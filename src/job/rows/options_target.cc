// Files and devices: which, how many, how large, and how they come into being.
#include <linux/fcntl.h>

#include "job/fields/files.h"
#include "job/option.h"
#include "job/values/file_order.h"

namespace fathom::job {
namespace {

// fio adds every filename= that it meets to the job's list of files, those of [global] included.
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

// fio puts a client's address before the names that it makes for it, so there is nothing to keep.
Outcome read_unique_filename(Job&, const Value& value) {
  if (value.text == "0" || value.text == "1") return {};
  return wrong("not 0 or 1", fmt::format("`{}` is on (1) or off (0)", value.name()),
               fmt::format("write `{}`", value.with("1")), value.text);
}

constexpr Choice kFallocate[] = {
    {"native", int(Fallocate::native), "fallocate(2), if the file system has it"},
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
    {"none", RWH_WRITE_LIFE_NONE, "no life time"},          {"short", RWH_WRITE_LIFE_SHORT, "a short one"},
    {"medium", RWH_WRITE_LIFE_MEDIUM, "a medium one"},      {"long", RWH_WRITE_LIFE_LONG, "a long one"},
    {"extreme", RWH_WRITE_LIFE_EXTREME, "a very long one"},
};
constexpr Choice kTypes[] = {
    {"file", int(fields::FileType::file), "a regular file, made if it is not there"},
    {"block", int(fields::FileType::block), "a block device, which is there"},
    {"char", int(fields::FileType::character), "a character device, which is there"},
};
constexpr Choice kOrders[] = {
    {"roundrobin", 0, "each in turn"},
    {"random", 1, "any of them"},
    {"sequential", 2, "one to its end, then the next"},
    {"zipf", 3, "drawn, by zipf:theta"},
    {"pareto", 3, "drawn, by pareto:h"},
    {"normal", 3, "drawn, by normal:deviation"},
    {"gauss", 3, "as normal"},
};

constexpr Row kTargetRows[] = {
    special<add_filenames>({"filename", "",
                            "Files or devices to work on, separated by `:` (a colon in a name is `\\:`); `-` is "
                            "standard input or output"},
                           Type::list),
    choice<&fields::FileOptions::type>(
        {"filetype", "", "What filename= names: the job fails where it is something else; default: any of them"},
        kTypes),
    special<set_directories>({"directory", "", "Directories of the files, separated by `:`"}, Type::list),
    text<&Job::filename_format>(
        {"filename_format", "$jobname.$jobnum.$filenum", "How files are named when filename= is not given"}),
    special<read_unique_filename>(
        {"unique_filename", "1",
         "A client's address stands before the names of its files; without clients nothing does"},
        Type::boolean, 0, 1),
    count<&Job::nrfiles>(
        {"nrfiles nr_files", "1", "How many files the job works on; filename= sets it to the number of its files"}, 1,
        65536),
    bytes_or_percent<&Job::size>({"size", "", "Bytes of all files together, or a part of the file or device"}),
    bytes_or_percent<&Job::io_size>({"io_size io_limit", "", "Bytes to move, if more or less than size"}),
    special<read_filesize>({"filesize", "", "Size of each file, or a range from which each file's size is drawn"},
                           Type::bytes, 1, kMaxU64),
    bytes_or_percent<&Job::offset>({"offset fileoffset", "0", "Where in the file the I/O begins"}),
    bytes_or_percent<&Job::offset_increment>(
        {"offset_increment", "0", "Copy N of numjobs begins N times this after offset"}),
    choice<&Job::fallocate>({"fallocate", "native", "How space is allocated when files are laid out"}, kFallocate),
    boolean<&Job::overwrite>({"overwrite", "0", "Lay the file out before writing to it, so that writes overwrite"}),
    boolean<&fields::FileOptions::append>({"file_append", "0", "Begin at the end of the file"}),
    boolean<&fields::FileOptions::fill_device>(
        {"fill_device fill_fs", "0", "Write until there is no space; size= may be left out"}),
    text<&fields::FileOptions::opendir>({"opendir", "", "Work on every file below this directory"}),
    special<values::read_file_order>(
        {"file_service_type", "roundrobin", "Which of several files comes next; `roundrobin:N`: N I/Os each"},
        Type::choice, 0, 0, 0, false, kOrders),
    count<&fields::FileOptions::openfiles>({"openfiles", "", "Files that are open at a time; default: all"}, 0,
                                           kMaxU32),
    boolean<&Job::unlink>({"unlink", "0", "Remove the job's files when it is done"}),
    boolean<&fields::FileOptions::unlink_each_loop>({"unlink_each_loop", "0", "Remove the files after each of loops="}),
    boolean<&fields::FileOptions::create_on_open>(
        {"create_on_open", "0", "Files are made when the job opens them, not before"}),
    boolean<&fields::FileOptions::create_serialize>(
        {"create_serialize", "1", "One job after the other lays its files out"}),
    boolean<&fields::FileOptions::create_fsync>({"create_fsync", "1", "fsync(2) a file that was laid out"}),
    boolean<&Job::create_only>({"create_only", "0", "Lay out the files and do no I/O"}),
    boolean<&Job::allow_file_create>({"allow_file_create", "1", "Files that do not exist may be created"}),
    boolean<&fields::FileOptions::pre_read>(
        {"pre_read", "0", "Read the files into memory before the start; turns invalidate off"}),
    choice<&fields::FileOptions::advice>({"fadvise_hint", "1", "What posix_fadvise(2) tells the kernel of each file"},
                                         kAdvice),
    choice<&fields::FileOptions::write_hint>({"write_hint", "none", "How long what is written will live, by fcntl(2)"},
                                             kWriteHints),
    boolean<&fields::FileOptions::atomic>(
        {"atomic", "0", "O_DIRECT, and a write is all there or not at all: RWF_ATOMIC (Linux 6.11), or the I/O fails"}),
    special<values::read_range_sync>(
        {"sync_file_range", "", "sync_file_range(2) after every N writes: wait_before,write,wait_after:N"}, Type::text),
    count<&fields::FileOptions::barrier_every>(
        {"write_barrier", "0", "Every N-th write is a barrier: fdatasync(2) after it"}, 0, kMaxU32),
    boolean<&fields::FileOptions::fsync_on_close>(
        {"fsync_on_close", "0", "fsync(2) a file that was written before it is closed"}),
    boolean<&fields::FileOptions::end_syncfs>({"end_syncfs", "0", "syncfs(2) when the job has written everything"}),
    boolean<&Job::allow_mounted_write>(
        {"allow_mounted_write", "0",
         "Under the name fio: lifts the check that a device which is written to is not mounted"}),
};

}  // namespace

std::span<const Row> target_options() { return kTargetRows; }

}  // namespace fathom::job

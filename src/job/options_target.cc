// Files and devices: which, how many, how large, and how they come into being.
#include "job/option.h"

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

constexpr Choice kFallocate[] = {
    {"native", int(Fallocate::native), "fallocate(2), if the file system has it"},
    {"none", int(Fallocate::none), "do not allocate"},
    {"posix", int(Fallocate::posix), "posix_fallocate(3)"},
    {"keep", int(Fallocate::keep), "fallocate(2) that leaves the file's size alone"},
    {"truncate", int(Fallocate::truncate), "set the size by ftruncate(2)"},
    {"0", int(Fallocate::none), "as none"},
    {"1", int(Fallocate::posix), "as posix"},
};

constexpr Row kRows[] = {
    special<add_filenames>(
        {"filename", "", "Files or devices to work on, separated by `:` (a colon in a name is `\\:`)"}, Type::list),
    special<set_directories>({"directory", "", "Directories that the files lie in, separated by `:`"}, Type::list),
    text<&Job::filename_format>(
        {"filename_format", "$jobname.$jobnum.$filenum", "How files are named when filename= is not given"}),
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
    boolean<&Job::unlink>({"unlink", "0", "Remove the job's files when it is done"}),
    boolean<&Job::create_only>({"create_only", "0", "Lay out the files and do no I/O"}),
    boolean<&Job::allow_file_create>({"allow_file_create", "1", "Files that do not exist may be created"}),
    boolean<&Job::allow_mounted_write>(
        {"allow_mounted_write", "0",
         "Under the name fio: lifts the check that a device which is written to is not mounted"}),
};

}  // namespace

std::span<const Row> target_options() { return kRows; }

}  // namespace fathom::job

// Files and devices: which, how many, how large, and how they come into being.
#include "job/rows.h"

namespace fathom::job {
namespace {

// fio adds every filename= that it meets to the job's list of files, those of [global] included.
Outcome add_filenames(Draft& draft, const Option&, std::string_view value) {
  for (auto& name : split_names(value)) draft.job.filenames.push_back(std::move(name));
  return {};
}

Outcome set_directories(Draft& draft, const Option&, std::string_view value) {
  draft.job.directories = split_names(value);
  return {};
}

Outcome read_filesize(Draft& draft, const Option& option, std::string_view value) {
  SizeRange range;
  if (split(value, '-').size() == 1 && split(value, ':').size() == 1) {
    if (auto problem = read_number(draft, option, value, range.low)) return problem;
    range.high = range.low;
  } else if (auto problem = read_range(draft, option, value, range)) {
    return problem;
  }
  draft.job.filesize_min = range.low;
  draft.job.filesize_max = range.high;
  return {};
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

constexpr Option kRows[] = {
    special({.name = "filename", .help = "Files or devices to work on, separated by `:` (a colon in a name is `\\:`)"},
            Type::list, add_filenames),
    special({.name = "directory", .help = "Directories that the files lie in, separated by `:`"}, Type::list,
            set_directories),
    text<&Job::filename_format>({.name = "filename_format",
                                 .fallback = "$jobname.$jobnum.$filenum",
                                 .help = "How files are named when filename= is not given"}),
    count<&Job::nrfiles>({.name = "nrfiles",
                          .aliases = {"nr_files"},
                          .fallback = "1",
                          .help = "How many files the job works on; filename= sets it to the number of its files"},
                         1, 65536),
    bytes_or_percent<&Job::size>(
        {.name = "size", .help = "Bytes of all files together, or a part of the file or device"}),
    bytes_or_percent<&Job::io_size>(
        {.name = "io_size", .aliases = {"io_limit"}, .help = "Bytes to move, if more or less than size"}),
    special({.name = "filesize", .help = "Size of each file, or a range from which each file's size is drawn"},
            Type::bytes, read_filesize, 1, kMaxU64),
    bytes_or_percent<&Job::offset>(
        {.name = "offset", .aliases = {"fileoffset"}, .fallback = "0", .help = "Where in the file the I/O begins"}),
    bytes_or_percent<&Job::offset_increment>(
        {.name = "offset_increment", .fallback = "0", .help = "Copy N of numjobs begins N times this after offset"}),
    choice<&Job::fallocate>(
        {.name = "fallocate", .fallback = "native", .help = "How space is allocated when files are laid out"},
        kFallocate),
    boolean<&Job::overwrite>({.name = "overwrite",
                              .fallback = "0",
                              .help = "Lay the file out before writing to it, so that writes overwrite"}),
    boolean<&Job::unlink>({.name = "unlink", .fallback = "0", .help = "Remove the job's files when it is done"}),
    boolean<&Job::create_only>({.name = "create_only", .fallback = "0", .help = "Lay out the files and do no I/O"}),
    boolean<&Job::allow_file_create>(
        {.name = "allow_file_create", .fallback = "1", .help = "Files that do not exist may be created"}),
    boolean<&Job::allow_mounted_write>(
        {.name = "allow_mounted_write",
         .fallback = "0",
         .help = "Under the name fio: lifts the check that a device which is written to is not mounted"}),
};

}  // namespace

std::span<const Option> target_options() { return kRows; }

}  // namespace fathom::job

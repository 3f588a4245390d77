// Options that scripts write with the value that changes nothing (--stats=1, --io_submit_mode=inline), and some that
// may be ignored without a number becoming wrong. Any other value is a feature that is not built yet.
#include "job/neutral.h"
#include "job/rows.h"

namespace fathom::job {
namespace {

Outcome only_these(Draft&, const Option& option, std::string_view value) {
  for (const auto& c : option.choices)
    if (is_neutral(c.name, value)) return {};
  if (value.empty() && option.bare()) value = "1";
  std::string values;
  for (const auto& c : option.choices) values += (values.empty() ? "`" : ", `") + std::string(c.name) + "`";
  return Problem{fmt::format("fio's `{}={}` is not built in fathom yet", option.name(), value),
                 fmt::format("fathom has {}={} only", option.name(), option.choices.front().name),
                 "leave it out, or write one of " + values, value, base::ErrorKind::not_built};
}

Outcome ignore(Draft&, const Option&, std::string_view) { return {}; }

template <std::size_t N>
constexpr Option only(Words words, const Choice (&choices)[N]) {
  words.status = Status::partial;
  if (words.note.empty()) words.note = "the value that changes nothing only";
  return special(words, Type::choice, only_these, 0, 0, 0, false, choices);
}
// A bare key would turn the feature on.
constexpr Option off_flag(Words words, std::span<const Choice> choices) {
  words.status = Status::partial;
  words.note = "0 only";
  return special(words, Type::flag, only_these, 0, 0, 0, false, choices);
}
constexpr Option ignored(Words words, Type type) {
  words.status = Status::ignored;
  return special(words, type, ignore);
}

constexpr Choice kZero[] = {{"0", 0, "off"}};
constexpr Choice kOne[] = {{"1", 1, "on"}};
constexpr Choice kByteUnits[] = {{"0", 0, "as 8"}, {"8", 8, "bytes"}};
constexpr Choice kInline[] = {{"inline", 0, "the job submits its own I/O"}};
constexpr Choice kLinear[] = {{"linear", 0, "I/Os evenly spaced"}};
constexpr Choice kSeparate[] = {{"none", 0, "reads, writes and trims apart"}, {"0", 0, "as none"}};
constexpr Choice kNone[] = {{"none", 0, "off"}};
constexpr Choice kMalloc[] = {{"malloc", 0, "anonymous memory"}};
constexpr Choice kAll[] = {{"all", 0, "every job ends"}};
constexpr Choice kHundred[] = {{"100", 100, "all of them"}};
constexpr Choice kWindow[] = {{"500", 500, "milliseconds"}};
constexpr Choice kComplete[] = {{"complete", 0, "I/Os count when they complete"}};
constexpr Choice kGenerators[] = {{"tausworthe", 0, "any generator"}, {"tausworthe64", 0, "any generator"}};

constexpr Option kRows[] = {
    special({.name = "softrandommap",
             .fallback = "0",
             .help = "Go on without a random map if there is no memory for it",
             .status = Status::partial,
             .note = "the map is always made"},
            Type::boolean, ignore),
    only({.name = "random_generator",
          .fallback = "tausworthe",
          .help = "Generator of the random numbers",
          .note = "accepted; the numbers come from fathom's own generator"},
         kGenerators),
    only({.name = "unit_base", .fallback = "0", .help = "Report bits or bytes"}, kByteUnits),
    only({.name = "io_submit_mode", .fallback = "inline", .help = "Who submits the I/O"}, kInline),
    only({.name = "rate_process", .fallback = "linear", .help = "How the I/Os of a rate are spaced"}, kLinear),
    only({.name = "unified_rw_reporting", .fallback = "none", .help = "Report all directions together"}, kSeparate),
    only({.name = "zonemode", .fallback = "none", .help = "Zoned access"}, kNone),
    only({.name = "continue_on_error", .fallback = "none", .help = "Go on after an I/O error"}, kNone),
    only({.name = "lockfile", .fallback = "none", .help = "Lock the file around each I/O"}, kNone),
    only({.name = "mem", .aliases = {"iomem"}, .fallback = "malloc", .help = "Kind of memory for the buffers"},
         kMalloc),
    only({.name = "exit_what", .fallback = "all", .help = "Which jobs exitall ends"}, kAll),
    only({.name = "thinktime_blocks_type", .fallback = "complete", .help = "Which I/Os thinktime_blocks counts"},
         kComplete),
    only({.name = "percentage_random",
          .fallback = "100",
          .help = "Percentage of the I/Os of a random job that are random"},
         kHundred),
    only({.name = "bwavgtime", .fallback = "500", .help = "Width of a bandwidth sample in ms"}, kWindow),
    only({.name = "iopsavgtime", .fallback = "500", .help = "Width of an IOPS sample in ms"}, kWindow),
    only({.name = "stats", .fallback = "1", .help = "Measure the job at all"}, kOne),
    only({.name = "scramble_buffers", .fallback = "1", .help = "Change a few bytes of the buffer before each write"},
         kOne),
    only({.name = "pre_read", .fallback = "0", .help = "Read the files before the start"}, kZero),
    only({.name = "fsync_on_close", .fallback = "0", .help = "fsync(2) before a file is closed"}, kZero),
    only({.name = "create_on_open", .fallback = "0", .help = "Create a file when the job opens it"}, kZero),
    only({.name = "fill_device", .aliases = {"fill_fs"}, .fallback = "0", .help = "Write until there is no space"},
         kZero),
    only({.name = "file_append", .fallback = "0", .help = "Begin at the end of the file"}, kZero),
    only({.name = "serialize_overlap", .fallback = "0", .help = "Keep overlapping I/Os apart"}, kZero),
    only({.name = "dedupe_percentage", .fallback = "0", .help = "Share of the buffers that are duplicates"}, kZero),
    only({.name = "buffer_compress_percentage", .fallback = "0", .help = "How compressible the buffers are"}, kZero),
    only({.name = "unlink_each_loop", .fallback = "0", .help = "Remove the files after each loop"}, kZero),
    only({.name = "experimental_verify", .fallback = "0", .help = "Verify by replaying the writes"}, kZero),
    off_flag({.name = "zero_buffers", .fallback = "0", .help = "Write zeroes"}, kZero),
    off_flag({.name = "refill_buffers", .fallback = "0", .help = "New buffer contents for every write"}, kZero),
    off_flag({.name = "exitall_on_error", .fallback = "0", .help = "An error in one job ends all"}, kZero),
    ignored({.name = "create_serialize",
             .fallback = "1",
             .help = "Lay out the files of one job at a time",
             .note = "files are always laid out one job at a time"},
            Type::boolean),
    ignored({.name = "create_fsync", .fallback = "1", .help = "fsync(2) a file after its layout", .note = "always on"},
            Type::boolean),
    ignored({.name = "disk_util", .fallback = "1", .help = "Report how busy the disks were", .note = "always reported"},
            Type::boolean),
    ignored({.name = "log_entries", .fallback = "1024", .help = "First size of a log", .note = "logs grow as needed"},
            Type::count),
};

}  // namespace

std::span<const Option> accepted_options() { return kRows; }

}  // namespace fathom::job

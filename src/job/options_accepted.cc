// Options that scripts write with the value that changes nothing (--stats=1, --io_submit_mode=inline), and some that
// may be ignored without a number becoming wrong. Any other value is a feature that is not built yet.
#include "job/neutral.h"
#include "job/option.h"

namespace fathom::job {
namespace {

Outcome only_these(const Targets&, const Value& value) {
  const auto& choices = value.row.choices;
  for (const auto& c : choices)
    if (is_neutral(c.name, value.text)) return {};
  const std::string_view asked = value.text.empty() && value.row.bare() ? "1" : value.text;
  std::string values;
  for (const auto& c : choices) values += (values.empty() ? "`" : ", `") + std::string(c.name) + "`";
  return wrong(fmt::format("fio's `{}` is not built in fathom yet", value.with(asked)),
               fmt::format("fathom has {} only", value.with(choices.front().name)),
               "leave it out, or write one of " + values, value.text, base::ErrorKind::not_built);
}

Outcome ignore(const Targets&, const Value&) { return {}; }

constexpr Row only_of(Words words, Type type, std::string_view note, std::span<const Choice> choices) {
  words.status = Status::partial;
  if (words.note.empty()) words.note = note;
  return special<only_these>(words, type, 0, 0, 0, false, choices);
}
constexpr Row only(Words words, std::span<const Choice> choices) {
  return only_of(words, Type::choice, "the value that changes nothing only", choices);
}
// A bare key would turn the feature on.
constexpr Row off_flag(Words words, std::span<const Choice> choices) {
  return only_of(words, Type::flag, "0 only", choices);
}
constexpr Row ignored(Words words, Type type) {
  words.status = Status::ignored;
  return special<ignore>(words, type);
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

constexpr Row kRows[] = {
    special<ignore>({"softrandommap", "0", "Go on without a random map if there is no memory for it", "",
                     "the map is always made", Status::partial},
                    Type::boolean),
    only({"random_generator", "tausworthe", "Generator of the random numbers", "",
          "accepted; the numbers come from fathom's own generator"},
         kGenerators),
    only({"unit_base", "0", "Report bits or bytes"}, kByteUnits),
    only({"io_submit_mode", "inline", "Who submits the I/O"}, kInline),
    only({"rate_process", "linear", "How the I/Os of a rate are spaced"}, kLinear),
    only({"unified_rw_reporting", "none", "Report all directions together"}, kSeparate),
    only({"zonemode", "none", "Zoned access"}, kNone),
    only({"continue_on_error", "none", "Go on after an I/O error"}, kNone),
    only({"lockfile", "none", "Lock the file around each I/O"}, kNone),
    only({"mem iomem", "malloc", "Kind of memory for the buffers"}, kMalloc),
    only({"exit_what", "all", "Which jobs exitall ends"}, kAll),
    only({"thinktime_blocks_type", "complete", "Which I/Os thinktime_blocks counts"}, kComplete),
    only({"percentage_random", "100", "Percentage of the I/Os of a random job that are random"}, kHundred),
    only({"bwavgtime", "500", "Width of a bandwidth sample in ms"}, kWindow),
    only({"iopsavgtime", "500", "Width of an IOPS sample in ms"}, kWindow),
    only({"stats", "1", "Measure the job at all"}, kOne),
    only({"scramble_buffers", "1", "Change a few bytes of the buffer before each write"}, kOne),
    only({"pre_read", "0", "Read the files before the start"}, kZero),
    only({"fsync_on_close", "0", "fsync(2) before a file is closed"}, kZero),
    only({"create_on_open", "0", "Create a file when the job opens it"}, kZero),
    only({"fill_device fill_fs", "0", "Write until there is no space"}, kZero),
    only({"file_append", "0", "Begin at the end of the file"}, kZero),
    only({"serialize_overlap", "0", "Keep overlapping I/Os apart"}, kZero),
    only({"dedupe_percentage", "0", "Share of the buffers that are duplicates"}, kZero),
    only({"buffer_compress_percentage", "0", "How compressible the buffers are"}, kZero),
    only({"unlink_each_loop", "0", "Remove the files after each loop"}, kZero),
    only({"experimental_verify", "0", "Verify by replaying the writes"}, kZero),
    off_flag({"zero_buffers", "0", "Write zeroes"}, kZero),
    off_flag({"refill_buffers", "0", "New buffer contents for every write"}, kZero),
    off_flag({"exitall_on_error", "0", "An error in one job ends all"}, kZero),
    ignored({"create_serialize", "1", "Lay out the files of one job at a time", "",
             "files are always laid out one job at a time"},
            Type::boolean),
    ignored({"create_fsync", "1", "fsync(2) a file after its layout", "", "always on"}, Type::boolean),
    ignored({"disk_util", "1", "Report how busy the disks were", "", "always reported"}, Type::boolean),
    ignored({"log_entries", "1024", "First size of a log", "", "logs grow as needed"}, Type::count),
};

}  // namespace

std::span<const Row> accepted_options() { return kRows; }

}  // namespace fathom::job

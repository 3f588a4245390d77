// The contents of writes, and of the files that are laid out.
#include "job/fields/contents.h"
#include "job/option.h"
#include "job/values/pattern_text.h"

namespace fathom::job {
namespace {

template <std::optional<bool> fields::ContentOptions::*Member>
Outcome read_truth(fields::ContentOptions& contents, const Value& value) {
  const bool bare = value.text.empty() && value.row.bare();
  if (value.text != "0" && value.text != "1" && !bare)
    return wrong("not 0 or 1", fmt::format("`{}` is on (1) or off (0)", value.name()),
                 fmt::format("write `{}`", value.with("1")), value.text);
  contents.*Member = value.text != "0";
  return {};
}

Outcome read_buffer_pattern(fields::ContentOptions& contents, const Value& value) {
  return values::read_pattern(value, contents.pattern_parts);
}

constexpr Choice kDedupeModes[] = {
    {"repeat", int(fields::DedupeMode::repeat), "the last new block, again"},
    {"working_set", int(fields::DedupeMode::working_set), "one of the job's first blocks, chosen uniformly at random"},
};

constexpr Row kContentRows[] = {
    flag<&fields::ContentOptions::zero>({"zero_buffers", "0", "Write zeroes"}),
    special<read_truth<&fields::ContentOptions::refill>>(
        {"refill_buffers", "0",
         "Generate new bytes for each write; on with verify=, buffer_compress_percentage= and "
         "dedupe_percentage="},
        Type::flag, 0, 1),
    special<read_truth<&fields::ContentOptions::scramble>>(
        {"scramble_buffers", "1",
         "Write offset and time into each sector before a write, unless its bytes are generated again"},
        Type::boolean, 0, 1),
    special<read_buffer_pattern>(
        {"buffer_pattern", "",
         "Bytes that writes repeat: \"text\", 'file', 0xHEX, a number, or several of them joined"},
        Type::text),
    percent<&fields::ContentOptions::compress_percent>(
        {"buffer_compress_percentage", "0", "Share of each chunk that is zeroes, or buffer_pattern"}),
    bytes<&fields::ContentOptions::compress_chunk>(
        {"buffer_compress_chunk", "512", "Bytes of a chunk of buffer_compress_percentage; 0: a block"}, 0, kMaxU32),
    percent<&fields::ContentOptions::dedupe_percent>(
        {"dedupe_percentage", "0", "Share of the blocks that repeat an earlier block"}),
    choice<&fields::ContentOptions::dedupe_mode>({"dedupe_mode", "repeat", "Block that is repeated"}, kDedupeModes),
    percent<&fields::ContentOptions::working_set_percent>(
        {"dedupe_working_set_percentage", "5",
         "dedupe_mode=working_set: share of the blocks of size= that repeats are chosen from"}),
    boolean<&fields::ContentOptions::dedupe_global>(
        {"dedupe_global", "0", "dedupe_mode=working_set: jobs with this option share their blocks"}),
};

}  // namespace

std::span<const Row> content_options() { return kContentRows; }

}  // namespace fathom::job

// Traces played from files: every access in its order and at its place, to the end, again and again if asked, and what
// happens when the reader is behind or the file is not what it was.
#include "paging/sources/trace_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/prng.h"
#include "base/sanitized.h"
#include "paging/source_support.h"
#include "paging/sources/trace_layout.h"
#include "paging/temporary_file.h"

namespace fathom::paging::sources {
namespace {

PatternPlan trace_plan(const TemporaryFile& file) {
  PatternPlan plan = plan_of("trace");
  plan.file = file.path();
  return plan;
}

std::vector<Access> play_to_end(AccessSource& source) {
  std::vector<Access> all;
  Block block;
  while (!source.exhausted()) {
    source.refill(block, 0);
    all.insert(all.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(source.in_block()));
  }
  return all;
}

// Made-up accesses on pages far apart, of the size of a real program's, and what must come of them.
struct Recorded {
  std::string text;
  std::vector<std::uint64_t> values;
};
Recorded recorded(std::size_t lines, std::uint64_t seed) {
  const std::uint64_t regions[] = {0x4000, 0x4a21000, 0x1ffeffe000, 0x7f0000000000};
  base::Prng prng(seed);
  Recorded made{"==7== Lackey\n", {}};
  for (std::uint64_t region = 0; region < 4; ++region) {
    made.text += fmt::format("I  04001090,3\n L {:08x},8\n", regions[region]);
    made.values.push_back(region * 16 * 4096);
  }
  // All pages of all regions, so that the places are known.
  for (std::uint64_t page = 0; page < 64; ++page) {
    made.text += fmt::format(" S {:x},4\n", regions[page / 16] + page % 16 * 4096);
    made.values.push_back(page * 4096 | 1);
  }
  for (std::size_t i = 0; i < lines; ++i) {
    const std::uint64_t region = prng.below(4), inside = prng.below(16 * 4096);
    const std::uint64_t offset = region * 16 * 4096 + (inside & ~std::uint64_t{3});
    const auto kind = prng.below(3);
    made.text += fmt::format(" {} {:x},8\n", "LSM"[kind], regions[region] + inside);
    if (kind != 1) made.values.push_back(offset);
    if (kind != 0) made.values.push_back(offset | 1);
  }
  return made;
}

TEST(TraceSource, plays_every_access_in_order_at_its_page) {
  for (const std::size_t lines : {0u, 1u, 500u, 60'000u}) {
    const Recorded trace = recorded(lines, lines + 1);
    const TemporaryFile file(trace.text);
    const auto source = make(trace_plan(file), 64);
    const auto played = play_to_end(*source);
    ASSERT_EQ(played.size(), trace.values.size());
    for (std::size_t i = 0; i < trace.values.size(); ++i) ASSERT_EQ(played[i].v, trace.values[i]) << lines << ' ' << i;
    EXPECT_EQ(source->trouble(), nullptr);
    EXPECT_EQ(source->warmup_accesses(), 0u);
  }
}

// As valgrind writes it, instructions, its own messages and all; counted by grep.
TEST(TraceSource, Timed_plays_a_trace_recorded_by_valgrind) {
  if (std::system("command -v valgrind >/dev/null 2>&1") != 0) GTEST_SKIP() << "valgrind is not installed";
  const TemporaryFile file("");
  const std::string recording = "valgrind --tool=lackey --trace-mem=yes --log-file=" + file.path() + " /bin/true";
  ASSERT_EQ(std::system((recording + " >/dev/null 2>&1").c_str()), 0);
  const auto lines = [&](const std::string& letters) {
    FILE* const out = ::popen(("grep -c '^ [" + letters + "] ' " + file.path()).c_str(), "r");
    unsigned long count = 0;
    EXPECT_EQ(std::fscanf(out, "%lu", &count), 1);
    ::pclose(out);
    return count;
  };
  const std::size_t loads = lines("LM"), stores = lines("SM");
  EXPECT_GT(loads, 10'000u);
  const auto source = make(trace_plan(file), 4096);
  const auto played = play_to_end(*source);
  ASSERT_EQ(played.size(), loads + stores);
  const auto writes = std::count_if(played.begin(), played.end(), [](Access a) { return a.write(); });
  EXPECT_EQ(static_cast<std::size_t>(writes), stores);
  EXPECT_EQ(source->trouble(), nullptr);
}

TEST(TraceSource, each_worker_plays_the_whole_trace) {
  const Recorded trace = recorded(3000, 5);
  const TemporaryFile file(trace.text);
  const auto one = make(trace_plan(file), 64, 0, 2), other = make(trace_plan(file), 64, 1, 2);
  const auto first = play_to_end(*one), second = play_to_end(*other);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) ASSERT_EQ(first[i].v, second[i].v);
}

TEST(TraceSource, trace_loop_begins_again_at_the_end) {
  const Recorded trace = recorded(1000, 8);
  const TemporaryFile file(trace.text);
  PatternPlan plan = trace_plan(file);
  plan.trace_loop = true;
  const auto source = make(plan, 64);
  const auto played = play(*source, 400);
  EXPECT_FALSE(source->exhausted());
  for (std::size_t i = 0; i < played.size(); ++i) ASSERT_EQ(played[i].v, trace.values[i % trace.values.size()]) << i;
}

TEST(TraceSource, a_late_reader_is_waited_for_and_counted_as_starved) {
  // Instructions are read and left out: there are far more lines than accesses.
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += fmt::format(" L {:x},8\n", 4096 + i % 512 * 8);
  for (int i = 0; i < (base::kSanitized ? 200'000 : 1'000'000); ++i) text += "I  04001090,3\n";
  for (int i = 0; i < 128 * 10; ++i) text += fmt::format(" S {:x},8\n", 8192 + i % 512 * 8);
  const TemporaryFile file(text);
  const auto source = make(trace_plan(file), 2);
  const auto played = play_to_end(*source);
  ASSERT_EQ(played.size(), 40'000u + 1280u);
  EXPECT_GT(source->starved(), 0u);
  EXPECT_TRUE(played[40'000].write() && played[41'279].write() && !played[39'999].write());
}

TEST(TraceSource, a_reader_that_is_ahead_never_starves) {
  const Recorded trace = recorded(2000, 3);  // fits the ring
  const TemporaryFile file(trace.text);
  const auto source = make(trace_plan(file), 64);
  play_to_end(*source);
  EXPECT_EQ(source->starved(), 0u);
}

TEST(TraceSource, ends_early_with_an_error_when_the_file_changes) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "R 1000\nR 2000\n";
  for (const char* change : {"R 9000\n", "what\n"}) {
    const TemporaryFile file(text);
    const auto source = make(trace_plan(file), 2);
    std::string changed = text;
    changed.replace(text.size() - 7, 7, "");
    for (int i = 0; i < 20'000; ++i)
      changed.replace(static_cast<std::size_t>(40'000 + i) * 7, 7,
                      std::string(change) + std::string(7 - std::string(change).size(), '\n'));
    file.write(changed);
    const auto played = play_to_end(*source);
    EXPECT_LT(played.size(), 80'000u);
    ASSERT_NE(source->trouble(), nullptr) << change;
  }
}

TEST(TraceSource, destruction_in_the_middle_of_a_trace_ends_the_reader) {
  const Recorded trace = recorded(200'000, 3);
  const TemporaryFile file(trace.text);
  for (int i = 0; i < 3; ++i) {
    const auto source = make(trace_plan(file), 64);
    play(*source, 20 * static_cast<std::size_t>(i));
  }
}

TEST(TraceSource, a_set_smaller_than_the_traces_pages_is_refused) {
  const TemporaryFile file(recorded(10, 1).text);
  const auto checked = check_pattern(trace_plan(file), 63 * 4096);
  ASSERT_FALSE(checked.ok());
  EXPECT_NE(checked.error().what.find("64 pages (1 MiB), the set has 63"), std::string::npos) << checked.error().what;
  EXPECT_TRUE(check_pattern(trace_plan(file), 64 * 4096).ok());
}

TEST(TraceSource, an_unplayable_file_is_refused_with_the_cause) {
  const auto refused = [](const std::string& path, base::ErrorKind kind, const std::string& says) {
    PatternPlan plan = plan_of("trace");
    plan.file = path;
    const auto checked = check_pattern(plan, 1 << 20);
    ASSERT_FALSE(checked.ok()) << path;
    EXPECT_EQ(checked.error().kind, kind) << path;
    EXPECT_NE(checked.error().what.find(says), std::string::npos) << checked.error().what;
    EXPECT_FALSE(make_source(plan, 1 << 20, 0, 1).ok());
  };
  refused("/var/tmp/fathom-there-is-none", base::ErrorKind::io, "No such file");
  refused("/", base::ErrorKind::usage, "not a regular file");
  refused("/dev/zero", base::ErrorKind::usage, "not a regular file");
  const TemporaryFile empty(""), instructions("==1== x\nI  04001090,3\n"), binary(std::string(20'000, 'x'));
  refused(empty.path(), base::ErrorKind::usage, "the trace has no access");
  refused(instructions.path(), base::ErrorKind::usage, "the trace has no access");
  refused(binary.path(), base::ErrorKind::usage, "longer than 4096");
}

TEST(TraceSource, errors_have_file_line_and_column) {
  const TemporaryFile file("# mine\nR 1000\n\n L 04222cac,8\n S zzz,8\n");
  const auto checked = check_pattern(trace_plan(file), 1 << 20);
  ASSERT_FALSE(checked.ok());
  ASSERT_TRUE(checked.error().place.has_value());
  EXPECT_EQ(checked.error().place->file, file.path());
  EXPECT_EQ(checked.error().place->line, 5);
  EXPECT_EQ(checked.error().place->column, 4);
  EXPECT_EQ(checked.error().place->line_text, " S zzz,8");
}

TEST(TraceSource, a_last_line_without_a_newline_counts) {
  const TemporaryFile file("R 1000\nW 2000");
  const auto played = play_to_end(*make(trace_plan(file), 2));
  EXPECT_EQ(played[0].v, 0u);
  EXPECT_EQ(played[1].v, 4096u | 1);
}

TEST(TraceLayout, places_follow_the_order_of_addresses) {
  const TraceLayout layout({9, 3, 9, 1ull << 51, 4, 3});
  EXPECT_EQ(layout.pages(), 4u);
  EXPECT_EQ(layout.place_of(3), 0u);
  EXPECT_EQ(layout.place_of(4), 1u);
  EXPECT_EQ(layout.place_of(9), 2u);
  EXPECT_EQ(layout.place_of(1ull << 51), 3u);
  EXPECT_EQ(layout.place_of(5), TraceLayout::kNowhere);
}

TEST(TraceLayout, a_scan_is_cached_until_the_file_changes) {
  const TemporaryFile file("R 1000\n");
  const auto first = scan_trace(file.path()), again = scan_trace(file.path());
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(first->get(), again->get());
  EXPECT_EQ((*first)->accesses(), 1u);
  file.write("R 1000\nM 2000,4\n");
  const auto changed = scan_trace(file.path());
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ((*changed)->accesses(), 3u);
  EXPECT_EQ((*changed)->pages(), 2u);
}

}  // namespace
}  // namespace fathom::paging::sources

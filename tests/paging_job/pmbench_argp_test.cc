// pmbench splits its command line by argp_parse(3), ours by getopt_long(3): the same table is given to argp here, and
// both read some thousand command lines of pieces that are easily taken otherwise (letters run together, values
// attached, names cut short, `--`, words before options). What argp refuses ours must refuse, what it takes ours may
// refuse for its values alone, and what both take must be the same run.
#include <argp.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/sanitized.h"
#include "paging_job/pmbench.h"

namespace fathom::paging_job {
namespace {

struct Seen {
  std::map<int, std::string> last;  // of each letter; kWord: the word that is no option
};
constexpr int kWord = 1000;

error_t see(int key, char* value, argp_state* state) {
  auto& seen = *static_cast<Seen*>(state->input);
  if (key == ARGP_KEY_ARG) {
    seen.last[kWord] = value;
    return state->arg_num >= 1 ? EINVAL : 0;
  }
  if (key == ARGP_KEY_END) return state->arg_num < 1 ? EINVAL : 0;
  if (key <= 0 || key >= 256) return key < 256 ? ARGP_ERR_UNKNOWN : 0;  // ARGP_KEY_INIT and the like
  seen.last[key] = value != nullptr ? value : "yes";
  return 0;
}

argp_option option(char letter, const char* name, bool takes) {
  return {name, letter, takes ? "X" : nullptr, 0, "", 0};
}
const argp_option kTable[] = {
    option('m', "mapsize", true),     option('s', "setsize", true),    option('a', "access", true),
    option('p', "pattern", true),     option('e', "shape", true),      option('d', "delay", true),
    option('q', "quiet", false),      option('c', "cold", false),      option('t', "timestamp", true),
    option('r', "ratio", true),       option('o', "offset", true),     option('i', "initialize", false),
    option('h', "threshold", true),   option('z', "wrneedsrd", false), option('f', "file", true),
    option('y', "affinityset", true), option('j', "jobs", true),       {}};

constexpr const char* kPieces[] = {
    "-m",           "64",          "-m64",     "--mapsize=64", "--mapsize",  "--map=128", "--m=64",   "-s",
    "32",           "-s32",        "--set=16", "--s=8",        "--sets",     "-c",        "-q",       "-ci",
    "-qz",          "--cold",      "--cold=1", "-c1",          "-i",         "--in",      "--i",      "--q",
    "--wr",         "-r",          "50",       "-r10",         "--ratio=90", "-p",        "linear",   "-plinear",
    "--p=zipf",     "-o",          "-1",       "-o-1",         "7",          "-j2",       "--jobs=3", "-t",
    "rdtsc",        "--ti=rdtscp", "-d1000",   "-h",           "100",        "--thr=5",   "-f/tmp/x", "--file=y",
    "--",           "5",           "-x",       "-w",           "-mc",        "-qm",       "-qw",      "--nothing",
    "--pat=pareto", "-e1.5",       "--sh=3",   "-a",           "histo",      "-atouch",   "--af=0",   "-"};

long number_of(const Seen& seen, int letter, long otherwise) {
  const auto found = seen.last.find(letter);
  return found == seen.last.end() ? otherwise : std::stol(found->second);
}
std::string text_of(const Seen& seen, int letter, const char* otherwise) {
  const auto found = seen.last.find(letter);
  return found == seen.last.end() ? otherwise : found->second;
}

void expect_same(const Seen& seen, const PmbenchCommand& command) {
  const auto& o = command.request;
  const auto given = [&](int letter) { return seen.last.count(letter) > 0; };
  EXPECT_EQ(static_cast<long>(o.plan.region.map_bytes >> 20), number_of(seen, 'm', 256));
  EXPECT_EQ(static_cast<long>(o.plan.region.set_bytes >> 20), number_of(seen, 's', 128));
  EXPECT_EQ(o.plan.pattern.name, text_of(seen, 'p', "uniform"));
  EXPECT_EQ(o.plan.pattern.read_percent, number_of(seen, 'r', 50));
  EXPECT_EQ(o.plan.pattern.offset_words, number_of(seen, 'o', -1));
  EXPECT_EQ(static_cast<long>(o.plan.touch.mark_above_ns), number_of(seen, 'h', 0));
  EXPECT_EQ(o.plan.touch.load_before_store, given('z'));
  EXPECT_EQ(o.plan.region.fill != paging::Fill::none, given('i'));
  EXPECT_EQ(o.plan.warmup, !given('c'));
  EXPECT_EQ(o.quiet, given('q'));
  EXPECT_EQ(command.report.xml_file, text_of(seen, 'f', ""));
  EXPECT_EQ(o.plan.duration_s, static_cast<double>(number_of(seen, kWord, 0)));
}

bool of_a_value(const std::string& what) {
  for (const char* of_the_line : {"no such option", "a value is missing", "one word too many", "duration is missing"})
    if (what.find(of_the_line) != std::string::npos) return false;
  return true;
}

TEST(PmbenchOptionsAndArgp, RandomCommandLinesAreParsedAlike) {
  const argp parser{kTable, see, "SECONDS", "", nullptr, nullptr, nullptr};
  std::mt19937 random(7);
  constexpr int kLines = base::kSanitized ? 4'000 : 20'000;
  int both = 0;
  for (int i = 0; i < kLines && !::testing::Test::HasFailure(); ++i) {
    std::vector<std::string> args(1 + random() % 6);
    for (auto& arg : args) arg = kPieces[random() % std::size(kPieces)];
    std::string line = "pmbench";
    for (const auto& arg : args) line += " " + arg;
    SCOPED_TRACE(line);

    std::vector<std::string> copies{"pmbench"};
    copies.insert(copies.end(), args.begin(), args.end());
    std::vector<char*> argv;
    for (auto& copy : copies) argv.push_back(copy.data());
    argv.push_back(nullptr);
    Seen seen;
    const bool taken =
        ::argp_parse(&parser, static_cast<int>(copies.size()), argv.data(), ARGP_SILENT, nullptr, &seen) == 0;
    const auto ours = parse_pmbench(args);
    if (!taken) {
      EXPECT_FALSE(ours) << "argp refuses it";
    } else if (!ours) {
      EXPECT_TRUE(of_a_value(ours.error().what)) << "argp takes it; " << ours.error().what;
    } else {
      expect_same(seen, *ours);
      ++both;
    }
  }
  EXPECT_GT(both, kLines / 40);
}

}  // namespace
}  // namespace fathom::paging_job

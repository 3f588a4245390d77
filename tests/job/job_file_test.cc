// The form of job files: sections, comments, includes, variables, arithmetic, and which job inherits what.
#include "support.h"

#include "base/text/parse.h"
#include "options/expression.h"

namespace fathom::job {
namespace {

TEST(JobFile, AGlobalSectionAppliesToLaterJobs) {
  const auto j = text_jobs("[a]\n[global]\nbs=8k\n[b]\n[global]\niodepth=4\n[c]\nbs=16k\n");
  ASSERT_EQ(j.size(), 3u);
  EXPECT_EQ(j[0].bs_min[0], 4096u);
  EXPECT_EQ(j[1].bs_min[0], 8192u);
  EXPECT_EQ(j[1].iodepth, 1u);
  EXPECT_EQ(j[2].bs_min[0], 16384u);
  EXPECT_EQ(j[2].iodepth, 4u);
}

TEST(JobFile, CommentsBlankLinesAndSpacesAreSkipped) {
  const auto j = text_jobs("# c\n; c\n\n  [a b]  ; the job\n\tbs = 8k # large\r\n  thread\nfilename=/x#y\n");
  ASSERT_EQ(j.size(), 1u);
  EXPECT_EQ(j[0].name, "a b");
  EXPECT_EQ(j[0].bs_min[1], 8192u);
  EXPECT_TRUE(j[0].thread);
  EXPECT_EQ(j[0].filenames, std::vector<std::string>{"/x"});
}

TEST(JobFile, LastOfAKeyWins) {
  const auto j = one_job("bs=4k\nblocksize=8k");
  EXPECT_EQ(j.bs_min[0], 8192u);
  ASSERT_EQ(j.echo.size(), 1u);
  EXPECT_EQ(j.echo[0], (std::pair<std::string, std::string>{"bs", "8k"}));
}

TEST(JobFile, EqualNamesAreTwoJobs) { EXPECT_EQ(text_jobs("[a]\n[a]\n").size(), 2u); }

TEST(JobFile, TheNameOptionReplacesTheSectionsName) { EXPECT_EQ(one_job("name=other").name, "other"); }

TEST(JobFile, VariablesAndKeywordsAreExpanded) {
  World world;
  world.variables["DIR"] = "/data";
  const auto j =
      one_job("filename=${DIR}/x${NOPE}\nsize=(2*$pagesize)\nnumber_ios=8*$ncpus\ndescription=$mb_memory", world);
  EXPECT_EQ(j.filenames, std::vector<std::string>{"/data/x"});
  EXPECT_EQ(j.size.bytes, 8192u);
  EXPECT_EQ(j.number_ios, 32u);
  EXPECT_EQ(j.description, "1000");
}

// fio 3.33 computes the whole value first, and looks at the option's unit then.
TEST(JobFile, AValueWithAKeywordIsComputedBeforeItsUnit) {
  const auto j = one_job("size=8*$pagesize\nruntime=2*$ncpus\ntime_based");
  EXPECT_EQ(j.size.bytes, 32768u);
  EXPECT_EQ(j.runtime_ns, 8'000'000'000u);
  EXPECT_EQ(j.echo.at(0).second, "32768");
  EXPECT_EQ(one_job("runtime=(2*1s)").runtime_ns, 2'000'000'000u);
}

TEST(JobFile, JobVariablesInFilenameFormatAreKept) {
  EXPECT_EQ(one_job("filename_format=$jobname.$jobnum-$filenum").filename_format, "$jobname.$jobnum-$filenum");
}

TEST(JobFile, IncludeIsLookedForAsWrittenThenBesideTheFile) {
  World world;
  world.files["i.inc"] = "bs=16k\n";
  world.files["d/i.inc"] = "bs=8k\n";
  world.files["d/only.inc"] = "iodepth=3\ninclude i.inc\n";
  auto set = parse_job_text("[a]\ninclude i.inc\n[b]\ninclude only.inc\nbs=2k\n", "d/t.fio", world.env());
  ASSERT_TRUE(set.ok()) << set.error().what;
  EXPECT_EQ(set->jobs[0].bs_min[0], 16384u);
  EXPECT_EQ(set->jobs[1].iodepth, 3u);
  EXPECT_EQ(set->jobs[1].bs_min[0], 2048u);
}

TEST(JobFile, KbBaseCountsForTheWholeSection) {
  EXPECT_EQ(one_job("bs=4k\nkb_base=1000").bs_min[0], 4000u);
  const auto j = one_job("bs=4kib\nsize=1m");
  EXPECT_EQ(j.bs_min[0], 4000u);
  ASSERT_EQ(j.notes.size(), 1u);
  EXPECT_NE(j.notes[0].find("bs=4kib"), std::string::npos);
  EXPECT_TRUE(one_job("bs=4k\nkb_base=1000\nsize=1mib").notes.empty());
}

TEST(JobFile, GroupsBeginAtStonewallAndNewGroup) {
  const auto j = text_jobs(
      "[a]\nstonewall\n[b]\nnumjobs=3\n[c]\nwait_for_previous\nnumjobs=2\n[d]\nnew_group\n[e]\nstonewall=0\n");
  std::vector<int> groups, subjobs, sections;
  std::vector<bool> waits;
  for (const auto& job : j) {
    groups.push_back(job.group_id);
    subjobs.push_back(job.subjob);
    sections.push_back(job.section);
    waits.push_back(job.stonewall);
  }
  EXPECT_EQ(groups, (std::vector<int>{0, 0, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(subjobs, (std::vector<int>{0, 0, 1, 2, 0, 1, 0, 0}));
  EXPECT_EQ(sections, (std::vector<int>{0, 1, 1, 1, 2, 2, 3, 4}));
  EXPECT_EQ(waits, (std::vector<bool>{true, false, false, false, true, false, false, false}));
}

TEST(JobFile, EchoHasCanonicalNamesAndOwnOptionsOnly) {
  auto set =
      parse_job_text("[global]\ntimeout=3\nthread\n[a]\nreadwrite=randread\nblocksize= 8k\n", "t.fio", World{}.env());
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(set->global_echo, (Pairs{{"runtime", "3"}, {"thread", ""}}));
  EXPECT_EQ(set->jobs[0].echo, (Pairs{{"rw", "randread"}, {"bs", "8k"}}));
}

TEST(JobFile, FilenamesAddUpAndEscapeColons) {
  const auto j = text_jobs("[global]\nfilename=/g\n[a]\nfilename=/a\\:1:/b\nnrfiles=7\n").at(0);
  EXPECT_EQ(j.filenames, (std::vector<std::string>{"/g", "/a:1", "/b"}));
  EXPECT_EQ(j.nrfiles, 3u);
}

TEST(Expression, ComputesWithUnits) {
  const auto bytes = [](std::string_view n) { return base::text::parse_bytes(n); };
  const struct {
    const char* text;
    std::uint64_t value;
  } table[] = {{"(4k*2)", 8192},
               {"(1+2*3)", 7},
               {"((1+2)*3)", 9},
               {"(2^3^2)", 512},
               {"(7%4)", 3},
               {"(1g/4+1m)", (1u << 28) + (1u << 20)},
               {"(10-2-3)", 5},
               {"(1/2*4)", 2},
               {"( 8 )", 8},
               {"(-2+4)", 2},
               {"(18446744073709551615)", ~0ull}};
  for (const auto& row : table) {
    const auto v = options::evaluate(row.text, bytes);
    ASSERT_TRUE(v.ok()) << row.text << ": " << v.error().what;
    EXPECT_EQ(*v, row.value) << row.text;
  }
  for (const char* text : {"(1", "()", "(1+)", "(1/0)", "(1%0)", "(2-3)", "(4x)", "(1)2", "(2^999)", "", "(1,2)"})
    EXPECT_FALSE(options::evaluate(text, bytes).ok()) << text;
  EXPECT_FALSE(options::evaluate(std::string(100000, '('), bytes).ok());
  EXPECT_FALSE(options::evaluate(std::string(100000, '-'), bytes).ok());
}

TEST(Expression, TimesWithoutUnitAreMicroseconds) {
  EXPECT_EQ(one_job("runtime=(2*1s)").runtime_ns, 2'000'000'000u);
  EXPECT_EQ(one_job("runtime=(500)").runtime_ns, 500'000u);
  EXPECT_EQ(one_job("thinktime=(2ms/4)").thinktime_ns, 500'000u);
}

}  // namespace
}  // namespace fathom::job

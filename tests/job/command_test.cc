// The command line: ordered and stateful, as fio's.
#include "support.h"

namespace fathom::job {
namespace {

World files() {
  World w;
  w.files["x.fio"] = "[x]\nrw=read\n[y]\nrw=randread\nnumjobs=2\n";
  w.files["z.fio"] = "[global]\nbs=32k\n[z]\nstonewall\n[w]\nnew_group\n[v]\n";
  return w;
}

struct Seen {
  std::string name;
  std::uint64_t bs;
  int group;
  bool operator==(const Seen&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Seen& s) {
  return out << s.name << " bs " << s.bs << " g " << s.group;
}

std::vector<Seen> seen(const std::vector<std::string>& args) {
  std::vector<Seen> out;
  for (const auto& j : jobs(args, files())) out.push_back({j.name, j.bs_min[0], j.group_id});
  return out;
}

// The expected values were taken from fio 3.33's own report of the same command lines.
TEST(CommandLine, OptionsBeforeTheFirstNameAreGlobalForTheFirstFile) {
  EXPECT_EQ(seen({"--bs=16k", "x.fio", "z.fio"}),
            (std::vector<Seen>{
                {"x", 16384, 0}, {"y", 16384, 0}, {"y", 16384, 0}, {"z", 32768, 1}, {"w", 32768, 2}, {"v", 32768, 2}}));
  EXPECT_EQ(seen({"x.fio", "--bs=16k"}), (std::vector<Seen>{{"x", 16384, 0}, {"y", 16384, 0}, {"y", 16384, 0}}));
}

TEST(CommandLine, JobsComeBeforeFiles) {
  EXPECT_EQ(seen({"x.fio", "--name=q", "--bs=8k"}),
            (std::vector<Seen>{{"q", 8192, 0}, {"x", 4096, 0}, {"y", 4096, 0}, {"y", 4096, 0}}));
}

TEST(CommandLine, NameGlobalBeginsGlobalOptionsAgain) {
  EXPECT_EQ(seen({"--bs=2k", "--name=q", "x.fio", "--name=global", "--bs=64k", "--name=u"}),
            (std::vector<Seen>{{"q", 2048, 0}, {"u", 65536, 0}, {"x", 65536, 0}, {"y", 65536, 0}, {"y", 65536, 0}}));
}

TEST(CommandLine, ALaterFileStonewallsAndForgetsGlobalOptions) {
  EXPECT_EQ(seen({"z.fio", "x.fio"}),
            (std::vector<Seen>{
                {"z", 32768, 0}, {"w", 32768, 1}, {"v", 32768, 1}, {"x", 4096, 2}, {"y", 4096, 2}, {"y", 4096, 2}}));
  EXPECT_TRUE(jobs({"z.fio", "x.fio"}, files())[3].stonewall);
}

TEST(CommandLine, AnOptionTakesOneOrTwoDashesAndEqualsOrSpace) {
  for (const std::vector<std::string>& form :
       {std::vector<std::string>{"--bs=8k"}, {"--bs", "8k"}, {"-bs=8k"}, {"-bs", "8k"}, {"--blocksize=8k"}}) {
    std::vector<std::string> args{"--name=a"};
    args.insert(args.end(), form.begin(), form.end());
    args.push_back("--thread");
    const auto j = jobs(args);
    ASSERT_EQ(j.size(), 1u) << form[0];
    EXPECT_EQ(j[0].bs_min[0], 8192u) << form[0];
    EXPECT_TRUE(j[0].thread) << form[0];
  }
}

TEST(CommandLine, AUniquePrefixOfAnOptionIsEnough) {
  const auto j = jobs({"--nam=a", "--ioengin=null", "--size=1m", "--numj=2"});
  ASSERT_EQ(j.size(), 2u);
  EXPECT_EQ(j[0].ioengine, "null");
}

TEST(CommandLine, AFlagDoesNotEatTheNextArgument) {
  const auto c = command({"--name=a", "--thread", "x.fio"}, files());
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->jobs.jobs.size(), 4u);
}

TEST(CommandLine, EchoBeginsWithTheName) {
  const auto j = jobs({"--rw=randread", "--name=a", "--size=1m"});
  EXPECT_EQ(j[0].echo, (Pairs{{"name", "a"}, {"size", "1m"}}));
}

// fio 3.42: a bare option has an empty value, --name=global stands among the global options, and a further file
// forgets those of the one before.
TEST(CommandLine, TheEchoOfOptionsMatchesFio) {
  EXPECT_EQ(jobs({"--name=a", "--size=1m", "--group_reporting", "--thread=1", "--norandommap"})[0].echo,
            (Pairs{{"name", "a"}, {"size", "1m"}, {"group_reporting", ""}, {"thread", "1"}, {"norandommap", ""}}));
  const auto globals = [](const std::vector<std::string>& args) { return command(args, files())->jobs.global_echo; };
  EXPECT_EQ(globals({"--thread", "--name=a", "--name=global", "--bs=2k", "--name=b"}),
            (Pairs{{"thread", ""}, {"name", "global"}, {"bs", "2k"}}));
  EXPECT_EQ(globals({"--thread", "x.fio", "z.fio"}), (Pairs{{"bs", "32k"}}));
  EXPECT_EQ(globals({"z.fio", "x.fio"}), Pairs{});
}

TEST(CommandLine, MaxJobsDoesNotChangeTheLimitOf4096Jobs) {
  EXPECT_EQ(jobs({"--max-jobs=1", "--name=a", "--numjobs=4"}).size(), 4u);
  EXPECT_EQ(jobs({"--max-jobs=0", "--name=a"}).size(), 1u);
  EXPECT_EQ(jobs({"--name=a", "--numjobs=4096"}).size(), 4096u);
  EXPECT_FALSE(command({"--max-jobs=5000", "--name=a", "--numjobs=4097"}).ok());
}

TEST(CommandLine, ProgramOptionsAreParsed) {
  World w = files();
  w.variables["FATHOM_ALLOW_DESTRUCTIVE"] = "/dev/a,/dev/b";
  const auto c = command({"--output=o", "--output-format=json,normal", "--eta=never", "--section=x", "--section=y",
                          "--max-jobs=10", "--repeat=3", "--settle", "--stamps=fio", "--allow-destructive=/dev/c",
                          "--debug=parse", "--parse-only", "--showcmd", "x.fio"},
                         w);
  ASSERT_TRUE(c.ok()) << c.error().what;
  EXPECT_EQ(c->output, "o");
  EXPECT_EQ(c->output_formats, (std::vector<std::string>{"json", "normal"}));
  EXPECT_EQ(c->eta, Eta::never);
  EXPECT_EQ(c->repeat, 3u);
  EXPECT_TRUE(c->settle && c->fio_stamps && c->parse_only && c->showcmd && c->debug_parse);
  EXPECT_EQ(c->allow_destructive, (std::vector<std::string>{"/dev/c", "/dev/a,/dev/b", "/dev/a", "/dev/b"}));
  EXPECT_TRUE(c->jobs.jobs[0].fio_stamps);
  EXPECT_EQ(c->showcmd_lines, std::vector<std::string>{"fio --name=x --rw=read --name=y --rw=randread --numjobs=2"});
  EXPECT_EQ(c->debug_lines.size(), 3u);
}

TEST(CommandLine, AuditTakesOffAutoOrAListOfWitnesses) {
  using Ways = std::vector<std::string>;
  EXPECT_EQ(command({"--name=a", "--size=4k"})->audit, Ways{"auto"});
  EXPECT_EQ(command({"--name=a", "--size=4k", "--audit=off"})->audit, Ways{"off"});
  EXPECT_EQ(command({"--name=a", "--size=4k", "--audit=pmu:pcie_bdf_200,link,smart"})->audit,
            (Ways{"pmu:pcie_bdf_200", "link", "smart"}));
  for (const char* wrong : {"--audit=of", "--audit=", "--audit=pmu:", "--audit=off,link"}) {
    const auto refused = command({"--name=a", "--size=4k", wrong});
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_EQ(refused.error().kind, base::ErrorKind::usage);
  }
  EXPECT_EQ(command({"--name=a", "--size=4k", "--unit-bytes=16"})->unit_bytes, 16);
  for (const char* wrong : {"--unit-bytes=0", "--unit-bytes=-4", "--unit-bytes=x"})
    EXPECT_FALSE(command({"--name=a", "--size=4k", wrong}).ok()) << wrong;
}

TEST(CommandLine, ClockCheckTakesCachedFullOrSkip) {
  EXPECT_EQ(command({"--name=a", "--size=4k"})->clock_check, ClockCheck::cached);
  EXPECT_EQ(command({"--name=a", "--size=4k", "--clock-check=full"})->clock_check, ClockCheck::full);
  EXPECT_EQ(command({"--name=a", "--size=4k", "--clock-check", "skip"})->clock_check, ClockCheck::skip);
  const auto wrong = command({"--name=a", "--size=4k", "--clock-check=no"});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().kind, base::ErrorKind::usage);
}

TEST(CommandLine, HelpNeedsNoJob) {
  for (const char* arg :
       {"--help", "-h", "--version", "-v", "--cmdhelp", "--cmdhelp=bs", "--enghelp", "--enghelp=io_uring"})
    EXPECT_TRUE(command({arg}).ok()) << arg;
  EXPECT_EQ(command({"--cmdhelp=bs"})->cmdhelp, "bs");
  EXPECT_EQ(command({"--enghelp"})->enghelp, "");
}

TEST(CommandLine, SectionsSelectJobs) {
  const auto c = command({"--section=y", "x.fio"}, files());
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->jobs.jobs.size(), 2u);
  EXPECT_EQ(c->jobs.jobs[0].name, "y");
}

TEST(CommandLine, ShowcmdWritesGlobalsFirst) {
  const auto c = command({"--showcmd", "z.fio"}, files());
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->showcmd_lines,
            std::vector<std::string>{"fio --bs=32k --name=z --stonewall --name=w --new_group --name=v"});
}

TEST(CommandLine, ReadonlyAllowsReads) {
  const auto c = command({"--name=a", "--readonly", "--rw=randread"});
  ASSERT_TRUE(c.ok());
  EXPECT_TRUE(c->jobs.jobs[0].readonly);
}

// dbench, kubestr and ezfio call like this.
TEST(CommandLine, CommandsOfKnownScriptsAreAccepted) {
  World w = files();
  EXPECT_TRUE(command({"--randrepeat=0", "--verify=0", "--ioengine=libaio", "--direct=1", "--gtod_reduce=1",
                       "--name=read_iops", "--filename=/d/f", "--bs=4K", "--iodepth=64", "--size=1G",
                       "--readwrite=randread", "--time_based", "--ramp_time=2s", "--runtime=15s"})
                  .ok());
  EXPECT_TRUE(command({"--directory", "/dataset", "x.fio", "--output-format=json"}, w).ok());
  EXPECT_TRUE(command({"--name=test", "--bs=4096B", "--ioengine=libaio", "--output-format=json,normal"}).ok());
}

TEST(CommandLine, CostIsMeasuredForTenSecondsOrSoLong) {
  const auto cost_ns = [](const std::string& option) {
    const auto command = parse_command(std::vector<std::string>{"--name=a", "--size=1m", option}, World().env());
    return command.ok() ? command->cost_ns : 0;
  };
  EXPECT_EQ(cost_ns("--cost"), 10'000'000'000u);
  EXPECT_EQ(cost_ns("--cost=3"), 3'000'000'000u);
  EXPECT_EQ(cost_ns("--cost=1m"), 60'000'000'000u);
  EXPECT_EQ(cost_ns("--cost=100ms"), 0u) << "too short for any answer";
  EXPECT_EQ(cost_ns("--settle"), 0u);
}

TEST(CommandLine, CostWithoutAnybodyWhoWatchesIsRefused) {
  std::vector<std::string> args{"--name=a", "--size=1m", "--cost", "--audit=off"};
  const auto command = parse_command(args, World().env());
  ASSERT_FALSE(command.ok());
  EXPECT_NE(command.error().what.find("`--cost` has no probe to measure"), std::string::npos);
  EXPECT_NE(command.error().help.find("add --breakdown"), std::string::npos);
  args.push_back("--breakdown=slices");
  EXPECT_TRUE(parse_command(args, World().env()).ok());
}

TEST(CommandLine, SetIsOfEveryJobWhateverIsWrittenThere) {
  EXPECT_EQ(seen({"--set=bs=2k", "z.fio"}), (std::vector<Seen>{{"z", 2048, 0}, {"w", 2048, 1}, {"v", 2048, 1}}));
  EXPECT_EQ(seen({"--name=q", "--bs=8k", "--set=bs=2k", "x.fio", "--name=u", "--bs=16k", "--set=bs=1k"}),
            (std::vector<Seen>{{"q", 1024, 0}, {"u", 1024, 0}, {"x", 1024, 0}, {"y", 1024, 0}, {"y", 1024, 0}}))
      << "the last of several";
  EXPECT_TRUE(jobs({"--name=a", "--set=time_based", "--set", "runtime=3"})[0].time_based);
  EXPECT_EQ(jobs({"--name=a", "--set=numjobs=3"}).size(), 3u);
}

TEST(CommandLine, AMistakeInSetHasItsPlace) {
  const auto unknown = command({"--name=a", "--set=iodepht=4"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().help.find("iodepth"), std::string::npos) << unknown.error().help;
  ASSERT_TRUE(unknown.error().place);
  EXPECT_EQ(unknown.error().place->column, 7);
  EXPECT_EQ(unknown.error().place->length, 7);
  const auto wrong = command({"--set=iodepth=four", "--name=a"});
  ASSERT_FALSE(wrong.ok());
  ASSERT_TRUE(wrong.error().place);
  EXPECT_EQ(wrong.error().place->column, 15);
  for (const char* nothing : {"--set=", "--set==4"}) EXPECT_FALSE(command({"--name=a", nothing}).ok()) << nothing;
}

}  // namespace
}  // namespace fathom::job

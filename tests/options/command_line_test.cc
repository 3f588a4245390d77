// The grammar of command lines: how values follow, what a mistake is told and where, and what rows write to.
#include "options/command_line.h"

#include <gtest/gtest.h>

#include "options/completion.h"
#include "options/rows.h"

namespace fathom::options {
namespace {

struct Sizes {
  std::uint64_t map = 1, count = 0;
};
struct Asked {
  bool json = false, cold = false, warm = true;
  double share = 0, seconds = 0;
  int kind = 0;
  std::vector<std::string> names;
  std::vector<int> numbers;
  std::string text;
};

constexpr Choice kKinds[] = {{"plain", 1, "as it is"}, {"file:", 2, "PATH"}, {"none", 0, ""}};
constexpr Row kRows[] = {
    bytes<&Sizes::map>({"map m=SIZE", "64M", "memory"}, 4096, 1 << 30),
    count<&Sizes::count>({"count c=N", "", "how many"}, 1, 10),
    flag<&Asked::json>({"json j", "", "print JSON"}),
    flag<&Asked::warm, true>({"cold", "", "no warm-up"}),
    percent<&Asked::share>({"share=PERCENT", "", "of all"}),
    time_in<&Asked::seconds>({"duration=TIME", "10s", "so long"}, 1'000'000, 60'000'000'000),
    choice<&Asked::kind>({"kind k=KIND", "none", ""}, kKinds),
    append<&Asked::names>({"name=NAME", "", "may be given again"}),
    numbers<&Asked::numbers>({"cpus=LIST", "", "where"}),
    noted({"slots=[MS]", "", "with or without a length"}),
    noted({"v", "", "more"}),
    {.texts = {.names = "later", .note = "for a reason", .status = Status::not_built}},
    {.texts = {.names = "secret", .status = Status::hidden}, .type = Type::flag},
};
constexpr Group kGroups[] = {{"", kRows}};

Manual manual_of(Grammar grammar) {
  return {.command = "fathom x", .usage = "[options]", .about = "About.\n", .groups = kGroups, .grammar = grammar};
}

struct Read {
  base::Expected<Given> given;
  Sizes sizes;
  Asked asked;
};
Read read(std::vector<std::string> args, Grammar grammar = Grammar::exact) {
  Sizes sizes;
  Asked asked;
  auto given = read_command_line(manual_of(grammar), args, Targets(sizes, asked));
  return {std::move(given), sizes, asked};
}
base::Error mistake(std::vector<std::string> args, Grammar grammar = Grammar::exact) {
  auto all = read(std::move(args), grammar);
  EXPECT_FALSE(all.given.ok());
  return all.given.ok() ? base::Error{} : all.given.error();
}

TEST(CommandLine, EachValueFindsItsObject) {
  const auto r = read({"--map=1m", "--count", "3", "--json", "--cold", "--share=12.5%", "--duration=500ms", "word",
                       "--kind=file:/x", "--name=a", "--name", "b", "--cpus=3,0-1", "--slots", "-v"});
  ASSERT_TRUE(r.given.ok()) << r.given.error().what;
  EXPECT_EQ(r.sizes.map, 1u << 20);
  EXPECT_EQ(r.sizes.count, 3u);
  EXPECT_TRUE(r.asked.json);
  EXPECT_FALSE(r.asked.warm);
  EXPECT_EQ(r.asked.share, 12.5);
  EXPECT_EQ(r.asked.seconds, 0.5);
  EXPECT_EQ(r.asked.kind, 2);
  EXPECT_EQ(r.asked.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(r.asked.numbers, (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(r.given->arguments, std::vector<std::string>{"word"});
  EXPECT_EQ(*r.given->last("slots"), "");
  EXPECT_EQ(*r.given->last("kind"), "file:/x");
  EXPECT_TRUE(r.given->has("v"));
  EXPECT_FALSE(r.given->has("secret"));
}

TEST(CommandLine, LettersAndWhatIsRunTogether) {
  const auto r = read({"-jm4k", "-c", "2", "--dur", "2s", "--", "-word"}, Grammar::getopt);
  ASSERT_TRUE(r.given.ok()) << r.given.error().what;
  EXPECT_TRUE(r.asked.json);
  EXPECT_EQ(r.sizes.map, 4096u);
  EXPECT_EQ(r.sizes.count, 2u);
  EXPECT_EQ(r.asked.seconds, 2);
  EXPECT_EQ(r.given->arguments, std::vector<std::string>{"-word"});
  EXPECT_NE(mistake({"--c=1"}, Grammar::getopt).cause.find("--count, --cold, --cpus"), std::string::npos);
  EXPECT_EQ(mistake({"-c", "99"}, Grammar::getopt).what, "-c 99: out of range") << "users know the letters";
}

TEST(CommandLine, ACommandKeepsItsOptions) {
  const auto r = read({"-c=2", "-j", "ls", "-l", "--json"}, Grammar::command);
  ASSERT_TRUE(r.given.ok()) << r.given.error().what;
  EXPECT_EQ(r.sizes.count, 2u);
  EXPECT_EQ(r.given->command, (std::vector<std::string>{"ls", "-l", "--json"}));
  EXPECT_EQ(read({"--json", "--", "-x"}, Grammar::command).given->command, std::vector<std::string>{"-x"});
}

TEST(CommandLine, AMistakeIsShownInItsPlace) {
  const auto e = mistake({"--json", "--count=99"});
  EXPECT_EQ(e.what, "--count=99: out of range");
  EXPECT_EQ(e.cause, "the largest value is 10");
  EXPECT_EQ(e.help, "write `--count=10` or less");
  ASSERT_TRUE(e.place);
  EXPECT_EQ(e.place->line_text, "--json --count=99");
  EXPECT_EQ(e.place->column, 16);
  EXPECT_EQ(e.place->length, 2);
  const auto apart = mistake({"--count", "99"});
  EXPECT_EQ(apart.place->column, 9);
  const auto unknown = mistake({"--json", "--cuont=1"});
  EXPECT_EQ(unknown.help, "did you mean `--count`?");
  EXPECT_EQ(unknown.place->column, 8);
}

TEST(CommandLine, WhatIsRefused) {
  EXPECT_EQ(mistake({"--count"}).help, "write `--count=N`");
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--count="},
                                                {"--count", "--json"},
                                                {"--json=1"},
                                                {"--coun=1"},
                                                {"--count=2k"},
                                                {"--count=-1"},
                                                {"--count=1.5"},
                                                {"--map=5"},
                                                {"--kind=file:"},
                                                {"--kind=other"},
                                                {"--cpus=3-1"},
                                                {"--share=101"},
                                                {"--duration=0"},
                                                {"-x"},
                                                {"--"},
                                                {"-v=1"},
                                                {"-jx"}})
    EXPECT_EQ(mistake(wrong).kind, base::ErrorKind::usage) << wrong[0];
  EXPECT_EQ(mistake({"--later"}).kind, base::ErrorKind::not_built);
  EXPECT_EQ(mistake({"--later"}).cause, "for a reason");
}

TEST(CommandLine, HelpEndsTheReading) {
  EXPECT_TRUE(read({"--help", "--nothing"}).given->help);
  EXPECT_TRUE(read({"-h"}).given->help);
  EXPECT_FALSE(read({"--nothing", "--help"}).given.ok());
}

// What only the whole line can tell finds its place by the option that it begins with.
TEST(CommandLine, ErrorsOfTheWholeLineHaveAPlaceToo) {
  const auto r = read({"--json", "--count", "3"});
  const auto e = r.given->placed(usage_error("--count: too many for one map", "", ""));
  ASSERT_TRUE(e.place);
  EXPECT_EQ(e.place->column, 8);
  EXPECT_EQ(e.place->length, 9);
  EXPECT_FALSE(r.given->placed(usage_error("nothing to do", "", "")).place);
}

TEST(Manual, ALineForEachRowWithItsDefault) {
  const auto text = help_text(manual_of(Grammar::exact));
  for (const char* part :
       {"usage: fathom x [options]\n\nAbout.\n\n", "  -m, --map=SIZE       memory (64M)\n", "      --slots[=MS]",
        "  -k, --kind=KIND\n                         plain      as it is\n                         file:PATH\n"
        "                         none       (default)\n",
        "  -v                   more\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_EQ(text.find("secret"), std::string::npos);
  EXPECT_EQ(text.find("later"), std::string::npos);
}

TEST(Completion, EachShellHasEveryRow) {
  const std::vector<Manual> manuals{manual_of(Grammar::exact)};
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto script = completion(shell, manuals);
    ASSERT_TRUE(script.ok()) << shell;
    const bool fish = std::string_view(shell) == "fish";
    for (const char* name : {"map", "json", "duration", "kind"})
      EXPECT_NE(script->find((fish ? " -l " : "--") + std::string(name)), std::string::npos) << shell << " " << name;
    EXPECT_NE(script->find("plain file: none"), std::string::npos) << shell;
    EXPECT_EQ(script->find("secret"), std::string::npos) << shell;
  }
  EXPECT_EQ(completion("zhs", manuals).error().help, "did you mean `zsh`?");
}

constexpr Row kOfJobs[] = {
    {.texts = {.names = "depth queue_depth"}, .type = Type::count},
    {.texts = {.names = "thread"}, .type = Type::flag},
    {.texts = {.names = "mapped", .engines = "one two"}, .type = Type::count},
    {.texts = {.names = "deep", .status = Status::not_built}},
};
constexpr Group kJobGroups[] = {{"", kOfJobs}};

Read read_fios(std::vector<std::string> args) {
  Sizes sizes;
  Asked asked;
  const Manual manual{.command = "fio", .groups = kGroups, .grammar = Grammar::fio, .beside = kJobGroups};
  auto given = read_command_line(manual, args, Targets(sizes, asked));
  return {std::move(given), sizes, asked};
}

TEST(FioLine, WordsOfTheProgramAreTakenThoseOfAJobHandedOn) {
  const auto all = read_fios({"-count=3", "--queue_depth", "8", "-thread", "x.fio", "--js", "--", "--cold"});
  ASSERT_TRUE(all.given.ok()) << all.given.error().what;
  EXPECT_EQ(all.sizes.count, 3u);
  EXPECT_TRUE(all.asked.json);
  EXPECT_TRUE(all.asked.warm);
  EXPECT_EQ(all.given->arguments, (std::vector<std::string>{"x.fio", "--cold"}));
  ASSERT_EQ(all.given->options.size(), 4u);
  const auto& depth = all.given->options[1];
  EXPECT_TRUE(depth.beside && all.given->options[2].beside);
  EXPECT_FALSE(all.given->options[0].beside);
  EXPECT_EQ(depth.assignment.key, "queue_depth");
  EXPECT_EQ(depth.assignment.value, "8");
  EXPECT_EQ(depth.assignment.line->text, "--queue_depth 8");
  EXPECT_EQ(depth.assignment.value_column, 15);
}

TEST(FioLine, ABeginningOfAnEnginesOptionCountsWhereThereIsNoOther) {
  EXPECT_EQ(read_fios({"--mapp=1"}).given->options[0].row->name(), "mapped");
  EXPECT_EQ(read_fios({"--ma=4096"}).sizes.map, 4096u);
  const auto several = read_fios({"-de=1"}).given;
  ASSERT_FALSE(several.ok());
  EXPECT_EQ(several.error().what, "`--de` matches several options");
  EXPECT_EQ(several.error().cause, "matching options: --depth, --deep");
  EXPECT_EQ(several.error().place->column, 2);
}

TEST(FioLine, WhatIsNotBuiltIsToldWithTheNextMistake) {
  const auto all = read_fios({"--later", "--json", "--later"});
  ASSERT_TRUE(all.given.ok());
  EXPECT_EQ(all.given->not_built.size(), 2u);
  EXPECT_TRUE(all.asked.json);
  const auto mistaken = read_fios({"--later", "--depht=1"}).given;
  ASSERT_FALSE(mistaken.ok());
  EXPECT_EQ(mistaken.error().what, "fio option `--later` is not built in fathom yet");
  ASSERT_EQ(mistaken.error().also.size(), 1u);
  EXPECT_EQ(mistaken.error().also[0].help, "did you mean `--depth`?");
}

TEST(ManPage, ASectionIsScdocsOfTheRows) {
  auto manual = manual_of(Grammar::exact);
  manual.about = "-x is *not* a list.\n";
  const auto text = scdoc_section(manual);
  EXPECT_EQ(text.find("## fathom x\n\n```\nfathom x [options]\n```\n\n\\-x is \\*not\\* a list.\n"), 0u) << text;
  EXPECT_NE(text.find("\n*\\-m, --map=SIZE*\n\tmemory. Default: 64M.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n*\\-k, --kind=KIND*\n\t- *plain*: as it is\n\t- *file:*PATH\n\t- *none* (default)\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("secret"), std::string::npos);
  EXPECT_EQ(text.find("later"), std::string::npos);
}

TEST(ManPage, ValuesFollowTheHelpAndTheDefault) {
  auto row = kRows[6];
  row.texts.help = "what it is";
  const Group groups[] = {{"", {&row, 1}}};
  auto manual = manual_of(Grammar::exact);
  manual.groups = groups;
  EXPECT_EQ(scdoc_options(manual),
            "*\\-k, --kind=KIND*\n\twhat it is:\n\t- *plain*: as it is\n\t- *file:*PATH\n\t- *none* (default)\n");
  row.texts.fallback = "the best";
  EXPECT_EQ(scdoc_options(manual),
            "*\\-k, --kind=KIND*\n\twhat it is. Default: the best. Values:\n\t- *plain*: as it is\n\t- *file:*PATH\n"
            "\t- *none*\n");
}

}  // namespace
}  // namespace fathom::options

// Options of engines in shared objects: they reach the engine as texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/plugin_options.h"
#include "job/command.h"
#include "job/support.h"

namespace fathom::job {
namespace {

using Passed = std::vector<std::pair<std::string, std::string>>;

io::PluginOptions options_of(const std::string& lines) {
  const auto job = one_job(lines);
  return job.engine.of<io::PluginOptions>();
}

TEST(PluginOptions, ThePathFollowsTheName) {
  const auto job = one_job("ioengine=external:./dir/my:engine.so\nfilename=f\n");
  EXPECT_EQ(job.ioengine, "external");
  EXPECT_EQ(job.engine.of<io::PluginOptions>().path, "./dir/my:engine.so");
}

TEST(PluginOptions, AListIsNamesAndValues) {
  EXPECT_EQ(options_of("ioengine=external:x\nfilename=f\nplugin_options=size=64m,mode=a=b,empty=\n").passed,
            (Passed{{"size", "64m"}, {"mode", "a=b"}, {"empty", ""}}));
  EXPECT_EQ(options_of("ioengine=external:x\nfilename=f\nplugin_options=\n").passed, Passed());
}

TEST(PluginOptions, ALaterValueReplacesAnEarlierOne) {
  EXPECT_EQ(options_of("ioengine=external:x\nfilename=f\nplugin_options=a=1,b=2\nplugin_options=a=3\n").passed,
            (Passed{{"a", "3"}, {"b", "2"}}));
}

TEST(PluginOptions, AUriMayHaveAnyCharacter) {
  EXPECT_EQ(options_of("ioengine=nbd\nuri=nbd+unix:///a,b?socket=/tmp/s:1\n").target,
            "nbd+unix:///a,b?socket=/tmp/s:1");
}

constexpr const char* kHttp = "ioengine=http\nfilename=/o\nsize=1m\n";

std::string_view echoed(const Job& job, std::string_view name) {
  for (const auto& [key, value] : job.echo)
    if (key == name) return value;
  return "missing";
}

TEST(HttpOptions, ValuesReachTheEngine) {
  EXPECT_EQ(
      options_of(std::string(kHttp) + "http_host=h:1/p\nhttps=insecure\nhttp_mode=swift\nhttp_verbose=2\n").passed,
      (Passed{{"http_host", "h:1/p"}, {"https", "insecure"}, {"http_mode", "swift"}, {"http_verbose", "2"}}));
}

TEST(HttpOptions, AnOptionOfAnotherModeIsIgnoredWithAFinding) {
  const auto webdav = one_job(std::string(kHttp) + "http_s3_region=r\nhttp_swift_auth_token=t\n");
  EXPECT_THAT(webdav.ignored, testing::ElementsAre("http_s3_region, because http_mode=webdav does not use it",
                                                   "http_swift_auth_token, because http_mode=webdav does not use it"));
  EXPECT_THAT(one_job(std::string(kHttp) + "http_mode=s3\nhttp_s3_key=k\nhttp_s3_keyid=i\n").ignored,
              testing::IsEmpty());
}

TEST(Secrets, TheEngineGetsThemAndTheEchoDoesNot) {
  const auto job =
      one_job(std::string(kHttp) + "http_mode=s3\nhttp_s3_keyid=id\nhttp_s3_key=k/1+2\nhttp_user=u\nhttp_pass=p=1\n");
  const auto& own = job.engine.of<io::PluginOptions>();
  EXPECT_EQ(*io::value_of(own, "http_s3_key"), "k/1+2");
  EXPECT_EQ(*io::value_of(own, "http_pass"), "p=1");
  EXPECT_EQ(echoed(job, "http_s3_key"), "(secret)");
  EXPECT_EQ(echoed(job, "http_pass"), "(secret)");
  EXPECT_EQ(echoed(job, "http_s3_keyid"), "id");
}

TEST(Secrets, AnEmptyOneStaysEmpty) {
  EXPECT_EQ(echoed(one_job(std::string(kHttp) + "http_pass=\n"), "http_pass"), "");
}

TEST(Secrets, AVariableIsResolvedForTheEngineOnly) {
  Environment env;
  env.getenv = [](const std::string& name) { return std::optional<std::string>("value of " + name); };
  const auto jobs =
      parse_job_text("[a]\n" + std::string(kHttp) + "http_user=u\nhttp_pass=${SECRET}\n", std::string("f"), env);
  ASSERT_TRUE(jobs.ok());
  EXPECT_EQ(*io::value_of(jobs->jobs[0].engine.of<io::PluginOptions>(), "http_pass"), "value of SECRET");
  EXPECT_EQ(echoed(jobs->jobs[0], "http_pass"), "(secret)");
}

TEST(Secrets, AnErrorDoesNotQuoteThem) {
  for (const std::string lines : {"ioengine=psync\nhttp_pass=sesame\n", "ioengine=http\nhttp_pass=sesame\n"}) {
    const auto jobs = parse_job_text("[a]\nfilename=/o\nsize=1m\n" + lines, std::string("f"), {});
    ASSERT_FALSE(jobs.ok());
    const auto& e = jobs.error();
    for (const auto& text : {e.what, e.cause, e.help, e.place ? e.place->line_text : ""})
      EXPECT_EQ(text.find("sesame"), std::string::npos) << text;
  }
}

TEST(Secrets, AStoredCommandLineHasNone) {
  const std::vector<std::string> given{
      "--name=a",      "--http_pass=x=y",         "--http_s3_key", "k=1",         "-http_pa=z",
      "--http_user=u", "--set=http_s3_key=q",     "--set",         "http_pass=w", "--set=bs=4k",
      "http_pass=f",   "--http_swift_auth_token", "--t",           "job.fio",     "--http_pass"};
  EXPECT_THAT(
      without_secrets(given),
      testing::ElementsAre("--name=a", "--http_pass=(secret)", "--http_s3_key", "(secret)", "-http_pa=(secret)",
                           "--http_user=u", "--set=http_s3_key=(secret)", "--set", "http_pass=(secret)", "--set=bs=4k",
                           "http_pass=f", "--http_swift_auth_token", "(secret)", "job.fio", "--http_pass"));
}

TEST(Secrets, AJobShownAsACommandLineKeepsVariablesOnly) {
  Environment env;
  env.read_file = [](const std::string&) {
    return base::Expected<std::string>(
        "[a]\nioengine=http\nsize=1m\nhttp_user=u\nhttp_pass=sesame\nhttp_s3_key=${KEY}\n");
  };
  const std::vector<std::string> words{"--showcmd", "f"};
  const auto command = parse_command(words, env);
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(command->showcmd_lines,
            std::vector<std::string>{
                "fio --name=a --ioengine=http --size=1m --http_user=u --http_pass='(secret)' --http_s3_key='${KEY}'"});
}

TEST(PluginOptions, TheDirectoryOfFilesIsAnOptionOfTheEngineToo) {
  const auto options = options_of("ioengine=nfs\nnfs_url=nfs://h/e?version=4\n");
  EXPECT_EQ(options.directory, "nfs://h/e?version=4");
  EXPECT_EQ(options.passed, (Passed{{"nfs_url", "nfs://h/e?version=4"}}));
}

// effect: busy_poll clientname clustername conf pool rbdname touch_objects
TEST(PluginOptions, TheTargetsOfCephAreNamedWithTheirPool) {
  const auto image = options_of("ioengine=rbd\npool=p\nrbdname=i\nclientname=c\nclustername=n\nbusy_poll=1\n");
  EXPECT_EQ(image.target, "p/i");
  EXPECT_EQ(image.passed,
            (Passed{{"pool", "p"}, {"rbdname", "i"}, {"clientname", "c"}, {"clustername", "n"}, {"busy_poll", "1"}}));
  const auto objects = options_of("ioengine=rados\npool=p\nconf=f\ntouch_objects=0\n");
  EXPECT_EQ(objects.directory, "p");
  EXPECT_EQ(objects.passed, (Passed{{"pool", "p"}, {"conf", "f"}, {"touch_objects", "0"}}));
}

TEST(PluginOptions, AFileIsNamedBehindThePathOfItsDirectory) {
  EXPECT_EQ(io::url_below("nfs://h/e", "a"), "nfs://h/e/a");
  EXPECT_EQ(io::url_below("nfs://h/e/", "/d/a"), "nfs://h/e/d/a");
  EXPECT_EQ(io::url_below("nfs://h/e?version=4&uid=0", "a"), "nfs://h/e/a?version=4&uid=0");
}

}  // namespace
}  // namespace fathom::job

// Options of engines in shared objects: they reach the engine as texts.
#include <gtest/gtest.h>

#include "io/plugin_options.h"
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

}  // namespace
}  // namespace fathom::job

// Every mistake names its file, line and column, underlines the offending text, and says what to write instead.
#include "support.h"

namespace fathom::job {
namespace {

using base::ErrorKind;

struct Mistake {
  std::string text;  // of t.fio
  int line, column, length;
  std::string what;  // a part of what is said
  std::string help;  // a part of the help
  ErrorKind kind = ErrorKind::usage;
};

std::ostream& operator<<(std::ostream& out, const Mistake& m) { return out << testing::PrintToString(m.text); }

class JobFileMistake : public testing::TestWithParam<Mistake> {};

TEST_P(JobFileMistake, IsReportedWithItsPlace) {
  const auto& m = GetParam();
  const auto set = parse_job_text(m.text, "t.fio", World{}.env());
  ASSERT_FALSE(set.ok());
  const auto& e = set.error();
  EXPECT_EQ(e.kind, m.kind);
  EXPECT_NE(e.what.find(m.what), std::string::npos) << e.what;
  EXPECT_NE(e.help.find(m.help), std::string::npos) << e.help;
  ASSERT_TRUE(e.place.has_value());
  EXPECT_EQ(e.place->file, "t.fio");
  EXPECT_EQ(e.place->line, m.line);
  EXPECT_EQ(e.place->column, m.column);
  EXPECT_EQ(e.place->length, m.length);
}

INSTANTIATE_TEST_SUITE_P(
    Values, JobFileMistake,
    testing::Values(Mistake{"[a]\nbs=4x\n", 2, 4, 2, "bs=4x: not a size", "bs=4k"},
                    Mistake{"[a]\n  bs = 4x\n", 2, 8, 2, "not a size", "bs=4k"},
                    Mistake{"[a]\nbs=4k,8q\n", 2, 7, 2, "not a size", "bs=4k"},
                    Mistake{"[a]\nbs=0\n", 2, 4, 1, "out of range", "bs=1"},
                    Mistake{"[a]\nbs=50%\n", 2, 4, 3, "not a size", "bs=4k"},
                    Mistake{"[a]\nbs=1,2,3,4\n", 2, 10, 1, "too many values", "read,write,trim"},
                    Mistake{"[a]\nbs=-4k\n", 2, 4, 3, "not a size", "bs=4k"},
                    Mistake{"[a]\nrw=randred\n", 2, 4, 7, "not a value of rw", "rw=randread"},
                    Mistake{"[a]\nrw=randread:x\n", 2, 13, 1, "not a sequencer", "rw=randread:8"},
                    Mistake{"[a]\nrw=randread:0\n", 2, 13, 1, "out of range", "rw=randread:8"},
                    Mistake{"[a]\niodepth=0\n", 2, 9, 1, "iodepth=0: out of range", "iodepth=1"},
                    Mistake{"[a]\niodepth=abc\n", 2, 9, 3, "not a number", "whole number"},
                    Mistake{"[a]\niodepth=0\n", 2, 9, 1, "out of range", "iodepth=1"},
                    Mistake{"[a]\nruntime=10q\n", 2, 9, 3, "not a time", "runtime=10s"},
                    Mistake{"[a]\nrwmixread=101\n", 2, 11, 3, "out of range", "rwmixread=100"},
                    Mistake{"[a]\nrwmixread=70%\n", 2, 11, 3, "not a number", "whole number"},
                    Mistake{"[a]\nsize=150%\n", 2, 6, 4, "not a percentage", "size=50%"},
                    Mistake{"[a]\ndirect=2\n", 2, 8, 1, "not 0 or 1", "direct=1"},
                    Mistake{"[a]\nthread=yes\n", 2, 8, 3, "not 0 or 1", "name alone"},
                    Mistake{"[a]\nbsrange=4k\n", 2, 9, 2, "not a range", "bsrange=1k-4k"},
                    Mistake{"[a]\nbssplit=4k/50:8z/50\n", 2, 15, 2, "not a size", "bssplit=4k/60"},
                    Mistake{"[a]\nbssplit=4k/60:8k/60\n", 2, 9, 11, "above 100", "100"},
                    Mistake{"[a]\npercentile_list=50:101\n", 2, 20, 3, "out of range", "0 to 100"},
                    Mistake{"[a]\nrandom_distribution=zpif:1.2\n", 2, 21, 4, "not a distribution", "zipf"},
                    Mistake{"[a]\nrandom_distribution=sequence:1,x\n", 2, 32, 1, "not a size", "sequence:0,3,1,2"},
                    Mistake{"[a]\nrandom_distribution=zipf:1\n", 2, 26, 1, "out of range", "zipf:1.1"},
                    Mistake{"[a]\nrandom_distribution=pareto:2\n", 2, 28, 1, "out of range", "pareto:0.2"},
                    Mistake{"[a]\nrandom_distribution=zoned:50/5:40/95\n", 2, 27, 10, "not 100 %", "zoned:60/10"},
                    Mistake{"[a]\ncpus_allowed=0,x\n", 2, 16, 1, "not a list of CPUs", "cpus_allowed=0,2-5"},
                    Mistake{"[a]\ncpus_allowed=9\n", 2, 14, 1, "CPU 9 does not exist", "CPUs up to 3"},
                    Mistake{"[a]\nfallocate=foo\n", 2, 11, 3, "not a value of fallocate", "write one of them"},
                    Mistake{"[a]\nsize=(4k*\n", 2, 6, 4, "not a size", "size=4k"},
                    Mistake{"[a]\nsize=(4k/0)\n", 2, 6, 6, "not a size", "size=4k"},
                    Mistake{"[a]\nrate=1m\nrate_iops=100\n", 3, 11, 3, "rate and rate_iops", "omit one"}));

INSTANTIATE_TEST_SUITE_P(
    Options, JobFileMistake,
    testing::Values(
        Mistake{"[a]\nbs\n", 2, 1, 2, "a value is missing", "bs=4k"},
        Mistake{"[a]\nbs=\n", 2, 4, 1, "a value is missing", "bs=4k"},
        Mistake{"[a]\nthread=\n", 2, 8, 1, "a value is missing", "thread="},
        Mistake{"[a]\nbs 4k\n", 2, 1, 5, "a `=` is missing", "bs=4k"},
        Mistake{"[a]\n=4k\n", 2, 1, 3, "without an option", "option=value"},
        Mistake{"[a]\nBS=4k\n", 2, 1, 2, "Bad option <BS=4k>", "`bs`"},
        Mistake{"[a]\nruntime=1m30s\n", 2, 9, 5, "not a time", "runtime=10s"},
        Mistake{"[a]\nsize=524z\n", 2, 6, 4, "without zones", "zonesize"},
        Mistake{"[a]\ncompletion=4\n", 2, 1, 10, "Bad option <completion=4>", "docs/reference/fio-options.md"},
        Mistake{"[a]\niodeph=4\n", 2, 1, 6, "Bad option <iodeph=4>", "`iodepth`"},
        Mistake{"[a]\naudit=off\n", 2, 1, 5, "Bad option <audit=off>", "write `--audit=off` on the command line"},
        Mistake{"[a]\ngpu_dev_id=1\n", 2, 1, 10, "fio option `gpu_dev_id` is not built in fathom yet", "omit it",
                ErrorKind::not_built},
        Mistake{"[a]\nrw=write\nverify=crc32c\nverify_policy=synced\n", 4, 15, 6, "verify_policy=synced", "fsynced"},
        Mistake{"[a]\nrw=write\nverify=crc32c\nverify_async_cpus=x\n", 4, 19, 1, "not a list of CPUs", "0,2-3"},
        Mistake{"[a]\nverify=pi\n", 2, 8, 2, "not built in fathom yet", "omit it", ErrorKind::not_built},
        Mistake{"[a]\nverify_pattern=%p\n", 2, 16, 2, "not a pattern", "0xHEX"},
        Mistake{"[a]\nverify_pattern=%o%o%o%o%o%o%o%o%o\n", 2, 32, 2, "too many %o", "omit the others"},
        Mistake{"[a]\nbuffer_pattern=%o\n", 2, 16, 2, "not a pattern", "0xHEX"},
        Mistake{"[a]\nverify=crc33\n", 2, 8, 5, "verify=crc33", "verify=crc32"},
        Mistake{"[a]\nrw=write\nverify=crc32c\nbsrange=4000-4001\n", 3, 8, 6, "cannot be verified", "multiples of 512"},
        Mistake{"[a]\nrw=randwrite\nverify=crc32c\nbs_unaligned\nbsrange=1k-4k\n", 3, 8, 6, "cannot be verified",
                "without bs_unaligned"},
        Mistake{"[a]\nverify_interval=32\n", 2, 17, 2, "", "verify_interval=80"},
        Mistake{"[a]\nverify=md5\nverify_interval=80\n", 3, 17, 2, "too short", "verify_interval=96"},
        Mistake{"[a]\nrw=write\nverify=crc32c\nverify_only\ntime_based\nruntime=1\n", 4, 1, 11, "ends by its time",
                "omit time_based"},
        Mistake{"[a]\nss=speed:1%\n", 2, 4, 5, "not a criterion", "iops_slope:0.3%"},
        Mistake{"[a]\nhdfsdirectory=x\n", 2, 1, 13, "not built in fathom yet", "omit it", ErrorKind::not_built},
        Mistake{"[a]\nhipri\nioengine=libaio\nsize=1m\n", 2, 1, 5, "engine libaio does not have this option",
                "ioengine=io_uring"},
        Mistake{"[a]\nioengine=io_uring\nuserspace_reap\n", 3, 1, 14, "engine io_uring does not have",
                "ioengine=libaio"},
        Mistake{"[a]\nioengine=rdma\n", 2, 10, 4, "fio engine `rdma` is not built", "--enghelp", ErrorKind::not_built},
        Mistake{"[a]\nioengine=io_urng\n", 2, 10, 7, "unknown engine", "ioengine=io_uring"},
        Mistake{"[a]\nsize=1k\n", 2, 6, 2, "less than one block", "bs smaller"},
        Mistake{"[a]\nioengine=external\nfilename=f\n", 2, 10, 8, "names no file", "ioengine=external:PATH"},
        Mistake{"[a]\nioengine=external:\nfilename=f\n", 2, 10, 9, "names no file", "ioengine=external:PATH"},
        Mistake{"[a]\nioengine=nbd\n", 2, 10, 3, "uri= is missing", "uri=nbd://localhost"},
        Mistake{"[a]\nioengine=http\nhttp_host=\n", 2, 10, 4, "http_host= is empty", "http_host=localhost:8080"},
        Mistake{"[a]\nioengine=http\nhttp_host=http://h/\n", 2, 10, 4, "is not a host", "https= selects"},
        Mistake{"[a]\nioengine=http\nhttp_host=u:p@h\n", 2, 10, 4, "is not a host", "http_host=localhost"},
        Mistake{"[a]\nioengine=http\nhttp_mode=ftp\n", 3, 11, 3, "", "one of them"},
        Mistake{"[a]\nioengine=http\nhttps=1\n", 3, 7, 1, "", "one of them"},
        Mistake{"[a]\nioengine=http\nhttp_verbose=3\n", 3, 14, 1, "", ""},
        Mistake{"[a]\nioengine=http\nhttp_mode=s3\n", 2, 10, 4, "http_s3_keyid= is missing", "http_s3_keyid=${"},
        Mistake{"[a]\nioengine=http\nhttp_mode=s3\nhttp_s3_keyid=i\n", 2, 10, 4, "http_s3_key= is missing",
                "http_s3_key=${"},
        Mistake{"[a]\nioengine=http\nhttp_user=u\n", 2, 10, 4, "http_pass= is missing", "write both"},
        Mistake{"[a]\nioengine=http\nhttp_user=u\nhttp_pass=(secret)\n", 2, 10, 4, "the value of http_pass is missing",
                "--set=http_pass=VALUE"},
        Mistake{"[a]\nioengine=http\nhttp_s3_sse_customer_key=123456789012345678901234567890123\n", 2, 10, 4,
                "longer than 32 bytes", "not its base64"},
        Mistake{"[a]\nioengine=nfs\n", 2, 10, 3, "nfs_url is a required parameter", "nfs_url=nfs://localhost"},
        Mistake{"[a]\nioengine=rbd\nrbdname=i\n", 2, 10, 3, "rbd: pool= is missing", "pool=rbd"},
        Mistake{"[a]\nioengine=rbd\npool=p\n", 2, 10, 3, "rbd: rbdname= is missing", "rbdname=disk1"},
        Mistake{"[a]\nioengine=rados\nsize=1m\n", 2, 10, 5, "rados: pool= is missing", "pool=test"},
        Mistake{"[a]\nioengine=external:x.so\nplugin_options=a=1,b\n", 3, 20, 1, "not NAME=VALUE", "size=64m"},
        Mistake{"[a]\nioengine=psync\nuri=nbd://h\n", 3, 1, 3, "engine psync does not have", "ioengine=nbd"},
        Mistake{"[a]\nioengine=null\n", 1, 2, 1, "has nothing to do", "size=1g"},
        Mistake{"[a]\nioengine=null\nsize=0\n", 3, 6, 1, "has nothing to do", "size=1g"},
        Mistake{"[a]\nnumjobs=5000\n", 2, 9, 4, "more than 4096 jobs", "lower numjobs"}));

INSTANTIATE_TEST_SUITE_P(Form, JobFileMistake,
                         testing::Values(Mistake{"bs=4k\n[a]\n", 1, 1, 5, "before the first section", "[global]"},
                                         Mistake{"\n ; c\n bs=4k\n", 3, 2, 5, "before the first section", "[global]"},
                                         Mistake{"[a\nbs=4k\n", 1, 1, 2, "the closing `]` is missing", "[a]"},
                                         Mistake{"[]\nbs=4k\n", 1, 1, 2, "without a name", "[job1]"},
                                         Mistake{"[  ]\n", 1, 1, 4, "without a name", "[job1]"},
                                         Mistake{"[a] rw=read\n", 1, 5, 7, "text after", "next line"},
                                         Mistake{"[a]\ninclude no.inc\n", 2, 9, 6, "include no.inc", "relative"}));

TEST(JobFileMistake, SaysWhatFioSilentlyReads) {
  const auto cause = [](const std::string& line) {
    return parse_job_text("[a]\n" + line + "\n", "t.fio", World{}.env()).error().cause;
  };
  EXPECT_NE(cause("runtime=1m30s").find("fio reads the leading digits as microseconds"), std::string::npos);
  EXPECT_EQ(cause("size=524q").find("fio"), std::string::npos);
}

// Every option that is not built, by file, line and column: `line:column name` each.
std::vector<std::string> places(const base::Error& first) {
  std::vector<std::string> out;
  const auto add = [&](const base::Error& e) {
    const auto p = e.place.value_or(base::SourcePlace{});
    const auto tick = e.what.find('`');
    out.push_back(p.file + ":" + std::to_string(p.line) + ":" + std::to_string(p.column) + " " +
                  (e.kind == ErrorKind::not_built && tick != std::string::npos
                       ? e.what.substr(tick + 1, e.what.find('`', tick + 1) - tick - 1)
                       : e.what));
  };
  add(first);
  for (const auto& e : first.also) add(e);
  return out;
}
using Places = std::vector<std::string>;

TEST(OptionsNotBuilt, AllOfAJobFileAreReportedAtOnce) {
  World world;
  world.files["i.inc"] = "chunk_size=x\n";
  const auto set = parse_job_text(
      "[global]\ngpu_dev_id=x\ncuda_io=y\n[a]\nverify=pi\ninclude "
      "i.inc\nbrick=x\nnrfiles=3\n[b]\nioengine=rdma\nverb=read\n",
      "t.fio", world.env());
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.error().kind, ErrorKind::not_built);
  EXPECT_EQ(places(set.error()),
            (Places{"t.fio:2:1 gpu_dev_id", "t.fio:3:1 cuda_io", "t.fio:5:8 verify=pi", "i.inc:1:1 chunk_size",
                    "t.fio:7:1 brick", "t.fio:11:1 verb", "t.fio:10:10 rdma"}));
}

TEST(OptionsNotBuilt, AMistakeAfterThemIsReportedToo) {
  const auto set = parse_job_text("[a]\ngpu_dev_id=x\ncuda_io=y\nbs=4x\n", "t.fio", World{}.env());
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(places(set.error()), (Places{"t.fio:2:1 gpu_dev_id", "t.fio:3:1 cuda_io", "t.fio:4:4 bs=4x: not a size"}));
}

TEST(OptionsNotBuilt, AllOfACommandLineAreReportedAtOnce) {
  World world;
  world.files["j.fio"] = "[x]\nsize=1m\nchunk_size=c\n";
  const auto c = command({"--daemonize=x", "--client", "host", "--name=a", "--cuda_io=y", "--gpu_dev_id", "x",
                          "--name=b", "--cuda_io=y", "j.fio"},
                         world);
  ASSERT_FALSE(c.ok());
  const std::string at = "<command line>:1:";
  EXPECT_EQ(places(c.error()), (Places{at + "1 --daemonize", at + "1 --client", at + "3 cuda_io", at + "3 gpu_dev_id",
                                       "j.fio:3:1 chunk_size"}));
}

TEST(JobFileMistake, KeepsTheWholeLineForTheCaret) {
  const auto set = parse_job_text("[a]\n  bs = 4x  ; four\r\n", "t.fio", World{}.env());
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.error().place->line_text, "  bs = 4x  ; four");
  EXPECT_NE(set.error().cause.find("`x` is not a unit"), std::string::npos);
}

TEST(JobFileMistake, UnderlinesTheVariableWhoseValueIsWrong) {
  World world;
  world.variables["SIZE"] = "4x";
  const auto set = parse_job_text("[a]\nsize=${SIZE}\n", "t.fio", world.env());
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.error().place->column, 6);
  EXPECT_EQ(set.error().place->length, 7);
}

TEST(JobFileMistake, InAnIncludedFileNamesThatFile) {
  World world;
  world.files["d/i.inc"] = "bs=4k\niodepth=0\n";
  const auto set = parse_job_text("[a]\ninclude i.inc\n", "d/t.fio", world.env());
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.error().place->file, "d/i.inc");
  EXPECT_EQ(set.error().place->line, 2);
  EXPECT_EQ(set.error().place->column, 9);
}

TEST(JobFileMistake, AnIncludeLoopIsReported) {
  World world;
  world.files["a.inc"] = "include b.inc\n";
  world.files["b.inc"] = "include a.inc\n";
  const auto set = parse_job_text("[a]\ninclude a.inc\n", "t.fio", world.env());
  ASSERT_FALSE(set.ok());
  EXPECT_NE(set.error().what.find("includes itself"), std::string::npos);
  EXPECT_EQ(set.error().place->file, "b.inc");
}

TEST(JobFileMistake, ASectionInAnIncludedFileIsRefused) {
  World world;
  world.files["a.inc"] = "[b]\n";
  EXPECT_FALSE(parse_job_text("[a]\ninclude a.inc\n", "t.fio", world.env()).ok());
}

struct Argument {
  std::vector<std::string> args;
  std::string line_text;
  int column, length;
  std::string what, help;
  ErrorKind kind = ErrorKind::usage;
};
std::ostream& operator<<(std::ostream& out, const Argument& a) { return out << testing::PrintToString(a.args); }

class CommandLineMistake : public testing::TestWithParam<Argument> {};

TEST_P(CommandLineMistake, IsReportedWithItsPlace) {
  const auto& a = GetParam();
  World world;
  world.files["ok.fio"] = "[x]\nsize=1m\n";
  const auto c = command(a.args, world);
  ASSERT_FALSE(c.ok());
  const auto& e = c.error();
  EXPECT_EQ(e.kind, a.kind);
  EXPECT_NE(e.what.find(a.what), std::string::npos) << e.what;
  EXPECT_NE((e.help + e.cause).find(a.help), std::string::npos) << e.help << " / " << e.cause;
  ASSERT_TRUE(e.place.has_value());
  EXPECT_EQ(e.place->file, "<command line>");
  EXPECT_EQ(e.place->line_text, a.line_text);
  EXPECT_EQ(e.place->column, a.column);
  EXPECT_EQ(e.place->length, a.length);
}

INSTANTIATE_TEST_SUITE_P(
    Table, CommandLineMistake,
    testing::Values(
        Argument{{"--name=a", "--bs=4x"}, "--bs=4x", 6, 2, "bs=4x: not a size", "bs=4k"},
        Argument{{"--name=a", "--bs", "4x"}, "--bs 4x", 6, 2, "not a size", "bs=4k"},
        Argument{{"--name=a", "-bs=4x"}, "-bs=4x", 5, 2, "not a size", "bs=4k"},
        Argument{{"--name=a", "--rw=randred"}, "--rw=randred", 6, 7, "not a value", "randread"},
        Argument{{"--name=a", "--bs"}, "--bs", 3, 2, "a value is missing", "bs=4k"},
        Argument{{"--bs", "--name=a"}, "--bs", 3, 2, "a value is missing", "bs=4k"},
        Argument{{"--name="}, "--name=", 8, 1, "a value is missing", "--name=job1"},
        Argument{{"--name=a", "--iodepht=1"}, "--iodepht=1", 3, 7, "unrecognized option '--iodepht'", "--iodepth"},
        Argument{{"--name=a", "--out-format=json"}, "--out-format=json", 3, 10, "unrecognized", "--output-format"},
        Argument{{"--name=a", "--io=1"}, "--io=1", 3, 2, "several options", "--ioengine"},
        Argument{{"--name=a", "--output-format=jsn"},
                 "--output-format=jsn",
                 17,
                 3,
                 "not a value of --output-format",
                 "json"},
        Argument{{"--daemonize=f"}, "--daemonize=f", 1, 11, "not built", "omit it", ErrorKind::not_built},
        Argument{{"--client=host"}, "--client=host", 1, 8, "not built", "omit it", ErrorKind::not_built},
        Argument{{"--trigger-remote=f"}, "--trigger-remote=f", 1, 16, "not built", "", ErrorKind::not_built},
        Argument{{"--name=a", "--cuda_io=x"}, "--cuda_io=x", 3, 7, "not built", "", ErrorKind::not_built},
        Argument{{"--eta=sometimes"}, "--eta=sometimes", 7, 9, "not a value of --eta", "never"},
        Argument{{"--max-jobs=x"}, "--max-jobs=x", 12, 1, "not a number", "whole number"},
        Argument{{"--completion"}, "--completion", 3, 10, "unrecognized option", "`--help` lists"},
        Argument{{"--readonly=1"}, "--readonly=1", 12, 1, "takes no value", "--readonly"},
        Argument{{"--section=y", "ok.fio"}, "--section=y", 11, 1, "no such job", "[`"},
        Argument{{"no.fio"}, "no.fio", 1, 6, "job file no.fio", "--name=job1"},
        Argument{{"--readonly", "--name=a", "--rw=randwrite"}, "--rw=randwrite", 6, 9, "--readonly forbids", "rw=read"},
        Argument{{"--name=a", "--hipri"}, "--hipri", 3, 5, "engine psync does not have", "io_uring"}));

TEST(CommandLineMistake, ACommandWithoutAJobIsRefused) {
  const auto c = command({});
  ASSERT_FALSE(c.ok());
  EXPECT_NE(c.error().what.find("no job"), std::string::npos);
}

}  // namespace
}  // namespace fathom::job

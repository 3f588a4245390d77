// Nothing that names the host, a serial number or a path is left in any field, sentence or option.
#include "report/parts/redacted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/formats.h"
#include "report/sample_run.h"

namespace fathom::report::parts {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Redacted, NamesOfHostsDisksAndFilesAreGone) {
  auto run = simple_run();
  run.host.hostname = "secret-host";
  run.host.devices = {{}};
  run.host.devices[0].target = "secret-file", run.host.devices[0].serial = "SECRET123",
  run.host.devices[0].model = "Model 7";
  run.program.argv = {"fathom", "run", "--name=secret"};
  run.jobs[0].options = {{"filename", "secret-file"}, {"bs", "4k"}, {"directory", "secret-folder"}};
  run.findings.push_back({"a.b", result::Severity::note, "",
                          "on secret-host: /mnt/secret/file: 600 MiB/s of I/O (/dev/secret)", "see `/proc/secret`"});
  run.host.devices[0].mount_options = "rw,noatime,addr=secret,username=secret";
  result::QueueStats queue;
  queue.devices.resize(1);
  queue.devices[0].serial = "NVMESECRET";
  run.jobs[0].queue = queue;
  run.findings.push_back({"c.d", result::Severity::note, "", "./secret/x and ../secret/y, NVMESECRET; 5 I/O", ""});
  run.repetitions = {run, run};
  const auto out = redacted(run);
  const auto text = report_in(std::vector<std::string>{"json+", "normal"}, out);
  EXPECT_THAT(text, Not(HasSubstr("secret")));
  EXPECT_THAT(text, Not(HasSubstr("SECRET")));
  EXPECT_THAT(text, HasSubstr("on (host): (path): 600 MiB/s of I/O ((path))"));
  EXPECT_THAT(text, HasSubstr("Model 7"));
  EXPECT_THAT(text, HasSubstr("(path) and (path), (redacted); 5 I/O"));
  EXPECT_EQ(out.host.devices[0].mount_options, "rw,noatime");
  EXPECT_EQ(out.jobs[0].dirs[0].ios, run.jobs[0].dirs[0].ios);
}

// As it was given, which may be by a relative name.
TEST(Redacted, TheJobFilesNameIsGoneFromErrors) {
  auto run = simple_run();
  result::IoError error;
  error.place = result::Place{"secret.fio", 3, 1};
  error.message = "secret.fio:3:1: no such engine";
  run.errors.push_back(error);
  run.findings.push_back({"a.b", result::Severity::note, "", "secret.fio says so", ""});
  const auto out = redacted(run);
  EXPECT_EQ(out.errors[0].place->file, "(path)");
  EXPECT_EQ(out.errors[0].message, "(path):3:1: no such engine");
  EXPECT_EQ(out.findings.back().evidence, "(path) says so");
}

// The name of a host may be a part of other words, and one character.
TEST(Redacted, AHostsNameIsTakenOutWhereItIsAWord) {
  auto run = simple_run();
  run.host.hostname = "vm";
  run.host.hypervisor = "kvm";
  run.findings.push_back(
      {"a.b", result::Severity::note, "", "vm.swappiness on vm: vma, vm2, vm-1 (vm)", "vm.example.org"});
  const auto out = redacted(run);
  EXPECT_EQ(out.host.hostname, "(host)");
  EXPECT_EQ(out.host.hypervisor, "kvm");
  EXPECT_EQ(out.findings.back().evidence, "vm.swappiness on (host): vma, vm2, (host)-1 ((host))");
  EXPECT_EQ(redacted(out).findings.back().evidence, out.findings.back().evidence);
  for (const auto* name : {"x", "host"}) {
    run.host.hostname = name;
    EXPECT_EQ(redacted(run).host.hostname, "(host)") << name;
  }
  run.host.hostname = "db1";
  run.findings.back().evidence = "db1.example.org and db11";
  EXPECT_EQ(redacted(run).findings.back().evidence, "(host).example.org and db11");
}

TEST(Redacted, OptionsThatNameFilesAreGone) {
  auto run = simple_run();
  run.jobs[0].options = {{"buffer_pattern", "'secret'"},
                         {"verify_pattern", "0xff'secret'"},
                         {"dp_scheme", "secret"},
                         {"lockfile", "secret"}};
  run.global_options = {{"buffer_pattern", "0xdeadface"}, {"bs", "4k"}};
  const auto out = redacted(run);
  for (const auto& [name, value] : out.jobs[0].options) EXPECT_EQ(value, "(redacted)") << name;
  EXPECT_EQ(out.global_options, run.global_options);
}

TEST(Redacted, WhatWasCountedIsOfNoCommand) {
  result::PmuStat stat;
  stat.command = "secret --file=/mnt/secret";
  stat.notes = {"/sys/fs/cgroup/secret was left"};
  stat.rows.resize(1);
  stat.rows[0].event = "cpu/event=0x3c/";
  stat.intervals.resize(1);
  stat.intervals[0].rows = stat.rows;
  const auto out = redacted(stat);
  EXPECT_EQ(out.command, "(redacted)");
  EXPECT_EQ(out.notes, std::vector<std::string>{"(path) was left"});
  EXPECT_EQ(out.rows[0].event, "cpu/event=0x3c/");
  EXPECT_EQ(out.intervals[0].rows[0].event, "cpu/event=0x3c/");
  EXPECT_EQ(redacted(result::PmuStat()).command, "") << "the whole machine stays that";
}

}  // namespace
}  // namespace fathom::report::parts

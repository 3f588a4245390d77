// A file that this program wrote is known by its head; what looks like one is not.
#include "cli/report_commands/ours.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "report/formats.h"
#include "report/sample_run.h"
#include "source_dir.h"

namespace fathom::cli::report_commands {
namespace {

TEST(Ours, EveryGoldenReport) {
  std::size_t files = 0;
  for (const auto* folder : {"tests/report/golden", "tests/cli/golden_terminal"})
    for (const auto& file : std::filesystem::directory_iterator(in_source(folder))) {
      std::ostringstream text;
      text << std::ifstream(file.path()).rdbuf();
      if (file.path().filename() == "paging.table2.xml.folded") continue;  // its head is kept in paging.xml
      EXPECT_TRUE(is_ours(text.str())) << file.path();
      ++files;
    }
  EXPECT_GT(files, 20U);
}

TEST(Ours, EveryFormatOfARun) {
  const auto run = report::simple_run();
  for (const auto& format : report::formats()) {
    const std::vector<std::string> names{std::string(format.name)};
    const auto text = report::report_in(names, run);
    EXPECT_TRUE(text.empty() || is_ours(text)) << format.name << ": " << text.substr(0, 200);
  }
}

TEST(Ours, WhatElseCommandsWrite) {
  for (const auto* text :
       {"{\"time_epoch_ms\":1,\"elapsed_s\":1.000}\n", "# HELP fathom_ios_total I/Os completed.\n",
        "{\"time_s\" : 0.1,\"events\" : []}\n", "\n Performance counter stats for 'true':\n",
        "time,count,unit,event,run_time_ns\n", "count;unit;event;run_time_ns\n",
        "#           time             counts unit events\n", "3.59,msec,task-clock,3594504,100.00,,,,,counted\n",
        "curve,setting,load,stage\n", "B is faster than A: iops +3.00% (+1.00 to +5.00).\n",
        "job.fio over rate: 12 points, 36 runs\n", "fathom 0.1.0 (commit 0)\n  ok     clock of a run  cpu\n",
        "# What was learnt of a process's memory accesses; x\n", "### B is slower than A: iops -3.00%.\n"})
    EXPECT_TRUE(is_ours(text)) << text;
}

TEST(Ours, NotWhatOthersWrite) {
  for (const auto* text : {"127.0.0.1 localhost\n", "[global]\nrw=read\n", "{\"name\": \"x\"}\n",
                           "<!DOCTYPE html>\n<html><body>x</body></html>\n", "#!/bin/sh\n",
                           "<?xml version=\"1.0\"?>\n<note/>\n", "# HELP node_cpu_seconds_total x\n",
                           "\x7f"
                           "ELF\x02",
                           "a,b,c\n1,2,3\n", "measure twice, cut once\n", "12,3,counted sheep\n",
                           "{\n  \"fio version\" : \"fio-3.33\",\n  \"jobs\" : [ ]\n}\n", "{\"fathom\": 1}\n",
                           "<?xml version=\"1.0\"?>\n<pmbenchmark>\n<pmbench_info> version_number=0.8\n",
                           "measured at noon: 3 bar\n", "fathom is a length of 1.83 m\n"})
    EXPECT_FALSE(is_ours(text)) << text;
}

}  // namespace
}  // namespace fathom::cli::report_commands

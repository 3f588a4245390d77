// The visible table of loops.
#include "loops/table.h"

#include "engine/io_uring_cmd.h"
#include "engine/libaio.h"
#include "loops/batch.h"

namespace fathom::loops {
namespace {

struct Row {
  std::string_view engine;
  run::LoopFunction loop;
};

constexpr Row kRows[] = {
    {"null", null_loop},         {"sync", syscall_loop},
    {"psync", syscall_loop},     {"pvsync2", syscall_loop},
    {"mmap", syscall_loop},      {"libaio", batched<engine::LibaioEngine>},
    {"io_uring", io_uring_loop}, {"io_uring_cmd", batched<engine::UringCmdEngine>},
    {"nvme", nvme_loop},         {"sim", sim_loop},
};

}  // namespace

run::LoopFunction find_loop(std::string_view engine) {
  for (const auto& row : kRows)
    if (row.engine == engine) return row.loop;
  return nullptr;
}

base::Expected<void> check_job(const job::Job& job) {
  return job.ioengine == "nvme" ? check_nvme_job(job) : base::Expected<void>{};
}

}  // namespace fathom::loops

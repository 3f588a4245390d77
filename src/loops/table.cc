// The visible table of loops.
#include "loops/table.h"

namespace fathom::loops {
namespace {

struct Row {
  std::string_view engine;
  run::LoopFunction loop;
};

constexpr Row kRows[] = {
    {"null", null_loop},    {"sync", syscall_loop},  {"psync", syscall_loop},     {"pvsync2", syscall_loop},
    {"mmap", syscall_loop}, {"libaio", libaio_loop}, {"io_uring", io_uring_loop}, {"sim", sim_loop},
};

}  // namespace

run::LoopFunction find_loop(std::string_view engine) {
  for (const auto& row : kRows)
    if (row.engine == engine) return row.loop;
  return nullptr;
}

}  // namespace fathom::loops

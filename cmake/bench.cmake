# bench/bare/*.cc: the loops that scripts/bench hotpath stands beside fathom. Not part of `all`; scripts/bench builds target bench_bare.
add_custom_target(bench_bare)
foreach(name IN ITEMS null io_uring libaio sync)
  add_executable(bare_${name} EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/bare/${name}.cc)
  target_include_directories(bare_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(bare_${name} PRIVATE PkgConfig::URING aio)
  fathom_plain_link(bare_${name})
  add_dependencies(bench_bare bare_${name})
endforeach()

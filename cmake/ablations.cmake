# src/loops/ablations/: the paths of the NVMe driver with one trick taken away or added (docs/reference/nvme.md). They are compiled to be measured and
# tested, so they lie beside the rooms: test_loops has them always, `fathom` in a bench build only (preset bench).
option(FATHOM_ABLATIONS "link the NVMe driver's ablations into fathom, for scripts/bench nvme" OFF)
if(NOT FATHOM_ROOMS)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/loops/ablations/*.cc)
  add_library(fathom_ablations OBJECT EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(fathom_ablations PRIVATE fathom_loops)
  fathom_precompile(fathom_ablations ROOM)
endif()

# The program that tests/guest runs inside the guest, on a controller that we did not write. Debian's kernel package is
# fetched by the test itself.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/guest/*.cc)
add_executable(guest_driver ${sources})
target_include_directories(guest_driver PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(guest_driver PRIVATE fathom_nvme)
fathom_plain_link(guest_driver)
# The load of tests/guest/pmu/phase.py that beats with the slots of a shared counter.
add_executable(guest_pmu ${PROJECT_SOURCE_DIR}/tests/guest/pmu/guest_pmu.cc)
fathom_plain_link(guest_pmu)

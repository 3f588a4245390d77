# The programs of the latency split (src/pmu/trace/programs/split.bpf.c): compiled for the BPF machine by clang, whatever compiles the rest, and
# put into the program as bytes. Debug information is what makes BTF; the DWARF beside it is taken off where llvm-strip is at hand (40 KB of 50).
# Without clang or libbpf's header the program is built without them, and says so when a split is asked for.
find_program(FATHOM_BPF_CLANG NAMES clang-14 clang clang-19 clang-18 clang-17 clang-16 clang-15)
find_path(FATHOM_LIBBPF_INCLUDE bpf/libbpf.h)
set(FATHOM_BPF_SOURCES src/pmu/trace/programs/split_programs.cc src/pmu/trace/programs/libbpf.cc)
if(FATHOM_ROOMS OR NOT FATHOM_BPF_CLANG OR NOT FATHOM_LIBBPF_INCLUDE)
  set_source_files_properties(${FATHOM_BPF_SOURCES} PROPERTIES HEADER_FILE_ONLY ON)
else()
  set_source_files_properties(src/pmu/trace/programs/without_programs.cc PROPERTIES HEADER_FILE_ONLY ON)
  set(object ${PROJECT_BINARY_DIR}/generated/fathom_split.bpf.o)
  set(bytes ${PROJECT_BINARY_DIR}/generated/fathom_split_object.h)
  if(NOT EXISTS ${bytes})
    file(WRITE ${bytes} "0,\n")  # until it is built, for who only reads the sources (scripts/lint)
  endif()
  find_program(FATHOM_BPF_STRIP NAMES llvm-strip-14 llvm-strip)
  set(strip "")
  if(FATHOM_BPF_STRIP)
    set(strip COMMAND ${FATHOM_BPF_STRIP} --strip-debug ${object})
  endif()
  add_custom_command(OUTPUT ${bytes}
    COMMAND ${FATHOM_BPF_CLANG} -O2 -g -Wall -Werror -target bpf -I${PROJECT_SOURCE_DIR}/src -c ${PROJECT_SOURCE_DIR}/src/pmu/trace/programs/split.bpf.c -o ${object}
    ${strip}
    COMMAND ${CMAKE_COMMAND} -DFROM=${object} -DTO=${bytes} -P ${PROJECT_SOURCE_DIR}/cmake/bytes.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/src/pmu/trace/programs/split.bpf.c ${PROJECT_SOURCE_DIR}/src/split/region.h ${PROJECT_SOURCE_DIR}/cmake/bytes.cmake
    COMMENT "Compiling the latency split's BPF programs" VERBATIM)
  set_source_files_properties(src/pmu/trace/programs/split_programs.cc PROPERTIES OBJECT_DEPENDS ${bytes})
endif()

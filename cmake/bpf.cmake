# The programs that run in the kernel (src/pmu/trace/programs/*.bpf.c): compiled for the BPF machine by clang, whatever compiles the rest, and
# put into the program as bytes. Debug information is what makes BTF; the DWARF beside it is taken off where llvm-strip is at hand (40 KB of 50).
# Without clang or libbpf's header the program is built without them, and says so when they are asked for.
find_program(FATHOM_BPF_CLANG NAMES clang-14 clang clang-19 clang-18 clang-17 clang-16 clang-15)
find_path(FATHOM_LIBBPF_INCLUDE bpf/libbpf.h)
find_program(FATHOM_BPF_STRIP NAMES llvm-strip-14 llvm-strip)

# fathom_bpf(NAME USER HEADERS...): NAME.bpf.c, which includes HEADERS, as generated/fathom_NAME_object.h for USER.
function(fathom_bpf name user)
  set(folder ${PROJECT_SOURCE_DIR}/src/pmu/trace/programs)
  set(object ${PROJECT_BINARY_DIR}/generated/fathom_${name}.bpf.o)
  set(bytes ${PROJECT_BINARY_DIR}/generated/fathom_${name}_object.h)
  if(NOT EXISTS ${bytes})
    file(WRITE ${bytes} "0,\n")  # until it is built, for who only reads the sources (scripts/lint)
  endif()
  set(strip "")
  if(FATHOM_BPF_STRIP)
    set(strip COMMAND ${FATHOM_BPF_STRIP} --strip-debug ${object})
  endif()
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE headers)
  add_custom_command(OUTPUT ${bytes}
    COMMAND ${FATHOM_BPF_CLANG} -O2 -g -Wall -Werror -target bpf -I${PROJECT_SOURCE_DIR}/src -c ${folder}/${name}.bpf.c -o ${object}
    ${strip}
    COMMAND ${CMAKE_COMMAND} -DFROM=${object} -DTO=${bytes} -P ${PROJECT_SOURCE_DIR}/cmake/bytes.cmake
    DEPENDS ${folder}/${name}.bpf.c ${headers} ${PROJECT_SOURCE_DIR}/cmake/bytes.cmake
    COMMENT "Compiling the BPF programs of ${name}.bpf.c" VERBATIM)
  set_property(SOURCE ${folder}/${user} APPEND PROPERTY OBJECT_DEPENDS ${bytes})
endfunction()

set(FATHOM_BPF_SOURCES libbpf.cc loaded_object.cc split_programs.cc device_time_programs.cc)
list(TRANSFORM FATHOM_BPF_SOURCES PREPEND src/pmu/trace/programs/)
fathom_alone(${FATHOM_BPF_SOURCES})
if(FATHOM_ROOMS OR NOT FATHOM_BPF_CLANG OR NOT FATHOM_LIBBPF_INCLUDE)
  set_source_files_properties(${FATHOM_BPF_SOURCES} PROPERTIES HEADER_FILE_ONLY ON)
else()
  set_source_files_properties(src/pmu/trace/programs/without_programs.cc PROPERTIES HEADER_FILE_ONLY ON)
  fathom_bpf(split split_programs.cc split/region.h pmu/trace/programs/split_slots.bpf.h)
  fathom_bpf(split_classic split_programs.cc split/region.h pmu/trace/programs/split_slots.bpf.h)
  fathom_bpf(device_time device_time_programs.cc pmu/trace/programs/device_time.h)
endif()

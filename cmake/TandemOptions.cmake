option(TANDEM_TESTS "Build the tests" ON)
option(TANDEM_WERROR "Treat warnings as errors" OFF)
set(TANDEM_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them: address,undefined or thread")
set(fuzz OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND TANDEM_SANITIZE MATCHES "address")
  set(fuzz ON)
endif()
option(TANDEM_FUZZ "Let libFuzzer see which ways the code takes, for scripts/fuzz (clang++ alone)" ${fuzz})

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Everything compiled here links against this one target.
add_library(tandem_options INTERFACE)
target_include_directories(tandem_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
# The same sums on every processor: no contraction of a * b + c. Nobody puts functions of ours in place of ours when a
# program starts: so those of one file may be inlined into each other.
target_compile_options(tandem_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off;-fno-semantic-interposition;-Wall;-Wextra;-Wshadow>)
# g++ 12 sees overlapping copies in its own std::string at -O2 and above (GCC bug 105651): nothing of ours.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tandem_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  # Made for aarch64 it also takes what it has made vector code of, of a std::vector<char>, for copies beyond all memory.
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    target_compile_options(tandem_options INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow;-Wno-stringop-overread>)
  endif()
endif()
if(TANDEM_WERROR)
  target_compile_options(tandem_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(TANDEM_SANITIZE)
  # All but a target that says TANDEM_UNWATCHED.
  target_compile_options(tandem_options INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:TANDEM_UNWATCHED>>>>:-fsanitize=${TANDEM_SANITIZE};-fno-sanitize-recover=all>
    $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>)
  target_link_options(tandem_options INTERFACE -fsanitize=${TANDEM_SANITIZE})
  # What the address sanitizer sees anyway need not be looked for in other people's templates as well: a third of the build.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND TANDEM_SANITIZE MATCHES "undefined")
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/others.ignorelist CONTENT "[null|alignment|vptr|object-size|pointer-overflow]\nsrc:/usr/*\n")
    target_compile_options(tandem_options INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:-fsanitize-ignorelist=${CMAKE_BINARY_DIR}/others.ignorelist>)
  endif()
  # A million addresses of the sanitizers' own would be relocated whenever a program starts, and tests start thousands.
  target_link_options(tandem_options INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  # GNU ld takes half a minute for a program of the sanitizers, lld a quarter of that.
  find_program(TANDEM_LLD ld.lld)
  if(TANDEM_LLD)
    target_link_options(tandem_options INTERFACE -fuse-ld=lld)
  endif()
  # g++ itself says that its sanitizers make this warning cry wolf; other builds keep it.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(tandem_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
  endif()
endif()

# tandem_fuzzed(TARGET ROOM...): of rooms that read files from anybody, libFuzzer sees which ways they take. Others are
# without it, since every test under the sanitizers would pay for it.
function(tandem_fuzzed target)
  if(NOT TANDEM_FUZZ)
    return()
  endif()
  file(RELATIVE_PATH layer ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(rooms "")
  foreach(room ${ARGN})  # by itself, and as one file
    string(APPEND rooms "src:*/${layer}/${room}/*\nsrc:*unity_${layer}_${room}_*\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${target}.fuzzed CONTENT "${rooms}fun:*\n")
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link;-fsanitize-coverage-allowlist=${CMAKE_BINARY_DIR}/${target}.fuzzed>)
endfunction()

# Reading the same headers, and making the same templates again, was most of a build from nothing: a room is compiled
# as one file where TANDEM_UNITY is on, so local names of its files differ; a file that registers itself has a
# namespace of its own. Without it every file is compiled by itself, which is faster after a change and holds each to
# including what it uses (scripts/each_file tries them all). A build with sanitizers takes a room from its last file to its
# first, so that what a file has only from those before it is missed in one of CI's builds.
option(TANDEM_UNITY "Compile each room as one file" OFF)

function(tandem_unite target)
  if(NOT TANDEM_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  if(TANDEM_SANITIZE)
    list(REVERSE sources)
    set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  endif()
  foreach(source ${sources})
    file(RELATIVE_PATH room ${CMAKE_SOURCE_DIR} ${source})
    get_filename_component(room ${room} DIRECTORY)
    if(source MATCHES "\\.cc$" AND NOT room MATCHES "^\\.\\./|^build")
      string(REPLACE "/" "_" group ${room})
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${group})
    endif()
  endforeach()
endfunction()

# A layer is an object library: files that register themselves (models, importers, policies) are linked in whole.
function(tandem_layer name)
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PUBLIC tandem_options)
  tandem_unite(${name})
endfunction()

# What talks to people and computes nothing: a release build optimises it as far as that is cheap. Such layers come last
# when a program is linked: of a template that others have too, the linker keeps the first copy, the fast one.
function(tandem_talks target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
endfunction()

# tandem_reads(TARGET ROOM...): rooms that turn files into values and back. Optimised to the last they took half of a
# build, and run no faster for anybody who could tell.
function(tandem_reads target)
  file(RELATIVE_PATH layer ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(room ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${room}/*.cc)
    if(TANDEM_UNITY)
      string(REPLACE "/" "_" group ${layer}/${room})
      set(sources ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${group}_cxx.cxx)
    endif()
    set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# What computes or reads for long: optimised a little under the sanitizers, too, where the rest is not: it compiles in
# half the time that way, and runs for moments.
function(tandem_computes target)
  if(TANDEM_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
  endif()
endfunction()

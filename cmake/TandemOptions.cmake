option(TANDEM_TESTS "Build the tests" ON)
option(TANDEM_WERROR "Treat warnings as errors" OFF)
set(TANDEM_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them: address,undefined or thread")

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
# The same sums on every processor: no contraction of a * b + c.
target_compile_options(tandem_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off;-Wall;-Wextra;-Wshadow>)
# g++ 12 sees overlapping copies in its own std::string at -O2 and above (GCC bug 105651): nothing of ours.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tandem_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(TANDEM_WERROR)
  target_compile_options(tandem_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(TANDEM_SANITIZE)
  target_compile_options(tandem_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TANDEM_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>)
  target_link_options(tandem_options INTERFACE -fsanitize=${TANDEM_SANITIZE})
  # g++ itself says that its sanitizers make this warning cry wolf; other builds keep it.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(tandem_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
  endif()
endif()

# Half of a small file's compile time was the standard library's headers: they are read once. Every file still
# names what it uses; -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON, which CI builds too, holds it to that.
add_library(tandem_headers OBJECT ${CMAKE_CURRENT_LIST_DIR}/headers.cc)
target_link_libraries(tandem_headers PRIVATE tandem_options)
target_precompile_headers(tandem_headers PRIVATE
  <algorithm> <array> <charconv> <chrono> <cmath> <compare> <cstdint> <deque> <filesystem> <functional> <limits> <map>
  <memory> <numeric> <optional> <set> <span> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>)
function(tandem_use_headers target)
  target_precompile_headers(${target} REUSE_FROM tandem_headers)
endfunction()

# A layer is an object library: files that register themselves (models, importers, policies) are linked in whole.
function(tandem_layer name)
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PUBLIC tandem_options)
  tandem_use_headers(${name})
endfunction()

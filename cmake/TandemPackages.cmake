# What tandem is built with. Each optional package says in one line whether it is on or, if off, why and what
# that costs; nothing optional makes the configuration fail. -DTANDEM_WITH_<PACKAGE>=OFF switches one off.
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW)  # Boost's own package file, not CMake's module
endif()
find_package(PkgConfig QUIET)
include(TandemSbom)
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
tandem_component("nlohmann_json" "${nlohmann_json_VERSION}" "MIT" "JSON is written, and changed in place")
find_package(Boost 1.71 REQUIRED)
# What lies in the repository itself: pages have it in them, with its licence.
file(STRINGS ${CMAKE_SOURCE_DIR}/sim/page/assets/uplot/uPlot.iife.min.js _uplot LIMIT_COUNT 1)
string(REGEX REPLACE ".*\\(v([0-9.]+)\\).*" "\\1" _uplot "${_uplot}")
tandem_component("uPlot" "${_uplot}" "MIT" "charts in HTML pages")
tandem_component("Boost.Graph" "${Boost_VERSION}" "BSL-1.0" "orders and paths in graphs")
if(NOT TARGET Boost::headers)
  add_library(Boost::headers INTERFACE IMPORTED)
  target_include_directories(Boost::headers INTERFACE ${Boost_INCLUDE_DIRS})
endif()

set(TANDEM_PACKAGE_LINES "")
function(tandem_print_packages)
  foreach(line ${TANDEM_PACKAGE_LINES})
    message(STATUS "${line}")
  endforeach()
endfunction()

# tandem_package(KEY "name" LICENSE <SPDX's name of it> FOUND <truth> VERSION v GAIN "with it" COST "without it" FROM "Debian packages")
# sets TANDEM_HAVE_KEY and notes the line. WHY replaces the reason "not found (FROM)".
macro(tandem_package key name)
  cmake_parse_arguments(_package "" "LICENSE;FOUND;VERSION;GAIN;COST;FROM;WHY" "" ${ARGN})
  set(TANDEM_HAVE_${key} OFF)
  if(NOT TANDEM_WITH_${key})
    set(_line "off, as asked: ${_package_COST}")
  elseif(_package_FOUND)
    set(TANDEM_HAVE_${key} ON)
    tandem_component("${name}" "${_package_VERSION}" "${_package_LICENSE}" "${_package_GAIN}")
    set(_line "on: ${_package_GAIN}")
    if(_package_VERSION)
      set(_line "on (${_package_VERSION}): ${_package_GAIN}")
    endif()
  elseif(_package_WHY)
    set(_line "off, ${_package_WHY}: ${_package_COST}")
  else()
    set(_line "off, not found (${_package_FROM}): ${_package_COST}")
  endif()
  list(APPEND TANDEM_PACKAGE_LINES "${name}: ${_line}")
endmacro()

# "3.7.2" from the first of the headers that defines <prefix>MAJOR and so on.
function(tandem_header_version result prefix parts)
  foreach(header ${ARGN})
    if(EXISTS ${header})
      file(STRINGS ${header} defines REGEX "#define ${prefix}(${parts})[ \t]+[0-9]+")
      if(defines)
        list(TRANSFORM defines REPLACE ".*[ \t]([0-9]+).*" "\\1")
        list(JOIN defines "." version)
        set(${result} ${version} PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()
endfunction()

# "0.0~git20220216.ae108ef" of a package with headers in this folder, of a sysroot too: from the first line of its changes,
# "xnnpack (0.0~git20220216.ae108ef-2) unstable; urgency=medium", which an image may have left out.
function(tandem_debian_version result include package)
  get_filename_component(share ${include}/../share ABSOLUTE)
  set(changes ${share}/doc/${package}/changelog.Debian.gz)
  find_program(GZIP gzip)
  find_program(DPKG_QUERY dpkg-query)
  set(said "")
  if(GZIP AND EXISTS ${changes})
    execute_process(COMMAND ${GZIP} -dc ${changes} OUTPUT_VARIABLE said)
  elseif(DPKG_QUERY AND include STREQUAL "/usr/include")
    execute_process(COMMAND ${DPKG_QUERY} -W -f "(\${Version})" ${package} OUTPUT_VARIABLE said ERROR_QUIET)
  endif()
  if(said MATCHES "^[^(]*\\(([^)]*)-[^-)]*\\)")
    set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
  endif()
endfunction()

foreach(key PROTOBUF ONNX FLATBUFFERS SQLITE CLI11 SIMGRID COIN MPI ONEDNN XNNPACK CUDA CUDNN)
  option(TANDEM_WITH_${key} "Use this package where it is found" ON)
endforeach()

# The model importers.
if(TANDEM_WITH_PROTOBUF)
  find_package(Protobuf QUIET)
endif()
if(Protobuf_FOUND AND Protobuf_PROTOC_EXECUTABLE)
  set(_found ON)
else()
  set(_found OFF)
endif()
tandem_package(PROTOBUF "protobuf" LICENSE BSD-3-Clause FOUND ${_found} VERSION "${Protobuf_VERSION}" FROM "libprotobuf-dev, protobuf-compiler"
  GAIN "Caffe models are read" COST "neither Caffe nor ONNX models are read")

set(_why "")
if(TANDEM_WITH_ONNX AND TANDEM_HAVE_PROTOBUF)
  find_package(ONNX CONFIG QUIET)
elseif(NOT TANDEM_HAVE_PROTOBUF)
  set(_why "protobuf is off")
endif()
if(TARGET ONNX::onnx_proto AND NOT TARGET onnx_proto)  # as newer releases call it
  add_library(onnx_proto INTERFACE IMPORTED)
  target_link_libraries(onnx_proto INTERFACE ONNX::onnx_proto)
endif()
set(_found OFF)
if(TANDEM_HAVE_PROTOBUF AND TARGET onnx_proto)
  set(_found ON)
endif()
tandem_package(ONNX "ONNX" LICENSE Apache-2.0 FOUND ${_found} VERSION "${ONNX_VERSION}" FROM "libonnx-dev" WHY "${_why}"
  GAIN "ONNX models are read" COST "no ONNX models are read")

# Its compiler and its headers have to be of one version, which what it makes checks. Other releases of the distribution
# call its package file differently, so it is found by hand.
set(_found OFF)
set(_version "")
set(_why "")
if(TANDEM_WITH_FLATBUFFERS)
  find_path(FLATBUFFERS_INCLUDE_DIR flatbuffers/flatbuffers.h)
  find_program(FLATC flatc)
  if(FLATBUFFERS_INCLUDE_DIR AND FLATC)
    tandem_header_version(_version FLATBUFFERS_VERSION_ "MAJOR|MINOR|REVISION" ${FLATBUFFERS_INCLUDE_DIR}/flatbuffers/base.h)
    execute_process(COMMAND ${FLATC} --version OUTPUT_VARIABLE _compiler OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(_compiler STREQUAL "flatc version ${_version}")
      set(_found ON)
    else()
      set(_why "its headers are of version ${_version} and its compiler is \"${_compiler}\"")
    endif()
  endif()
endif()
tandem_package(FLATBUFFERS "FlatBuffers" LICENSE Apache-2.0 FOUND ${_found} VERSION "${_version}" WHY "${_why}" FROM "libflatbuffers-dev, flatbuffers-compiler"
  GAIN "TensorFlow Lite models are read" COST "no TensorFlow Lite models are read")

# The reader of Nsight Systems' exports. A database is read from memory, which all builds of SQLite can since 3.36.
set(_found OFF)
set(_why "")
if(TANDEM_WITH_SQLITE)
  find_package(SQLite3 QUIET)
  if(SQLite3_FOUND AND SQLite3_VERSION VERSION_LESS 3.36)
    set(_why "it is ${SQLite3_VERSION} and 3.36 is needed")
  elseif(SQLite3_FOUND)
    set(_found ON)
  endif()
endif()
tandem_package(SQLITE "SQLite" LICENSE blessing FOUND ${_found} VERSION "${SQLite3_VERSION}" WHY "${_why}" FROM "libsqlite3-dev"
  GAIN "exports of Nsight Systems are read" COST "no exports of Nsight Systems are read")

# The two programs.
if(TANDEM_WITH_CLI11)
  find_package(CLI11 CONFIG QUIET)
endif()
tandem_package(CLI11 "CLI11" LICENSE BSD-3-Clause FOUND "${CLI11_FOUND}" VERSION "${CLI11_VERSION}" FROM "libcli11-dev"
  GAIN "the programs have their command lines" COST "neither tandem nor tandem-device is built")

set(_why "")
set(_found OFF)
if(NOT TANDEM_HAVE_CLI11)
  set(_why "CLI11 is off")
elseif(NOT PkgConfig_FOUND)
  set(_why "pkg-config is not there to find it")
elseif(TANDEM_WITH_SIMGRID)
  pkg_check_modules(SIMGRID QUIET IMPORTED_TARGET simgrid)
  set(_found "${SIMGRID_FOUND}")
endif()
tandem_package(SIMGRID "SimGrid" LICENSE LGPL-2.1-only FOUND "${_found}" VERSION "${SIMGRID_VERSION}" FROM "libsimgrid-dev" WHY "${_why}"
  GAIN "the program tandem is built" COST "the program tandem is not built")

# Lower bounds.
set(_why "")
set(_found OFF)
if(NOT PkgConfig_FOUND)
  set(_why "pkg-config is not there to find it")
elseif(TANDEM_WITH_COIN)
  pkg_check_modules(COIN QUIET IMPORTED_TARGET clp)
  set(_found "${COIN_FOUND}")
endif()
tandem_package(COIN "COIN-OR Clp" LICENSE EPL-1.0 FOUND "${_found}" VERSION "${COIN_VERSION}" FROM "coinor-libclp-dev" WHY "${_why}"
  GAIN "linear programs give lower bounds" COST "lower bounds are weaker")

# Sweeps on several machines.
if(TANDEM_WITH_MPI AND TANDEM_HAVE_SIMGRID)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS CXX)
endif()
# MPI_CXX_VERSION is the standard's; who is called has one of its own, and its licence.
set(_version "")
set(_license BSD-3-Clause)
if(MPI_CXX_FOUND)
  tandem_header_version(_version OMPI_ "MAJOR_VERSION|MINOR_VERSION|RELEASE_VERSION" ${MPI_CXX_HEADER_DIR}/mpi.h)
  if(NOT _version AND EXISTS ${MPI_CXX_HEADER_DIR}/mpi.h)
    file(STRINGS ${MPI_CXX_HEADER_DIR}/mpi.h _header REGEX "#define MPICH_VERSION ")
    if(_header MATCHES "\"(.*)\"")
      set(_version ${CMAKE_MATCH_1})
      set(_license mpich2)
    endif()
  endif()
endif()
tandem_package(MPI "MPI" LICENSE ${_license} FOUND "${MPI_CXX_FOUND}" VERSION "${_version}" FROM "libopenmpi-dev"
  GAIN "under mpirun tandem sweep hands its runs out one by one"
  COST "under mpirun each rank of tandem sweep takes a fixed share")

# The backends of tandem-device. oneDNN's own CMake package fails outright where the headers of OpenCL are not
# installed (Debian 12), so it is found by hand.
set(_found OFF)
set(_version "")
if(TANDEM_WITH_ONEDNN)
  find_path(DNNL_INCLUDE_DIR dnnl.hpp)
  find_library(DNNL_LIBRARY dnnl)
  if(DNNL_INCLUDE_DIR AND DNNL_LIBRARY)
    set(_found ON)
    tandem_header_version(_version DNNL_VERSION_ "MAJOR|MINOR|PATCH"
      ${DNNL_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h ${DNNL_INCLUDE_DIR}/dnnl_version.h)
    add_library(tandem_dnnl UNKNOWN IMPORTED)
    set_target_properties(tandem_dnnl PROPERTIES
      IMPORTED_LOCATION ${DNNL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${DNNL_INCLUDE_DIR})
  endif()
endif()
tandem_package(ONEDNN "oneDNN" LICENSE Apache-2.0 FOUND ${_found} VERSION "${_version}" FROM "libdnnl-dev"
  GAIN "tandem-device has its cpu backend" COST "tandem-device has no cpu backend")

# It has no package file and tells no version; its distribution's package has one.
set(_found OFF)
set(_why "")
set(_version "")
set(TANDEM_XNNPACK_VERSION "of unknown version")
if(TANDEM_WITH_XNNPACK AND TANDEM_HAVE_ONEDNN)
  find_path(XNNPACK_INCLUDE_DIR xnnpack.h)
  find_library(XNNPACK_LIBRARY XNNPACK)
  find_library(PTHREADPOOL_LIBRARY pthreadpool)
  # It makes no promise on its interface: device/backends/cpu/xnnpack/calls_*.cc have two of them.
  set(TANDEM_XNNPACK_INTERFACES 2022 2024)
  set(TANDEM_XNNPACK_INTERFACE "")
  if(XNNPACK_INCLUDE_DIR)
    file(READ ${XNNPACK_INCLUDE_DIR}/xnnpack.h _header)
    if(_header MATCHES "xnn_setup_convolution2d_nhwc_qc8\\([^;]*batch_size[^;]*input_height")
      set(TANDEM_XNNPACK_INTERFACE 2022)
    elseif(_header MATCHES "xnn_reshape_convolution2d_nhwc_qs8_qc8w\\([^;]*workspace_size" AND
           _header MATCHES "xnn_create_binary_elementwise_nd\\([^;]*output_quantization" AND
           _header MATCHES "xnn_create_reduce_nd\\([^;]*output_quantization")
      set(TANDEM_XNNPACK_INTERFACE 2024)
    else()
      set(_why "its interface is neither that of 2022 nor that of the end of 2024, which tandem knows")
    endif()
  endif()
  if(TANDEM_XNNPACK_INTERFACE AND XNNPACK_LIBRARY AND PTHREADPOOL_LIBRARY)
    set(_found ON)
    add_library(tandem_xnnpack UNKNOWN IMPORTED)
    set_target_properties(tandem_xnnpack PROPERTIES IMPORTED_LOCATION ${XNNPACK_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${XNNPACK_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${PTHREADPOOL_LIBRARY})
    tandem_debian_version(TANDEM_XNNPACK_VERSION ${XNNPACK_INCLUDE_DIR} libxnnpack-dev)
    tandem_debian_version(_version ${XNNPACK_INCLUDE_DIR} libpthreadpool-dev)
  endif()
elseif(NOT TANDEM_HAVE_ONEDNN)
  set(_why "oneDNN is off")
endif()
tandem_package(XNNPACK "XNNPACK" LICENSE BSD-3-Clause FOUND ${_found} VERSION "${TANDEM_XNNPACK_VERSION}" WHY "${_why}" FROM "libxnnpack-dev, libpthreadpool-dev"
  GAIN "the cpu backend takes its convolutions where they are faster" COST "the cpu backend has oneDNN's convolutions alone")
if(TANDEM_HAVE_XNNPACK)
  tandem_component("pthreadpool" "${_version}" "BSD-2-Clause" "threads of XNNPACK's")
endif()

include(TandemCuda)

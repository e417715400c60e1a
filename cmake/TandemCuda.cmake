# The CUDA toolkit and cuDNN, for the cuda backend of tandem-device. The language is enabled only where nvcc
# compiles: a toolkit that is half there, or one that does not like this compiler, switches the backend off.
include(CheckLanguage)

# Which processors device code is made for: those of the cards in this machine, or none where there is no card, so
# that nobody waits for code that they cannot run. "all": for machines elsewhere. -DCMAKE_CUDA_ARCHITECTURES, or
# CUDAARCHS in the environment, overrules both.
set(TANDEM_CUDA here CACHE STRING "Cards to compile for: here, or all")

# "90-real" for each kind of card here; empty where there is none.
function(tandem_cards_here result)
  set(found "")
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE status)
  if(status STREQUAL "0")
    string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${text}")
    foreach(capability ${capabilities})
      string(REPLACE "." "" architecture ${capability})
      list(APPEND found ${architecture}-real)
    endforeach()
  elseif(EXISTS /proc/device-tree/compatible)  # a Jetson may have no nvidia-smi
    file(STRINGS /proc/device-tree/compatible text)
    foreach(pair tegra210=53 tegra186=62 tegra194=72 tegra234=87 tegra264=110)
      string(REPLACE "=" ";" pair ${pair})
      list(GET pair 0 chip)
      list(GET pair 1 architecture)
      if(text MATCHES ${chip})
        list(APPEND found ${architecture}-real)
      endif()
    endforeach()
  endif()
  list(REMOVE_DUPLICATES found)
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# Real code for one processor of each generation that the compiler knows, for every Jetson where this is one of
# their processors (their code is not interchangeable within a generation), and portable code of the newest for
# what comes later.
function(tandem_all_cards compiler result)
  execute_process(COMMAND ${compiler} --list-gpu-arch OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE status)
  string(REGEX MATCHALL "compute_[0-9]+" known "${text}")
  list(TRANSFORM known REPLACE "compute_" "")
  list(SORT known COMPARE NATURAL)
  set(jetsons 53 62 72 87 101 110)
  foreach(architecture ${known})
    math(EXPR generation "${architecture} / 10")
    if(architecture IN_LIST jetsons)
      if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64")
        list(APPEND chosen ${architecture}-real)
      endif()
    elseif(NOT generation IN_LIST generations)
      list(APPEND generations ${generation})
      list(APPEND chosen ${architecture}-real)
      set(newest ${architecture})
    endif()
  endforeach()
  if(newest)
    list(APPEND chosen ${newest}-virtual)
  endif()
  set(${result} "${chosen}" PARENT_SCOPE)
endfunction()

if(TANDEM_WITH_CUDA AND NOT CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS} AND NOT TANDEM_CUDA STREQUAL "all")
  tandem_cards_here(CMAKE_CUDA_ARCHITECTURES)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(_no_card ON)
  endif()
endif()
set(_why "")
set(_found OFF)
if(_no_card)
  set(_why "no card here (-DTANDEM_CUDA=all compiles for all of them)")
elseif(TANDEM_WITH_CUDA)
  find_package(CUDAToolkit QUIET)
  if(NOT CUDAToolkit_FOUND)
    set(_why "the CUDA toolkit is not found")
  else()
    # nvcc is seldom on the PATH; check_language asks the environment.
    if(NOT DEFINED ENV{CUDACXX} AND CUDAToolkit_NVCC_EXECUTABLE)
      set(ENV{CUDACXX} ${CUDAToolkit_NVCC_EXECUTABLE})
    endif()
    set(_level "${CMAKE_MESSAGE_LOG_LEVEL}")
    set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
    check_language(CUDA)
    set(CMAKE_MESSAGE_LOG_LEVEL "${_level}")
    if(CMAKE_CUDA_COMPILER AND EXISTS "${CMAKE_CUDA_COMPILER}")
      if(NOT CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})  # CMake knows the latter itself
        tandem_all_cards(${CMAKE_CUDA_COMPILER} CMAKE_CUDA_ARCHITECTURES)
      endif()
      enable_language(CUDA)
      set(_found ON)
    else()
      set(_why "nvcc of the toolkit ${CUDAToolkit_VERSION} does not work with this compiler")
    endif()
  endif()
endif()
string(REPLACE ";" " " _architectures "${CMAKE_CUDA_ARCHITECTURES}")
tandem_package(CUDA "CUDA" LICENSE "NVIDIA CUDA Toolkit EULA" FOUND ${_found} VERSION "${CUDAToolkit_VERSION}, architectures ${_architectures}" WHY "${_why}"
  GAIN "kernels for NVIDIA cards are compiled" COST "tandem-device has no cuda backend")

set(_why "")
set(_found OFF)
set(_cudnn_version "")
if(NOT TANDEM_HAVE_CUDA)
  set(_why "CUDA is off")
elseif(TANDEM_WITH_CUDNN)
  find_path(CUDNN_INCLUDE_DIR cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_LIBRARY_ROOT}/include)
  find_library(CUDNN_LIBRARY cudnn
    HINTS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_LIBRARY_ROOT} PATH_SUFFIXES lib lib64)
  if(CUDNN_INCLUDE_DIR AND CUDNN_LIBRARY)
    set(_found ON)
    tandem_header_version(_cudnn_version CUDNN_ "MAJOR|MINOR|PATCHLEVEL"
      ${CUDNN_INCLUDE_DIR}/cudnn_version.h ${CUDNN_INCLUDE_DIR}/cudnn.h)  # the second one up to cuDNN 7
  endif()
endif()
tandem_package(CUDNN "cuDNN" LICENSE "NVIDIA cuDNN SLA" FOUND ${_found} VERSION "${_cudnn_version}" FROM "NVIDIA's libcudnn" WHY "${_why}"
  GAIN "tandem-device has its cuda backend" COST "tandem-device has no cuda backend")

if(TANDEM_HAVE_CUDA)
  target_compile_options(tandem_options INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow>")
  if(TANDEM_WERROR)
    target_compile_options(tandem_options INTERFACE
      "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings -Xcompiler=-Werror>")
  endif()
endif()

# Does an installed tandem still find what it ships when its folder has moved, from the installed files alone? Can
# somebody build against it?
# cmake -DBUILD=<build tree> -DWORK=<scratch folder> -DPROGRAMS=tandem,tandem-device -DCXX=<compiler>
# -DFLAGS=<the compiler's> -P install_test.cmake
cmake_minimum_required(VERSION 3.22)
string(REPLACE "," ";" PROGRAMS "${PROGRAMS}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nexit status ${status}\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
function(expect pattern)
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "\"${pattern}\" is not in\n${output}")
  endif()
endfunction()

# The example that ships with the library, built against the moved tree alone, serves requests by a plan.
function(try_example)
  set(example ${WORK}/moved/share/doc/libtandem-device-dev/examples)
  run(${CMAKE_COMMAND} -S ${example} -B ${WORK}/example -DCMAKE_PREFIX_PATH=${WORK}/moved -DCMAKE_BUILD_TYPE=Debug
    -DCMAKE_CXX_COMPILER=${CXX} "-DCMAKE_CXX_FLAGS=${FLAGS}")
  run(${CMAKE_COMMAND} --build ${WORK}/example)
  file(STRINGS ${WORK}/example/CMakeCache.txt found REGEX "^tandem-device_DIR:")
  if(NOT found MATCHES "=${WORK}/moved/")
    message(FATAL_ERROR "another tandem-device was found: ${found}")
  endif()
  file(WRITE ${WORK}/newer.cmake "find_package(tandem-device 99 REQUIRED)\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${example} -B ${WORK}/newer -DCMAKE_PREFIX_PATH=${WORK}/moved
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PROJECT_INCLUDE=${WORK}/newer.cmake RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
  if(status EQUAL 0 OR NOT errors MATCHES "requested version \"99\"")
    message(FATAL_ERROR "tandem-device 99 was found:\n${errors}")
  endif()
  if("tandem" IN_LIST PROGRAMS)
    file(WRITE ${WORK}/two.scenario.json [[{"tandem": "scenario/1", "name": "two", "transfer": "none",
      "platform": {"name": "here", "memories": [{"name": "dram"}],
        "units": [{"name": "one", "kind": "cpu", "memory": "dram", "backend": "emulated"}]},
      "profiles": [{"tandem": "profile/1", "platform": "here", "origin": {"kind": "estimated", "method": "made up"},
        "entries": [{"model": "squeezenet_1_1", "unit": "one", "layers": "*", "median_us": 100}]}],
      "streams": [{"name": "camera", "model": "squeezenet_1_1", "count": 3, "arrival": {"type": "offline"}}], "policies": ["fcfs"]}]])
    run(${bin}/tandem plan ${WORK}/two.scenario.json --engine virtual -o ${WORK}/two.plan.json)
    run(${WORK}/example/three_streams ${WORK}/two.plan.json 5)
    expect("camera: 5 completed")
    expect("5 done, 0 not")
    run(${bin}/tandem plan ${example}/frame-stages.scenario.json --engine virtual -o ${WORK}/frames.plan.json)
    run(${WORK}/example/frame_stages ${WORK}/frames.plan.json 5)
    expect("frame 4: ")
    expect("result: 5 completed")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/moved)
set(bin ${WORK}/moved/bin)
set(data ${WORK}/moved/share/tandem)

# Names that only the moved tree has: what is found is not the build tree's.
file(GLOB boards ${data}/boards/*.platform.json)
file(GLOB schemas ${data}/schemas/*.json)
if(NOT boards OR NOT schemas)
  message(FATAL_ERROR "no boards or no schemas in ${data}")
endif()
if("tandem" IN_LIST PROGRAMS)
  run(${bin}/tandem models list)
  expect("resnet50")
  list(GET boards 0 board)
  file(COPY_FILE ${board} ${data}/boards/only-here.platform.json)
  run(${bin}/tandem check only-here)
  expect("only-here")
  file(GLOB scenarios ${data}/scenarios/*.scenario.json)
  list(GET scenarios 0 scenario)
  file(COPY_FILE ${scenario} ${data}/scenarios/also-here.scenario.json)
  run(${bin}/tandem check also-here)
  expect("also-here.*scenario/1")
  # What the program loads when it is used is the moved tree's, too.
  run(${bin}/tandem --version)
  expect("SimGrid [0-9]")
  run(sh -c "LD_DEBUG=files '${bin}/tandem' simulate also-here --policy fcfs --engine simgrid 2>&1")
  expect("calling init: ${WORK}/moved/lib/tandem/tandem-simgrid")
endif()
# What shells and `man` look for.
foreach(program ${PROGRAMS})
  foreach(file bash-completion/completions/${program} zsh/site-functions/_${program}
          fish/vendor_completions.d/${program}.fish man/man1/${program}.1 man/man1/${program}-completion.1)
    if(NOT EXISTS ${WORK}/moved/share/${file})
      message(FATAL_ERROR "share/${file} is not installed")
    endif()
    file(READ ${WORK}/moved/share/${file} text)
    if(text MATCHES "${BUILD}")
      message(FATAL_ERROR "share/${file} names the build tree")
    endif()
  endforeach()
endforeach()
if("tandem-device" IN_LIST PROGRAMS)
  run(${bin}/tandem-device info --json)
  expect("\"platform\"")
  try_example()
endif()
file(REMOVE_RECURSE ${WORK})

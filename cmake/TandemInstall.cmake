# Programs in bin, what they ship in share/tandem; the build tree has the same shape, so that the programs find
# their data in the same way in both.
include(GNUInstallDirs)
# Packages are made of components (cmake/TandemPack.cmake); what names none belongs to the program tandem.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tandem)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # a package is made without the tests
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)  # a SimGrid or oneDNN outside the system's folders
set(TANDEM_PROGRAM_DIR ${CMAKE_BINARY_DIR}/bin)
set(TANDEM_BUILD_DATA_DIR ${CMAKE_BINARY_DIR}/share/tandem)
set(TANDEM_ADAPTERS_DIR ${CMAKE_BINARY_DIR}/adapters)  # built, and installed by nobody

add_custom_target(programs)   # both programs without the tests
add_custom_target(simulator)  # tandem alone, where it can be built

function(tandem_program name)
  add_dependencies(programs ${name})
  set_property(GLOBAL APPEND PROPERTY TANDEM_PROGRAMS ${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${TANDEM_PROGRAM_DIR})
  install(TARGETS ${name} RUNTIME DESTINATION bin COMPONENT ${name})
  tandem_terminal(${name})
endfunction()

# What shells and `man` find of a program, written by it: completion and the manual's pages, in folders as below
# share. A program that cannot run here writes nothing.
function(tandem_terminal name)
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    return()
  endif()
  set(share ${CMAKE_BINARY_DIR}/terminal/${name})
  set(bash ${share}/bash-completion/completions)
  set(zsh ${share}/zsh/site-functions)
  set(fish ${share}/fish/vendor_completions.d)
  add_custom_command(TARGET ${name} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E make_directory ${bash} ${zsh} ${fish} ${share}/man/man1
    COMMAND ${name} completion bash -o ${bash}/${name}
    COMMAND ${name} completion zsh -o ${zsh}/_${name}
    COMMAND ${name} completion fish -o ${fish}/${name}.fish
    COMMAND ${name} man --all ${share}/man/man1 VERBATIM)
  install(DIRECTORY ${share}/ DESTINATION share COMPONENT ${name})
endfunction()

# tandem_library(<target> <name> <header>): libtandem-<name>, its header and a package that finds it in any prefix.
include(CMakePackageConfigHelpers)
function(tandem_library target name header)
  add_library(tandem::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME tandem-${name} EXPORT_NAME ${name}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tandem-${name})
  set(runtime libtandem-${name})
  set(development libtandem-${name}-dev)
  install(TARGETS ${target} EXPORT tandem-${name}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${runtime} NAMELINK_COMPONENT ${development})
  install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/${header} DESTINATION include COMPONENT ${development})
  install(EXPORT tandem-${name} NAMESPACE tandem:: FILE tandem-${name}-config.cmake DESTINATION ${package}
    COMPONENT ${development})
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/tandem-${name}-config-version.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/tandem-${name}-config-version.cmake DESTINATION ${package} COMPONENT ${development})
endfunction()

# tandem_ship(<folder of share/tandem> <folders of the source tree>... [COMPONENT c]): all that lies in them.
function(tandem_ship folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COMPONENT" "")
  if(NOT arg_COMPONENT)
    set(arg_COMPONENT tandem)
  endif()
  file(REMOVE_RECURSE ${TANDEM_BUILD_DATA_DIR}/${folder})
  file(MAKE_DIRECTORY ${TANDEM_BUILD_DATA_DIR}/${folder})
  foreach(source ${arg_UNPARSED_ARGUMENTS})
    file(GLOB entries CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${source}/*)
    foreach(entry ${entries})
      get_filename_component(name ${entry} NAME)
      file(CREATE_LINK ${entry} ${TANDEM_BUILD_DATA_DIR}/${folder}/${name} SYMBOLIC)
    endforeach()
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/${source}/ DESTINATION share/tandem/${folder} COMPONENT ${arg_COMPONENT} OPTIONAL)
  endforeach()
endfunction()

tandem_ship(boards profiles/boards COMPONENT tandem-data)  # both programs look boards up
tandem_ship(scenarios scenarios/examples)
tandem_ship(baselines scenarios/baselines)
tandem_ship(sweeps scenarios/sweeps)
tandem_ship(page sim/page/assets)
tandem_ship(emit sim/emit/assets)
# Schemas are written by the program that reads the files.
set(TANDEM_SCHEMAS ${TANDEM_BUILD_DATA_DIR}/schemas)
file(MAKE_DIRECTORY ${TANDEM_SCHEMAS})
install(DIRECTORY ${TANDEM_SCHEMAS}/ DESTINATION share/tandem/schemas)

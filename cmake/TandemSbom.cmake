# What this build is made with, as a CycloneDX file: ${CMAKE_BINARY_DIR}/tandem.cdx.json, which is installed too.
# docs/packages.md has the same in words, and a test holds both together.
function(tandem_component name version license why)
  set(text "{\"type\": \"library\", \"name\": \"${name}\", ")
  string(REGEX REPLACE ",.*" "" version "${version}")  # what follows is no version
  if(version AND NOT version MATCHES "unknown")
    string(APPEND text "\"version\": \"${version}\", ")
  endif()
  # What SPDX has no identifier for goes by its name.
  if(license MATCHES " ")
    set(named "\"name\": \"${license}\"")
  else()
    set(named "\"id\": \"${license}\"")
  endif()
  string(APPEND text "\"licenses\": [{\"license\": {${named}}}], \"description\": \"${why}\"}")
  set_property(GLOBAL APPEND PROPERTY TANDEM_COMPONENTS "${text}")
endfunction()

function(tandem_write_sbom)
  get_property(components GLOBAL PROPERTY TANDEM_COMPONENTS)
  list(JOIN components ",\n  " components)
  set(file ${CMAKE_BINARY_DIR}/tandem.cdx.json)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT [=[
{"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
 "metadata": {"component": {"type": "application", "name": "tandem", "version": "@PROJECT_VERSION@",
                            "licenses": [{"license": {"id": "Apache-2.0"}}], "description": "@PROJECT_DESCRIPTION@"}},
 "components": [
  @components@]}
]=])
  foreach(component tandem tandem-device)
    if(TARGET ${component})
      install(FILES ${file} DESTINATION share/doc/${component} COMPONENT ${component})
    endif()
  endforeach()
endfunction()

# How everything here is compiled: `stretto_compile` carries the flags to every target of the project and to nobody else.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

find_program(STRETTO_CCACHE ccache)
mark_as_advanced(STRETTO_CCACHE)
if(STRETTO_CCACHE)
  foreach(language IN ITEMS CXX CUDA)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      # What it has to be told of precompiled headers: they contain no times, and macros beside them change nothing in them.
      set(CMAKE_${language}_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_SLOPPINESS=pch_defines,time_macros"
                                              "${STRETTO_CCACHE}")
    endif()
  endforeach()
endif()

add_library(stretto_compile INTERFACE)
target_include_directories(stretto_compile INTERFACE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")

# A result may depend on no register width and no contraction, so -ffp-contract=off, never -ffast-math, and no -march:
# wider instructions are chosen at run time.
target_compile_options(
  stretto_compile
  INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off;-Wall;-Wextra>"
            "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wthread-safety>"
            "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${STRETTO_WERROR}>>:-Werror>")
# Several sources compiled as one (CMAKE_UNITY_BUILD): what is theirs alone looks as if a header gave it away.
if(CMAKE_UNITY_BUILD)
  target_compile_options(stretto_compile INTERFACE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>")
endif()
if(STRETTO_SANITIZE)
  target_compile_options(
    stretto_compile INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${STRETTO_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>"
    # Behind the others, or it would be undone. A target says so by this property.
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:$<TARGET_PROPERTY:STRETTO_MEMORY_ONLY>>>:-fno-sanitize=undefined>")
  target_link_options(stretto_compile INTERFACE "-fsanitize=${STRETTO_SANITIZE}")
endif()

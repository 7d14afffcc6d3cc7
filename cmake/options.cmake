# What a person may choose when configuring, and the defaults.

option(STRETTO_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(STRETTO_WERROR "Treat compiler warnings as errors" OFF)
option(STRETTO_PRECOMPILED "Read the headers of others once, to compile in less time" OFF)
set(STRETTO_SANITIZE "" CACHE STRING "Sanitizers to compile with, as in -fsanitize= (address,undefined or thread)")
set(STRETTO_CUDA "AUTO" CACHE STRING "Build the CUDA backend: AUTO (when nvcc is found), ON or OFF")
set_property(CACHE STRETTO_CUDA PROPERTY STRINGS AUTO ON OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

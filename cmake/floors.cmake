# The house: each floor of src/ is one OBJECT library, which may use only the floors below it.

# The sources under a folder, found again at every build. Folders named cuda, nccl and mpi are libraries of their own.
function(stretto_sources OUT FOLDER)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${FOLDER}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/(cuda|nccl|mpi)/")
  set(${OUT} ${sources} PARENT_SCOPE)
endfunction()

# stretto_floor(NAME [DEPENDS lower floors...] [LIBRARIES third-party targets...] [PRECOMPILED kind])
#
# Makes stretto_<NAME> of every .cpp under src/<NAME>. A floor without sources is skipped, also where others depend on it.
# The floors that NAME needs, directly or not, are kept in the property STRETTO_FLOORS_OF_<NAME>, lowest first, itself last.
function(stretto_floor NAME)
  cmake_parse_arguments(PARSE_ARGV 1 floor "" "PRECOMPILED" "DEPENDS;LIBRARIES")
  set(needed "")
  foreach(lower IN LISTS floor_DEPENDS)
    get_property(known GLOBAL PROPERTY STRETTO_FLOORS_OF_${lower} SET)
    if(NOT known)
      message(FATAL_ERROR "floor ${NAME} depends on ${lower}, which is not a floor below it")
    endif()
    get_property(lower_needs GLOBAL PROPERTY STRETTO_FLOORS_OF_${lower})
    list(APPEND needed ${lower_needs})
  endforeach()

  stretto_sources(sources "${CMAKE_CURRENT_SOURCE_DIR}")
  if(sources)
    add_library(stretto_${NAME} OBJECT ${sources})
    target_link_libraries(stretto_${NAME} PUBLIC stretto_compile ${floor_LIBRARIES})
    if(floor_PRECOMPILED)
      stretto_precompile(stretto_${NAME} ${floor_PRECOMPILED})
    else()
      stretto_precompile(stretto_${NAME} floor)
    endif()
    list(APPEND needed ${NAME})
  endif()
  list(REMOVE_DUPLICATES needed)
  set_property(GLOBAL PROPERTY STRETTO_FLOORS_OF_${NAME} "${needed}")
endfunction()

# stretto_test(NAME [EVERY_ENGINE] [ONE_PROCESS] [LONG]): one executable stretto_<NAME>_test of every tests/<NAME>/*_test.cpp. It links
# the objects of the floor and of those below, so that a test reaches what the shared library hides. CTest knows each of its
# tests, or with ONE_PROCESS only the executable: for many small ones; in a build with a sanitizer, the executable's two halves.
# With EVERY_ENGINE the executable is run three times more, with the serial engine, with random delays, and with all that tasks
# touch held against what they declared. LONG: the tests themselves compute so much that they are compiled with optimisation.
function(stretto_test NAME)
  cmake_parse_arguments(PARSE_ARGV 1 test "EVERY_ENGINE;ONE_PROCESS;LONG" "" "")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${NAME}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/(cuda|nccl|mpi)/")
  if(NOT sources)
    return()
  endif()
  get_property(needed GLOBAL PROPERTY STRETTO_FLOORS_OF_${NAME})
  list(TRANSFORM needed PREPEND stretto_)
  add_executable(stretto_${NAME}_test ${sources})
  target_include_directories(stretto_${NAME}_test PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_compile_definitions(stretto_${NAME}_test PRIVATE "STRETTO_SOURCE_FOLDER=\"${PROJECT_SOURCE_DIR}\"")
  target_link_libraries(stretto_${NAME}_test PRIVATE ${needed} stretto_compile GTest::gtest_main)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND (STRETTO_SANITIZE OR NOT test_LONG))
    # Optimised, the assertions of a test take longer to compile than the floor it tests.
    target_compile_options(stretto_${NAME}_test PRIVATE -O0)
    # With both, a third of the time goes into what the tests themselves might do wrong; their memory is still watched.
    if(STRETTO_SANITIZE MATCHES "address.*undefined")
      set_target_properties(stretto_${NAME}_test PROPERTIES STRETTO_MEMORY_ONLY ON)
    endif()
    stretto_precompile(stretto_${NAME}_test test)
  else()
    stretto_precompile(stretto_${NAME}_test long_test)
  endif()
  set_target_properties(stretto_${NAME}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  add_dependencies(stretto_tests stretto_${NAME}_test)
  if(test_ONE_PROCESS)
    add_test(NAME ${NAME} COMMAND stretto_${NAME}_test --gtest_brief=1)
    set_tests_properties(${NAME} PROPERTIES TIMEOUT 300 LABELS ${NAME})
  elseif(STRETTO_SANITIZE)
    # To start a process takes a sanitizer longer than most tests do.
    foreach(half IN ITEMS 0 1)
      add_test(NAME ${NAME}.half${half} COMMAND stretto_${NAME}_test --gtest_brief=1)
      set_tests_properties(
        ${NAME}.half${half} PROPERTIES ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${half}" TIMEOUT 600
                                       LABELS ${NAME})
    endforeach()
  else()
    gtest_discover_tests(stretto_${NAME}_test DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120 LABELS ${NAME})
  endif()
  if(test_EVERY_ENGINE)
    foreach(setting IN ITEMS STRETTO_ENGINE=serial STRETTO_SCHEDULE=random:7 STRETTO_CHECK=access)
      set(environment "${setting}")
      # Where the tests are long since they try kernels, delays between these find the same again and again: for every
      # second test.
      if(test_LONG AND setting STREQUAL "STRETTO_SCHEDULE=random:7")
        list(APPEND environment GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=0)
      endif()
      add_test(NAME ${NAME}.${setting} COMMAND stretto_${NAME}_test --gtest_brief=1)
      set_tests_properties(${NAME}.${setting} PROPERTIES ENVIRONMENT "${environment}" TIMEOUT 300 LABELS ${NAME})
    endforeach()
  endif()
endfunction()

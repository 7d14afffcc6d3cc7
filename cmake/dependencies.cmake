# The libraries Stretto stands on. scripts/setup installs them.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(dnnl REQUIRED)
find_package(hwy REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
target_link_libraries(stretto_compile INTERFACE Threads::Threads fmt::fmt ${CMAKE_DL_LIBS})

if(STRETTO_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

include(cuda20)

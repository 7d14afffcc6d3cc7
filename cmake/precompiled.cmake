# Headers of others that nearly every source includes, read once: most sources compile in less than two thirds of the time
# (CLI11's and the JSON library's are not worth it: 147 MB that are slower to load than to read). Where it is off, as in a
# release, each source has to include what it uses.

# stretto_precompile(TARGET KIND): cmake/precompiled/<KIND>.h in front of each source of the target. Targets of one KIND are
# compiled with the same options, so that they share what the first of them has made; of KIND none, without any.
function(stretto_precompile TARGET KIND)
  if(NOT STRETTO_PRECOMPILED OR KIND STREQUAL "none")
    return()
  endif()
  # GCC 12 warns of std::string's own copies when its header comes precompiled; a release is compiled with these warnings.
  target_compile_options(${TARGET} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds;-Wno-stringop-overflow>")
  get_property(first GLOBAL PROPERTY STRETTO_PRECOMPILED_${KIND})
  if(first)
    target_precompile_headers(${TARGET} REUSE_FROM ${first})
  else()
    target_precompile_headers(${TARGET} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/cmake/precompiled/${KIND}.h>")
    set_property(GLOBAL PROPERTY STRETTO_PRECOMPILED_${KIND} ${TARGET})
  endif()
endfunction()

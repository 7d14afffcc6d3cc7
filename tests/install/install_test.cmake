set(prefix "${WORK_FOLDER}/prefix")
set(build "${WORK_FOLDER}/consumer")
file(REMOVE_RECURSE "${prefix}" "${build}")

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${result}): ${command}")
  endif()
endfunction()

step("${CMAKE_COMMAND}" --install "${BUILD_FOLDER}" --prefix "${prefix}")
step("${CMAKE_COMMAND}" -S "${CONSUMER}" -B "${build}" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
     "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DCMAKE_PREFIX_PATH=${prefix}" "-DSTRETTO_PREFIX=${prefix}" "-DWANTED=${VERSION}")
step("${CMAKE_COMMAND}" --build "${build}")
step("${build}/consumer")
if(EXISTS "${prefix}/bin/stretto")
  step("${prefix}/bin/stretto" info)
endif()

# The example of tasks with CUDA, where there is a compiler for it. Without a GPU it says so, with exit code 77.
if(CUDA_COMPILER)
  set(example "${WORK_FOLDER}/cuda_task")
  file(REMOVE_RECURSE "${example}")
  step("${CMAKE_COMMAND}" -S "${CUDA_EXAMPLE}" -B "${example}" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
       "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CUDA_COMPILER=${CUDA_COMPILER}"
       "-DCMAKE_CUDA_ARCHITECTURES=${CUDA_ARCHITECTURES}")
  step("${CMAKE_COMMAND}" --build "${example}")
  execute_process(COMMAND "${example}/cuda_task" RESULT_VARIABLE result)
  if(NOT result EQUAL 0 AND NOT result EQUAL 77)
    message(FATAL_ERROR "cuda_task failed (${result})")
  endif()
endif()

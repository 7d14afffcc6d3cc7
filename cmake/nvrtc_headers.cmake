# cmake -D OUTPUT=FILE -D FOLDER=SOURCES -P nvrtc_headers.cmake: makes FILE, a source, of the headers that kernels include
# which are compiled at run time. NVRTC has no other headers, so all that they include is in it.

set(headers
    src/kernels/cuda/arithmetic_operators.cuh
    src/kernels/cuda/comparison_operators.cuh
    src/kernels/cuda/compute.cuh
    src/kernels/cuda/elements.cuh
    src/kernels/cuda/function_operators.cuh
    src/kernels/cuda/pass_parts.cuh
    src/kernels/cuda/relu.cuh
    src/kernels/cuda/ternary_operators.cuh
    src/kernels/cuda/unary_operators.cuh
    src/kernels/rules/element_kinds.h
    src/kernels/rules/integers.h
    include/stretto/core/dtype.h
    include/stretto/core/half.h)
# What stands for these.
set(stand_in "src/kernels/cuda/nvrtc/standard_library.txt")
set(replaced bit cmath concepts cstddef cstdint cuda_bf16.h cuda_fp16.h limits string_view stretto/base/export.h type_traits utility)

if(NOT DEFINED OUTPUT)
  # Included: only to know the files.
  return()
endif()

set(source "// Made by cmake/nvrtc_headers.cmake.\n\n#include \"kernels/cuda/nvrtc_headers.h\"\n\nnamespace stretto {\nnamespace {\n\n")
string(APPEND source "constexpr NvrtcHeader headers[] = {\n")
foreach(header IN LISTS headers stand_in)
  file(READ "${FOLDER}/${header}" text)
  string(REGEX REPLACE "^(src|include)/" "" name "${header}")
  string(APPEND source "    {\"${name}\", R\"text(${text})text\"},\n")
endforeach()
string(REGEX REPLACE "^src/" "" stand_in_name "${stand_in}")
foreach(name IN LISTS replaced)
  string(APPEND source "    {\"${name}\", \"#include \\\"${stand_in_name}\\\"\\n\"},\n")
endforeach()
string(APPEND source "};\n\n}  // namespace\n\nstd::span<const NvrtcHeader> nvrtc_headers() { return headers; }\n\n}  // namespace stretto\n")
file(WRITE "${OUTPUT}" "${source}")

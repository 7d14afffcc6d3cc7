#include <starpu.h>

#include <algorithm>

#include "peer.h"

// StarPU's sequential task flow: the edges are inferred from handles and access modes.
namespace {

using namespace peer;

Value& variable(void* buffer) { return *reinterpret_cast<Value*>(STARPU_VARIABLE_GET_PTR(buffer)); }

starpu_codelet codelet_of(starpu_cpu_func_t function, std::initializer_list<starpu_data_access_mode> modes) {
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = static_cast<int>(modes.size());
  std::ranges::copy(modes, codelet.modes);
  return codelet;
}

starpu_codelet update_alone = codelet_of([](void** buffers, void*) { update(variable(buffers[0])); }, {STARPU_RW});
starpu_codelet update_from_two =
    codelet_of([](void** buffers, void*) { update(variable(buffers[2]), variable(buffers[0]), variable(buffers[1])); },
               {STARPU_R, STARPU_R, STARPU_RW});

/// Values that StarPU knows, until the end of the scope.
class Handles {
 public:
  Handles(Value* values, std::size_t count) : handles_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      starpu_variable_data_register(&handles_[i], STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(values + i),
                                    sizeof(Value));
    }
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    for (starpu_data_handle_t handle : handles_) starpu_data_unregister(handle);
  }
  starpu_data_handle_t operator[](std::size_t i) const { return handles_[i]; }

 private:
  std::vector<starpu_data_handle_t> handles_;
};

void independent(std::vector<Value>& values, std::int64_t count) {
  const Handles handles(values.data(), values.size());
  const auto number = static_cast<std::int64_t>(values.size());
  for (std::int64_t begin = 0; begin < count; begin += number) {
    const std::int64_t end = std::min(count, begin + number);
    for (std::int64_t i = begin; i < end; ++i) {
      starpu_task_insert(&update_alone, STARPU_RW, handles[static_cast<std::size_t>(i - begin)], 0);
    }
    starpu_task_wait_for_all();
  }
}

void chain(Value& value, std::int64_t count) {
  const Handles handles(&value, 1);
  for (std::int64_t i = 0; i < count; ++i) starpu_task_insert(&update_alone, STARPU_RW, handles[0], 0);
  starpu_task_wait_for_all();
}

void random_dag(std::vector<Value>& values, const std::vector<DagTask>& tasks) {
  const Handles handles(values.data(), values.size());
  for (const DagTask& task : tasks) {
    starpu_task_insert(&update_from_two, STARPU_R, handles[task.first], STARPU_R, handles[task.second], STARPU_RW,
                       handles[task.target], 0);
  }
  starpu_task_wait_for_all();
}

}  // namespace

int main(int argc, char** argv) {
  setenv("STARPU_SILENT", "1", 0);
  if (starpu_init(nullptr) != 0) {
    std::fprintf(stderr, "%s: StarPU does not start\n", argv[0]);
    return 1;
  }
  const int code = peer::run(argc, argv, {&independent, &chain, &random_dag});
  starpu_shutdown();
  return code;
}

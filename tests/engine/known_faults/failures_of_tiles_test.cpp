#include "engine/random_program.h"

namespace stretto {
namespace {

TEST(RandomProgram, WithFailuresOfTiles) { run_programs(10, {.arrays = 6, .fails = 0.05, .tiles_only = true}); }

}  // namespace
}  // namespace stretto

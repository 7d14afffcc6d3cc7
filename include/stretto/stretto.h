#pragma once

/// All of Stretto's public interface.

#include <stretto/tensor/creation.h>
#include <stretto/tensor/devices.h>
#include <stretto/tensor/generator.h>
#include <stretto/tensor/task.h>
#include <stretto/tensor/tensor.h>

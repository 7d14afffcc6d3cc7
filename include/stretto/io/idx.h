#pragma once

#include <source_location>
#include <string>

#include <stretto/base/call_site.h>
#include <stretto/base/export.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

/// The tensor in an IDX file of unsigned bytes, plain or compressed by gzip: uint8, on cpu:0, with the shape the file
/// says. Blocks until the file is read. Throws FileError, which names the file, for one that cannot be read, that is no
/// IDX file of bytes, or that is not as long as its header says: with what was expected and what was found.
STRETTO_API Tensor read_idx(const std::string& path, CallSite site = std::source_location::current());

/// Pictures of 28 x 28 grey pixels, and which of ten kinds of clothing each shows. All uint8, on cpu:0.
struct FashionMnist {
  static constexpr int side = 28;
  static constexpr int classes = 10;

  Tensor train_images;  ///< (N, 28, 28)
  Tensor train_labels;  ///< (N,), below 10
  Tensor test_images;   ///< (M, 28, 28)
  Tensor test_labels;   ///< (M,), below 10
};

/// Where Debian's package dataset-fashion-mnist puts the files.
inline constexpr const char* fashion_mnist_directory = "/usr/share/datasets/fashion-mnist";

/// Reads the four files of the data set: train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
/// t10k-labels-idx1-ubyte, each with .gz behind its name or without. Blocks until they are read. Throws FileError as
/// `read_idx` does, and when shapes, numbers or labels are not those of this data set.
STRETTO_API FashionMnist load_fashion_mnist(const std::string& directory = fashion_mnist_directory,
                                            CallSite site = std::source_location::current());

}  // namespace stretto

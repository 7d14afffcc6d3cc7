#pragma once

#include <memory>

namespace stretto {

/// How the work that other libraries put on a device is ordered with ours, by the queues that they have there: streams,
/// given as `cudaStream_t`. Functions throw DeviceError for a queue that is none, and where the device is lost; they
/// block nobody and may be called from any thread.
class ForeignQueues {
 public:
  /// Somewhere in a queue: behind what was in it when the moment was made.
  class Moment {
   public:
    virtual ~Moment() = default;
  };

  virtual ~ForeignQueues() = default;
  /// The device's number as other libraries count.
  virtual int number(int device) const = 0;
  virtual std::shared_ptr<Moment> mark(int device, void* queue) = 0;
  /// What is put into `queue` from now on starts after `moment`.
  virtual void wait(int device, void* queue, Moment& moment) = 0;
};

}  // namespace stretto

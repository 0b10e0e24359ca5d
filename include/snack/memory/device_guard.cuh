// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Makes a device the current one of this thread for the length of a scope, and the old one again after.

#include <snack/memory/cuda_error.cuh>

namespace snack::inline v0 {

class DeviceGuard {
public:
    /// @throws CudaError if there is no such device
    explicit DeviceGuard(int device, const char* where = "DeviceGuard") {
        SNACK_CUDA(where, cudaGetDevice, &before_);
        if (device != before_) {
            SNACK_CUDA(where, cudaSetDevice, device);
            changed_ = true;
        }
    }
    DeviceGuard(const DeviceGuard&) = delete;
    DeviceGuard& operator=(const DeviceGuard&) = delete;
    ~DeviceGuard() {
        if (changed_) {
            cudaSetDevice(before_);
        }
    }

private:
    int before_ = 0;
    bool changed_ = false;
};

namespace detail {

/// The same where nothing may throw: in destructors. What fails is not told.
class QuietDeviceGuard {
public:
    explicit QuietDeviceGuard(int device) noexcept : before_(device), device_(device) {
        cudaGetDevice(&before_);
        if (before_ != device_) {
            cudaSetDevice(device_);
        }
    }
    QuietDeviceGuard(const QuietDeviceGuard&) = delete;
    QuietDeviceGuard& operator=(const QuietDeviceGuard&) = delete;
    ~QuietDeviceGuard() {
        if (before_ != device_) {
            cudaSetDevice(before_);
        }
    }

private:
    int before_;
    int device_;
};

}  // namespace detail

}  // namespace snack::inline v0

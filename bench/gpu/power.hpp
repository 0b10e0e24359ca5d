// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Power, energy and clocks of the GPU by NVML, which belongs to the driver: it is looked for at run time, and
// its few functions are declared here, so that neither its header nor its library is needed to build.

#include <dlfcn.h>

#include <optional>
#include <string>

namespace bench::gpu {

class Nvml {
public:
    /// @param bus_id  of the device, as CUDA tells it
    explicit Nvml(const std::string& bus_id)
        : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)), reason_(start(bus_id)) {}
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;
    ~Nvml() {
        if (library_ != nullptr) {
            dlclose(library_);
        }
    }

    /// Why there are no energies; empty if there are.
    const std::string& reason() const { return reason_; }

    /// Joules since the driver was loaded, or none.
    std::optional<double> joules() const {
        unsigned long long millijoules = 0;
        if (!reason_.empty() || energy_(device_, &millijoules) != 0) {
            return std::nullopt;
        }
        return 1e-3 * static_cast<double>(millijoules);
    }

    /// Of the multiprocessors and the memory, now.
    std::string clocks() const {
        if (device_ == nullptr) {
            return "unknown";
        }
        unsigned multiprocessors = 0;
        unsigned memory = 0;
        constexpr int of_multiprocessors = 1;
        constexpr int of_memory = 2;
        const bool known =
            clock_(device_, of_multiprocessors, &multiprocessors) == 0 && clock_(device_, of_memory, &memory) == 0;
        return known ? "multiprocessors " + std::to_string(multiprocessors) + " MHz, memory " + std::to_string(memory) +
                           " MHz after the run"
                     : "unknown";
    }

    std::string driver() const {
        char version[96] = "";
        return device_ != nullptr && driver_(version, sizeof version) == 0 ? version : "unknown";
    }

private:
    using Device = void*;

    /// What is missing, or nothing.
    std::string start(const std::string& bus_id) {
        if (library_ == nullptr) {
            return "libnvidia-ml.so.1 was not found";
        }
        const bool complete = find(init_, "nvmlInit_v2") &&
                              find(device_by_bus_id_, "nvmlDeviceGetHandleByPciBusId_v2") &&
                              find(energy_, "nvmlDeviceGetTotalEnergyConsumption") &&
                              find(clock_, "nvmlDeviceGetClockInfo") && find(driver_, "nvmlSystemGetDriverVersion");
        if (!complete || init_() != 0) {
            return "NVML could not be started";
        }
        if (device_by_bus_id_(bus_id.c_str(), &device_) != 0) {
            return "NVML does not know the device";
        }
        unsigned long long millijoules = 0;
        return energy_(device_, &millijoules) == 0 ? "" : "the device does not count its energy";
    }

    template <class Function>
    bool find(Function*& function, const char* name) {
        function = reinterpret_cast<Function*>(dlsym(library_, name));
        return function != nullptr;
    }

    void* library_;
    Device device_ = nullptr;
    int (*init_)() = nullptr;
    int (*device_by_bus_id_)(const char*, Device*) = nullptr;
    int (*energy_)(Device, unsigned long long*) = nullptr;
    int (*clock_)(Device, int, unsigned*) = nullptr;
    int (*driver_)(char*, unsigned) = nullptr;
    std::string reason_;
};

}  // namespace bench::gpu

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every word of the vocabulary, compiled for a GPU.

#include <snack/simt/device_launcher.cuh>
#include <tests/simt/cluster_kernels.hpp>
#include <tests/simt/vocabulary_kernels.hpp>

namespace tests {

/// Device memory for each of the kernels, large enough for one block of any of them.
struct VocabularyOperands {
    Size* sizes;
    int* ints;
    std::uint32_t* words;
    unsigned short* halves;
    float* floats;
    double* doubles;
};

/// Launches each kernel once; returns the first error.
cudaError_t launch_vocabulary(cudaStream_t stream, const VocabularyOperands& at) {
    cudaError_t first = cudaSuccess;
    const auto launch = [&](Size shared_bytes, const auto& kernel) {
        const cudaError_t error = snack::simt::launch(stream, {.blocks_x = 1, .shared_bytes = shared_bytes}, kernel);
        first = first == cudaSuccess ? error : first;
    };
    launch(0, Places{at.sizes});
    launch(0, Shuffles<float>{at.floats, at.floats});
    launch(0, Shuffles<double>{at.doubles, at.doubles});
    launch(0, Shuffles<int>{at.ints, at.ints});
    launch(0, Shuffles<std::uint32_t>{at.words, at.words});
    launch(0, Shuffles<Size>{at.sizes, at.sizes});
    launch(0, Votes{at.words, at.ints});
    launch(sizeof(float), AtomicSum<float>{at.floats, at.floats});
    launch(sizeof(double), AtomicSum<double>{at.doubles, at.doubles});
    launch(Reverse::shared_bytes, Reverse{at.ints, at.doubles});
    launch(0, Loads<unsigned short>{at.halves, at.halves, at.halves});
    launch(0, Loads<float>{at.floats, at.floats, at.floats});
    launch(0, Loads<double>{at.doubles, at.doubles, at.doubles});
    launch(0, Loads<Size>{at.sizes, at.sizes, at.sizes});
    launch(0, PackSum<unsigned short, 2>{at.halves, at.halves, at.halves});
    launch(0, PackSum<unsigned short, 8>{at.halves, at.halves, at.halves});
    launch(0, PackSum<float, 2>{at.floats, at.floats, at.floats});
    launch(0, PackSum<float, 4>{at.floats, at.floats, at.floats});
    launch(0, PackSum<double, 2>{at.doubles, at.doubles, at.doubles});
    launch(Pipeline<1>::shared_bytes, Pipeline<1>{at.floats, at.floats, 3});
    launch(Pipeline<2>::shared_bytes, Pipeline<2>{at.floats, at.floats, 3});
    launch(Pipeline<4>::shared_bytes, Pipeline<4>{at.floats, at.floats, 3});
    launch(BlockSum<float>::shared_bytes, BlockSum<float>{at.floats, at.floats});
    launch(BlockSum<double>::shared_bytes, BlockSum<double>{at.doubles, at.doubles});
    launch(0, WarpScan<float>{at.floats, at.floats});
    launch(0, WarpScan<double>{at.doubles, at.doubles});
    launch(0, ClusterPlaces{at.sizes});
    launch(ClusterRing::shared_bytes, ClusterRing{at.ints, at.ints});
    launch(ClusterPacks<float, 4>::shared_bytes, ClusterPacks<float, 4>{at.floats, at.floats});
    launch(ClusterTile::shared_bytes, ClusterTile{at.floats, at.floats});
    launch(ClusterSum<double>::shared_bytes, ClusterSum<double>{at.doubles, at.doubles, at.doubles});
    return first;
}

}  // namespace tests

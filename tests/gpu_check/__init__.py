"""The parts of tests/gpu-check. Standard library only: the machine with the GPU brings nothing else."""

"""How following cited lines is measured: real trees against three diff algorithms, mutated trees against the truth.

python -m benchmarks.follow.measure 0.27.1 0.33.0
python -m benchmarks.follow.mutated 0.28.0 --seeds 1-10
"""

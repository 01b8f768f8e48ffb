#!/usr/bin/env bash
# One lookaway run on the nodes of a Slurm job: a Ray head on the first, workers on all, the walk on the first.
#   sbatch examples/cluster/slurm.sh RUN --suite SUITE --models CARD
# The environment with lookaway[ray] and the run folder lie on a file system that all nodes share.
#SBATCH --job-name=lookaway
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --gpus-per-node=2
#SBATCH --time=12:00:00
set -euo pipefail
run=$1
shift

export RAY_USAGE_STATS_ENABLED=0 RAY_AUTH_MODE=token OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
RAY_AUTH_TOKEN=$(python -c 'import secrets; print(secrets.token_hex(32))')
export RAY_AUTH_TOKEN  # srun hands it to the nodes; without it anybody in the network could run code there

mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
head=${nodes[0]}
head_ip=$(srun --nodes=1 --ntasks=1 -w "$head" hostname --ip-address | awk '{print $1}')
port=6379
resources=(--num-cpus "$SLURM_CPUS_PER_TASK" --num-gpus "${SLURM_GPUS_PER_NODE:-0}" --block)

srun --overlap --nodes=1 --ntasks=1 -w "$head" \
  ray start --head --node-ip-address="$head_ip" --port=$port --include-dashboard=false "${resources[@]}" &
sleep 20
for node in "${nodes[@]:1}"; do
  srun --overlap --nodes=1 --ntasks=1 -w "$node" ray start --address="$head_ip:$port" "${resources[@]}" &
done
sleep 20

# A job that ends too early goes on where it stopped: submit the same line again.
srun --overlap --nodes=1 --ntasks=1 -w "$head" lookaway run --out "$run" --executor "ray:$head_ip:$port" "$@"

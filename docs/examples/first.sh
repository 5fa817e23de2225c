# A first script for a rented machine: it says what GPU it found, and leaves a result to copy.
nvidia-smi --query-gpu=name,utilization.gpu,memory.used --format=csv,noheader
{
  echo "computed on $(hostname)"
  seq 1 1000 | awk '{ sum += $1 } END { print "sum of 1 to 1000:", sum }'
} > result.txt
cat result.txt

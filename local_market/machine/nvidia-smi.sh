#!/bin/sh
# Simulated figures, in the words of NVIDIA's tool. They move with time.
name='$name' count=$count mib=$mib watts=$watts cuda=$cuda driver='570.00 (simulated)'

now=$$(date +%s)
figure() { # of GPU INDEX: utilization, memory, temperature, watts
  util=$$((60 + (now * 7 + $$1 * 13) % 38))
  used=$$((mib * (45 + (now / 5 + $$1 * 3) % 20) / 100))
  degrees=$$((48 + util / 5 + (now + $$1) % 3))
  drawn=$$((watts * util / 100))
}

value() { # of a field for GPU INDEX
  unit=
  case $$1 in
  name | gpu_name) said=$$name ;;
  index) said=$$2 ;;
  count) said=$$count ;;
  uuid | gpu_uuid) said=GPU-simulated-$$2 ;;
  driver_version) said=$$driver ;;
  memory.total) said=$$mib unit=' MiB' ;;
  memory.used) said=$$used unit=' MiB' ;;
  memory.free) said=$$((mib - used)) unit=' MiB' ;;
  utilization.gpu) said=$$util unit=' %' ;;
  utilization.memory) said=$$((util / 2)) unit=' %' ;;
  temperature.gpu) said=$$degrees ;;
  power.draw) said=$$drawn.00 unit=' W' ;;
  power.limit) said=$$watts.00 unit=' W' ;;
  pcie.link.gen.max | pcie.link.gen.current) said=4 ;;
  pcie.link.width.max | pcie.link.width.current) said=16 ;;
  *) said='[N/A]' ;;
  esac
}

query() { # FIELDS FORMAT
  case $$2 in *noheader*) ;; *) echo "$$1" | sed 's/,/, /g' ;; esac
  gpu=0
  while [ $$gpu -lt $$count ]; do
    figure $$gpu
    line=
    for field in $$(echo "$$1" | tr ',' ' '); do
      value "$$field" $$gpu
      case $$2 in *nounits*) unit= ;; esac
      line="$$line$${line:+, }$$said$$unit"
    done
    echo "$$line"
    gpu=$$((gpu + 1))
  done
}

fields= format= list=
for word; do
  case $$word in
  --query-gpu=*) fields=$${word#*=} ;;
  --format=*) format=$${word#*=} ;;
  -L | --list-gpus) list=yes ;;
  esac
done
if [ -n "$$fields" ]; then
  query "$$fields" "$$format"
elif [ -n "$$list" ]; then
  query index csv,noheader | while read -r gpu; do echo "GPU $$gpu: $$name (UUID: GPU-simulated-$$gpu)"; done
else
  echo "SIMULATED: this machine has no GPU"
  echo "NVIDIA-SMI 570.00    Driver Version: 570.00    CUDA Version: $$cuda"
  query index,name,utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw csv
fi

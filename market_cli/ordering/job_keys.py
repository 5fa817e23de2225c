"""The keys of a job file, each the option of `gpu-market rent` of that name."""

from __future__ import annotations

from typing import Final

KEYS: Final = (
    "duration, gpu, gpus, region, min_vram, min_score, verified, min_driver, min_tflops, min_disk_mbps, "
    "min_network_mbps, listing, kind, bid, pay, max_price, max_cost, max_charges, storage_gb, template, "
    "image, command, ports, env, env_file, ssh_key, jupyter_token, checkpoint, keep_workspace, notebook, name, "
    "until_exit, respawn, wait, script, fetch"
)

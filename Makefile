# Two commands matter: `make demo` and `make test`. Each makes what it needs in .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
WORKERS ?= 2

.PHONY: demo test test-worlds test-torch check bench clean

demo: $(VENV)/worlds.done
	$(BIN)/lookaway demo --out demo --workers $(WORKERS)

test: $(VENV)/dev.done
	$(BIN)/python -m pytest -m "not torch and not every_world" -n $(WORKERS) --dist loadgroup

test-worlds: $(VENV)/dev.done
	$(BIN)/python -m pytest -m every_world -n $(WORKERS)

test-torch: $(VENV)/torch.done
	$(BIN)/python -m pytest -m torch

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

clean:
	rm -rf $(VENV) demo

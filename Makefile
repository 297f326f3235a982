# `make help` lists the targets.

MODULES       := contracts pkg gateway services deploy
GOLANGCI_LINT := v2.15.0
GOTESTSUM     := v1.13.0
FUZZ_TIME     ?= 20s
# Which tests, and with which flags: make test PACKAGES=./services/marketplace TEST_FLAGS='-run BuyNow'
PACKAGES      ?= work
TEST_FLAGS    ?=
# Of make chaos; each trial of a seed is planned alike every time.
TRIALS        ?= 500
SEED          ?=
INTEGRATION   ?= marketplace
TIMINGS       ?= fast

# Programs are static ones, the same in containers and without: they need no C compiler, and each package is compiled once.
# The race detector of the tests is the exception. Where the sources lie makes no difference to them, here and in containers alike.
export CGO_ENABLED := 0
export GOFLAGS     := $(GOFLAGS) -trimpath

EACH   = set -e; for module in $(MODULES); do ( cd $$module && $(1) ); done

.DEFAULT_GOAL := help
.PHONY: help run images containers test chaos bench fuzz build generate fmt lint tidy verify prepare clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## start everything on this machine, place a first search, stay up until Ctrl-C
	@$(if $(CHROMIUM),,deploy/machine/prepare chromium)
	@$(if $(STACK_DATABASE_URL),,deploy/machine/prepare postgres || echo "The stack will look for another PostgreSQL.")
	@mkdir -p bin && go build -o bin/stack ./deploy/cmd/stack
	@exec bin/stack

images: ## build the images of all programs (deploy/Dockerfile); REFRESH=1: on Debian's packages of today
	@deploy/machine/prepare docker
	@REFRESH=$(REFRESH) deploy/images/programs >/dev/null
	@$(if $(REFRESH),REFRESH=$(REFRESH) deploy/images/postgres >/dev/null)

containers: ## start everything in containers (deploy/compose.yaml), with secrets of its own in deploy/.env
	@deploy/machine/prepare docker compose
	@deploy/compose-env
	@deploy/compose up --detach

test: bin/testenv bin/gotestsum-$(GOTESTSUM) ## run every test, on Docker containers if there is Docker, on local processes otherwise
	@deploy/machine/prepare chromium display compiler postgres faketime $(if $(REQUIRE_DOCKER),docker compose)
	@# Tests tell what of this fails.
	@deploy/images/ahead postgres-clock & CGO_ENABLED=1 go list -race -test -deps -export $(PACKAGES) >/dev/null 2>&1 || true; wait $$! || true
	@CGO_ENABLED=1 exec bin/testenv bin/gotestsum-$(GOTESTSUM) --format pkgname --hide-summary skipped --raw-command -- .ci/test $(PACKAGES) -- -race -vet=off -timeout 15m $(TEST_FLAGS)

chaos: bin/testenv ## kill, freeze and cut off real processes in TRIALS random trials; SEED replays a run, TIMINGS=production is slow
	@deploy/machine/prepare chromium postgres faketime $(if $(REQUIRE_DOCKER),docker)
	@exec bin/testenv -disk go test -count=1 -timeout 4h -v -artifacts -outputdir bin ./deploy/chaos -args -trials $(TRIALS) -integration $(INTEGRATION) -timings $(TIMINGS) $(if $(SEED),-seed $(SEED))

bench: bin/testenv ## print the ratios that the design promises
	@deploy/machine/prepare chromium postgres $(if $(REQUIRE_DOCKER),docker)
	@exec bin/testenv -disk go test -p 1 -run '^$$' -bench . -benchtime 5s -timeout 30m $(TEST_FLAGS) ./deploy/bench ./pkg/eventlog ./pkg/proof ./pkg/readmodel ./pkg/browser ./pkg/devtools ./pkg/flow

fuzz: ## fuzz every decoder for FUZZ_TIME each
	@.ci/fuzz $(FUZZ_TIME)

build: ## build each module by itself, as its users do
	@$(call EACH,GOWORK=off go build ./...)

generate: ## write the generated files
	go generate work

fmt: bin/golangci-lint-$(GOLANGCI_LINT) ## format every file
	@bin/golangci-lint-$(GOLANGCI_LINT) fmt $(MODULES)

lint: bin/golangci-lint-$(GOLANGCI_LINT) ## run the linters and check the format
	@bin/golangci-lint-$(GOLANGCI_LINT) run $(MODULES:%=./%/...)

tidy: ## tidy each module
	@$(call EACH,GOWORK=off go mod tidy)

verify: lint build ## check all that a commit must fulfil beside the tests
	@$(call EACH,GOWORK=off go mod tidy -diff)
	@.ci/generated

prepare: ## install what is missing on this machine for every target
	@deploy/machine/prepare chromium display postgres faketime compiler docker compose

clean: ## remove what was built here
	rm -rf bin

# Programs of the build, one file a version: a new version is a new file.
bin/golangci-lint-$(GOLANGCI_LINT):
	@$(call INSTALL,github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT))

bin/gotestsum-$(GOTESTSUM):
	@$(call INSTALL,gotest.tools/gotestsum@$(GOTESTSUM))

# Built at every run: the Go command knows best whether anything changed.
.PHONY: bin/testenv
bin/testenv:
	@mkdir -p bin && cd pkg && { $(call QUIET,GOWORK=off go build -o ../bin/testenv ./testenv/cmd/testenv); }

# A test run's first line says what it runs on: the Go command's remarks about downloads are shown only when it fails.
QUIET   = said=$$($(1) 2>&1) || { printf '%s\n' "$$said" >&2; exit 1; }
INSTALL = work=$$(mktemp -d) && trap 'rm -rf "$$work"' EXIT && \
	{ $(call QUIET,GOBIN=$$work go install $(1)); } && mkdir -p bin && mv "$$work"/* $@

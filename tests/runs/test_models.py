"""Which models a group may call: what is refused in a sentence before any run begins, and what is written down."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

from mlebench import api
from mlebench.competition.local import LocalCompetition
from mlebench.errors import MlebenchError
from mlebench.results.records import GroupRecord
from mlebench.runs.group import PlannedGroup, create_group
from mlebench.runs.models import ModelOptions, gateway_options, notes_on_nodes, planned_gateway
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.runs.trust import NamedConditions, resume_settings

WINE = "practice-wine"
KEY = "sk-planted-for-planning"
PRICES = """
date = "2026-11-01"

[models."scripted"]
input = 2.0
output = 8.0
cached_input = 0.5
"""


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def asked(*endpoints: str, model: tuple[str, ...] = (), **options: Any) -> ModelOptions:
    return ModelOptions(model_endpoint=endpoints, model=model, **options)


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.mark.parametrize(("options", "sentence"), [
    (asked("api.example.com"), "is not the address of a model endpoint. Write it as https://host/v1."),
    (asked("https://u:p@example.com/v1"), "has a password, a query or a fragment, which would be written down"),
    (asked("https://example.com/v1?key=sk"), "has a password, a query or a fragment, which would be written down"),
    (asked("https://example.com/v1,kee=X"), "kee=X is not a setting of a model endpoint"),
    (asked("https://example.com/v1,protocol=gemini"), "A model endpoint speaks openai or anthropic"),
    (asked("https://example.com/v1", model=("a", "b=a", "b=c")), "The model b is named twice"),
    (asked("https://example.com/v1", model=("=a",)), "'=a' is not a model"),
    (asked(model=("gpt-5",)), "There is no endpoint for the model gpt-5: neither OPENAI_API_KEY nor ANTHROPIC_API_KEY"),
    (asked(max_tokens=5), "--max-tokens is about calls of models, and none is granted"),
    (asked(record_prompts=True), "--record-prompts is about calls of models, and none is granted"),
    (asked("https://example.com/v1", max_usd=5.0), "--max-usd needs to know which models are called"),
    (asked("https://example.com/v1", model=("a",), max_usd=5.0), "the price of every model, and that of a is unknown"),
    (asked("https://example.com/v1", model=("x=a-search-b",)), "a-search-b searches the web by itself"),
    (asked("https://example.com/v1", max_requests=0), "--max-requests must be more than 0"),
])  # fmt: skip
def test_options_that_cannot_be_meant(options: ModelOptions, sentence: str) -> None:
    with pytest.raises(MlebenchError, match=sentence):
        gateway_options(options)


@pytest.mark.parametrize(("text", "reason"), [
    ("", "it has no date"),
    ('date = "yesterday"', "it has no date"),
    ("date = 2026-11-01", "it has no models"),
    ("date = 2026-11-01\n[models.a]\ninput = 1", "a has no price for output"),
    ("date = 2026-11-01\n[models.a]\ninput = -1\noutput = 2", "input of a is not a number of US dollars"),
    ("date = 2026-11-01\n[models.a]\ninput = nan\noutput = 2", "input of a is not a number of US dollars"),
    ("date = 2026-11-01\n[models.a]\ninput = 1\noutput = 2\nimage = 3", "a has image, which is no price"),
    ("date = ", "Invalid value"),
])  # fmt: skip
def test_prices_that_cannot_be_used(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text(text)
    with pytest.raises(MlebenchError, match=reason):
        gateway_options(asked("https://example.com/v1", model_prices=tmp_path / "prices.toml"))


def test_prices_with_a_date(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text(PRICES)
    found = gateway_options(asked("http://localhost:1", model=("x=scripted",), model_prices=tmp_path / "prices.toml"))
    assert found is not None
    assert found.prices_date == "2026-11-01"
    price = found.prices["scripted"]
    assert (price.input, price.output, price.cached_input, price.cache_write) == (2.0, 8.0, 0.5, 2.0)


def test_keys_are_looked_for_under_the_usual_names() -> None:
    environment = {"OPENAI_API_KEY": "a", "ANTHROPIC_API_KEY": "b", "OPENAI_BASE_URL": "https://mine.example.com/v1/"}
    found = gateway_options(asked(model=("x",)), environment)
    assert found is not None
    assert [(upstream.url, upstream.protocols, upstream.key_variable) for upstream in found.upstreams] == [
        ("https://mine.example.com", ("openai",), "OPENAI_API_KEY"),
        ("https://api.anthropic.com", ("anthropic",), "ANTHROPIC_API_KEY"),
    ]
    local = gateway_options(asked("http://localhost:8000/v1"), {})
    assert local is not None
    assert local.upstreams[0].key_variable is None, "a server on this machine needs no key"


def test_every_endpoint_is_asked_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        MlebenchError, match=r"needs a key, and OPENAI_API_KEY is not set\. Run: export OPENAI_API_KEY=…"
    ):
        planned_gateway(asked("https://example.invalid/v1"))
    with pytest.raises(MlebenchError, match="does not answer: Connection refused"):
        planned_gateway(asked(f"http://127.0.0.1:{unused_port()}/v1"))
    with ModelServer(models=["scripted", "other"], key=KEY) as server:
        monkeypatch.setenv("MY_KEY", "wrong")
        with pytest.raises(MlebenchError, match="refuses the key in MY_KEY"):
            planned_gateway(asked(f"{server.url},key=MY_KEY"))
        monkeypatch.setenv("MY_KEY", KEY)
        with pytest.raises(MlebenchError, match=r"has no model scriptd\. Did you mean scripted\?"):
            planned_gateway(asked(f"{server.url},key=MY_KEY", model=("x=scriptd",)))
        planned = planned_gateway(asked(f"{server.url}/v1,key=MY_KEY", model=("x=scripted",)))
        assert KEY not in json.dumps(planned)
    with ModelServer(lists_models=False) as server:
        assert planned_gateway(asked(server.url, model=("whatever",)))["gateway"]["models"][0]["upstream"] == 0


@pytest.fixture
def planned_group(
    prepared_practice: Callable[[str], LocalCompetition], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[ModelServer], PlannedGroup]:
    def plan(server: ModelServer) -> PlannedGroup:
        monkeypatch.setenv("MY_KEY", KEY)
        services = planned_gateway(asked(f"{server.url},key=MY_KEY", model=("scripted",), allow_provider_tools=True))
        data = prepared_practice(WINE).data_dir
        return create_group(tmp_path, [WINE], [0], RunSettings("sample", data, services=services))

    return plan


def test_a_group_is_resumed_with_the_key_of_the_environment(
    planned_group: Callable[[ModelServer], PlannedGroup], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer(key=KEY) as server:
        group = planned_group(server)
        assert KEY not in (group.folder / "metadata.json").read_text()
        monkeypatch.delenv("MY_KEY")
        with pytest.raises(MlebenchError, match=r"needs a key, and MY_KEY is not set\. Run: export MY_KEY=…"):
            api.resume(group.folder)
        assert group.run_records()[0].status == "planned"
        monkeypatch.setenv("MY_KEY", KEY)
        (record,) = api.resume(group.folder).runs
        assert record.record.status == "success"
        assert record.record.model_usage["requests"] == 0
    monkeypatch.delenv("MY_KEY")
    assert run_group(group, workers=1), "nothing is left to run, so nothing is asked for"


def test_the_endpoints_of_a_group_from_elsewhere_are_named_by_the_user(
    planned_group: Callable[[ModelServer], PlannedGroup],
) -> None:
    """Else its record could have any key of this user sent to any address."""
    with ModelServer(key=KEY) as server:
        group = planned_group(server)
        record = replace(GroupRecord.load(group.folder), run_group="from-elsewhere")
        asked_for = rf"--model-endpoint {server.url},key=MY_KEY,protocol=openai\+anthropic --allow-provider-tools"
        named = NamedConditions(data_dir=group.settings.data_dir, sandbox="process")
        with pytest.raises(MlebenchError, match=asked_for):
            resume_settings(group.folder, record, named)
        other_key = replace(named, model_endpoints=(f"{server.url},key=OTHER",), allow_provider_tools=True)
        with pytest.raises(MlebenchError, match="--model-endpoint"):
            resume_settings(group.folder, record, other_key)
        right = replace(named, model_endpoints=(f"{server.url}/v1,key=MY_KEY",), allow_provider_tools=True)
        settings = resume_settings(group.folder, record, right)
        assert settings.services["gateway"] == group.settings.services["gateway"]


def test_an_endpoint_on_this_machine_is_another_one_on_each_node() -> None:
    """A user of a cluster learns so before any run asks it."""
    found = gateway_options(asked("http://localhost:8000/v1,key=none", "https://models.example.com/v1,key=none"))
    assert found is not None
    assert notes_on_nodes({"validation": {}, "gateway": found.to_dict()}) == (
        "The model endpoint http://localhost:8000 is asked by each node, for which it is on that node.",
    )
    assert notes_on_nodes({"validation": {}}) == ()

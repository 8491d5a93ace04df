"""Familiarity, with a real small model on loopback: what it was trained on ranks above what it has never seen."""

from __future__ import annotations

import json
import math
import random
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from command import run_command
from graded import write_group
from ngram_model import NgramModel, NgramServer, tokens_of
from servers import Answer

from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.facts import leaderboard, sample_submission_score
from mlebench.integrity.familiarity.check import measure_documents, relate
from mlebench.integrity.familiarity.completions import Completions, Method, NoProbabilitiesError
from mlebench.integrity.familiarity.correlation import pearson, spearman
from mlebench.integrity.familiarity.documents import Document, read_documents
from mlebench.integrity.familiarity.measuring import Settings, windows
from mlebench.integrity.model_client import ModelClient, ModelError, Price

Serve = Callable[..., NgramServer]
IDS = (
    "spooky-author-identification",
    "leaf-classification",
    "spaceship-titanic",
    "nomad2018-predict-transparent-conductors",
    "new-york-city-taxi-fare-prediction",
    "detecting-insults-in-social-commentary",
    "jigsaw-toxic-comment-classification-challenge",
    "dogs-vs-cats-redux-kernels-edition",
    "aerial-cactus-identification",
    "plant-pathology-2020-fgvc7",
    "denoising-dirty-documents",
    "text-normalization-challenge-english-language",
)

PEARSON = (0.7777127181099105, 0.1616042888097296, 0.9575929919922731)
SPEARMAN = 0.7319250547113999


@cache
def description(competition_id: str) -> str:
    return Registry().get_competition(competition_id).declaration.description


def document(competition_id: str) -> Document:
    return Document(competition_id, "description.md", description(competition_id))


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:

        def start(known: list[str], **options: Any) -> NgramServer:
            model = NgramModel([description(name) for name in known])
            return stack.enter_context(NgramServer(model, **options))  # type: ignore[return-value]

        yield start


def completions(server: NgramServer, *, pauses: list[float] | None = None, **options: Any) -> Completions:
    sleep = (pauses if pauses is not None else []).append
    return Completions(ModelClient("ngram", f"{server.url}/v1", "", sleep=sleep, **options))


@pytest.mark.parametrize("echoes", [True, False], ids=["echo", "next-token"])
@pytest.mark.parametrize("seed", range(4))
def test_known_documents_rank_above_unseen_ones(serve: Serve, tmp_path: Path, seed: int, echoes: bool) -> None:
    known = random.Random(seed).sample(IDS, len(IDS) // 2)
    server = serve(known, echoes=echoes)
    asked, documents = completions(server), [document(name) for name in IDS]
    method, measured = measure_documents(documents, "ngram", Settings(places=100, seed=seed), tmp_path, asked, [])
    assert method is (Method.ECHO if echoes else Method.NEXT_TOKEN)
    values = {one.document.competition_id: one.probability or 0.0 for one in measured}
    assert min(values[name] for name in known) > max(values[name] for name in IDS if name not in known)
    assert all(one.places == 100 for one in measured)
    assert len(server.requests) < 150  # in batches


def test_the_number_is_the_mean_over_tokens_and_zero_outside_the_list(serve: Serve, tmp_path: Path) -> None:
    server = serve(list(IDS[:3]))
    text = description(IDS[4])
    tokens = tokens_of(text)
    expected = []
    for place in range(1, len(tokens)):
        before = tokens[max(0, place - 2) : place]
        top = server.model.top(before, 5)
        expected.append(server.model.probability(before, tokens[place]) if tokens[place] in top else 0.0)
    for context in (100_000, 700):  # in one piece, and in many
        settings = Settings(places=10**6, context=context)
        _, (one,) = measure_documents([document(IDS[4])], "ngram", settings, tmp_path, completions(server), [])
        assert one.places == len(expected)
        assert one.probability == pytest.approx(sum(expected) / len(expected), abs=1e-6)
    assert 0.0 in expected and max(expected) > 0.5
    server.echoes = False  # where tokens begin at the same places, the other method gives the same
    settings = Settings(places=10**6, context=50_000)
    method, (one,) = measure_documents([document(IDS[4])], "ngram", settings, tmp_path, completions(server), [])
    assert method is Method.NEXT_TOKEN
    assert one.probability == pytest.approx(sum(expected) / len(expected), abs=0.005)


def test_a_token_that_marks_the_beginning_is_no_part_of_the_text(serve: Serve, tmp_path: Path) -> None:
    server, found = serve(list(IDS[:3])), []
    for marks in (False, True):
        server.marks_beginning = marks
        settings = Settings(places=10**6, context=700)
        _, measured = measure_documents(
            [document(IDS[0])], "ngram", settings, tmp_path / str(marks), completions(server), []
        )
        found.append(measured[0])
    assert found[1].places == found[0].places + 1  # the first token has a probability, too
    assert found[1].probability == pytest.approx(found[0].probability or 0.0, abs=0.002)


def test_a_prompt_that_is_too_long_is_named_with_what_to_do(serve: Serve, tmp_path: Path) -> None:
    server, notes = serve(list(IDS[:3])), list[str]()
    server.longest = 2000
    measure_documents([document(IDS[0])], "ngram", Settings(), tmp_path, completions(server), notes)
    assert len(notes) == 1 and "it answers 400" in notes[0] and notes[0].endswith("give a smaller --context.")
    shorter = Settings(context=500)
    _, measured = measure_documents([document(IDS[0])], "ngram", shorter, tmp_path, completions(server), [])
    assert measured[0].probability is not None


def test_windows_count_every_character_once() -> None:
    text = description(IDS[0])
    for context in (100, 333, 2000, 10**6):
        parts = windows(text, context)
        assert "".join(text[first:end] for _, first, end in parts) == text
        assert all(first == 0 or first - begin >= context // 2 for begin, first, _ in parts)


def test_places_are_drawn_by_seed_and_answers_are_kept(serve: Serve, tmp_path: Path) -> None:
    server = serve(list(IDS[:3]), echoes=False)
    values = []
    for seed in (0, 0, 1):
        settings = Settings(places=50, seed=seed)
        _, (one,) = measure_documents([document(IDS[0])], "ngram", settings, tmp_path, completions(server), [])
        values.append((one.probability, len(server.requests)))
    assert values[0] == values[1]  # the second asks nothing, not even what the server can
    assert values[2][0] != values[0][0] and values[2][1] > values[1][1]


def test_an_interrupted_measurement_goes_on(serve: Serve, tmp_path: Path) -> None:
    server, settings = serve(list(IDS[:3]), echoes=False), Settings(places=100)
    whole = measure_documents([document(IDS[0])], "ngram", settings, tmp_path / "a", completions(server), [])
    count = len(server.requests)
    server.requests.clear()
    notes: list[str] = []
    client = completions(server, price=Price(1000.0, 0.0), most=9.0)
    _, (one,) = measure_documents([document(IDS[0])], "ngram", settings, tmp_path / "b", client, notes)
    assert one.probability is None and "The limit of 9 USD is reached" in notes[0]
    assert 2 < len(server.requests) < count
    with pytest.raises(MlebenchError, match="No document was measured"):
        relate([one], [], model="ngram", method=None, settings=settings, notes=notes)
    again = measure_documents([document(IDS[0])], "ngram", settings, tmp_path / "b", completions(server), [])
    assert again == whole
    assert len(server.requests) == count + 2  # what the server can is tried twice; no batch is sent again


def test_a_server_that_misbehaves(serve: Serve, tmp_path: Path) -> None:
    server, pauses = serve(list(IDS[:3]), takes_batches=False), list[float]()
    asked = completions(server, pauses=pauses)
    server.script.extend([Answer(status=429, headers={"Retry-After": "7"}), Answer(status=503), Answer(hang_up=True)])
    server.script.extend([Answer(cut=30), b'{"choices": [{"text": 5}]}'])
    documents = [document(name) for name in IDS[:2]]
    _, measured = measure_documents(documents, "ngram", Settings(context=500), tmp_path, asked, [])
    assert pauses[0] == 7.0 and len(pauses) == 5
    assert all(one.probability and one.probability > 0.4 for one in measured)
    assert asked.batch == 1  # it refuses more than one prompt at a time


NONSENSE = [
    (b"<html>not a model</html>", "not in the form of the protocol"),
    (b'{"choices": []}', "answers 0 of 1 prompts"),
    (b'{"choices": [{"text": "x", "logprobs": null}]}', "returns no probabilities of tokens"),
    (b'{"choices": [{"text": "x", "logprobs": {"tokens": ["x"], "token_logprobs": [2.5],'
     b' "top_logprobs": [{"x": 2.5}]}}]}', "not in the form of the protocol"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "words"), NONSENSE)
def test_nonsense_is_one_sentence(serve: Serve, body: bytes, words: str) -> None:
    server = serve(list(IDS[:1]))
    server.script.extend([body] * 20)
    with pytest.raises(ModelError, match=words):
        completions(server).method()


def test_one_document_that_fails_is_named_and_the_others_go_on(serve: Serve, tmp_path: Path) -> None:
    server, notes = serve(list(IDS[:3])), list[str]()
    documents = [document(name) for name in IDS[:3]]
    asked = completions(server)
    server.fails_about = description(IDS[0])[:50]
    _, measured = measure_documents(documents, "ngram", Settings(), tmp_path, asked, notes)
    assert [one.probability is None for one in measured] == [True, False, False]
    assert len(notes) == 1 and notes[0].startswith(f"{IDS[0]}/description.md: The model at")


def test_lists_in_the_form_of_chats(serve: Serve) -> None:
    server = serve(list(IDS[:1]), echoes=False)
    top = [{"token": "\u0120dog", "logprob": math.log(0.5)}, {"token": " do", "logprob": math.log(0.25)}]
    entry = {"token": "\u0120dog", "logprob": math.log(0.5), "top_logprobs": top}
    body = json.dumps({"choices": [{"text": " dog", "logprobs": {"content": [entry]}}]}).encode()
    server.script.extend([body, body])
    assert completions(server).next_tokens([("The", " dog barks")]) == [pytest.approx(0.5)]
    assert completions(server).next_tokens([("The", " door")]) == [pytest.approx(0.25)]
    with pytest.raises(NoProbabilitiesError):
        server.script.append(
            b'{"choices": [{"text": " dog", "logprobs": {"content": [{"token": "a", "logprob": -1}]}}]}'
        )
        completions(server).next_tokens([("The", " dog")])


def test_reading_documents(tmp_path: Path) -> None:
    words = "Some words about a competition, and what one should do in it. "
    own = tmp_path / "docs" / "leaf-classification"
    (own / "posts").mkdir(parents=True)
    (own / "a.txt").write_text(words, encoding="utf-8")
    (own / "posts" / "b.html").write_text(f"<p>{words}</p><script>alert(1)</script>", encoding="utf-8")
    (own / "c.md").write_bytes(b"\xff\xfe" + bytes(100))
    (own / "d.md").write_text("short", encoding="utf-8")
    (own / "e.png").write_bytes(b"x" * 100)
    (own / "f.txt").symlink_to("/etc/passwd")
    notes: list[str] = []
    found = read_documents(tmp_path / "docs", notes)
    assert [(one.name, one.text) for one in found] == [("a.txt", words.strip()), ("posts/b.html", words.strip())]
    assert [note.split(" is left out")[0] for note in notes] == [
        "leaf-classification/c.md",
        "leaf-classification/d.md",
    ]


def test_correlations_against_known_values() -> None:
    """Values and Fisher's interval as SciPy's pearsonr and spearmanr give them."""
    first, second = [0.1, 0.4, 0.2, 0.9, 0.5, 0.7, 0.3, 0.8], [0.2, 0.1, 0.3, 0.8, 0.3, 0.9, 0.3, 0.5]
    found = pearson(first, second)
    assert (found.coefficient, found.lower, found.upper) == pytest.approx(PEARSON, abs=1e-9)
    ranked = spearman(first, second)  # with ties
    assert ranked.coefficient == pytest.approx(SPEARMAN, abs=1e-9)
    assert ranked.lower is not None and ranked.upper is not None and ranked.lower < SPEARMAN < ranked.upper
    assert pearson([1.0, 2.0], [3.0, 3.0]).coefficient is None and spearman([1.0], [1.0]).coefficient is None
    assert pearson([1.0, 2.0, 3.0, 5.0], [2.0, 4.0, 6.0, 10.0]).lower == pytest.approx(1.0)


def reported(place: int) -> Callable[[str, int], dict[str, Any]]:
    """Scores by which an agent is at `place` tenths of gold for known competitions, less for others, over two seeds."""

    def of(competition_id: str, seed: int) -> dict[str, Any]:
        if competition_id.startswith("practice"):
            return {}
        better = Registry().get_competition(competition_id).declaration.better
        board, sample = leaderboard(competition_id, better), sample_submission_score(competition_id)
        assert board is not None and sample is not None
        share = (0.8 if IDS.index(competition_id) < 3 else 0.1) + (0.1 if seed else -0.1) + 0.01 * place
        if seed == 0 and competition_id == IDS[5]:
            return {"score": None, "valid_submission": False}
        gold = board.thresholds.gold
        return {"score": sample + share * (gold - sample), "gold_threshold": gold}

    return of


def test_the_command(serve: Serve, tmp_path: Path) -> None:
    server, ids = serve(list(IDS[:3])), list(IDS[:6])
    for name in ids:
        folder = tmp_path / "docs" / name
        folder.mkdir(parents=True)
        half = len(description(name)) // 2
        (folder / "post-1.txt").write_text(description(name)[:half], encoding="utf-8")
        (folder / "post-2.md").write_text(description(name)[half:], encoding="utf-8")
    (tmp_path / "docs" / "no-such-competition").mkdir()
    (tmp_path / "docs" / "no-such-competition" / "x.txt").write_text("words " * 20, encoding="utf-8")
    write_group(tmp_path / "g", [*ids, IDS[7], "practice-wine"], [0, 1], report_of=reported(0))
    arguments = ["familiarity", "--model", "ngram", "--documents", "docs", "--run-group", "g", "--output-dir", "out"]
    ran = run_command(*arguments, "--json", cwd=tmp_path, OPENAI_BASE_URL=f"{server.url}/v1", OPENAI_API_KEY="k")
    assert ran.code == 0, ran.err
    result = json.loads(ran.out)
    (agent,) = result["agents"]
    points = {one["competition_id"]: one for one in agent["competitions"]}
    assert set(points) == set(ids) and all(one["runs"] == 2 for one in points.values())
    for name in ids:  # whichever direction its metric has
        assert points[name]["performance"] == pytest.approx(0.8 if IDS.index(name) < 3 else 0.1), name
        own = next(one for one in result["competitions"] if one["competition_id"] == name)
        assert own["familiarity"] == pytest.approx(sum(one["familiarity"] for one in own["documents"]) / 2)
    assert agent["pearson"]["coefficient"] > 0.9 and agent["pearson"]["lower"] > 0.3
    assert agent["spearman"]["coefficient"] > 0.7
    assert agent["left_out"] == {IDS[7]: "no_documents", "practice-wine": "no_sample_score"}
    assert any("no-such-competition" in note for note in result["notes"])
    drawn = ET.fromstring((tmp_path / "out" / "familiarity.svg").read_text(encoding="utf-8"))
    dots = [one for one in drawn.iter("{http://www.w3.org/2000/svg}circle") if len(one)]
    assert len(dots) == 6
    table = (tmp_path / "out" / "familiarity.csv").read_text(encoding="utf-8").splitlines()
    assert len(table) == 8

    # Without the model: another plot from what is kept, and the same numbers.
    count = len(server.requests)
    (tmp_path / "out" / "familiarity.svg").unlink()
    ran = run_command(*arguments, "--no-model", cwd=tmp_path, OPENAI_API_KEY="", OPENAI_BASE_URL="")
    assert ran.code == 0, ran.err
    assert json.loads((tmp_path / "out" / "familiarity.json").read_text(encoding="utf-8")) == result
    assert (tmp_path / "out" / "familiarity.svg").exists() and len(server.requests) == count
    assert (
        "Pearson +" in ran.out and "practice-wine left out. What the sample submission scores is not known." in ran.err
    )


def test_what_a_user_can_get_wrong(serve: Serve, tmp_path: Path) -> None:
    server = serve(list(IDS[:1]))
    (tmp_path / "docs" / IDS[0]).mkdir(parents=True)
    empty = ["--documents", "docs", "--base-url", f"{server.url}/v1"]
    cases = [
        ([], 2, "Say what to measure"),
        (["--documents", "none", "--no-model"], 1, "There is no folder none."),
        (["--documents", "docs", "--no-model"], 1, "There is no document in docs."),
        (["--documents", "docs"], 1, "Familiarity needs a model, and OPENAI_API_KEY is not set."),
        ([*empty, "--price", "cheap"], 1, "cheap is no price."),
    ]
    for arguments, code, words in cases:
        ran = run_command(
            "familiarity", "--model", "m", *arguments, "--output-dir", "out", cwd=tmp_path,
            OPENAI_API_KEY="", OPENAI_BASE_URL="",
        )  # fmt: skip
        assert ran.code == code and words in ran.err, ran.err
    (tmp_path / "docs" / IDS[0] / "a.txt").write_text("words " * 20, encoding="utf-8")
    ran = run_command("familiarity", "--model", "m", *empty[:2], "--output-dir", "out", "--no-model", cwd=tmp_path)
    assert ran.code == 1 and "No document was measured." in ran.err
    address = f"{server.url}/elsewhere"
    ran = run_command(
        "familiarity", "--model", "m", *empty[:2], "--output-dir", "out", "--base-url", address, cwd=tmp_path
    )
    assert ran.code == 1 and "has no completions API with logprobs: it answers 404." in ran.err

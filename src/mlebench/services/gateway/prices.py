"""Prices of models, from a file of the user's with a date; a price that is not there is unknown, never 0."""

from __future__ import annotations

import datetime
import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlebench.errors import os_sentence
from mlebench.files.regular import read_regular
from mlebench.services.gateway.options import GatewayError, Price

_LARGEST = 4 << 20
_NAMES = ("input", "output", "cached_input", "cache_write")
_FORM = 'date = "2026-11-01" and, for each model, [models."NAME"] with input = … and output = … per million tokens'


@dataclass(frozen=True)
class PriceList:
    """Prices by the upstream's names of models, and the day on which they were true."""

    date: str
    prices: Mapping[str, Price]


def load_prices(path: Path) -> PriceList:
    """The prices in a file, TOML or JSON (by its suffix)."""
    try:
        text = read_regular(path, _LARGEST).decode("utf-8")
    except FileNotFoundError as error:
        raise GatewayError(f"There is no file {path} with prices.") from error
    except OSError as error:
        raise GatewayError(f"The prices in {path} cannot be read: {os_sentence(error)}") from error
    except UnicodeDecodeError as error:
        raise _malformed(path, "it is not text in UTF-8") from error
    try:
        values = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise _malformed(path, str(error)) from error
    if not isinstance(values, dict):
        raise _malformed(path, "it is not a table")
    return parse_prices(values, path)


def parse_prices(values: Mapping[str, Any], path: Path) -> PriceList:
    """The prices in a table; every mistake in it is named."""
    date = values.get("date")
    try:
        day = date if isinstance(date, datetime.date) else datetime.date.fromisoformat(str(date))
    except ValueError:
        raise _malformed(path, "it has no date, such as 2026-11-01, on which its prices are true") from None
    models = values.get("models")
    if not isinstance(models, dict) or not models:
        raise _malformed(path, "it has no models")
    return PriceList(day.isoformat()[:10], {name: _price(name, price, path) for name, price in models.items()})


def _price(name: str, values: Any, path: Path) -> Price:
    if not isinstance(values, dict):
        raise _malformed(path, f"the price of {name} is not a table")
    if unknown := [field for field in values if field not in _NAMES]:
        raise _malformed(path, f"{name} has {unknown[0]}, which is no price")
    for field, value in values.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or value < 0:
            raise _malformed(path, f"{field} of {name} is not a number of US dollars")
    if "input" not in values or "output" not in values:
        raise _malformed(path, f"{name} has no price for {'output' if 'input' in values else 'input'}")
    given = {field: float(value) for field, value in values.items()}
    return Price(**{"cached_input": given["input"], "cache_write": given["input"], **given})


def _malformed(path: Path, reason: str) -> GatewayError:
    return GatewayError(f"The prices in {path} cannot be used: {reason}.", hint=f"Write {_FORM}.")

"""Instances that the tests of the offline engine share."""

from __future__ import annotations

import pytest

from perturb.building.offline.engine import DonorTable
from perturb.catalogue.levers import Catalogue
from perturb.curation.base_sets import embedded_path, load_base_set
from perturb.records import BaseInstance


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return Catalogue.load()


@pytest.fixture(scope="session")
def demo() -> tuple[BaseInstance, ...]:
    return tuple(load_base_set(embedded_path("demo")).instances)


@pytest.fixture(scope="session")
def donors(demo: tuple[BaseInstance, ...]) -> DonorTable:
    return DonorTable.of(demo)

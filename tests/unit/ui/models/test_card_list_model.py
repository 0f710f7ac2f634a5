"""A list of cards whose rows are all at hand."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from ui.models.card_list_model import CardListModel, Role
from ui.models.cards import Card


@pytest.fixture
def model(qtbot: Any) -> CardListModel:
    model = CardListModel(Card)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    return model


def test_it_shows_its_rows_in_order(model: CardListModel) -> None:
    model.set_rows({"b": "Beans", "a": "Apples"})
    assert list(model.ids) == ["b", "a"]
    assert [model.index(row).data(Role.CARD).title for row in range(2)] == ["Beans", "Apples"]
    assert model.index(1).data(Role.ID) == "a"
    assert model.index(1).data(Qt.ItemDataRole.DisplayRole) == "Apples"
    assert (model.value("a"), model.row_of("a")) == ("Apples", 1)


def test_a_row_that_went_is_unknown(model: CardListModel) -> None:
    model.set_rows({"a": "Apples", "b": "Beans"})
    model.set_rows({"b": "Beans"})
    assert (model.value("a"), model.card_of("a"), model.row_of("a")) == (None, None, -1)
    assert model.row_of("b") == 0


def test_the_same_ids_are_no_other_list(model: CardListModel) -> None:
    model.set_rows({"a": "Apples"})
    resets: list[bool] = []
    changes: list[int] = []
    model.modelReset.connect(lambda: resets.append(True))
    model.dataChanged.connect(lambda first, last: changes.append(last.row() - first.row()))
    model.set_rows({"a": "Pears"})
    assert (resets, changes) == ([], [0])
    assert model.card_of("a") == Card("Pears")

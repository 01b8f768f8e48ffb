"""The register of labels: what counts once, and how many of each family and role there are. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lookaway.records import Column, Label, Table, TableCell, TableRow, content_key

COLUMNS = (
    Column(name="rows", title="Rows", unit="", better="none", digits=0),
    Column(name="labels", title="Labels", unit="", better="none", digits=0),
    Column(name="items", title="Items", unit="", better="none", digits=0),
    Column(name="raters", title="Raters", unit="", better="none", digits=0),
    Column(name="not_judgeable", title="Not judgeable", unit="", better="none", digits=0),
)


def named_in_order(label: Label) -> Label:
    """A label about (b, a) as one about (a, b): the same verdict under one name.

    >>> label = Label(rater="r", study="s", items=("b", "a"), axis="state", value=1.0, shown_order=(0, 1))
    >>> named_in_order(label).items, named_in_order(label).value
    (('a', 'b'), -1.0)
    """
    if len(label.items) < 2 or label.items[0] <= label.items[1]:
        return label
    value = None if label.value is None else 0.0 - label.value
    order = tuple(1 - place for place in label.shown_order)
    return label.model_copy(update={"items": label.items[::-1], "value": value, "shown_order": order})


def label_key(label: Label) -> str:
    """Names what was said when: the same label from two files is one."""
    return content_key("label", named_in_order(label))


def verdict_key(label: Label) -> str:
    """Names what was asked of whom: a rater has one verdict on an item, axis and round."""
    one = named_in_order(label)
    return content_key("verdict", one.rater, one.study, one.items, one.axis, one.round)


def deduplicated(labels: Iterable[Label]) -> list[Label]:
    """The newest label of each rater on each item, axis and round, whichever clip it names first."""
    newest: dict[str, Label] = {}
    for label in labels:
        key = verdict_key(label)
        if key not in newest or label.at >= newest[key].at:
            newest[key] = named_in_order(label)
    return list(newest.values())


def register_table(labels: Sequence[Label]) -> Table:
    """Families by role: rows as they came, labels that count, different items, raters; of one label at least."""
    counted = deduplicated(labels)
    rows = []
    for family, role in sorted({(label.family, label.role) for label in labels}):
        every = [label for label in labels if (label.family, label.role) == (family, role)]
        kept = [label for label in counted if (label.family, label.role) == (family, role)]
        numbers = [
            len(every),
            len(kept),
            len({label.items for label in kept}),
            len({label.rater for label in kept}),
            sum(not label.judgeable for label in kept),
        ]
        cells = tuple(TableCell(value=float(number), n=len(kept)) for number in numbers)
        rows.append(TableRow(title=role, group=family, cells=cells))
    return Table(
        name="label_register",
        title="Labels by family and role",
        columns=COLUMNS,
        rows=tuple(rows),
        reading="Rows are as they came; of what one person said twice about one item, axis and round the last counts.",
    )

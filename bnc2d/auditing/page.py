"""An audit as one page to read, print and hand over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bnc2d.auditing.findings import AuditCheck, Cell, FactTable, Shown, Verdict
from bnc2d.auditing.subject import literal
from bnc2d.base.finding import decision_words
from bnc2d.draw.html import page, text
from bnc2d.logic.domain import Domain

if TYPE_CHECKING:
    from bnc2d.auditing.result import Audit

_TITLES: dict[Verdict, str] = {
    "failed": "Failed",
    "open": "Open",
    "passed": "Passed",
    "noted": "Figures",
    "not asked": "Not asked",
}
_SAID: dict[Verdict, str] = {
    "failed": "These checks found a fault; each shows it.",
    "open": "A limit came first: these checks have neither passed nor failed.",
    "passed": "",
    "noted": "What is to know about the model, with nothing to pass or fail.",
    "not asked": "",
}
_BANNER = {"passed": "Passed", "failed": "Not passed", "open": "Not passed: open"}
_MOST_FEATURES = 60  # of a model, listed with their states


def page_html(audit: Audit) -> str:
    """Return the page; the same audit always gives the same text."""
    model = next((one.name for one in audit.sources if one.role == "model"), audit.subject["target"])
    sections = [_summary(audit), *_by_verdict(audit), _audited(audit), _limits(audit), _repeat(audit)]
    fields = {
        "verdict": audit.verdict,
        "banner": _BANNER[audit.verdict],
        "date": text(audit.date),
        "sections": "\n".join(filter(None, sections)),
    }
    return page("bnc2d.auditing", f"Audit of {model}", "img-src 'none'", fields)


def _summary(audit: Audit) -> str:
    return _section("summary", "Summary", _list(audit.summary))


def _by_verdict(audit: Audit) -> Iterable[str]:
    for verdict, title in _TITLES.items():
        checks = audit.with_verdict(verdict)
        if not checks:
            continue
        said = f'<p class="hint">{text(_SAID[verdict])}</p>' if _SAID[verdict] else ""
        if verdict in ("passed", "not asked"):
            body = _table(
                ("check", "question", "found", "how"),
                [(one.name, one.question, one.detail, one.method) for one in checks],
                kind="stack",
            )
            body += "".join(_table(one.columns, one.rows, one.caption) for it in checks for one in it.tables)
        else:
            body = "\n".join(_article(audit.domain, check) for check in checks)
        name = verdict.replace(" ", "-")
        yield _section(name, f"{title} ({len(checks)})", said + body)


def _article(domain: Domain, check: AuditCheck) -> str:
    parts = [
        f'<article class="{check.verdict}">',
        f'<h3><span class="mark">{check.verdict}</span> {text(check.question)}</h3>',
        f"<p>{text(check.detail[:1].upper() + check.detail[1:])}</p>",
        f'<p class="hint">{text(check.name)} · {text(check.method)}</p>',
    ]
    if check.instances:
        parts.append(_witness(domain, check.instances))
    parts += [_of_facts(table) for table in check.tables]
    return "\n".join([*parts, "</article>"])


def _witness(domain: Domain, shown: Sequence[Shown]) -> str:
    """Return one or two instances side by side, what differs first and marked."""
    known = [name for name in domain.names if all(name in one.instance for one in shown)]
    changed = [name for name in known if len({one.instance[name] for one in shown}) > 1]
    head = "".join(f'<th scope="col">{text(one.caption)}</th>' for one in shown)
    lines = [f"<thead><tr><td></td>{head}</tr></thead>", "<tbody>"]
    for who in shown[0].decisions:
        said = [f"<b>{text(decision_words(one.decisions.get(who)))}</b>" for one in shown]
        lines.append(_witness_row("decided", f"{text(who)} decides", said))
    if any(one.note for one in shown):
        lines.append(_witness_row("", "by the network", [text(one.note) for one in shown]))
    for name in [*changed, *(name for name in known if name not in changed)]:
        mark, kind = (' <span class="mark">changed</span>', "changed") if name in changed else ("", "")
        cells = [text(literal(domain, name, one.instance)) for one in shown]
        lines.append(_witness_row(kind, text(name) + mark, cells))
    caption = "Witness" if len(shown) == 1 else "Witness: two instances side by side"
    return _scroll(f"<caption>{caption}</caption>{''.join(lines)}</tbody>", "witness")


def _witness_row(kind: str, label: str, cells: Iterable[str]) -> str:
    of_kind = f' class="{kind}"' if kind else ""
    return f'<tr{of_kind}><th scope="row">{label}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def _of_facts(table: FactTable) -> str:
    return _table(table.columns, table.rows, table.caption)


def _table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], caption: str = "", kind: str = "") -> str:
    listed = list(rows)
    head = "".join(
        f'<th scope="col"{_number(row[at] for row in listed)}>{text(name)}</th>'
        for at, name in enumerate(columns)
    )
    lines = [
        f"<caption>{text(caption)}</caption>" if caption else "",
        f"<thead><tr>{head}</tr></thead><tbody>",
    ]
    for row in listed:
        cells = "".join(f"<td{_number([cell])}>{_cell(cell)}</td>" for cell in row)
        lines.append(f"<tr>{cells}</tr>")
    return _scroll("\n".join([*lines, "</tbody>"]), kind)


def _number(cells: Iterable[Cell]) -> str:
    """Return the mark of what is set flush right: numbers and shares."""
    is_number = any(isinstance(cell, int | float) or str(cell).endswith(" %") for cell in cells)
    return ' class="number"' if is_number else ""


def _cell(cell: Cell) -> str:
    return "" if cell is None else f"{cell:,}" if isinstance(cell, int) else text(cell)


def _scroll(table: str, kind: str = "") -> str:
    of_kind = f' class="{kind}"' if kind else ""
    return f'<div class="scroll" tabindex="0"><table{of_kind}>{table}</table></div>'


def _section(name: str, title: str, body: str) -> str:
    return f'<section id="{name}">\n<h2>{text(title)}</h2>\n{body}\n</section>'


def _list(sentences: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{text(sentence)}</li>" for sentence in sentences) + "</ul>"


def _audited(audit: Audit) -> str:
    """Return the model in a few facts, its features, and the files by digest."""
    model = audit.subject
    features: Mapping[str, Sequence[str]] = model["features"]
    rule = "the most probable class wins"
    if model["threshold"] is not None:
        rule = f"class {model['positive']} where its probability exceeds {model['threshold']}"
    facts: list[tuple[str, Any]] = [
        ("target", f"{model['target']}, with the classes {', '.join(model['classes'])}"),
        ("decision", f"{rule}; ties: {model['ties']}"),
        ("instances", f"{model['instances']:,}"),
        ("diagram", f"{model['diagram_nodes']:,} nodes, compiled by the method {model['method']}"),
    ]
    if model["constraint"] is not None:
        facts.insert(3, ("constraint", f"{model['constraint']} ({model['allowed_instances']:,} allowed)"))
    columns = ("feature", "states", "read from") if model["scales"] else ("feature", "states")
    listed = [
        (name, ", ".join(states), _scale(model["scales"].get(name)))[: len(columns)]
        for name, states in list(features.items())[:_MOST_FEATURES]
    ]
    more = f"; the first {_MOST_FEATURES}" if len(features) > _MOST_FEATURES else ""
    digests: list[tuple[Cell, ...]] = [(one.role, one.name, one.size, one.sha256) for one in audit.sources]
    digests.append(("network in the model", model["network"] or "(no name)", None, model["network_sha256"]))
    if model["brought_network_sha256"] is not None:
        digests.append(("network brought, as it reads", "", None, model["brought_network_sha256"]))
    caption = (
        "SHA-256: files as their bytes are; networks as what they say, in whatever order, so that equal "
        "networks have equal digests"
    )
    body = _table(("", "the model"), facts)
    body += _table(("what", "name", "bytes", "SHA-256"), digests, caption)
    body += _table(columns, listed, f"{len(features)} features{more}")
    return _section("audited", "What was audited", body)


def _scale(scale: Mapping[str, Any] | None) -> str:
    """Return what values of a column are read as its states, in full: names round them."""
    if scale is None:
        return "names"
    if "cuts" in scale:
        cuts = [f"{value!r}{' (itself below)' if below else ''}" for value, below in scale["cuts"]]
        return f"numbers, cut at {', '.join(cuts) or 'no number'} {scale.get('unit', '')}".rstrip()
    return "values " + "; ".join(" or ".join(map(repr, group)) for group in scale["values"])


def _limits(audit: Audit) -> str:
    return _section("limits", "Limits: what this does not show", _list(audit.limits))


def _repeat(audit: Audit) -> str:
    """Return what it takes to run the audit again."""
    asked = audit.settings
    monotone = ", ".join(f"{name} {way}" for name, way in (asked["monotone"] or {}).items())
    rows: list[tuple[str, Cell]] = [
        ("command", audit.command or "bnc2d.audit(...) in Python"),
        ("protected", ", ".join(asked["protected"]) or "(none)"),
        ("monotone", monotone or "(none)"),
        ("towards", asked["towards"] or "(none)"),
        ("time limit", "none" if asked["time_limit"] is None else f"{asked['time_limit']:g} s in all"),
        ("sample", f"{asked['samples']} instances, seed {asked['seed']}, where not all can be asked"),
        *audit.versions.items(),
    ]
    return _section("repeat", "How to repeat it", _table(("", ""), rows))

"""Every script in ``examples/`` runs and says something; the README's transcript is what the demo prints."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# What an example must say, for those that answer a question.
ANSWERS = {
    "why": "mean radius=high ∧ mean texture=high ∧ worst area=high",
    "from_data": "Row 17 is barolo, because alcohol ≥ 13.5 ∧ flavanoids ≥",
    "why_not": "with UpperRight on, LowerLeft on it reads 8",
    "what_must_i_change": "triglycerides: high → low, sugar: high → low gives good",
    "is_it_biased": "S: F → M alone changes the decision from uni to high",
    "same_classifier": "no → yes: 10",
    "what_i_know": "On the ward enough is HR=Normal or BP=High ∧ CT",
    "picture": "loan would be approved if ",
    "rules_to_obey": "line 4, proved: if HR=High then class does not depend on CT",
    "sixty_features": "Each of them is proved to be needed.",
}


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_example_runs(script: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert ANSWERS.get(script.stem, "") in done.stdout
    assert list(tmp_path.iterdir()) == []  # an example leaves nothing behind


def test_every_question_has_its_example() -> None:
    assert ANSWERS.keys() <= {path.stem for path in (ROOT / "examples").glob("*.py")}


def test_readme_shows_what_the_demo_prints(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bnc2d", "demo"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    start = done.stdout.index("The patient:")
    stop = done.stdout.index("Of all 18")
    assert done.stdout[start:stop].strip() in readme


def test_the_pictures_of_the_documentation_are_those_of_the_example(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "examples" / "picture.py"), str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    drawn = sorted(tmp_path.iterdir())
    assert len(drawn) == 4
    for path in drawn:
        assert path.read_bytes() == (ROOT / "docs" / "_static" / path.name).read_bytes(), path.name

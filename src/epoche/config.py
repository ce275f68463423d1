"""Settings: one frozen, strict object with a digest. The only reader of the environment.

What changes an outcome is in the digest; what only changes speed is not, nor are the names of
models, whose own hashes and versions stand in a certificate.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from epoche import strict_json
from epoche.errors import OptionError, PolicyError
from epoche.policy import Policy, PolicyFile
from epoche.types import Kind, Value

#: Variables that set a field when the caller does not.
ENVIRONMENT = {
    "EPOCHE_NLI": "nli",
    "EPOCHE_DECOMPOSER": "decomposer",
    "EPOCHE_THREADS": "threads",
    "OPENAI_BASE_URL": "base_url",
    "EPOCHE_BASE_URL": "base_url",
}
_NOT_IN_DIGEST = frozenset(
    {"threads", "batch_size", "nli", "decomposer", "base_url", "reply_seconds", "parallel", "cache"}
)
#: OpenAI's own server.
OPENAI = "https://api.openai.com/v1"


class Config(Value):
    """How statements are read. Policies hold the thresholds; nothing here decides."""

    nli: str = Field(default="mini", min_length=1)
    decomposer: str = Field(default="rules", min_length=1)
    #: Most sentences read per statement; the others are listed as unread.
    max_sentences: Annotated[int, Field(ge=1)] = 1000
    #: Most tokens of a premise, if the model reads as many.
    premise_tokens: Annotated[int, Field(ge=16)] = 256
    #: Languages (ISO 639-1) that the NLI model reads; empty: not checked.
    languages: tuple[str, ...] = ("en",)
    threads: Annotated[int, Field(ge=1, le=256)] = 1
    batch_size: Annotated[int, Field(ge=1, le=4096)] = 32
    #: Where `openai:` models are asked.
    base_url: Annotated[str, Field(pattern=r"^https?://[^\s/]")] = OPENAI
    #: Most seconds for one reply of a language model, all tries together.
    reply_seconds: Annotated[float, Field(gt=0, le=86400)] = 60.0
    #: Prompts given to a server at once.
    parallel: Annotated[int, Field(ge=1, le=64)] = 4
    #: Whether replies of language models are kept and used again.
    cache: bool = True

    @property
    def digest(self) -> str:
        """sha256 over the fields that can change an outcome, in canonical JSON."""
        fields = self.model_dump(mode="json", exclude=set(_NOT_IN_DIGEST))
        return hashlib.sha256(json.dumps(fields, sort_keys=True).encode("utf-8")).hexdigest()


def load_config(environ: Mapping[str, str] | None = None, **given: object) -> Config:
    """Config from what is given, then from the environment, then from the defaults.

    Raises:
        OptionError: a value out of its range, or an unknown setting; the message names it.
    """
    environ = os.environ if environ is None else environ
    values: dict[str, object] = {f: environ[name] for name, f in ENVIRONMENT.items() if environ.get(name)}
    if "threads" in values:
        try:
            values["threads"] = int(str(values["threads"]))
        except ValueError:
            raise OptionError(f"EPOCHE_THREADS is {values['threads']!r}: give a whole number from 1") from None
    values |= {name: value for name, value in given.items() if value is not None}
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        raise OptionError(f"setting {first_problem(error)}") from None


#: Policies that come with epoche, by name.
POLICIES = {"paper": Policy(name="paper")}
#: Fitted for the embedded model on items that it was not trained on; one file per kind.
CALIBRATED = "calibrated"
CALIBRATED_FILES = {kind: Path(__file__).parent / "weights" / "mini" / f"policy-{kind.value}.json" for kind in Kind}
#: What is used if nothing is said: of each kind the policy that has earned it (docs/policies.md).
DEFAULT = "default"
DEFAULTS = {Kind.CLAIM: CALIBRATED, Kind.QUESTION: "paper"}


def load_policy(name: str = "paper", kind: Kind = Kind.CLAIM) -> Policy:
    """The policy of that name, or the one in that JSON file.

    Args:
        kind: which of two policies of one name.

    Raises:
        PolicyError: no such policy, a file that is not one, or a number out of its range.
    """
    return POLICIES.get(name) or named_policy(name, kind).policy


def named_policy(name: str, kind: Kind = Kind.CLAIM) -> PolicyFile:
    """As `load_policy`, with what the policy was calibrated on.

    Raises:
        PolicyError: as `load_policy`.
    """
    if name == DEFAULT:
        name = DEFAULTS[kind]
    if name == CALIBRATED:
        text = CALIBRATED_FILES[kind].read_text(encoding="utf-8")
        return PolicyFile.model_validate_json(text)
    known = POLICIES.get(name)
    return PolicyFile.model_validate(known.model_dump()) if known else load_policy_file(Path(name))


def with_tau(policy: Policy, tau: float) -> Policy:
    """The policy with a threshold of one's own, which voids the promise its own was chosen for.

    Raises:
        OptionError: `tau` is not in [0, 1].
    """
    if not 0.0 <= tau <= 1.0:
        raise OptionError(f"τ is {tau}: give a number from 0 (answer everything) to 1")
    return policy.model_copy(update={"tau": float(tau), "label_tau": {}, "promises": ()})


def load_policy_file(path: Path) -> PolicyFile:
    """A policy file, with what it was calibrated on.

    Raises:
        PolicyError: as `load_policy`.
    """
    known = ", ".join((DEFAULT, CALIBRATED, *POLICIES))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise PolicyError(f"no policy {str(path)!r}: give one of {known}, or a policy file") from None
    except (OSError, ValueError) as error:
        raise PolicyError(f"policy file {path} cannot be read: {error}") from None
    try:
        strict_json.loads(text)
        policy = PolicyFile.model_validate_json(text)
    except ValueError as error:
        problem = first_problem(error) if isinstance(error, ValidationError) else str(error)
        raise PolicyError(
            f"policy file {path}: {problem}; docs/policies.md lists the fields and their values"
        ) from None
    if not may_be_named(policy.name):
        raise PolicyError(
            f"policy file {path}: name {policy.name!r}: give it a printable name, and none of a shipped policy "
            f"({known})"
        )
    return policy


def may_be_named(name: str) -> bool:
    """Whether a policy of one's own may have this name."""
    return name not in (DEFAULT, *POLICIES) and bool(name.strip()) and name.isprintable()


def first_problem(error: ValidationError) -> str:
    """The first thing wrong, as `field: what was expected (what was given)`."""
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"]) or "the whole"
    given = repr(first.get("input"))
    return f"{name}: {first['msg']} (given: {given if len(given) < 80 else given[:77] + '...'})"


def data_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Where the benchmark data lie: EPOCHE_DATA, or `../shared/data`."""
    environ = os.environ if environ is None else environ
    return Path(environ.get("EPOCHE_DATA") or "../shared/data")


def cache_file(environ: Mapping[str, str] | None = None) -> Path:
    """Where replies are kept: `cache.sqlite` in EPOCHE_CACHE, else in the user's cache folder."""
    environ = os.environ if environ is None else environ
    given = environ.get("EPOCHE_CACHE")
    base = Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "epoche"
    return (Path(given) if given else base) / "cache.sqlite"


@dataclass(frozen=True)
class Literature:
    """How literature services are asked. Nothing of it is kept in a certificate."""

    #: Services want to know whom to write to before they shut somebody out.
    email: str
    #: By service; they allow more requests a second.
    keys: Mapping[str, str] = field(repr=False)
    #: By service: a proxy or a mirror in place of the service itself.
    hosts: Mapping[str, str]
    #: Where answers are kept for a week.
    cache: Path


def literature(environ: Mapping[str, str] | None = None) -> Literature:
    """EPOCHE_EMAIL; NCBI_API_KEY and OPENALEX_API_KEY; EPOCHE_PUBMED_URL, EPOCHE_EUROPEPMC_URL, ….

    Raises:
        OptionError: an address, a key or a URL that is none.
    """
    environ = os.environ if environ is None else environ
    email = environ.get("EPOCHE_EMAIL", "").strip()
    if email and not re.fullmatch(r"[!-?A-~]+@[!-?A-~]+", email):
        raise OptionError("EPOCHE_EMAIL is no address of e-mail: give one like name@example.org")
    keys = {"pubmed": "NCBI_API_KEY", "openalex": "OPENALEX_API_KEY"}
    hosts = {}
    for service in ("pubmed", "europepmc", "crossref", "openalex"):
        name = f"EPOCHE_{service.upper()}_URL"
        if url := environ.get(name, "").strip():
            if not re.match(r"https?://[^\s/]", url):
                raise OptionError(f"{name} is {url!r}: give the URL of a server, with http:// or https://")
            hosts[service] = url
    return Literature(
        email=email,
        keys={service: key for service, name in keys.items() if (key := _sound(environ.get(name, ""), name))},
        hosts=hosts,
        cache=cache_file(environ).with_name("literature.sqlite"),
    )


def api_key(base_url: str, environ: Mapping[str, str] | None = None, name: str | None = None) -> str:
    """The key for a server, from the environment or a file; empty if there is none.

    EPOCHE_API_KEY, or the file that EPOCHE_API_KEY_FILE names, goes to any server. OPENAI_API_KEY goes to OpenAI,
    or to where OPENAI_BASE_URL points: a key is not for whoever is asked.

    Args:
        name: another variable to read it from, and no other.

    Raises:
        OptionError: a file that cannot be read, or a key that no header can carry.
    """
    environ = os.environ if environ is None else environ
    if name is not None:
        return _sound(environ.get(name, ""), name)
    if environ.get("EPOCHE_API_KEY"):
        return _sound(environ["EPOCHE_API_KEY"], "EPOCHE_API_KEY")
    if environ.get("EPOCHE_API_KEY_FILE"):
        try:
            text = Path(environ["EPOCHE_API_KEY_FILE"]).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise OptionError(f"EPOCHE_API_KEY_FILE cannot be read: {type(error).__name__}") from None
        return _sound(text, "EPOCHE_API_KEY_FILE")
    theirs = {OPENAI, environ.get("OPENAI_BASE_URL", OPENAI)}
    if base_url.rstrip("/") in {url.rstrip("/") for url in theirs}:
        return _sound(environ.get("OPENAI_API_KEY", ""), "OPENAI_API_KEY")
    return ""


def _sound(key: str, name: str) -> str:
    key = key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise OptionError(f"{name} holds characters that no key has: give the key alone")
    return key

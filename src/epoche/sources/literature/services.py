"""The literature services: where they are, how often they may be asked, and how one introduces oneself."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Service:
    """A service's public face.

    Attributes:
        interval, interval_with_key: least seconds between two requests.
        mail, key: names of the parameters that carry the email and the key; empty: it takes none.
        tool: whether it wants the tool's name as a parameter.
    """

    name: str
    url: str
    interval: float
    interval_with_key: float
    mail: str = ""
    key: str = ""
    tool: bool = False


SERVICES: Mapping[str, Service] = MappingProxyType(
    {
        "pubmed": Service(
            "PubMed", "https://eutils.ncbi.nlm.nih.gov/entrez/eutils", 1 / 3, 0.1, "email", "api_key", True
        ),
        "europepmc": Service("Europe PMC", "https://www.ebi.ac.uk/europepmc/webservices/rest", 0.2, 0.2),
        "crossref": Service("Crossref", "https://api.crossref.org", 0.2, 0.2, "mailto"),
        "openalex": Service("OpenAlex", "https://api.openalex.org", 0.2, 0.2, "mailto", "api_key"),
    }
)
_PRIVATE = re.compile(r"\b(api_key|email|mailto)=[^&\s\"']*")


class _Discreet(logging.Filter):
    """httpx logs every URL it asks for, and httpcore where it is sent on to; ours carry a key and an email."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(_PRIVATE.sub(r"\1=…", str(arg)) if "=" in str(arg) else arg for arg in record.args)
        record.msg = _PRIVATE.sub(r"\1=…", record.msg) if isinstance(record.msg, str) else record.msg
        return True


_DISCREET = _Discreet()


def keep_secrets() -> None:
    """From now on URLs are logged without keys and emails."""
    # The same filter is added once, however often it is asked for.
    for name in ("httpx", "httpcore.http11", "httpcore.http2", "httpcore.proxy"):
        logging.getLogger(name).addFilter(_DISCREET)

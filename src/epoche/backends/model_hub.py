"""Files of a model on the Hugging Face hub: download, cache, and its errors in our words.

The only file that names `huggingface_hub`, which is imported when the first file is asked for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from epoche.errors import EpocheError, ModelError, UnknownBackend

#: Files that change no score, so that a cache without them is complete.
_NEVER_NEEDED = frozenset({"README.md"})


class _NotKnown:
    """The cache says nothing about a file."""


class HubFolder:
    """A repository of the hub, read file by file, all of one commit."""

    def __init__(
        self, repo: str, *, revision: str | None, offline: bool, endpoint: str | None, cache_dir: Path | None
    ) -> None:
        self._repo = repo
        self._revision = revision
        self._commit: str | None = None
        self._offline = offline
        self._endpoint = endpoint
        self._cache_dir = cache_dir

    def get(self, path: str) -> Path | None:
        """The file in the cache of this machine, downloaded if need be; None if the repository lacks it.

        Raises:
            UnknownBackend: no such repository or revision.
            ModelError: gated, no network, a broken download.
        """
        hub = _library()
        cached = self._cached(path)
        if not isinstance(cached, _NotKnown):
            return cached
        try:
            found = hub.hf_hub_download(
                self._repo,
                path,
                revision=self._commit or self._revision,
                local_files_only=self._offline,
                endpoint=self._endpoint,
                cache_dir=self._cache_dir,
            )
        except Exception as error:  # the seam: every fault of the library becomes one of ours
            self._absent_or_raise(error, path)
            return None
        local = Path(found)
        if self._commit is None:
            # …/snapshots/COMMIT/PATH: the other files are taken from the same commit.
            self._commit = local.parents[len(Path(path).parts) - 1].name
        return local

    def names(self) -> list[str] | None:
        """All files of the repository; None if the hub cannot be asked. Only used in error messages."""
        if self._is_offline():
            return None
        api = _library().HfApi(endpoint=self._endpoint)
        try:
            return sorted(api.list_repo_files(self._repo, revision=self._commit or self._revision))
        except Exception:  # the error that is being explained matters more
            return None

    def _cached(self, path: str) -> Path | _NotKnown | None:
        """What the cache knows of a file of the commit: where it is, that it does not exist, or nothing."""
        if self._commit is None:
            return _NotKnown()
        hub = _library()
        found = hub.try_to_load_from_cache(self._repo, path, revision=self._commit, cache_dir=self._cache_dir)
        if found is None:
            return _NotKnown()
        return Path(found) if isinstance(found, str) else None

    def _absent_or_raise(self, error: Exception, path: str) -> None:
        """None if the repository has no such file; everything else is raised in our words."""
        errors = _library().errors
        missing_here = isinstance(error, errors.LocalEntryNotFoundError)
        if isinstance(error, errors.EntryNotFoundError) and not missing_here:
            return
        if missing_here and path in _NEVER_NEEDED:
            return
        raise self._translated(error, path) from error

    def _is_offline(self) -> bool:
        return self._offline or bool(_library().constants.HF_HUB_OFFLINE)

    def _translated(self, error: Exception, path: str) -> EpocheError:
        errors = _library().errors
        # The library reports a refusal or a fault of the hub as "not in the cache", with the answer as cause.
        answers = [getattr(e, "response", None) for e in (error, error.__cause__)]
        status = next((answer.status_code for answer in answers if answer is not None), None)
        if isinstance(error, errors.GatedRepoError):
            return ModelError(
                f"{self._repo} is gated: accept its terms on its page of the hub, then log in (HF_TOKEN)"
            )
        if isinstance(error, errors.RepositoryNotFoundError | errors.HFValidationError):
            return UnknownBackend(
                f"the hub has no model {self._repo!r} that you may read: check the spelling; "
                "if it is private, log in (HF_TOKEN)"
            )
        if isinstance(error, errors.RevisionNotFoundError):
            return UnknownBackend(f"{self._repo} has no revision {self._revision!r}: give a branch, tag or commit")
        if status in (401, 403):
            return ModelError(f"{self._repo}: the hub refuses access ({status}): check that HF_TOKEN is valid")
        if isinstance(error, errors.LocalEntryNotFoundError | errors.OfflineModeIsEnabled) and not status:
            if self._is_offline():
                return ModelError(
                    f"{self._repo}: {path} is not in the cache of this machine, and downloads are "
                    "switched off: allow them once (offline=False, no HF_HUB_OFFLINE), or use the model mini"
                )
            return ModelError(
                f"{self._repo}: the hub cannot be reached and {path} is not in the cache of this machine: "
                "check network and proxy, or use the embedded model mini"
            )
        what = f"the hub answers {status}" if status else f"the download broke off ({type(error).__name__})"
        return ModelError(f"{self._repo}: {path}: {what}: try again")


def _library() -> Any:
    try:
        import huggingface_hub
        import huggingface_hub.constants
        import huggingface_hub.errors
    except ImportError as error:
        raise ModelError(
            'a model of the hub needs the package huggingface_hub: pip install "huggingface_hub"'
        ) from error
    return huggingface_hub

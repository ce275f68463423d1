"""Finding models: registered names, folders, and a hub that runs on this machine."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from epoche.backends import model_files
from epoche.backends.model_files import describe, find_model, front_matter, installed_models, max_tokens
from epoche.backends.onnx_refs import external_files
from epoche.errors import ModelError, OptionError, UnknownBackend
from tests.backends.hub_server import COMMIT, Hub
from tests.backends.tiny_models import Bag, bag_model

REPO = "kos-lab/nli-tiny"
ROLES, ENDS = ("config", "model", "tokenizer"), ("json", "onnx", "json")


@pytest.fixture
def folder(bag: Path, tmp_path: Path) -> Path:
    """A copy of the bag model that a test may spoil."""
    return Path(shutil.copytree(bag, tmp_path / "own"))


@pytest.fixture
def remote(bag: Path, tmp_path: Path, hub: Hub) -> Path:
    """The folder behind a repository of the local hub, laid out as such repositories are."""
    place = tmp_path / "remote"
    shutil.copytree(bag, place)
    (place / "onnx").mkdir()
    (place / "model.onnx").rename(place / "onnx" / "model.onnx")
    (place / "README.md").write_text("---\nlicense: mit\ntags:\n- nli\n---\n# Card\n", encoding="utf-8")
    hub.repos[REPO] = place
    return place


# Folders


def test_a_folder_is_found_in_both_layouts(folder: Path) -> None:
    flat = find_model(str(folder))
    assert flat.model == folder / "model.onnx"
    before = flat.sha256()
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    nested = find_model(str(folder))
    assert nested.model == folder / "onnx" / "model.onnx"
    assert nested.sha256() == before
    assert flat.name == nested.name == "own"


@pytest.mark.parametrize("mark", ["#", ":"])
def test_one_of_several_onnx_files_is_chosen(folder: Path, mark: str) -> None:
    (folder / "onnx").mkdir()
    shutil.copy(folder / "model.onnx", folder / "onnx" / "model_small.onnx")
    files = find_model(f"{folder}{mark}onnx/model_small.onnx")
    assert files.model == folder / "onnx" / "model_small.onnx"
    assert files.name == "own#onnx/model_small.onnx"


def test_hash_is_over_roles_and_bytes(folder: Path) -> None:
    def digest(name: str) -> str:
        return hashlib.sha256((folder / name).read_bytes()).hexdigest()

    # The definition, written out: sorted lines "role sha256".
    lines = "".join(f"{role} {digest(role + '.' + end)}\n" for role, end in zip(ROLES, ENDS, strict=True))
    assert find_model(str(folder)).sha256() == hashlib.sha256(lines.encode()).hexdigest()
    assert find_model(str(folder)).size_bytes() == sum(
        (folder / name).stat().st_size for name in ("config.json", "model.onnx", "tokenizer.json")
    )


@pytest.mark.parametrize("name", ["config.json", "model.onnx", "tokenizer.json", "tokenizer_config.json"])
def test_case_02_hash_changes_with_every_file_that_decides_a_score(folder: Path, name: str) -> None:
    before = find_model(str(folder)).sha256()
    with (folder / name).open("ab") as file:
        file.write(b"{}\n" if name == "tokenizer_config.json" else b"\n" if name.endswith("json") else b"\x08\x08")
    assert find_model(str(folder)).sha256() != before


def test_hash_ignores_the_card(folder: Path) -> None:
    before = find_model(str(folder)).sha256()
    (folder / "README.md").write_text("words", encoding="utf-8")
    assert find_model(str(folder)).sha256() == before


def test_weights_outside_the_onnx_file_are_found_and_hashed(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    folder = bag_model(tmp_path / "outside", Bag(external="weights.bin"))
    files = find_model(str(folder))
    assert files.data == (folder / "weights.bin",)
    before = files.sha256()
    data = bytearray((folder / "weights.bin").read_bytes())
    data[100] ^= 1
    (folder / "weights.bin").write_bytes(data)
    assert find_model(str(folder)).sha256() != before
    (folder / "weights.bin").unlink()
    with pytest.raises(ModelError, match=r"no weights\.bin: model\.onnx keeps its weights in it"):
        find_model(str(folder))


def test_weights_outside_the_folder_are_refused(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    path = bag_model(tmp_path / "outside", Bag(external="weights.bin")) / "model.onnx"
    model = onnx.load(str(path), load_external_data=False)
    for tensor in model.graph.initializer:
        for entry in tensor.external_data:
            if entry.key == "location":
                entry.value = "../../secret.bin"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(ModelError, match=r"refers to '../../secret.bin' outside its folder"):
        find_model(str(path.parent))


@pytest.mark.parametrize("name", ["config.json", "model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    (folder / "vocab.txt").write_text("[PAD]\n", encoding="utf-8")
    with pytest.raises(ModelError, match=rf"own: there is no (onnx/model.onnx or )?{name}") as caught:
        find_model(str(folder))
    assert str(folder.parent) not in str(caught.value)


def test_a_slow_tokenizer_alone_is_not_enough(folder: Path) -> None:
    (folder / "tokenizer.json").rename(folder / "spm.model")
    with pytest.raises(ModelError, match=r"tokenizer\.json: vocab\.txt or a SentencePiece file alone"):
        find_model(str(folder))


def test_other_onnx_files_are_offered(folder: Path) -> None:
    (folder / "model.onnx").rename(folder / "model_O3.onnx")
    with pytest.raises(ModelError, match=r"NAME#model_O3\.onnx"):
        find_model(str(folder))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"version 1 of the git-lfs pointer\noid sha256:12\n", "Git LFS pointer"),
        (b"<html><body>Not found</body></html>", "cut off or is no ONNX file"),
    ],
)
def test_what_is_no_onnx_file_is_said(folder: Path, content: bytes, message: str) -> None:
    (folder / "model.onnx").write_bytes(content)
    with pytest.raises(ModelError, match=rf"own: model\.onnx .*{message}"):
        find_model(str(folder))


def test_a_cut_onnx_file_is_noticed_wherever_it_is_cut(folder: Path) -> None:
    whole = (folder / "model.onnx").read_bytes()
    path = folder / "cut.onnx"
    for keep in (1, 7, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:keep])
        with pytest.raises(ModelError, match="cut off"):
            external_files(path, "own")


@pytest.mark.parametrize(
    ("text", "message"), [("{", "not readable JSON"), ("[1]", "holds a list"), ("\xff", "not readable JSON")]
)
def test_a_config_that_is_no_json_object(folder: Path, text: str, message: str) -> None:
    (folder / "config.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(ModelError, match=rf"own: config\.json .*{message}|own: config\.json {message}"):
        describe(find_model(str(folder)))


# Limits of length


@pytest.mark.parametrize(
    ("config", "tokenizer", "limit"),
    [
        ({"max_position_embeddings": 512}, None, 512),
        ({"max_position_embeddings": 512}, {"model_max_length": 10**30}, 512),
        ({"max_position_embeddings": 512}, {"model_max_length": 256}, 256),
        # RoBERTa: positions 0 and 1 are kept for padding, 514 − 2.
        ({"max_position_embeddings": 514, "model_type": "roberta"}, None, 512),
        ({"max_position_embeddings": 514, "model_type": "xlm-roberta", "pad_token_id": 1}, None, 512),
        ({}, {"model_max_length": 300}, 300),
    ],
)
def test_max_tokens(
    folder: Path, config: dict[str, object], tokenizer: dict[str, object] | None, limit: int
) -> None:
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    if tokenizer is not None:
        (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    assert max_tokens(find_model(str(folder))) == limit


def test_no_limit_of_length_is_refused(folder: Path) -> None:
    (folder / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match="no max_position_embeddings"):
        max_tokens(find_model(str(folder)))


# Licence and domain


def test_licence_and_domain_come_from_the_card_or_the_config(folder: Path) -> None:
    card = '---\nlicense: apache-2.0\ndomain: "science"\ntags:\n- nli\n---\ntext: no\n'
    (folder / "README.md").write_text(card, encoding="utf-8")
    info = describe(find_model(str(folder)))
    assert (info.license, info.domain) == ("apache-2.0", "science")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"epoche": {"domain": "medicine"}}), encoding="utf-8")
    info = describe(find_model(str(folder)))
    assert (info.license, info.domain) == ("apache-2.0", "medicine")


@pytest.mark.parametrize("text", ["", "# Title\n", "---\nlicense: mit\n"])
def test_a_card_without_front_matter_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "README.md").write_text(text, encoding="utf-8")
    assert front_matter(tmp_path / "README.md") == {}


# Registered names


@pytest.fixture
def package(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package that registers models, as pip would leave it."""
    site = tmp_path / "site"
    info = site / "kos_models-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: kos-models\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        "[epoche.nli_models]\nkos = kos_models:folder\nkos-path = kos_models:FOLDER\n"
        "kos-broken = kos_models:gone\n",
        encoding="utf-8",
    )
    (site / "kos_models.py").write_text(
        f"FOLDER = {str(folder)!r}\n\ndef folder():\n    return FOLDER\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "kos_models", raising=False)
    return folder


@pytest.mark.parametrize("name", ["kos", "kos-path"])
def test_a_package_registers_a_model(package: Path, name: str) -> None:
    files = find_model(name)
    assert (files.name, files.model) == (name, package / "model.onnx")


def test_a_package_whose_entry_is_broken_is_named(package: Path) -> None:
    with pytest.raises(ModelError, match=r"kos-broken: .*kos_models:gone"):
        find_model("kos-broken")


def test_installed_models_lists_what_works_and_warns_of_the_rest(package: Path) -> None:
    with pytest.warns(RuntimeWarning, match="kos-broken"):
        infos = {info.name: info for info in installed_models()}
    assert infos["kos"].sha256 == infos["kos-path"].sha256 == find_model("kos").sha256()
    assert infos["kos"].size_bytes > 0
    assert "kos-broken" not in infos


def test_an_unknown_name_lists_what_there_is(package: Path) -> None:
    with pytest.raises(UnknownBackend, match=r"'nothing'.*kos, kos-broken, kos-path, mini, a folder.*org/name"):
        find_model("nothing")


def test_embedded_is_another_name_of_mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folder, tmp_path / "mini")

    def result(name: str) -> str:
        try:
            return find_model(name).name
        except ModelError as error:
            return str(error)

    # With weights both give mini, without them both say that they are missing; ./mini is the folder.
    assert result("mini") == result("embedded")
    assert result("mini") == "mini" or "not part of this installation" in result("mini")
    assert find_model("./mini").model == Path("mini/model.onnx")


def test_a_revision_is_only_for_the_hub(folder: Path) -> None:
    with pytest.raises(OptionError, match="'v2'"):
        find_model(str(folder), revision="v2")


# The hub


def load(hub: Hub, tmp_path: Path, name: str = REPO, **more: object) -> model_files.ModelFiles:
    return find_model(name, endpoint=hub.url, cache_dir=tmp_path / "cache", **more)  # type: ignore[arg-type]


def test_hub_model_is_downloaded_once_and_then_works_offline(
    remote: Path, hub: Hub, tmp_path: Path, folder: Path
) -> None:
    files = load(hub, tmp_path)
    assert files.name == REPO
    assert files.sha256() == find_model(str(folder)).sha256()
    assert describe(files).license == "mit"
    hub.asked.clear()
    again = load(hub, tmp_path, offline=True)
    assert (again.sha256(), hub.asked) == (files.sha256(), [])
    # All files are of one commit.
    assert {COMMIT in str(path) for path in (files.model, files.config, files.tokenizer)} == {True}


def test_hub_that_has_gone_leaves_what_was_downloaded(remote: Path, hub: Hub, tmp_path: Path) -> None:
    files = load(hub, tmp_path)
    hub.status = 503
    assert load(hub, tmp_path).sha256() == files.sha256()


def test_hub_file_is_chosen_and_its_weights_come_along(remote: Path, hub: Hub, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    bag_model(remote, Bag(external="model_q.onnx_data", place="onnx/model_q.onnx"))
    files = load(hub, tmp_path, f"hub:{REPO}#onnx/model_q.onnx")
    assert [path.name for path in files.data] == ["model_q.onnx_data"]
    assert files.data[0].read_bytes() == (remote / "onnx" / "model_q.onnx_data").read_bytes()
    assert files.name == f"{REPO}#onnx/model_q.onnx"


def test_hub_model_at_the_root_is_found(remote: Path, hub: Hub, tmp_path: Path) -> None:
    (remote / "onnx" / "model.onnx").rename(remote / "model.onnx")
    assert load(hub, tmp_path).model.name == "model.onnx"
    assert load(hub, tmp_path, offline=True).model.name == "model.onnx"


def test_hub_revision_is_pinned_or_unknown(remote: Path, hub: Hub, tmp_path: Path) -> None:
    assert load(hub, tmp_path, revision=COMMIT).model.is_file()
    with pytest.raises(UnknownBackend, match="no revision 'v9'"):
        load(hub, tmp_path, revision="v9")


def test_hub_without_the_model_says_so(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(UnknownBackend, match=r"no folder of that name: .*no model 'kos-lab/absent'.*mini"):
        load(hub, tmp_path, "kos-lab/absent")


def test_hub_gated_model_asks_for_terms(remote: Path, hub: Hub, tmp_path: Path) -> None:
    hub.gated.add(REPO)
    with pytest.raises(ModelError, match="is gated: accept its terms"):
        load(hub, tmp_path)


def test_case_20_hub_refusal_does_not_show_the_key(
    remote: Path, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_not_a_real_key_of_anyone")
    hub.status = 403
    with pytest.raises(ModelError, match=r"refuses access \(403\)") as caught:
        load(hub, tmp_path)
    assert "hf_not" not in str(caught.value)


def test_hub_without_an_onnx_file_offers_what_it_has(remote: Path, hub: Hub, tmp_path: Path) -> None:
    (remote / "onnx" / "model.onnx").rename(remote / "onnx" / "model_qint8.onnx")
    with pytest.raises(ModelError, match=r"no onnx/model\.onnx or model\.onnx.*NAME#onnx/model_qint8\.onnx"):
        load(hub, tmp_path)
    (remote / "onnx" / "model_qint8.onnx").unlink()
    with pytest.raises(ModelError, match="it has no ONNX file"):
        load(hub, tmp_path)
    # Offline nobody knows what it has, and nothing is claimed.
    with pytest.raises(ModelError, match="see which ONNX files it has"):
        load(hub, tmp_path, offline=True)


def test_hub_without_a_tokenizer_json_says_what_is_needed(remote: Path, hub: Hub, tmp_path: Path) -> None:
    (remote / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"no tokenizer\.json: vocab\.txt"):
        load(hub, tmp_path)


def test_hub_download_that_stays_short_is_refused_and_can_be_repeated(
    remote: Path, hub: Hub, tmp_path: Path
) -> None:
    hub.short["onnx/model.onnx"] = 5000
    with pytest.raises(ModelError, match=r"onnx/model\.onnx: the download broke off.*try again"):
        load(hub, tmp_path)
    hub.short.clear()
    assert load(hub, tmp_path).model.read_bytes() == (remote / "onnx" / "model.onnx").read_bytes()


def test_hub_download_that_breaks_off_once_is_resumed(remote: Path, hub: Hub, tmp_path: Path) -> None:
    hub.breaks["onnx/model.onnx"] = 5000
    assert load(hub, tmp_path).model.read_bytes() == (remote / "onnx" / "model.onnx").read_bytes()


def test_hub_answer_that_makes_no_sense(remote: Path, hub: Hub, tmp_path: Path) -> None:
    hub.status = 418
    with pytest.raises(ModelError, match=r"config\.json: the hub answers 418: try again"):
        load(hub, tmp_path)


def test_hub_offline_without_a_cache(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"not in the cache of this machine, and downloads are switched off"):
        load(hub, tmp_path, offline=True)
    assert hub.asked == []


def test_hub_offline_with_half_a_cache_does_not_blame_the_repository(
    remote: Path, hub: Hub, tmp_path: Path
) -> None:
    hub.short["onnx/model.onnx"] = 10
    with pytest.raises(ModelError):
        load(hub, tmp_path)
    with pytest.raises(ModelError, match=r"onnx/model\.onnx is not in the cache"):
        load(hub, tmp_path, offline=True)


@pytest.mark.slow
def test_hub_out_of_reach(tmp_path: Path) -> None:
    # Slow: huggingface_hub tries six times over 23 seconds. Port 9 (discard) answers nobody.
    with pytest.raises(ModelError, match="hub cannot be reached"):
        find_model(REPO, endpoint="http://127.0.0.1:9", cache_dir=tmp_path)


@pytest.mark.parametrize("name", ["hub:a/b/c", "hub:", "hub:../x", "a b/c", "hub:-a/b"])
def test_names_that_are_no_hub_ids_are_not_asked_for(hub: Hub, tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownBackend):
        load(hub, tmp_path, name)
    assert hub.asked == []


def test_a_folder_wins_over_the_hub_unless_asked(
    remote: Path, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    (tmp_path / "kos-lab").mkdir()
    shutil.copytree(folder, tmp_path / REPO)
    monkeypatch.chdir(tmp_path)
    assert load(hub, tmp_path).model == Path(REPO, "model.onnx")
    assert hub.asked == []
    assert load(hub, tmp_path, f"hub:{REPO}").name == REPO
    assert hub.asked


def test_environment_names_the_hub_and_switches_it_off(remote: Path, hub: Hub, tmp_path: Path) -> None:
    """HF_ENDPOINT, HF_HOME and HF_HUB_OFFLINE are read by huggingface_hub when it is imported."""
    program = (
        "import sys\nfrom epoche.backends.onnx_nli import OnnxNli\n"
        f"nli = OnnxNli.load({REPO!r})\n"
        "print(nli.info.sha256, *nli.score([('All 40 mice survived.', 'No mouse survived.')])[0])"
    )
    environ = {
        **{key: value for key, value in os.environ.items() if not key.startswith("HF_")},
        "HF_ENDPOINT": hub.url,
        "HF_HOME": str(tmp_path / "home"),
    }

    def run(**more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", program]
        return subprocess.run(command, env=environ | more, capture_output=True, text=True, check=False)

    refused = run(HF_HUB_OFFLINE="1")
    assert refused.returncode == 1
    assert "downloads are switched off" in refused.stderr
    first = run()
    assert first.returncode == 0, first.stderr
    asked = len(hub.asked)
    assert run(HF_HUB_OFFLINE="1").stdout == first.stdout
    assert len(hub.asked) == asked

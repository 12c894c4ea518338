"""`croissant.json`: the description of a snapshot in the Croissant format (1.1).

It includes the fields of the Responsible AI vocabulary (1.0). Everything comes from the manifest and the schemas of the
data files, so the file can be made again to check it. Each row is described once, in its part: the file that
repeats the rows of two parts is left out.
Sources: https://docs.mlcommons.org/croissant/docs/croissant-spec.html and croissant-rai-spec.html.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from perturb.curation.hub import licence_header
from perturb.records import CHECK_NAMES, Facts, JsonObject
from perturb.snapshots.rows import Column, ColumnKind, data_paths
from perturb.text.wording import certificate_line, counted, listed

CROISSANT = "croissant.json"

# The terms of the format that the context gives short names.
_SHORT = (
    "citeAs column conformsTo containedIn extract field fileObject fileProperty fileSet format includes isArray"
    " isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate"
    " separator source subField transform arrayShape equivalentProperty"
)
# The standard context of version 1.1. Readers of the format warn about any other context.
_CONTEXT: JsonObject = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    **{name: f"cr:{name}" for name in _SHORT.split()},
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
}

# The data type of each kind of column. Votes have none: the format has no type for lists of records.
_TYPES = {
    ColumnKind.TEXT: "sc:Text",
    ColumnKind.TEXTS: "sc:Text",
    ColumnKind.INDICES: "sc:Integer",
    ColumnKind.NUMBER: "sc:Float",
}


def describe_snapshot(manifest: Facts, columns: Mapping[str, Sequence[Column]]) -> JsonObject:
    """The content of `croissant.json`, from a manifest that lists its files with digests, and the columns by part."""
    # The whole file is left out here: its rows are those of the parts.
    paths = data_paths(manifest["content_digest"], list(columns))
    licence = licence_header(entry["licence"] for entry in manifest["licences"])
    content: JsonObject = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": manifest["name"],
        # the format wants a semantic version, whose build number may be any text
        "version": f"1.0.0+{manifest['content_digest'][:8]}",
        "description": (
            f"{manifest['counts']['rows']} items that test selective refusal: a retrieval-augmented model should answer"
            f" when its context allows it, and refuse with the right reason when not. Round {manifest['round']}."
        ),
        "license": licence.get("license_name") or licence["license"],
        "keywords": ["rag", "refusal", "abstention", "benchmark", "synthetic"],
        "isLiveDataset": False,
        "citeAs": f"{manifest['name']}, round {manifest['round']}, content digest {manifest['content_digest']}",
        "distribution": [_file(entry) for entry in manifest["files"] if entry["path"] in paths.values()],
        "recordSet": [_record_set(part, paths[part], columns[part]) for part in columns],
        **{f"rai:{name}": value for name, value in _responsible(manifest).items() if value},
    }
    if manifest["created"]:
        content["dateCreated"] = content["datePublished"] = manifest["created"]
    return content


def render_croissant(content: JsonObject) -> str:
    """The text of `croissant.json`."""
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _file(entry: Facts) -> JsonObject:
    """The description of a parquet file, from its entry in the manifest."""
    return {
        "@type": "cr:FileObject",
        "@id": entry["path"],
        "name": entry["path"],
        "contentUrl": entry["path"],
        "encodingFormat": "application/x-parquet",
        "sha256": entry["sha256"],
    }


def _record_set(part: str, path: str, columns: Sequence[Column]) -> JsonObject:
    """The description of the rows of a part."""
    return {
        "@type": "cr:RecordSet",
        "@id": part,
        "name": part,
        "key": {"@id": f"{part}/id"},
        "field": [_field(part, path, column) for column in columns if column.kind in _TYPES],
    }


def _field(part: str, path: str, column: Column) -> JsonObject:
    is_list = column.kind in (ColumnKind.TEXTS, ColumnKind.INDICES)
    return {
        "@type": "cr:Field",
        "@id": f"{part}/{column.name}",
        "name": column.name,
        "description": column.note,
        "dataType": _TYPES[column.kind],
        **({"isArray": True, "arrayShape": "-1"} if is_list else {}),  # -1: of any length
        "source": {"fileObject": {"@id": path}, "extract": {"column": column.name}},
    }


def _responsible(manifest: Facts) -> JsonObject:
    """The Responsible AI fields; a field is empty if the manifest has nothing about it."""
    certificate_sentences = []
    certificate = manifest.get("certificate")  # snapshots that earlier versions wrote have none
    if certificate:
        line = certificate_line(certificate, len(manifest["verifiers"]))
        certificate_sentences.append(f"{line} (measured on planted faults)")
    licences = listed(
        [
            f"{entry['licence'] or 'no stated licence'} ({entry['rows']} items)"
            for entry in manifest["licences"]
        ]
    )
    return {
        **_collection_fields(manifest, licences),
        **_annotation_fields(manifest, certificate_sentences),
        **_use_fields(manifest, licences, certificate_sentences),
    }


def _collection_fields(manifest: Facts, licences: str) -> JsonObject:
    """The fields on how the items were made."""
    counts = manifest["counts"]
    stages = counts["stages"]
    lost = {
        name: stages.get(name, 0)
        for name in ("unparsed", "error", "not_applicable", "abstained", "undecided")
    }
    return {
        "dataCollection": (
            f"{counted(stages.get('jobs', 0), 'job')}: each asked a generator to put one flaw into an answerable"
            f" question with its context. Generators: {_models(manifest['generators'])}. The panel accepted"
            f" {counted(stages.get('accepted', 0), 'candidate')}."
        ),
        "dataCollectionType": ["Synthetic", "Software Collection"],
        "dataCollectionMissingData": "; ".join(
            f"{name}: {number}" for name, number in lost.items() if number
        ),
        "dataCollectionRawData": (
            f"Base instances with content digest {manifest['digests'].get('base_set')}. Licences of the items:"
            f" {licences}. {manifest['attribution'] or ''}"
        ).strip(),
        "dataCollectionTimeFrame": [manifest["created"]] if manifest["created"] else [],
        "dataPreprocessingProtocol": [
            f"Machine checks rejected {stages.get('rejected_by_checks', 0)} candidates,"
            f" {stages.get('near_duplicates', 0)} of all were near duplicates."
        ],
        "dataManipulationProtocol": (
            f"Linguistic levers in {counted(len(counts['cells']), 'cell')} of class and intensity, catalogue"
            f" {manifest['digests'].get('catalogue')}. Selection: {manifest['selection']['strategy']}."
        ),
    }


def _annotation_fields(manifest: Facts, certificate_sentences: Sequence[str]) -> JsonObject:
    """The fields on how the labels were checked."""
    panel, verifiers = manifest["panel"], manifest["verifiers"]
    n_read = (manifest.get("people") or {"n": 0})["n"]
    return {
        "dataAnnotationProtocol": [
            f"Panel '{panel['name']}' of {len(verifiers)}, consensus {panel['consensus']}:"
            f" each verifier judges {', '.join(CHECK_NAMES)}."
        ],
        "dataAnnotationPlatform": [f"perturb {manifest['code_version']}"],
        "dataAnnotationAnalysis": [*_agreement(manifest), *certificate_sentences],
        "annotationsPerItem": f"{len(verifiers)} verifiers; people read {n_read} items",
        "annotatorDemographics": [f"The verifiers are models or programs, not people: {_models(verifiers)}."],
        "machineAnnotationTools": [_model(entry) for entry in verifiers],
    }


def _use_fields(manifest: Facts, licences: str, certificate_sentences: Sequence[str]) -> JsonObject:
    """The fields on what the items are good for, and what they are not."""
    missing_items = [
        f"{shortfall['generator']} {shortfall['cell'] or ''}: {shortfall['got']} of {shortfall['wanted']} items"
        for shortfall in manifest["selection"]["shortfalls"]
    ]
    return {
        "dataBiases": _biases(manifest),
        "dataUseCases": [
            f"To evaluate selective refusal in one round ({manifest['round']}), not to train. Canary:"
            f" {manifest['canary']}"
        ],
        "dataLimitations": [
            *(certificate_sentences or ["The share of wrong labels was not measured."]),
            *missing_items,
        ],
        "personalSensitiveInformation": [
            f"Questions and passages are those of the base instances ({licences}), with what generators made up."
        ],
        "dataReleaseMaintenancePlan": (
            f"A round is frozen: content digest {manifest['content_digest']}. A new round has items of its own."
        ),
    }


def _models(entries: Sequence[Facts]) -> str:
    return listed([_model(entry) for entry in entries])


def _model(entry: Facts) -> str:
    return f"{entry['name']} ({entry['model']})" if entry.get("model") else f"{entry['name']} (rules)"


def _agreement(manifest: Facts) -> list[str]:
    figures = (manifest["agreement"] or {"figures": {}})["figures"]
    return [f"{name}: {_figure(figure)}" for name, figure in figures.items()]


def _figure(figure: Facts) -> str:
    if figure["value"] is None:
        return f"not known ({figure['reason']})"
    interval = "" if figure["low"] is None else f", 95 % interval {figure['low']:.3g} to {figure['high']:.3g}"
    return f"{figure['value']:.3g}{interval}"


def _biases(manifest: Facts) -> list[str]:
    """Sentences on shortcuts that baselines find, and on the number of items from each generator."""
    shortcuts = manifest.get("shortcuts") or {"figures": {}}
    sentences = [
        f"Shortcut '{name}', {target}: {_figure(figure)}"
        for name, figures in shortcuts["figures"].items()
        for target, figure in figures.items()
    ]
    shares = listed([f"{name} ({number})" for name, number in manifest["counts"]["generators"].items()])
    sentences.append(f"Items by generator: {shares}.")
    generators, verifiers = (
        {entry["name"] for entry in manifest[role]} for role in ("generators", "verifiers")
    )
    # This is where self-preference would come in.
    if self_judging := sorted(generators & verifiers):
        sentences.append(f"Generators that are also verifiers judge their own items: {listed(self_judging)}.")
    return sentences

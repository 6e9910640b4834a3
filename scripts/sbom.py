#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what a release holds as a software bill of materials (SPDX 2.3, JSON) to stdout.

usage: sbom.py FOLDER NAME VERSION

FOLDER is what docker/collect_runtime.sh filled: packages/PROGRAM.txt has a line "PACKAGE VERSION" for each package of
Debian's that PROGRAM's libraries come from, shared or in the program itself, or "FILE (no package)".
SOURCE_DATE_EPOCH is the time that it says it was made at.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import sys
import time


def spdx_id(*parts):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", "-".join(parts))


def package(name, version, licence, purl=None):
    # What a package's own licence is stands in licences/PROGRAM/PACKAGE, in words that no identifier sums up.
    described = {"SPDXID": spdx_id("Package", name), "name": name, "versionInfo": version,
                 "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
                 "licenseDeclared": licence, "copyrightText": "NOASSERTION"}
    if purl:
        described["supplier"] = "Organization: Debian"
        described["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                      "referenceLocator": purl}]
    return described


def of_line(line):
    name, version = line.split(" ", 1)
    if version == "(no package)":
        return package(name, "NOASSERTION", "NOASSERTION")
    return package(name, version, "NOASSERTION", f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}?arch=amd64")


def bill(folder, name, version):
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    packages = {}
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", spdx_id("Package", "glint"))]
    root = package("glint", version, "Apache-2.0")
    files = []
    for listed in sorted((folder / "packages").glob("*.txt")):
        program = next(path for path in (folder / "bin" / listed.stem, folder / listed.stem) if path.exists())
        file_id = spdx_id("File", listed.stem)
        files.append({"SPDXID": file_id, "fileName": f"./{program.relative_to(folder)}", "fileTypes": ["BINARY"],
                      "checksums": [{"algorithm": "SHA256",
                                     "checksumValue": hashlib.sha256(program.read_bytes()).hexdigest()},
                                    {"algorithm": "SHA1",
                                     "checksumValue": hashlib.sha1(program.read_bytes()).hexdigest()}],
                      "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"})
        relations.append((root["SPDXID"], "CONTAINS", file_id))
        for line in listed.read_text().splitlines():
            one = of_line(line)
            packages[one["SPDXID"]] = one
            relations.append((file_id, "DEPENDS_ON", one["SPDXID"]))
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": f"https://spdx.org/spdxdocs/{name}-"
                                 f"{hashlib.sha256(json.dumps(files).encode()).hexdigest()[:32]}",
            "creationInfo": {"created": datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
                                        .strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: glint-sbom.py"]},
            "packages": [root, *(packages[key] for key in sorted(packages))], "files": files,
            "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                              for a, kind, b in relations]}


if __name__ == "__main__":
    print(json.dumps(bill(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]), indent=1))

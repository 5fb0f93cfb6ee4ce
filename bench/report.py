#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts the figures of a measurement into a document, so that none is typed by hand.

usage: report.py DOCUMENT CSV       writes plot and table between the two markers of DOCUMENT
       report.py --check DOCUMENT   exit status 1 if they are not those of the CSV named there
"""
import csv
import os
import re
import sys

BEGIN = re.compile(r"<!-- bench: begin ?(.*?) -->\n")
END = "<!-- bench: end -->"
ORDERS = ["2", "4", "8", "12", "16", "24", "32", "48", "64"]


def number(text):
    return f"{float(text):,.0f}" if float(text) >= 100 else f"{float(text):.3g}"


def table(path):
    header, lines = {}, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("# "):
                key, _, value = line[2:].strip().partition(": ")
                header[key] = value
            else:
                lines.append(line)
    rows = [row for row in csv.DictReader(lines)
            if (row["routine"], row["storage"], row["threads"]) == ("gesv", "strided", "1")]
    libraries = list(dict.fromkeys(row["library"] for row in rows))
    yield f"| type | n | {' | '.join(libraries)} |"
    yield "|---|---|" + "---|" * len(libraries)
    for kind in ("double", "float"):
        for n in ORDERS:
            of = {row["library"]: row for row in rows if (row["type"], row["n"]) == (kind, n)}
            if not of:
                continue
            cells = []
            for library in libraries:
                if library not in of:
                    cells.append("")
                elif library == "tdls":
                    cells.append(f"**{number(of[library]['ns_per_system'])}**")
                else:
                    cells.append(f"{number(of[library]['ns_per_system'])} "
                                 f"({float(of[library]['time_over_tdls']):.1f}×)")
            yield f"| {kind} | {n} | {' | '.join(cells)} |"
    yield ""
    yield ("ns per system (in brackets: over libtdls's), gesv, one right-hand side, factors not "
           "kept, strided storage, one thread, all libraries in turn on the same data, medians.")
    yield ""
    for key, value in header.items():
        if key not in ("load at the start", "OpenBLAS cores", "tdls"):
            yield f"- {key}: {value}"


def shown(document, path):
    if not path:
        return ""
    folder = os.path.dirname(document)
    lines = table(os.path.join(folder, path))
    plot = os.path.splitext(path)[0] + ".svg"
    return f"\n![ns per system against n]({plot})\n\n" + "\n".join(lines) + "\n\n"


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    check = arguments[0] == "--check"
    document = arguments[1] if check else arguments[0]
    with open(document, encoding="utf-8") as file:
        text = file.read()
    begin = BEGIN.search(text)
    end = text.find(END)
    if not begin or end < begin.end():
        sys.exit(f"{document}: no markers")
    if check:
        if text[begin.end():end] != shown(document, begin.group(1)):
            sys.exit(f"{document}: its figures are not those of {begin.group(1) or 'no file'}")
        return
    path = os.path.relpath(arguments[1], os.path.dirname(document) or ".")
    with open(document, "w", encoding="utf-8") as file:
        file.write(text[:begin.start()] + f"<!-- bench: begin {path} -->\n" +
                   shown(document, path) + text[end:])


main(sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each function and constant of the C header has its Fortran twin, and the other way round.

Compared are the names, the arguments in their order with names and types, what a function returns, and
the values of constants. Speaks TAP.
usage: check_twins.py HEADER MODULE
"""
import re
import sys

# What stands in for what, Fortran's declaration as it is written: the data of a call is any pointer.
TYPES = {
    "tdls_handle_t": "type(tdls_handle), value",
    "tdls_handle_t *": "type(tdls_handle), intent(out)",
    "tdls_status_t": "integer(c_int32_t), value",
    "int32_t": "integer(c_int32_t), value",
    "int64_t": "integer(c_int64_t), value",
    "double": "real(c_double), value",
    "void *": "type(c_ptr), value",
    "const void *": "type(c_ptr), value",
    "void **": "type(c_ptr), intent(out)",
    "const char *": "character(kind=c_char), intent(in) (*)",
    "char *": "character(kind=c_char), intent(inout) (*)",
}
DATA = "type(c_ptr), value"
OUTPUTS = {"int32_t *": "integer(c_int32_t), intent(out)", "double *": "real(c_double), intent(out)"}
RESULTS = {
    "void": "subroutine",
    "int32_t": "integer(c_int32_t) function",
    "tdls_status_t": "integer(c_int32_t) function",
    "const char *": "type(c_ptr) function",
}


def c_functions(text):
    """name -> (what it returns, [(argument, declaration)]), in Fortran's words."""
    functions = {}
    for result, name, arguments in re.findall(r"TDLS_API\s+([^;()]*?)(\w+)\(([^)]*)\);", text):
        twins = []
        for argument in " ".join(arguments.split()).split(", "):
            kind, word, brackets = re.fullmatch(r"(.*?)\s?(\w+)(\[\])?", argument).groups()
            if "_coop_" in name and ("*" in kind or brackets):
                declaration = DATA
            else:
                declaration = {**TYPES, **OUTPUTS}[kind]
            twins.append((word.lower(), declaration))
        functions[name] = (RESULTS[" ".join(result.split())], twins)
    return functions


def fortran_functions(text):
    """The same of the interface bodies with bind(c)."""
    functions = {}
    body = r"^ *([a-z][\w ()]*?) (tdls_\w+)\(([^()]*)\) bind\(c\)\n(.*?)^ *end (?:function|subroutine)$"
    for result, name, arguments, inside in re.findall(body, text, re.M | re.S):
        declared = {}
        for attributes, names in re.findall(r"^ *(\S.*?) :: (.*)$", inside, re.M):
            for word, shape in re.findall(r"(\w+)(\(\*\))?", names):
                declared[word.lower()] = attributes + (" " + shape if shape else "")
        words = [word.strip().lower() for word in arguments.split(",")]
        functions[name] = (result, [(word, declared.get(word)) for word in words])
    return functions


def differences(kind, c, fortran):
    for name in sorted(c.keys() | fortran.keys()):
        if c.get(name) != fortran.get(name):
            yield f"{kind} {name}: C asks for {c.get(name)}, Fortran has {fortran.get(name)}"


def report(number, name, found):
    for line in found:
        print("#", line)
    print("not ok" if found else "ok", number, "-", name)


header = re.sub(r"/\*.*?\*/", "", open(sys.argv[1]).read(), flags=re.S)
module = re.sub(r"!.*", "", open(sys.argv[2]).read())
module = re.sub(r"&\s*\n\s*", "", module)

functions = c_functions(header), fortran_functions(module)
found = list(differences("function", *functions))
if len(functions[0]) != header.count("TDLS_API ") - 1:  # that in the definition of the macro
    found.append("not every prototype of the header was understood")
report(1, f"the {len(functions[0])} functions have their interfaces", found)

enumerations = "".join(re.findall(r"enum \{(.*?)\}", header, re.S))
constants = dict(re.findall(r"(TDLS_\w+) = (-?\d+)", enumerations))
constants.update(re.findall(r"#define (TDLS_VERSION_\w+) (\d+)", header))
parameters = "".join(re.findall(r"integer\(c_int32_t\), parameter, public ::(.*)", module))
report(2, f"the {len(constants)} constants have their values",
       list(differences("constant", constants, dict(re.findall(r"(TDLS_\w+) = (-?\d+)", parameters)))))

public = set(re.findall(r"\w+", " ".join(re.findall(r"^ *public :: (.*)$", module, re.M))))
report(3, "all interfaces are public", sorted(functions[0].keys() - public))
print("1..3")

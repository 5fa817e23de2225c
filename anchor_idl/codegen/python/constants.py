"""Writes constants.py. Values come as Rust's Debug prints them."""

from __future__ import annotations

import ast
import json
import re

from solders.pubkey import Pubkey

from anchor_idl.codegen.errors import UnsupportedIdl
from anchor_idl.codegen.idl import Array, ConstantDefinition, Idl, Option, Primitive, Type, Vec
from anchor_idl.codegen.python.layouts import U8, annotation, resolve
from anchor_idl.codegen.python.names import constant_name
from anchor_idl.codegen.python.text import (
    bytes_literal,
    docstring,
    export_list,
    module,
    string_literal,
    tuple_literal,
)

_IMPORTS = "from typing import Final\n\nfrom solders.pubkey import Pubkey\n"


def constants_source(idl: Idl) -> str:
    """The module."""
    names = [constant_name(constant.name) for constant in idl.constants]
    return module(_IMPORTS, export_list(names), *(_constant(idl, constant) for constant in idl.constants))


def _constant(idl: Idl, constant: ConstantDefinition) -> str:
    try:
        value = _value(idl, constant.type, constant.value.strip())
    except (ValueError, SyntaxError) as error:
        raise UnsupportedIdl(f"constant {constant.name} has a value that cannot be read: {constant.value}") from error
    name = constant_name(constant.name)
    return f"{name}: Final[{annotation(idl, constant.type)}] = {value}\n{docstring(constant.docs, indent='')}"


def _value(idl: Idl, type_: Type, text: str) -> str:
    match resolve(idl, type_):
        case Primitive("string"):
            return string_literal(_rust_string(text))
        case Primitive("pubkey"):
            return f'Pubkey.from_string("{Pubkey.from_string(text)}")'
        case Primitive("bool"):
            return {"true": "True", "false": "False"}[text]
        case Primitive("f32" | "f64"):
            return repr(float(text))
        case Primitive("bytes"):
            return bytes_literal(_raw_bytes(text))
        case Array(inner) | Vec(inner) if resolve(idl, inner) == U8:
            return bytes_literal(_raw_bytes(text))
        case Array(inner) | Vec(inner):
            return tuple_literal(_value(idl, inner, item) for item in _items(text))
        case Option(inner):
            if text == "None":
                return "None"
            return _value(idl, inner, text.removeprefix("Some(").removesuffix(")"))
        case Primitive():
            return str(int(text))
        case other:
            raise UnsupportedIdl(f"constants of type {other} are not supported")


def _rust_string(text: str) -> str:
    if not text.startswith('"'):
        return text
    escaped = re.sub(r"\\u\{([0-9a-f]+)\}", lambda found: f"\\U{int(found[1], 16):08x}", text)
    return str(ast.literal_eval(escaped))


def _raw_bytes(text: str) -> bytes:
    if text.startswith('b"'):
        return bytes(ast.literal_eval(text))
    return bytes(json.loads(text))


def _items(text: str) -> list[str]:
    """The items of a printed list, split at its own commas only."""
    if not (text.startswith("[") and text.endswith("]")):
        raise ValueError("no list")
    items = []
    depth = 0
    quoted = False
    start = 1
    for position, character in enumerate(text[1:-1], 1):
        if character == '"' and text[position - 1] != "\\":
            quoted = not quoted
        depth += 0 if quoted else (character in "[(") - (character in "])")
        if character == "," and not depth and not quoted:
            items.append(text[start:position].strip())
            start = position + 1
    last = text[start:-1].strip()
    return [*items, last] if last else items

import { toBase58, toHex } from "./bytes.js";
import { SHAPES } from "./generated/program.js";

/** Name, accounts and arguments of an instruction; a `?` marks an account that may be left out. */
export type InstructionRow = readonly [string, string, readonly (readonly [string, string])[]];

type Fields = readonly (readonly [string, string])[];

/** A struct or an enum of the program's. */
export type Shape = { readonly struct: Fields } | { readonly enum: readonly (readonly [string, Fields])[] };

/** A decoded argument: integers are bigint, addresses base58, bytes hex, an enum without fields its variant's name. */
export type Value = bigint | boolean | string | { readonly [name: string]: Value };

const INTEGERS: Readonly<Record<string, number>> = { u8: 1, u16: 2, u32: 4, u64: 8, u128: 16, i64: 8 };

/** Reads the arguments of an instruction; throws RangeError unless they end where the data does. */
export function readArguments(data: Uint8Array, fields: Fields): Readonly<Record<string, Value>> {
  const reader = new Reader(data);
  const found = reader.fields(fields);
  reader.end();
  return found;
}

/** An argument of a type as reading it would give it, from how the API's requests say it: enums by their names in lower
 * case or by `kind`, integers as numbers or text. TypeError for what the type does not have. */
export function argumentOf(kind: string, said: unknown): Value {
  const shape = SHAPES[kind];
  if (shape === undefined) return kind in INTEGERS ? BigInt(said as string) : (said as Value);
  const fields = said as Readonly<Record<string, unknown>>;
  if ("struct" in shape) return structOf(shape.struct, fields);
  const name = plain(typeof said === "string" ? said : String(fields["kind"]));
  const variant = shape.enum.find((one) => plain(one[0]) === name);
  if (variant === undefined) throw new TypeError(`${kind} has no ${name}`);
  return variant[1].length === 0 ? variant[0] : { [variant[0]]: structOf(variant[1], fields) };
}

const plain = (name: string): string => name.replaceAll("_", "").toLowerCase();

function structOf(fields: Fields, said: Readonly<Record<string, unknown>>): Value {
  return Object.fromEntries(fields.map(([name, kind]) => [name, argumentOf(kind, said[name])]));
}

class Reader {
  #at = 0;

  constructor(readonly data: Uint8Array) {}

  fields(of: Fields): Record<string, Value> {
    return Object.fromEntries(of.map(([name, kind]) => [name, this.value(kind)]));
  }

  value(kind: string): Value {
    const bytes = INTEGERS[kind];
    if (bytes !== undefined) return this.integer(bytes, kind.startsWith("i"));
    switch (kind) {
      case "bool":
        return this.bool();
      case "pubkey":
        return toBase58(this.take(32));
      case "bytes":
        return toHex(this.take(Number(this.integer(4))));
      case "string":
        return new TextDecoder("utf-8", { fatal: true }).decode(this.take(Number(this.integer(4))));
    }
    const shape = SHAPES[kind];
    return shape === undefined ? toHex(this.take(Number(kind.slice("bytes".length)))) : this.shaped(shape);
  }

  shaped(shape: Shape): Value {
    if ("struct" in shape) return this.fields(shape.struct);
    const variant = shape.enum[Number(this.integer(1))];
    if (variant === undefined) throw new RangeError("no such variant");
    const [name, fields] = variant;
    return fields.length === 0 ? name : { [name]: this.fields(fields) };
  }

  bool(): boolean {
    const byte = this.integer(1);
    if (byte > 1n) throw new RangeError("no bool");
    return byte === 1n;
  }

  integer(bytes: number, signed = false): bigint {
    let value = 0n;
    this.take(bytes).forEach((byte, index) => (value |= BigInt(byte) << BigInt(8 * index)));
    return signed ? BigInt.asIntN(8 * bytes, value) : value;
  }

  take(bytes: number): Uint8Array {
    if (this.#at + bytes > this.data.length) throw new RangeError("the data ends too early");
    return this.data.subarray(this.#at, (this.#at += bytes));
  }

  end(): void {
    if (this.#at !== this.data.length) throw new RangeError("there are bytes after the data");
  }
}

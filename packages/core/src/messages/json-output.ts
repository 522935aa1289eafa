import type { JSONValue } from '@ai-sdk/provider'
import { MillraceError, messageOf } from '../errors.ts'
import { isRecord } from '../record.ts'
import { toBase64 } from './data-url.ts'

/** Maximum nesting depth. Other code, such as `JSON.stringify`, overflows the stack at a few thousand. */
const MAX_LEVELS = 1_000

const MAX_VALUES = 5_000_000

/** A value is not JSON. The message has the path and the kind of the value: `output.items[3] is a Map`. */
export class NotJson extends Error {}

/**
 * A copy of a value as JSON: what `JSON.stringify` would write, read only once, so that all readers see the same.
 * `toJSON` is called (a `Date` becomes its ISO string), properties that are `undefined`, functions or symbols are
 * left out, and numbers that are not finite become `null`. In addition, a `bigint` becomes its digits, an `Error` its
 * name, message and fields, and a top-level `undefined` becomes `null`.
 *
 * @param name The name of the value in errors
 * @throws NotJson for values that JSON would lose: a `Map`, a `Set`, bytes, a cycle, an object without readable
 *   fields
 */
export function toJson(value: unknown, name = 'output'): JSONValue {
  if (typeof value === 'function' || typeof value === 'symbol')
    throw new NotJson(`${name} is a ${typeof value}`)
  return new Copier(name).copy(value, 0) ?? null
}

/** As {@link toJson}, for the output of a tool: the bytes of files in an output of `type: 'content'` become base64. */
export function outputJson(output: unknown, name = 'output'): JSONValue {
  return toJson(withoutBytes(output), name)
}

/** Whether a value is plain JSON. Unlike `JSON.stringify`, does not depend on the length of texts. */
export function isJson(value: unknown, level = 0): value is JSONValue {
  if (typeof value !== 'object' || value === null)
    return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
  if (level >= MAX_LEVELS || 'toJSON' in value) return false
  if (Array.isArray(value)) return value.every((item) => isJson(item, level + 1))
  return isPlain(value) && Object.values(value).every((field) => isJson(field, level + 1))
}

/**
 * The payload of a suspension as JSON. `undefined` is kept.
 *
 * @throws MillraceError `RUN_STATE_NOT_JSON`
 */
export function payloadJson(payload: unknown): JSONValue | undefined {
  if (payload === undefined) return undefined
  try {
    return toJson(payload, 'payload')
  } catch (cause) {
    throw new MillraceError(
      'RUN_STATE_NOT_JSON',
      `What was passed to suspend() is not JSON, so the run cannot be suspended: ${messageOf(cause)}.`,
      { cause },
    )
  }
}

class Copier {
  readonly #name: string
  /** The ancestors of the value that is being copied, and the path to it. */
  readonly #above: object[] = []
  readonly #path: (string | number)[] = []
  #values = 0

  constructor(name: string) {
    this.#name = name
  }

  /** Returns `undefined` for values that JSON omits. */
  copy(value: unknown, level: number): JSONValue | undefined {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value
      case 'number':
        return Number.isFinite(value) ? value : null
      case 'bigint':
        return String(value)
      case 'object':
        return value === null ? null : this.#copyObject(value, level)
      default:
        return undefined
    }
  }

  #copyObject(given: object, level: number): JSONValue | undefined {
    if (++this.#values > MAX_VALUES) throw this.#error(`is one of more than ${MAX_VALUES} objects`, level)
    const above = this.#above.lastIndexOf(given, level - 1)
    if (level > 0 && above !== -1) throw this.#error(`is ${this.#place(above)} again, a cycle`, level)
    if (level >= MAX_LEVELS) throw new NotJson(`${this.#name} is nested more than ${MAX_LEVELS} levels deep`)
    this.#above[level] = given
    const value = this.#fromToJson(given, level)
    if (typeof value !== 'object' || value === null) return this.copy(value, level)
    if (value instanceof String || value instanceof Number || value instanceof Boolean)
      return this.copy(value.valueOf(), level)
    return Array.isArray(value) ? this.#copyList(value, level) : this.#copyFields(value, level)
  }

  #copyList(list: readonly unknown[], level: number): JSONValue {
    if (list.length > MAX_VALUES) throw this.#error(`is a list of more than ${MAX_VALUES} items`, level)
    const copy: JSONValue[] = []
    for (let index = 0; index < list.length; index++) {
      this.#path[level] = index
      copy.push(this.copy(this.#read(list, index, level), level + 1) ?? null)
    }
    return copy
  }

  #copyFields(value: object, level: number): JSONValue {
    const copy: Record<string, JSONValue> = {}
    const keys = Object.keys(value)
    if (!isPlain(value)) {
      if (value instanceof Error)
        Object.assign(copy, { name: String(value.name), message: String(value.message) })
      else if (keys.length === 0 || Symbol.iterator in value) throw this.#error(`is ${kindOf(value)}`, level)
    }
    for (const key of keys) {
      this.#path[level] = key
      const field = this.copy(this.#read(value, key, level), level + 1)
      if (field === undefined) continue
      // An assignment would set the prototype.
      if (key === '__proto__') Object.defineProperty(copy, key, { ...ASSIGNED, value: field })
      else copy[key] = field
    }
    return copy
  }

  #fromToJson(value: object, level: number): unknown {
    try {
      const { toJSON } = value as { toJSON?: unknown }
      if (typeof toJSON !== 'function') return value
      const key = level === 0 ? '' : String(this.#path[level - 1])
      return toJSON.call(value, key)
    } catch (error) {
      throw this.#error(unreadable(error), level)
    }
  }

  #read(value: object, key: string | number, level: number): unknown {
    try {
      return (value as Record<string | number, unknown>)[key]
    } catch (error) {
      throw this.#error(unreadable(error), level + 1)
    }
  }

  #error(what: string, level: number): NotJson {
    return new NotJson(`${this.#place(level)} ${what}`)
  }

  #place(level: number): string {
    return this.#path
      .slice(0, level)
      .reduce<string>(
        (place, key) => (typeof key === 'number' ? `${place}[${key}]` : `${place}.${key}`),
        this.#name,
      )
  }
}

const ASSIGNED = { enumerable: true, writable: true, configurable: true }

/** Whether it is an object literal of any realm, or has no prototype. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function kindOf(value: object): string {
  const name = value.constructor?.name
  return name ? `an object of type ${name}` : 'an object without a readable field'
}

function unreadable(error: unknown): string {
  return `cannot be read: ${messageOf(error)}`
}

function withoutBytes(output: unknown): unknown {
  if (!isRecord(output) || output.type !== 'content' || !Array.isArray(output.value)) return output
  return { ...output, value: output.value.map(fileInBase64) }
}

function fileInBase64(item: unknown): unknown {
  if (!isRecord(item) || item.type !== 'file' || !isRecord(item.data)) return item
  const { data } = item.data
  const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : data
  return bytes instanceof Uint8Array ? { ...item, data: { ...item.data, data: toBase64(bytes) } } : item
}

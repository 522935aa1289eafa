import { otherFramework } from '../foreign-names.ts'
import { nearestName } from '../nearest-name.ts'

/**
 * A small schema library. A shape reads every property once and returns new objects and lists, so that the validated
 * values are the ones that are used, even if a getter or proxy returns something else on the next read.
 */
export type Shape<T = unknown> = (value: unknown, place: Place) => T

/** The location of a value within a result, and the objects that need no validation. */
export interface Place {
  /** Such as `messages[0].content`. Empty for the result itself. */
  readonly path: string
  /** Whether core passed this object to the hook. If so, it is used unchanged. */
  readonly isKnown: (value: object) => boolean
  /** The settings of the model call that the hook was given. */
  readonly modelSettings?: object | undefined
}

/** A value does not match its shape. `message` says what was found and where, without quoting text. */
export class Mismatch extends Error {}

export function mismatch({ path }: Place, what: string): Mismatch {
  return new Mismatch(path === '' ? what : `${what} as '${path}'`)
}

export const string: Shape<string> = ofType('string')
export const boolean: Shape<boolean> = ofType('boolean')

export const number: Shape<number> = (value, place) => {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw mismatch(place, describe(value))
}

/** Any value. Core only passes it on. */
export const anything: Shape = (value) => value

function ofType<T>(type: string): Shape<T> {
  return (value, place) => {
    if (typeof value === type) return value as T
    throw mismatch(place, describe(value))
  }
}

/** One of these values. */
export function oneOf<T>(...values: readonly T[]): Shape<T> {
  return (value, place) => {
    if (values.includes(value as T)) return value as T
    throw mismatch(place, typeof value === 'string' ? 'an unknown value' : describe(value))
  }
}

/** `first` if the value has the given type, otherwise `second`. */
export function either<A, B>(type: 'string', first: Shape<A>, second: Shape<B>): Shape<A | B> {
  return (value, place) => (typeof value === type ? first(value, place) : second(value, place))
}

/** A list without holes whose elements have one shape. */
export function list<T>(element: Shape<T>): Shape<T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) throw mismatch(place, describe(value))
    const { length } = value
    const read: T[] = []
    for (let index = 0; index < length; index++) {
      if (!(index in value)) throw mismatch(inside(place, index), 'a hole in a list')
      read.push(element(value[index], inside(place, index)))
    }
    return read
  }
}

/** A plain object with any keys whose values have one shape. */
export function record<T>(element: Shape<T>): Shape<Record<string, T>> {
  return (value, place) => {
    const from = plain(value, place)
    const read: Record<string, T> = {}
    for (const key of Object.keys(from)) {
      const entry = from[key]
      if (entry !== undefined) put(read, key, element(entry, inside(place, key)))
    }
    return read
  }
}

export interface ObjectOptions {
  /** Keys that may be missing or `undefined`. */
  optional?: Readonly<Record<string, Shape>>
  /** Whether other keys are passed on unchanged. Default: they are refused. */
  open?: boolean
  /** Whether a key that is not listed is kept. */
  keeps?: (key: string, place: Place) => boolean
  /** Keys of which exactly one is required. They are also in `optional`. */
  oneOf?: readonly string[]
  /** Keys that are mutually exclusive. They are also in `optional`. */
  atMostOneOf?: readonly string[]
}

/** A plain object with these keys. */
export function object(
  required: Readonly<Record<string, Shape>>,
  { optional = {}, open = false, keeps, oneOf, atMostOneOf = [] }: ObjectOptions = {},
): Shape<Record<string, unknown>> {
  let known: ReadonlyMap<string, Shape> | undefined
  const needed = Object.keys(required)
  return (value, place) => {
    // Made when first used: there are many shapes, and few are needed soon.
    known ??= new Map(Object.entries({ ...optional, ...required }))
    const fields = known
    const from = plain(value, place)
    const read: Record<string, unknown> = {}
    for (const key of open ? Object.keys(from) : Reflect.ownKeys(from)) {
      const shape = typeof key === 'string' ? fields.get(key) : undefined
      if (typeof key === 'symbol' || !shape) {
        const isKept = open || (typeof key === 'string' && keeps?.(key, place))
        if (!isKept) throw mismatch(place, unknownKey(String(key), fields))
        if (typeof key === 'string') put(read, key, from[key])
        continue
      }
      const field = from[key]
      if (field === undefined && !needed.includes(key) && !oneOf?.includes(key)) continue
      read[key] = shape(field, inside(place, key))
    }
    for (const key of needed) {
      if (!Object.hasOwn(read, key)) throw mismatch(place, `an object without the key '${key}'`)
    }
    if (oneOf && requireAtMostOne(read, oneOf, place) === 0) {
      throw mismatch(place, `an object with none of the keys ${quoted(oneOf)}`)
    }
    requireAtMostOne(read, atMostOneOf, place)
    return read
  }
}

function unknownKey(key: string, known: ReadonlyMap<string, Shape>): string {
  const foreign = otherFramework(key, (name) => known.has(name))
  const meant = typeof foreign === 'object' ? foreign[0] : nearestName(key, known.keys())
  return `the unknown key '${key.slice(0, 40)}'${meant === undefined ? '' : ` (did you mean '${meant}'?)`}`
}

function requireAtMostOne(read: Record<string, unknown>, keys: readonly string[], place: Place): number {
  const found = keys.filter((key) => Object.hasOwn(read, key))
  if (found.length > 1) throw mismatch(place, `the keys ${quoted(found)}, which are mutually exclusive,`)
  return found.length
}

function quoted(keys: readonly string[]): string {
  return keys.map((key) => `'${key}'`).join(', ')
}

/**
 * Any data. Plain objects and lists are copied; instances of classes are kept. Promises and functions are refused at
 * any depth: a promise is a forgotten `await`.
 */
export const data: Shape = (value, place) => copyData(value, place, new Map())

function copyData(value: unknown, place: Place, copies: Map<object, unknown>): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw mismatch(place, describe(value))
  if (typeof value !== 'object' || value === null || place.isKnown(value)) return value
  const known = copies.get(value)
  if (known !== undefined) return known
  if (Array.isArray(value)) {
    const read: unknown[] = []
    copies.set(value, read)
    const { length } = value
    for (let index = 0; index < length; index++) {
      if (!(index in value)) throw mismatch(place, 'a list with a hole')
      read.push(copyData(value[index], place, copies))
    }
    return read
  }
  if (typeof (value as { then?: unknown }).then === 'function') throw mismatch(place, 'a promise')
  if (!isPlain(value)) return value
  const read: Record<string, unknown> = {}
  copies.set(value, read)
  for (const key of Object.keys(value)) {
    put(read, key, copyData((value as Record<string, unknown>)[key], place, copies))
  }
  return read
}

/** Whether it is an object literal, or has no prototype. */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return true
  // An object literal of another realm. The prototype of a list has one more prototype.
  return Object.getPrototypeOf(prototype) === null && !Array.isArray(value)
}

function plain(value: unknown, place: Place): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && isPlain(value)) {
    return value as Record<string, unknown>
  }
  throw mismatch(place, describe(value))
}

function inside(place: Place, key: string | number): Place {
  const { path, isKnown, modelSettings } = place
  const name = typeof key === 'number' ? `[${key}]` : key.slice(0, 40)
  const isFirst = path === '' || typeof key === 'number'
  return { path: isFirst ? path + name : `${path}.${name}`, isKnown, modelSettings }
}

/** `__proto__` may be a key of parsed JSON. */
function put<T>(target: Record<string, T>, key: string, value: T): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

/** The kind of a value, for an error message. */
export function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value !== 'object') return `a ${typeof value}`
  if (typeof (value as { then?: unknown }).then === 'function') return 'a promise'
  if (isPlain(value)) return 'a plain object'
  const { constructor: made } = value
  return typeof made === 'function' && made.name !== ''
    ? `an instance of ${String(made.name).slice(0, 40)}`
    : 'an object with a prototype of its own'
}

import { type OptionNames, refuseMisspelled, requireOptions } from '../option-names.ts'
import { invalidInput } from './store-errors.ts'

/** Maximum length of an id or key in bytes of UTF-8: database indexes have limits. */
export const MAX_ID_BYTES = 512

/**
 * Validates an id, so that any database can store and compare it.
 *
 * @throws MillraceError `STORAGE_INPUT_INVALID`
 */
export function checkId(name: string, id: unknown): string {
  if (typeof id !== 'string') throw invalidInput(`${name} is ${describe(id)}. It must be a string.`)
  if (id === '') throw invalidInput(`${name} is empty. Pass an id, or omit it if it is optional.`)
  // A UTF-16 code unit takes at most three bytes, so only long ids are measured.
  if (id.length * 3 > MAX_ID_BYTES && new TextEncoder().encode(id).length > MAX_ID_BYTES) {
    throw invalidInput(
      `${name} is longer than ${MAX_ID_BYTES} bytes. Use a shorter id, such as a hash of it.`,
    )
  }
  if (id.includes('\0') || !id.isWellFormed()) {
    throw invalidInput(
      `${name} contains U+0000 or a lone surrogate, which databases cannot store. Remove it.`,
    )
  }
  return id
}

/**
 * Validates the names of a method's options.
 *
 * @throws MillraceError `STORAGE_INPUT_INVALID`
 */
export function readOptions<OPTIONS extends object>(
  what: string,
  options: OPTIONS,
  names: OptionNames<OPTIONS>,
): OPTIONS {
  try {
    return requireOptions(what, options, names)
  } catch (error) {
    throw invalidInput((error as Error).message)
  }
}

/**
 * Refuses a misspelled name in a key. A key may be an object with more, such as a thread or the options of a call.
 *
 * @throws MillraceError `STORAGE_INPUT_INVALID`
 */
export function readKey<KEY extends object>(what: string, key: KEY, names: OptionNames<KEY>): KEY {
  try {
    refuseMisspelled(what, key, names)
  } catch (error) {
    throw invalidInput((error as Error).message)
  }
  return key
}

/** Validates a text that is stored unchanged. JSON is always valid. */
export function checkText(name: string, text: unknown): string {
  if (typeof text !== 'string') throw invalidInput(`${name} must be a string. Pass other values as JSON.`)
  if (!text.includes('\0') && text.isWellFormed()) return text
  throw invalidInput(
    `${name} contains U+0000 or a lone surrogate, which databases cannot store. Pass JSON, which escapes them.`,
  )
}

/** The owner as a column that is never null: ids are not empty, so '' means no owner. */
export function ownerKey(resourceId: string | undefined): string {
  return resourceId === undefined ? '' : checkId('resourceId', resourceId)
}

export function checkCount(
  name: string,
  value: number | undefined,
  { fallback, least = 1 }: { fallback: number; least?: number },
): number {
  if (value === undefined) return fallback
  if (Number.isSafeInteger(value) && value >= least) return value
  throw invalidInput(`${name} is ${describe(value)}. It must be an integer of at least ${least}.`)
}

/** A time, as milliseconds from now. */
export function expiry(name: string, milliseconds: number): number {
  const time = Date.now() + checkCount(name, milliseconds, { fallback: 0 })
  if (time <= MAX_TIME) return time
  throw invalidInput(`${name} exceeds the maximum time of a Date. Use fewer milliseconds.`)
}

/** The maximum of a `Date` in milliseconds since 1970: ECMA-262, Time Values and Time Range. */
const MAX_TIME = 8.64e15

export function checkTime(name: string, value: Date | undefined): number | undefined {
  if (value === undefined) return undefined
  const time = value instanceof Date ? value.getTime() : Number.NaN
  if (Number.isNaN(time)) throw invalidInput(`${name} is ${describe(value)}. It must be a valid Date.`)
  return time
}

/**
 * A value as JSON.
 *
 * @throws MillraceError `STORAGE_INPUT_INVALID` if it is not JSON, such as a cycle or a bigint
 */
export function toJson(name: string, value: unknown): string {
  let json: string | undefined
  try {
    json = JSON.stringify(value)
  } catch (error) {
    throw invalidInput(`${name} is not JSON: it has a cycle, a bigint, or a toJSON that throws.`, error)
  }
  if (json === undefined) throw invalidInput(`${name} is ${describe(value)}, which is not JSON.`)
  return json
}

/** An object as JSON. */
export function toJsonObject(name: string, value: unknown): string {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return toJson(name, value)
  throw invalidInput(`${name} is ${describe(value)}. It must be an object.`)
}

/** A position, an integer, as an opaque cursor. */
export function toCursor(place: number): string {
  return `c${place.toString(36)}`
}

export function fromCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  const place = /^c[0-9a-z]{1,11}$/.test(cursor) ? Number.parseInt(cursor.slice(1), 36) : Number.NaN
  if (Number.isSafeInteger(place)) return place
  throw invalidInput('The cursor is invalid. Pass nextCursor of a page of this list unchanged.')
}

/** A page of items. `rows` must have been read with a limit that is larger by one. */
export function toPage<ROW, ITEM>(
  rows: readonly ROW[],
  { limit, item, place }: { limit: number; item: (row: ROW) => ITEM; place: (row: ROW) => number },
): { items: ITEM[]; nextCursor?: string } {
  const items = (rows.length > limit ? rows.slice(0, limit) : rows).map(item)
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { items, ...(last !== undefined && { nextCursor: toCursor(place(last)) }) }
}

function describe(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value instanceof Date) return 'an invalid Date'
  return value === undefined ? 'missing' : `of type ${typeof value}`
}

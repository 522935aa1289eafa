/** The names of properties that state a media type. */
export const MEDIA_TYPE: RegExp = /^(?:media|mime|content)_?type$/i
/** The names of properties that are URLs. */
export const URL_KEY: RegExp = /ur[il]$|href$/i
/** The types of objects that are files: their data are bytes. */
export const FILES: ReadonlySet<unknown> = new Set([
  'file',
  'file-data',
  'image-data',
  'reasoning-file',
  'image',
  'audio',
  'media',
  'base64',
])

/** What a text has if it carries bytes. */
export const HINT: RegExp = /d[\t\n\r]*a[\t\n\r]*t[\t\n\r]*a[\t\n\r]*:|"(?:blob|data|base64|bytes)\\*"\s*:/i
/** How a data URL begins, as URL parsers read it. */
const SCHEME = /^[^!-\uffff]*d[\t\n\r]*a[\t\n\r]*t[\t\n\r]*a[\t\n\r]*:/i
/** A data URL with nothing before it. */
export const DATA_URL: RegExp = /^\s*data:(?:[\w.+-]+\/[\w.+*-]+)?\s*(?:;[^,;]*)*,/i

/** Whether it is the URL of data that it contains. */
export function isDataUrl(url: string): boolean {
  return SCHEME.test(url) && url.includes(',')
}

/** Whether it is worth looking for bytes. */
export function mayCarry(value: unknown, ancestors: object[] = []): boolean {
  if (typeof value === 'string') return HINT.test(value)
  if (typeof value !== 'object' || value === null || ancestors.includes(value)) return false
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof URL) return true
  ancestors.push(value)
  const carries = Array.isArray(value)
    ? value.some((item) => mayCarry(item, ancestors))
    : Object.entries(value).some(([key, each]) => DATA_KEYS.has(key) || mayCarry(each, ancestors))
  ancestors.pop()
  return carries
}

const DATA_KEYS: ReadonlySet<string> = new Set(['blob', 'data', 'base64', 'bytes'])

/** Whether it is an object as JSON has them. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

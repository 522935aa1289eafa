import { SLICE, type Task } from '../task.ts'

/** How much is decoded before the event loop may get a turn, in characters. A multiple of four. */
const AT_ONCE = 65_536

/** What no base64 contains: neither alphabet, padding nor the white space that `atob` ignores. */
const FOREIGN = /[^A-Za-z0-9+/_=\t\n\f\r -]/

/** Whether receivers decode it: both alphabets, with or without padding and white space. */
export function isBase64(text: string): boolean {
  if (FOREIGN.test(text)) return false
  const digits = text.replace(/[\t\n\f\r ]+/g, '')
  let { length } = digits
  while (digits[length - 1] === '=') length--
  return length % 4 !== 1 && !digits.slice(0, length).includes('=')
}

/** Whether it is in the one form that all receivers decode. */
export function isStandardBase64(text: string): boolean {
  const padding = text.indexOf('=')
  const isPadded = padding === -1 || /^={1,2}$/.test(text.slice(padding))
  return text.length % 4 === 0 && isPadded && !/[^A-Za-z0-9+/=]/.test(text)
}

/** Bytes, or the bytes of base64, at most those of `length` characters. Skips what is not base64, as lenient decoders do. */
export function* bytesOf(
  data: string | Uint8Array,
  length: number = Number.POSITIVE_INFINITY,
): Task<Uint8Array> {
  if (typeof data !== 'string') return data.subarray(0, (length * 3) / 4)
  const digits = data
    .slice(0, length)
    .replace(/[^A-Za-z0-9+/_-]+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  const usable = digits.length % 4 === 1 ? digits.length - 1 : digits.length
  const bytes = new Uint8Array(Math.floor((usable * 3) / 4))
  let next = 0
  for (let start = 0; start < usable; start += AT_ONCE) {
    const binary = atob(digits.slice(start, Math.min(usable, start + AT_ONCE)))
    for (let place = 0; place < binary.length; place++) bytes[next++] = binary.charCodeAt(place)
    yield SLICE
  }
  return bytes
}

const DIGITS = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')

/** Base64 of the UTF-8 of a text. Ten times as fast as `btoa`, which needs the bytes as a string. */
export function base64Of(text: string): string {
  const bytes = new TextEncoder().encode(text)
  const base64 = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(PADDING)
  let next = 0
  for (let place = 0; place < bytes.length; place += 3) {
    const [first, second = 0, third = 0] = [bytes[place] as number, bytes[place + 1], bytes[place + 2]]
    const left = Math.min(3, bytes.length - place)
    const digits = [
      first >> 2,
      ((first & 3) << 4) | (second >> 4),
      ((second & 15) << 2) | (third >> 6),
      third & 63,
    ]
    for (let digit = 0; digit <= left; digit++)
      base64[next + digit] = DIGITS[digits[digit] as number] as number
    next += 4
  }
  return new TextDecoder().decode(base64)
}

const PADDING = 0x3d

/** The bytes of a value that consists of bytes, also of a `Buffer` in JSON; `undefined` for all others. */
export function bytesIn(value: unknown): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  if (typeof value !== 'object' || value === null || !('type' in value) || value.type !== 'Buffer')
    return undefined
  return 'data' in value && Array.isArray(value.data) ? Uint8Array.from(value.data) : undefined
}

/** The UTF-8 of a text, in the form of these bytes. */
export function bytesLike(value: unknown, text: string): unknown {
  const bytes = new TextEncoder().encode(text)
  if (value instanceof ArrayBuffer) return bytes.buffer
  return ArrayBuffer.isView(value) ? bytes : { type: 'Buffer', data: [...bytes] }
}

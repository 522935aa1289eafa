import { isBinaryFileSync } from 'isbinaryfile'

/**
 * Decodes the bytes of a file, or of its beginning: UTF-8, or UTF-16 with a byte order mark. `undefined` for
 * anything else. An incomplete character at the end is dropped.
 */
export function decodedText(bytes: Buffer, isWhole: boolean): string | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe && !isUtf32(bytes)) return utf16(bytes, 'utf-16le', isWhole)
  if (first === 0xfe && second === 0xff) return utf16(bytes, 'utf-16be', isWhole)
  const utf8 = isWhole ? bytes : withoutCutCharacter(bytes)
  if (utf8.includes(0) || isBinaryFileSync(utf8)) return undefined
  return new TextDecoder().decode(utf8)
}

/** A UTF-8 character has up to 4 bytes; all but the first have the form 10xxxxxx. */
function withoutCutCharacter(bytes: Buffer): Buffer {
  const last = bytes.subarray(-4).findLastIndex((byte) => byte >> 6 !== 0b10)
  if (last === -1) return bytes
  const start = Math.max(0, bytes.length - 4) + last
  const first = bytes[start] ?? 0
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  return start + length > bytes.length ? bytes.subarray(0, start) : bytes
}

function utf16(bytes: Buffer, encoding: string, isWhole: boolean): string | undefined {
  // With `stream`, an incomplete character at the end is not decoded.
  const text = new TextDecoder(encoding).decode(bytes, { stream: !isWhole })
  return text.includes('\0') ? undefined : text
}

function isUtf32([, , third, fourth]: Buffer): boolean {
  return third === 0 && fourth === 0
}

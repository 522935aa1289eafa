/** How much of a file is read to detect text, in characters of its URL. */
const BEGINNING = 4_096
const TEXT_TYPE =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|csv|javascript|toml|rtf)\b|image\/svg)/i

/**
 * Rewrites the text in the data URL of a text file. Returns the same URL if nothing changed, or if the file is not
 * text. A file counts as text if its media type says so, or if its bytes decode as text: the sender chose the media
 * type.
 */
export function rewriteDataUrl(
  url: string,
  rewrite: (text: string) => string,
  { mediaType = '' }: { mediaType?: string | undefined } = {},
): string {
  const comma = url.slice(0, 'data:'.length).toLowerCase() === 'data:' ? url.indexOf(',') : -1
  if (comma === -1) return url
  const type = url.slice('data:'.length, comma)
  const isNamedText = TEXT_TYPE.test(type) || TEXT_TYPE.test(mediaType)
  const text = decode(url.slice(comma + 1), { type, isNamedText })
  if (text === undefined) return url
  const rewritten = rewrite(text)
  if (rewritten === text) return url
  return `data:${type.replace(/;\s*(?:base64\s*$|charset=[^;]*)/gi, '')};base64,${encode(rewritten)}`
}

function decode(
  data: string,
  { type, isNamedText }: { type: string; isNamedText: boolean },
): string | undefined {
  try {
    if (!/;\s*base64\s*$/i.test(type)) return decodeURIComponent(data)
    if (!isNamedText && !isText(bytesOf(data.slice(0, BEGINNING)))) return undefined
    const bytes = bytesOf(data)
    if (!isNamedText && !isText(bytes)) return undefined
    return new TextDecoder(encodingOf(bytes) ?? charsetOf(type)).decode(bytes)
  } catch {
    // The data does not match the declared encoding: there is no text to read.
    return undefined
  }
}

function bytesOf(base64: string): Uint8Array {
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  for (let place = 0; place < binary.length; place++) bytes[place] = binary.charCodeAt(place)
  return bytes
}

/** By its byte order mark. */
function encodingOf([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

function charsetOf(type: string): string {
  return /;\s*charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8'
}

/** Whether the bytes are UTF-8, or marked as UTF-16. They may end within a character. */
function isText(bytes: Uint8Array): boolean {
  if (encodingOf(bytes)) return true
  if (bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

function encode(text: string): string {
  let binary = ''
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary)
}

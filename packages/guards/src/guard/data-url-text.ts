/** How much of a file tells whether it is text, in characters of its URL. */
const BEGINNING = 4_096
const TEXT_TYPE =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|csv|javascript|toml|rtf)\b|image\/svg)/i

/**
 * A data URL of a text file with its text rewritten; the same where nothing changed, or it holds no text. A file is text
 * where its type says so, or where it can be read as text: the sender chose the type.
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
    // Not what it says it is: nothing that could be read.
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

/** Whether bytes, which may end within a character, are written in UTF-8 or marked as UTF-16. */
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

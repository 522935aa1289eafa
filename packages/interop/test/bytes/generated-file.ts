/** What the guard of these tests looks for. */
export const SECRET = 'KEY-4711'

/** A file as a sender makes it, honestly or not. */
export interface GeneratedFile {
  readonly bytes: Uint8Array
  /** The media type of the part. */
  readonly mediaType: string
  readonly base64: string
  readonly url: string
  readonly isBinary: boolean
}

type Random = () => number

const ENCODINGS = [
  'utf-8',
  'utf-8',
  'utf-16le',
  'utf-16be',
  'utf-32le',
  'utf-32be',
  'latin1',
  'utf-7',
] as const
const DECLARED = [
  ...[
    '',
    '',
    '',
    'utf-8',
    'UTF-16',
    'utf-16be',
    'utf-7',
    'bogus',
    'iso-8859-1',
    'shift_jis',
    'ebcdic-us',
    'utf-32',
  ],
  ...['"utf-16le"', 'x-user-defined', 'iso-2022-kr', 'windows-1252'],
]
const MEDIA_TYPES = [
  ...['text/plain', 'text/plain', 'text/plain', 'text/csv', 'text/html', 'application/json', 'image/svg+xml'],
  ...['image/png', 'application/pdf', 'audio/wav', 'application/octet-stream', 'Text/Plain'],
]
const WORDS = [
  'Grüße',
  'order',
  'Заказ',
  '注文',
  'a',
  '\n',
  'née',
  'αβγ',
  '😀',
  '{"a":1}',
  'x,y',
  'https://example.com',
]
const MARKS = [
  [0xff, 0xfe, 0x41, 0],
  [0xfe, 0xff, 0, 0x41],
  [0xef, 0xbb, 0xbf, 0x41],
  [0x41, 0x42, 0x43, 0xff],
]
const PNG = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
  (unit) => unit.charCodeAt(0),
)

/** A file that depends on the seed only. */
export function fileOf(seed: number): GeneratedFile {
  const random = randomOf(seed)
  const isBinary = random() < 0.1
  const bytes = isBinary ? binaryOf(random) : textOf(random)
  const declared = pick(random, DECLARED)
  const given = isBinary ? pick(random, ['image/png', 'application/octet-stream']) : pick(random, MEDIA_TYPES)
  const parameter = declared === '' ? '' : `;charset=${declared}`
  const base64 = base64Of(bytes, random)
  const scheme = pick(random, ['data:', 'data:', 'data:', 'DATA:', ' data:'])
  const isPercent = !isBinary && random() < 0.1
  const content = isPercent ? [...bytes].map((byte) => `%${hex(byte)}`).join('') : base64
  const marker = isPercent ? '' : pick(random, [';base64', ';base64', ';BASE64', '; base64'])
  return {
    bytes,
    mediaType: random() < 0.2 ? given + parameter : given,
    base64,
    url: `${scheme}${pick(random, [given, given, 'text/plain', ''])}${parameter}${marker},${content}`,
    isBinary,
  }
}

function textOf(random: Random): Uint8Array {
  const words = Array.from({ length: 1 + Math.floor(random() * 12) }, () => pick(random, WORDS))
  words.splice(Math.floor(random() * words.length), 0, SECRET)
  let text = words.join(' ')
  for (let levels = random() < 0.15 ? 1 + Math.floor(random() * 3) : 0; levels > 0; levels--) {
    text = `data:text/plain;base64,${Buffer.from(text).toString('base64')}`
  }
  const bytes = encoded(text, random)
  const damage = random()
  if (damage < 0.05) return bytes.subarray(0, bytes.length - 1)
  if (damage < 0.1) return Uint8Array.of(...bytes, pick(random, [0xff, 0xc3, 0x80, 0]))
  // Four bytes, so that the units of UTF-16 and UTF-32 stay where they are.
  if (damage < 0.15) return Uint8Array.of(...pick(random, MARKS), ...bytes)
  return bytes
}

function encoded(text: string, random: Random): Uint8Array {
  const encoding = pick(random, ENCODINGS)
  const marked = random() < 0.4 ? `\ufeff${text}` : text
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(marked)
    case 'utf-16le':
      return Buffer.from(marked, 'utf16le')
    case 'utf-16be':
      return Buffer.from(marked, 'utf16le').swap16()
    case 'utf-32le':
    case 'utf-32be': {
      const units = Array.from(marked, (each) => each.codePointAt(0) as number)
      const view = new DataView(new ArrayBuffer(units.length * 4))
      for (const [index, unit] of units.entries()) view.setUint32(4 * index, unit, encoding === 'utf-32le')
      return new Uint8Array(view.buffer)
    }
    case 'latin1':
      return Buffer.from(text.replace(/[^\0-\u00ff]/g, '?'), 'latin1')
    case 'utf-7':
      return Buffer.from(
        text.replace(
          random() < 0.5 ? /[^\x20-\x7e]+|\+/g : /[^\w ]+|KE/g,
          (part) => `+${Buffer.from(part, 'utf16le').swap16().toString('base64').replaceAll('=', '')}-`,
        ),
      )
  }
}

function binaryOf(random: Random): Uint8Array {
  return random() < 0.5
    ? PNG
    : Uint8Array.of(0x89, 0, ...Array.from({ length: 200 }, () => Math.floor(random() * 256)))
}

function base64Of(bytes: Uint8Array, random: Random): string {
  let text = Buffer.from(bytes).toString('base64')
  const form = random()
  if (form < 0.2) text = text.replaceAll('+', '-').replaceAll('/', '_')
  if (form > 0.1 && form < 0.4) text = text.replaceAll('=', '')
  if (form > 0.9) text = text.replace(/(.{1,19})/g, '$1\n')
  if (form > 0.88 && form < 0.9) text = `${text.slice(0, 8)}*${text.slice(8)}`
  return text
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}

function pick<T>(random: Random, all: readonly T[]): T {
  return all[Math.floor(random() * all.length)] as T
}

/** Mulberry32. */
function randomOf(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

import { fromDataUrl } from '@millrace/core'
import { type RewriteText, rewriteJson } from '../json-value.ts'
import { atOnce, type Task } from '../task.ts'
import { base64Of, bytesIn, bytesLike, isBase64 } from './base64.ts'
import { DATA_URL, FILES, HINT, isPlain, MEDIA_TYPE, mayCarry, URL_KEY } from './byte-carriers.ts'
import { filled } from './filled-value.ts'
import { type Carrier, joined, type Opened, openBytes, unreadable } from './opened-bytes.ts'

/** A value with its bytes taken out. */
export interface OpenedValue extends Omit<Opened, 'close'> {
  readonly value: unknown
  /** The value without its bytes; `undefined` if it consists of them. */
  readonly rest: unknown
  /** The value with these texts in its bytes, see {@link Opened}, and with this rest. */
  close(rest: unknown, treated: readonly string[]): unknown
}

/** What the object around a value says about it. */
interface Around {
  readonly key: string
  readonly mediaTypes: readonly string[]
  /** Whether it has the form of a file, so that its data are bytes. */
  readonly isFile: boolean
}

const NOTHING: Around = { key: '', mediaTypes: [], isFile: false }

export interface OpenOptions {
  /** The media type of a value that is a URL; empty if it is not known. */
  readonly mediaType?: string | undefined
  /** Whether only the most plausible text of ambiguous bytes is wanted. Default: all. */
  readonly single?: boolean
}

/** How a text within bytes is opened. */
interface Depth {
  readonly level: number
  readonly single: boolean
}

/** How deep bytes in the texts of bytes are opened. */
const MOST_LEVELS = 8

const EMBEDDED = /data:[\w.+*/-]{0,200}(?:;[\w.+="-]{1,100}){0,8};base64,[A-Za-z0-9+/_=%-]+/gi
/** The beginning of a data URL in which a person can have written nothing. */
const PLAIN_HEADER =
  /^data:(?:(?:text|image|audio|video|application|font|model)\/[a-z][\w.+*-]{0,80})?(?:;charset=[\w-]{1,20})?(?:;base64)?$/i

/**
 * Takes the bytes out of a value, wherever they stand: data URLs, base64 beside a media type, byte arrays, and these in
 * JSON or in the texts of files. `undefined` if there are none.
 */
export function* openValue(
  value: unknown,
  { mediaType, single = false, level = 0 }: OpenOptions & Partial<Depth> = {},
): Task<OpenedValue | undefined> {
  if (!mayCarry(value)) return undefined
  const mediaTypes = mediaType ? [mediaType] : []
  const around = mediaType === undefined ? NOTHING : { ...NOTHING, key: 'url', mediaTypes }
  const opener = new Opener({ level, single })
  const rest = yield* opener.open(value, around)
  const { holes } = opener
  if (holes.size === 0) return undefined
  const isWhole = holes.has(rest)
  const { texts, isUnreadable, close } = joined(
    [...holes.values()].map(({ opened }) => opened),
    (all) => all,
  )
  return {
    value,
    rest: isWhole ? undefined : rest,
    texts,
    isUnreadable,
    close(left, treated) {
      const closed = close(treated) as unknown[]
      const places = new Map(
        [...holes].map(([hole, { value }], index) => [
          hole,
          { value: closed[index], isNew: closed[index] !== value },
        ]),
      )
      if (left === (isWhole ? undefined : rest) && [...places.values()].every(({ isNew }) => !isNew))
        return value
      return filled(isWhole ? rest : left, places).value
    },
  }
}

/**
 * Rewrites the texts of a value, as `rewriteJson` does, and those of the bytes in it. Returns the same value if nothing
 * changed.
 */
export function rewriteValue(
  value: unknown,
  rewrite: RewriteText,
  { mediaType, numbers = true }: Pick<OpenOptions, 'mediaType'> & { numbers?: boolean } = {},
): unknown {
  const opened = atOnce(openValue(value, { mediaType, single: true }))
  if (!opened || opened.isUnreadable) return opened ? value : rewriteJson(value, rewrite, { numbers })
  const rest = rewriteJson(opened.rest, rewrite, { numbers })
  const texts = opened.texts.map((text) => rewrite(text))
  const isSame = rest === opened.rest && texts.every((text, index) => text === opened.texts[index])
  return isSame ? value : opened.close(rest, texts)
}

/** Opens the bytes of one value. */
class Opener {
  /** What was opened, by what is in its place: empty bytes, which inspectors do not change. */
  readonly holes = new Map<unknown, { readonly value: unknown; readonly opened: Opened }>()
  readonly #inner: Depth
  readonly #ancestors: object[] = []

  constructor({ level, single }: Depth) {
    this.#inner = { level: level + 1, single }
  }

  *open(value: unknown, around: Around): Task<unknown> {
    const opened = yield* this.#opened(value, around)
    if (opened) {
      const hole = new Uint8Array(0)
      this.holes.set(hole, { value, opened })
      return hole
    }
    if (typeof value !== 'object' || value === null || this.#ancestors.includes(value)) return value
    this.#ancestors.push(value)
    const left = Array.isArray(value)
      ? yield* this.#items(value)
      : isPlain(value)
        ? yield* this.#fields(value as Record<string, unknown>, around)
        : value
    this.#ancestors.pop()
    return left
  }

  /** Opens a data URL. `undefined` for other URLs, and for one without data that a text mentions. */
  *url(url: string, { mediaTypes, isFile }: Around = NOTHING): Task<Opened | undefined> {
    const content = contentOf(url)
    if (!content || (!isFile && !isBase64(content.base64))) return undefined
    const { mediaType, base64, charset } = content
    const header = url.slice(0, url.indexOf(','))
    // A URL that states no type is text, unless something else states one.
    const own = /:\s*[^;\s]/.test(header) || mediaTypes.length === 0 ? [mediaType] : []
    const type = /^[\w.+-]+\/[\w.+*-]+$/.test(mediaType) ? mediaType : 'text/plain'
    const close = (text: string): string => `data:${type};base64,${base64Of(text)}`
    const carrier = { value: url, data: base64, mediaTypes: [...own, ...mediaTypes], charset, close }
    const bytes = yield* this.#bytes(carrier)
    if (!bytes || PLAIN_HEADER.test(header)) return bytes
    return joined([plain(header), bytes], ([given, closed]) =>
      given === header || closed !== url ? closed : `data:${type};base64,${base64}`,
    )
  }

  *#opened(value: unknown, around: Around): Task<Opened | undefined> {
    if (typeof value === 'string') return yield* this.#string(value, around)
    if (value instanceof URL) {
      const opened = yield* this.url(value.href, { ...around, isFile: true })
      const close = ([url]: readonly unknown[]): unknown =>
        url === value.href ? value : new URL(url as string)
      return opened && joined([opened], close)
    }
    const data = bytesIn(value)
    const close = (text: string): unknown => bytesLike(value, text)
    return data && (yield* this.#bytes({ value, data, mediaTypes: around.mediaTypes, close }))
  }

  *#string(text: string, around: Around): Task<Opened | undefined> {
    const { key, mediaTypes, isFile } = around
    const isUrl = isFile || URL_KEY.test(key)
    const opened =
      isUrl || DATA_URL.test(text) ? yield* this.url(text, { ...around, isFile: isUrl }) : undefined
    if (opened) return opened
    const isData =
      key === 'blob' || key === 'base64' || ((key === 'data' || key === 'bytes') && mediaTypes.length > 0)
    const isVague = !isFile && key !== 'blob'
    const carrier = { value: text, data: text, mediaTypes, isVague, close: base64Of }
    const bytes = isData ? yield* this.#bytes(carrier) : undefined
    return bytes ?? (yield* openNested(text, this.#inner))
  }

  *#items(list: readonly unknown[]): Task<unknown> {
    const items: unknown[] = []
    yield list.length
    for (const item of list) items.push(isLeaf(item) ? item : yield* this.open(item, NOTHING))
    return items.some((item, index) => item !== list[index]) ? items : list
  }

  *#fields(value: Record<string, unknown>, around: Around): Task<unknown> {
    const entries = Object.entries(value)
    const own = entries.flatMap(([key, each]) =>
      MEDIA_TYPE.test(key) && typeof each === 'string' ? [each] : [],
    )
    const mediaTypes = own.length > 0 ? own : around.mediaTypes
    const isFile = around.isFile || FILES.has(value.type)
    const left: [string, unknown][] = []
    yield entries.length
    for (const [key, each] of entries) {
      left.push([key, isLeaf(each) ? each : yield* this.open(each, { key, mediaTypes, isFile })])
    }
    return left.some(([key, each]) => each !== value[key]) ? Object.fromEntries(left) : value
  }

  #bytes(carrier: Carrier): Task<Opened | undefined> {
    const { single } = this.#inner
    return openBytes(carrier, { single, openText: (text) => openText(text, this.#inner) })
  }
}

/** Malformed percent-encoding is left as it is, and is no base64. */
function contentOf(url: string): ReturnType<typeof fromDataUrl> {
  try {
    return fromDataUrl(url)
  } catch {
    return { mediaType: 'text/plain', base64: url.slice(url.indexOf(',')) }
  }
}

function* openText(text: string, depth: Depth): Task<Opened> {
  return (yield* openNested(text, depth)) ?? plain(text)
}

function plain(text: string): Opened {
  return { texts: [text], isUnreadable: false, close: ([treated]) => treated }
}

/** Opens the bytes in a text: a data URL, JSON, or data URLs between other text. */
function* openNested(text: string, depth: Depth): Task<Opened | undefined> {
  if (!HINT.test(text)) return undefined
  if (depth.level > MOST_LEVELS) return unreadable((notice) => notice)
  const opened = DATA_URL.test(text) ? yield* new Opener(depth).url(text) : undefined
  if (opened) return opened
  return (yield* openJson(text, depth)) ?? (yield* openEmbedded(text, depth))
}

function* openJson(text: string, depth: Depth): Task<Opened | undefined> {
  const opened = yield* openValue(parsed(text), depth)
  if (!opened) return undefined
  const { texts, isUnreadable } = opened
  return {
    texts: [text, ...texts],
    isUnreadable,
    close([treated, ...inner]) {
      const closed = opened.close(opened.rest, inner)
      if (closed === opened.value) return treated
      // The text around the bytes may have changed as well.
      const left = treated === text ? opened : atOnce(openValue(parsed(treated as string), depth))
      return left?.texts.length === texts.length ? JSON.stringify(left.close(left.rest, inner)) : REMOVED
    },
  }
}

const REMOVED = '[REDACTED]'

/** The list or object that a text is the JSON of. */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Data URLs that cannot be read are left alone here: a text may mention one. */
function* openEmbedded(text: string, depth: Depth): Task<Opened | undefined> {
  const opened: Opened[] = []
  const urls: string[] = []
  for (const url of new Set(text.match(EMBEDDED))) {
    const each = yield* new Opener(depth).url(url)
    if (!each || each.isUnreadable || each.texts.length === 0) continue
    opened.push(each)
    urls.push(url)
  }
  if (urls.length === 0) return undefined
  return joined([plain(text), ...opened], ([treated, ...closed]) => {
    const changed = new Map(urls.map((url, index) => [url, closed[index] as string]))
    const missing = new Set(urls.filter((url) => changed.get(url) !== url))
    const left = (treated as string).replace(EMBEDDED, (url) => {
      missing.delete(url)
      return changed.get(url) ?? url
    })
    // The treatment of the text around it has changed a URL.
    return missing.size > 0 ? REMOVED : left
  })
}

/** Whether it is neither a text nor has any. */
function isLeaf(value: unknown): boolean {
  return typeof value !== 'string' && (typeof value !== 'object' || value === null)
}

import type { Task } from '../task.ts'
import { bytesOf, isBase64, isStandardBase64 } from './base64.ts'
import { readText } from './text-of-bytes.ts'

/** A value that carries bytes, opened: the texts in it, and how it is closed again. */
export interface Opened {
  readonly texts: readonly string[]
  /** Whether it has bytes that are said to be text, and that cannot be read as text. */
  readonly isUnreadable: boolean
  /**
   * The value with these texts: the same value if they are the same, unless its bytes were ambiguous. Those become the
   * UTF-8 of the first text, and unreadable ones become a notice.
   */
  close(treated: readonly string[]): unknown
}

/** Bytes in a value, and what is said about them. */
export interface Carrier {
  readonly value: unknown
  /** The bytes, or their base64. */
  readonly data: string | Uint8Array
  /** The media types that the value and what is around it state. */
  readonly mediaTypes: readonly string[]
  readonly charset?: string | undefined
  /** Whether `data` may itself be the text. */
  readonly isVague?: boolean
  /** A value like this one with this text, as UTF-8. */
  close(text: string): unknown
}

export interface BytesOptions {
  /** Whether only the most plausible text is wanted. */
  readonly single: boolean
  /** Opens a text, which may again carry bytes. */
  readonly openText: (text: string) => Task<Opened>
}

/** What replaces bytes that cannot be read. */
const UNREADABLE = '[This file cannot be read as text. It was removed.]'

const TEXT_TYPE =
  /^\s*(?:text|message)\/|^\s*application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|csv|javascript|toml|rtf)\b|^\s*image\/svg/i

/** How much of a file is read to detect text, in characters of its base64: whole characters in UTF-16. */
const BEGINNING = 4_096

/**
 * Opens bytes. They count as text if a media type says so, or if they can be read as text: the sender chose the type.
 * `undefined` if the data may be a text itself, and is not the base64 of one.
 */
export function* openBytes(carrier: Carrier, { single, openText }: BytesOptions): Task<Opened | undefined> {
  const { value, data, mediaTypes, isVague = false } = carrier
  const isValid = typeof data !== 'string' || isBase64(data)
  if (isVague && !isValid) return undefined
  const charsets = [carrier.charset, ...mediaTypes.map(charsetOf)].filter((each) => each !== undefined)
  const isNamed = mediaTypes.some((type) => TEXT_TYPE.test(type))
  const mayBeText = isNamed || readText(yield* bytesOf(data, BEGINNING), charsets) !== undefined
  const readings = mayBeText && (isValid || !isNamed) ? readText(yield* bytesOf(data), charsets) : undefined
  if (isVague && !readings) return undefined
  if (isNamed && !readings) return unreadable(carrier.close)
  // What is no base64 can also be read as it is.
  const itself = typeof data === 'string' && (isVague || !isValid) ? [data] : []
  const texts = [...(readings?.texts.slice(0, single ? 1 : undefined) ?? []), ...itself]
  const opened: Opened[] = []
  for (const text of texts) opened.push(yield* openText(text))
  const isStandard = typeof data !== 'string' || isStandardBase64(data)
  const isKept = !isNamed || isVague || (readings?.isPlain && isStandard && charsets.every(isUtf8))
  return joined(opened, (closed) => {
    const changed = closed.findIndex((text, index) => text !== texts[index])
    if (changed === -1 && isKept) return value
    const text = closed[Math.max(changed, 0)] as string
    return isVague && changed === texts.length - 1 ? text : carrier.close(text)
  })
}

/** Several opened values as one. */
export function joined(opened: readonly Opened[], close: (closed: readonly unknown[]) => unknown): Opened {
  return {
    texts: opened.flatMap(({ texts }) => texts),
    isUnreadable: opened.some(({ isUnreadable }) => isUnreadable),
    close(treated) {
      let next = 0
      const closed = opened.map((each) => {
        const start = next
        next += each.texts.length
        return each.close(treated.slice(start, next))
      })
      return close(closed)
    },
  }
}

/** A value that cannot be read. */
export function unreadable(close: Carrier['close']): Opened {
  return { texts: [], isUnreadable: true, close: () => close(UNREADABLE) }
}

/** The charset of a media type, in lower case. */
function charsetOf(mediaType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(mediaType)?.[1]?.toLowerCase()
}

function isUtf8(charset: string): boolean {
  return /^(?:utf-?8|us-ascii|ascii)$/.test(charset)
}

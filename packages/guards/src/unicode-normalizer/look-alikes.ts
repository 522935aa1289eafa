import { yieldToEventLoop } from '../event-loop.ts'
import type { TextPass } from './text-pass.ts'

/** The prototype of a character, or the character itself. */
export type Prototype = (character: string) => string

/** Words longer than this, in code points, are judged in pieces. */
const LONGEST_WORD = 64

const WORD = '\\p{L}\\p{M}\\p{N}_'
const WORD_END = new RegExp(`[^${WORD}](?=[${WORD}]*$)`, 'u')
const WORDS = new RegExp(`[${WORD}]{1,${LONGEST_WORD}}`, 'gu')

/** By code point, as far as it has been met: 1 for a character that is its own prototype. */
const SAME = new WeakMap<Prototype, Uint8Array>()

/** Loads the table of Unicode TR39, as far as it leads to letters and digits of ASCII. */
export async function loadPrototypes(): Promise<Prototype> {
  await yieldToEventLoop()
  const { default: prototypeOf } = await import('unhomoglyph')
  await yieldToEventLoop()
  const known = new Map<string, string>()
  return (character) => {
    let found = known.get(character)
    if (found === undefined) {
      found = asciiPrototype(character, prototypeOf(character))
      known.set(character, found)
    }
    return found
  }
}

function asciiPrototype(character: string, prototype: string): string {
  if (character <= '\x7f' || !/^[A-Za-z0-9]+$/.test(prototype)) return character
  // The table has one prototype for all that looks like a stroke: of a capital, it is the capital I.
  if (prototype === 'l' && /\p{Lu}/u.test(character)) return 'I'
  return prototype
}

/**
 * Begins a text in which characters that look like ASCII letters and digits are to become them: `mixed`, in words that
 * also have ASCII letters, so that text in another script stays; or `all`.
 */
export function foldLookAlikes(prototypeOf: Prototype, scope: 'mixed' | 'all'): TextPass {
  let pending = ''
  const same = SAME.get(prototypeOf) ?? new Uint8Array(0x10000)
  SAME.set(prototypeOf, same)

  function foldAll(text: string): string {
    let out = ''
    let start = 0
    for (let place = 0; place < text.length; ) {
      const codePoint = text.codePointAt(place) as number
      const next = place + (codePoint > 0xffff ? 2 : 1)
      if (codePoint > 0x7f && same[codePoint] !== 1) {
        const character = text.slice(place, next)
        const prototype = prototypeOf(character)
        if (prototype === character) {
          if (codePoint < same.length) same[codePoint] = 1
        } else {
          out += text.slice(start, place) + prototype
          start = next
        }
      }
      place = next
    }
    return start === 0 ? text : out + text.slice(start)
  }

  function fold(text: string): string {
    if (/^[\0-\x7f]*$/.test(text)) return text
    if (scope === 'all') return foldAll(text)
    return text.replace(WORDS, (word) => (/[A-Za-z]/.test(word) ? foldAll(word) : word))
  }

  return {
    push(piece) {
      pending += piece
      const from = Math.max(0, pending.length - 2 * LONGEST_WORD)
      const end = WORD_END.exec(pending.slice(from))
      let cut = end ? from + end.index + end[0].length : 0
      if (!end && pending.length > LONGEST_WORD) cut = [...pending.matchAll(WORDS)].at(-1)?.index ?? 0
      const out = fold(pending.slice(0, cut))
      pending = pending.slice(cut)
      return out
    },
    end() {
      return fold(pending)
    },
  }
}

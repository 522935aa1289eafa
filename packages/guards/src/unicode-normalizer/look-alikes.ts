import { yieldToEventLoop } from '../event-loop.ts'
import type { TextPass } from './text-pass.ts'

/** The prototype of a character, or the character itself. */
export type Prototype = (character: string) => string

/** Words longer than this, in code points, are judged in pieces. */
const LONGEST_WORD = 64

const WORD = '\\p{L}\\p{M}\\p{N}_'
const WORD_END = new RegExp(`[^${WORD}](?=[${WORD}]*$)`, 'u')
const WORDS = new RegExp(`[${WORD}]{1,${LONGEST_WORD}}`, 'gu')

/** By character of one unit, as far as it has been met: what stands in its place, and nothing where it stays. */
const KNOWN = new WeakMap<Prototype, string[]>()

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
 * Begins a text in which characters that look like ASCII letters and digits become them: `mixed`, in words that
 * also have ASCII letters, so that text in another script stays; or `all`.
 */
export function foldLookAlikes(prototypeOf: Prototype, scope: 'mixed' | 'all'): TextPass {
  let pending = ''
  const known = KNOWN.get(prototypeOf) ?? []
  KNOWN.set(prototypeOf, known)

  /** What stands in place of the character there; nothing where it stays. */
  function replacementAt(text: string, place: number, end: number): string {
    const character = text.slice(place, end)
    const prototype = prototypeOf(character)
    const replacement = prototype === character ? '' : prototype
    if (end - place === 1) known[text.charCodeAt(place)] = replacement
    return replacement
  }

  function foldAll(text: string): string {
    let out = ''
    let start = 0
    for (let place = 0; place < text.length; ) {
      const code = text.charCodeAt(place)
      let end = place + 1
      if (code > 0x7f) {
        if ((code & 0xfc00) === 0xd800 && (text.codePointAt(place) as number) > 0xffff) end++
        const replacement = (end - place === 1 ? known[code] : undefined) ?? replacementAt(text, place, end)
        if (replacement !== '') {
          if (place > start) out += text.slice(start, place)
          out += replacement
          start = end
        }
      }
      place = end
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

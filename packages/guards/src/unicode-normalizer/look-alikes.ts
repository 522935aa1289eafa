import { codePointAt } from '../code-point.ts'
import { yieldToEventLoop } from '../event-loop.ts'
import type { TextPass } from './text-pass.ts'

/** Returns the prototype of a character (Unicode TR39), or the character itself. */
export type Prototype = (character: string) => string

/** Longer words, in code points, are handled in parts. */
const LONGEST_WORD = 64

const WORD = '\\p{L}\\p{M}\\p{N}_'
const WORD_END = new RegExp(`[^${WORD}](?=[${WORD}]*$)`, 'u')
const WORDS = new RegExp(`[${WORD}]{1,${LONGEST_WORD}}`, 'gu')

/** By UTF-16 unit, as far as known: the replacement; empty if the character stays. */
const KNOWN = new WeakMap<Prototype, string[]>()

/** Loads the confusables of Unicode TR39, restricted to prototypes of ASCII letters and digits. */
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
  // The table has `l` as the prototype of every vertical stroke. For an upper-case letter it should be `I`.
  if (prototype === 'l' && /\p{Lu}/u.test(character)) return 'I'
  return prototype
}

/**
 * Replaces characters that look like ASCII letters and digits. `mixed`: in words that also have ASCII letters, so that
 * text in another script stays. `all`: everywhere.
 */
export function foldLookAlikes(prototypeOf: Prototype, scope: 'mixed' | 'all'): TextPass {
  let pending = ''
  const known = KNOWN.get(prototypeOf) ?? []
  KNOWN.set(prototypeOf, known)

  /** The replacement of the character; empty if it stays. */
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
        if ((code & 0xfc00) === 0xd800 && codePointAt(text, place) > 0xffff) end++
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

import { aroundEmoji, removeInvisible } from './invisible-characters.ts'
import type { TextPass } from './text-pass.ts'

export interface NormalizeOptions {
  /** `'NFKC'`, `'NFC'`, or `false` for no normalization form. Default: `'NFKC'`. */
  readonly form?: 'NFC' | 'NFKC' | false
  /** Remove zero-width, bidi, control and other invisible characters. Default: `true`. */
  readonly invisible?: boolean
  /** `unify` makes every kind of space a space, and every kind of line end a line feed. Default: `unify`. */
  readonly whitespace?: 'keep' | 'unify'
}

/**
 * The maximum length that is normalized as a whole, in UTF-16 units: no writing system combines that many characters.
 */
const LONGEST_SEGMENT = 1_024

/** Characters that may combine with the character before: marks, format characters, jamo, regional indicators. */
const JOINING =
  '\\p{M}\\p{Cf}\\p{Sk}\\p{Cs}\\u1160-\\u11ff\\u3131-\\u318e\\ud7b0-\\ud7ff\\uff9e-\\uffdc\\u{1f1e6}-\\u{1f1ff}'

/** Positions at which the two sides can be normalized separately. */
const CUT = new RegExp(`(?<!\\p{Cf}|\\r|^)(?=[^${JOINING}])`, 'gu')
/** A text without any of these can be cut anywhere. */
const SOME_JOINING = new RegExp(`[${JOINING}\\r]`, 'u')
/** All spaces except U+0020. */
const SPACES = /[\v\f\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]/g

const PLAIN = /^[\t\n\x20-\x7e]*$/

/** Normalizes a text that arrives in chunks. */
export function normalize({
  form = 'NFKC',
  invisible = true,
  whitespace = 'unify',
}: NormalizeOptions = {}): TextPass {
  let pending = ''

  function change(text: string): string {
    if (PLAIN.test(text)) return text
    let out = text.toWellFormed()
    if (form !== false) out = aroundEmoji(out, (between) => between.normalize(form))
    if (whitespace === 'unify') out = out.replace(/\r\n?|[\x85\u2028\u2029]/g, '\n').replace(SPACES, ' ')
    return invisible ? removeInvisible(out) : out
  }

  /** Normalizes a text segment by segment. A longer segment is cut. */
  function changeAll(text: string): string {
    if (text.length <= LONGEST_SEGMENT || !SOME_JOINING.test(text)) return change(text)
    let out = ''
    let start = 0
    let last = 0
    const changeTo = (end: number): void => {
      if (end > start) out += change(text.slice(start, end))
      start = last = end
    }
    for (const { index } of text.matchAll(CUT)) {
      if (index - start > LONGEST_SEGMENT) changeTo(last)
      for (; index - start > LONGEST_SEGMENT; ) changeTo(start + LONGEST_SEGMENT)
      last = index
    }
    if (text.length - start > LONGEST_SEGMENT) changeTo(last)
    for (; text.length - start > LONGEST_SEGMENT; ) changeTo(start + LONGEST_SEGMENT)
    changeTo(text.length)
    return out
  }

  return {
    push(piece) {
      const text = pending + piece
      const cut = lastCut(text, pending.length)
      let out = changeAll(text.slice(0, cut))
      pending = text.slice(cut)
      for (; pending.length > 2 * LONGEST_SEGMENT; pending = pending.slice(LONGEST_SEGMENT)) {
        out += change(pending.slice(0, LONGEST_SEGMENT))
      }
      return out
    },
    end() {
      return changeAll(pending)
    },
  }
}

/**
 * The last position at which the text can be cut; 0 if there is none. The first `known` units are known to have none.
 */
function lastCut(text: string, known: number): number {
  for (let window = 64; ; window *= 8) {
    let start = Math.max(0, known - 2, text.length - window)
    // A low surrogate alone would be taken for another character.
    if (start > 0 && (text.charCodeAt(start) & 0xfc00) === 0xdc00) start--
    let last = 0
    for (const { index } of text.slice(start).matchAll(CUT)) last = start + index
    if (last > 0 || start <= Math.max(0, known - 2)) return last
  }
}

import type { TextPass } from './text-pass.ts'
import { aroundEmoji, removeInvisible } from './visible.ts'

export interface NormalizeOptions {
  /** The normalisation form; `false` for none. Default: `NFKC`. */
  readonly form?: 'NFC' | 'NFKC' | false
  /** Whether to remove what is not seen. Default: true. */
  readonly invisible?: boolean
  /** `unify` makes every kind of space a space, and every kind of line end a line feed. Default: `unify`. */
  readonly whitespace?: 'keep' | 'unify'
}

/** The longest run that is changed as a whole, in UTF-16 units: no writing system joins that many characters. */
const LONGEST_SEGMENT = 1_024

/** Characters that may join with what precedes them: marks, format characters, jamo, regional indicators. */
const JOINING =
  '\\p{M}\\p{Cf}\\p{Sk}\\p{Cs}\\u1160-\\u11ff\\u3131-\\u318e\\ud7b0-\\ud7ff\\uff9e-\\uffdc\\u{1f1e6}-\\u{1f1ff}'

/** Where a text may be cut without changing what becomes of either side. */
const CUT = new RegExp(`(?<!\\p{Cf}|\\r|^)(?=[^${JOINING}])`, 'gu')
const LONG_SEGMENT = new RegExp(`(?:[${JOINING}\\r](?:[^${JOINING}\\r](?=[${JOINING}\\r]))?){256}`, 'u')

const PLAIN = /^[\t\n\x20-\x7e]*$/

/** Begins a text that is to be normalised. */
export function normalize({
  form = 'NFKC',
  invisible = true,
  whitespace = 'unify',
}: NormalizeOptions = {}): TextPass {
  let pending = ''

  function change(text: string): string {
    if (PLAIN.test(text)) return text
    let out = text.replace(/\p{Cs}/gu, '\ufffd')
    if (form !== false) out = aroundEmoji(out, (between) => between.normalize(form))
    if (whitespace === 'unify') {
      out = out.replace(/\r\n?|[\x85\u2028\u2029]/g, '\n').replace(/[\v\f]|\p{Zs}/gu, ' ')
    }
    return invisible ? removeInvisible(out) : out
  }

  function changeAll(text: string): string {
    if (text.length <= LONGEST_SEGMENT || !LONG_SEGMENT.test(text)) return change(text)
    let out = ''
    let start = 0
    for (const cut of [...text.matchAll(CUT)].map(({ index }) => index).concat(text.length)) {
      for (; cut - start > LONGEST_SEGMENT; start += LONGEST_SEGMENT) {
        out += change(text.slice(start, start + LONGEST_SEGMENT))
      }
      out += change(text.slice(start, cut))
      start = cut
    }
    return out
  }

  return {
    push(piece) {
      const text = pending + piece
      const cut = lastCut(text)
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

/** The last place where a text may be cut; 0 if there is none. */
function lastCut(text: string): number {
  for (let window = 64; ; window *= 8) {
    const start = Math.max(0, text.length - window)
    let last = 0
    for (const { index } of text.slice(start).matchAll(CUT)) last = start + index
    if (last > 0 || start === 0) return last
  }
}

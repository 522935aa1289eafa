import type { TextPass } from './text-pass.ts'

/** Makes one space of several, leaves at most one empty line, and trims. */
export function collapse(): TextPass {
  let isBegun = false
  let spaces = 0
  let lineEnds = 0
  return {
    push(piece) {
      let out = ''
      for (const [, white = '', text = ''] of piece.matchAll(/([ \t\n]*)([^ \t\n]*)/g)) {
        spaces += white.length
        lineEnds += white.split('\n').length - 1
        if (text === '') continue
        if (isBegun && spaces > 0) out += lineEnds === 0 ? ' ' : '\n'.repeat(Math.min(2, lineEnds))
        out += text
        isBegun = true
        spaces = 0
        lineEnds = 0
      }
      return out
    },
    end() {
      return ''
    },
  }
}

import type { TextPass } from './text-pass.ts'

const [TAB, LINE_FEED, SPACE] = [0x09, 0x0a, 0x20]

/** Collapses spaces to one space and line breaks to at most two, and trims. */
export function collapse(): TextPass {
  let isBegun = false
  let spaces = 0
  let lineEnds = 0
  return {
    push(piece) {
      let out = ''
      let place = 0
      while (place < piece.length) {
        for (; isWhite(piece.charCodeAt(place)); place++) {
          spaces++
          if (piece.charCodeAt(place) === LINE_FEED) lineEnds++
        }
        if (place === piece.length) break
        if (isBegun && spaces > 0) out += lineEnds === 0 ? ' ' : '\n'.repeat(Math.min(2, lineEnds))
        isBegun = true
        spaces = 0
        lineEnds = 0
        const start = place
        place = endOfWords(piece, place)
        out += piece.slice(start, place)
      }
      return out
    },
    end() {
      return ''
    },
  }
}

/** The end of a run of words that are separated by single spaces. */
function endOfWords(piece: string, from: number): number {
  for (let place = from; place < piece.length; place++) {
    const code = piece.charCodeAt(place)
    if (!isWhite(code)) continue
    const isBetween = code === SPACE && place + 1 < piece.length && !isWhite(piece.charCodeAt(place + 1))
    if (!isBetween) return place
  }
  return piece.length
}

/** False for NaN, which `charCodeAt` returns past the end. */
function isWhite(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === TAB
}

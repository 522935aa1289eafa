import type { InjectionScorer } from './injection-scorer.ts'

/** What stands in place of an attack. */
export const NOTICE = '[REMOVED: possible prompt injection]'

/** After so many passages, a text in which attacks are left is replaced as a whole. */
const MOST_PASSAGES = 8

const SENTENCE_END = /[.!?。！？\n]/

/** The text without the passages that are attacks, a notice in place of each. */
export function rewriteAttack(text: string, scorer: InjectionScorer, threshold: number): string {
  const pieces = sentencesOf(text)
  if (pieces.length < 2 || pieces.length > 2_000) return NOTICE
  let left = pieces.map((piece) => (scorer.score(piece).score >= threshold ? NOTICE : piece))
  for (let round = 0; round < MOST_PASSAGES; round++) {
    const joined = left.filter((piece) => piece !== NOTICE).join('')
    const { score, start, end } = scorer.score(joined)
    if (score < threshold) return collapsed(left)
    let place = 0
    left = left.map((piece) => {
      if (piece === NOTICE) return piece
      const from = place
      place += piece.length
      return place > start && from < end ? NOTICE : piece
    })
  }
  return NOTICE
}

function sentencesOf(text: string): string[] {
  const pieces: string[] = []
  let start = 0
  for (let place = 0; place < text.length; place++) {
    if (!SENTENCE_END.test(text[place] as string)) continue
    pieces.push(text.slice(start, place + 1))
    start = place + 1
  }
  if (start < text.length) pieces.push(text.slice(start))
  return pieces
}

/** One notice for several in a row. */
function collapsed(pieces: readonly string[]): string {
  return pieces.filter((piece, index) => piece !== NOTICE || pieces[index - 1] !== NOTICE).join('')
}

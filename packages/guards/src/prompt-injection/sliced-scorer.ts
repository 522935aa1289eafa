import type { Task } from '../guard/task.ts'
import type { InjectionScore, InjectionScorer } from './injection-scorer.ts'

/** What is scored at once, in UTF-16 units. */
const LONGEST = 16_384

/** How much of a piece is scored again with the next, so that nothing lies between them. */
const OVERLAP = 4_096

/** A cut within an unbroken run keeps the groups of base64, base32, hex and binary whole. */
const GROUP = 120

/** Scores long texts piece by piece, with other work between. The highest score counts. */
export class SlicedScorer {
  readonly #scorer: InjectionScorer

  constructor(scorer: InjectionScorer) {
    this.#scorer = scorer
  }

  *score(text: string): Task<InjectionScore> {
    if (text.length <= LONGEST) {
      const score = this.#scorer.score(text)
      yield text.length
      return score
    }
    let best: InjectionScore | undefined
    for (let start = 0; ; ) {
      const end = Math.min(text.length, start + LONGEST)
      const piece = this.#scorer.score(text.slice(start, end))
      yield end - start
      if (!best || piece.score > best.score) best = moved(piece, start)
      if (end === text.length) return best
      start = startBefore(text, end)
    }
  }
}

/** Where the next piece begins: at a space, or, in a long run without any, where a group of it does. */
function startBefore(text: string, end: number): number {
  const from = end - OVERLAP
  for (let place = from; place > from - OVERLAP; place--) {
    if (/\s/.test(text[place] as string)) return place
  }
  let begin = from
  while (begin > 0 && !/\s/.test(text[begin - 1] as string)) begin--
  return begin + Math.floor((from - begin) / GROUP) * GROUP
}

function moved(score: InjectionScore, by: number): InjectionScore {
  return {
    ...score,
    start: score.start + by,
    end: score.end + by,
    evidence: score.evidence.map((each) => ({ ...each, start: each.start + by, end: each.end + by })),
  }
}

import type { Task } from '../guard/task.ts'
import type { InjectionScore, InjectionScorer, ScoreContext } from './injection-scorer.ts'

/** How much text is scored at once, in UTF-16 units. */
const LONGEST = 16_384

/** How much of a slice is scored again with the next, so that attacks over a boundary are found. */
const OVERLAP = 4_096

/**
 * A cut within text without spaces is at a multiple of this, which keeps the groups of base64, base32, hex and binary
 * whole.
 */
const GROUP = 120

const SPACE = /\s/

/** Scores long texts in slices, yielding to the event loop in between. Returns the highest score. */
export class SlicedScorer {
  readonly #scorer: InjectionScorer

  constructor(scorer: InjectionScorer) {
    this.#scorer = scorer
  }

  *score(text: string, context: ScoreContext): Task<InjectionScore> {
    if (text.length <= LONGEST) return yield* this.#scorer.steps(text, context)
    let best: InjectionScore | undefined
    let start = 0
    let run: Run = { begin: 0, place: 0 }
    for (;;) {
      const end = Math.min(text.length, start + LONGEST)
      const piece = yield* this.#scorer.steps(text.slice(start, end), context)
      if (!best || piece.score > best.score) best = moved(piece, start)
      if (end === text.length) return best
      run = runAround(text, end - OVERLAP, run)
      start = startBefore(text, run)
    }
  }
}

/** The beginning of the text without spaces around a position. */
interface Run {
  readonly begin: number
  readonly place: number
}

/** The run around `place`. `before` is an earlier run, up to which the text was already searched. */
function runAround(text: string, place: number, before: Run): Run {
  let begin = place
  while (begin > before.place && !SPACE.test(text[begin - 1] as string)) begin--
  return { begin: begin === before.place ? before.begin : begin, place }
}

/** The start of the next slice: at a space, or, if there is none near, at the start of a group. */
function startBefore(text: string, { begin, place: from }: Run): number {
  for (let place = from; place > from - OVERLAP; place--) {
    if (SPACE.test(text[place] as string)) return place
  }
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

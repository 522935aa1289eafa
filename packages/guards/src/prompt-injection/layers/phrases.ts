import { CLASSES } from '../text/lexicon.ts'
import type { Layer, Sign, SignHit } from './layer.ts'

/** The maximum distance of the words of one order, after and before the first word found. */
const AHEAD = 9
const BEHIND = 6

const CODE = /[{};=]|[a-z]\(/i

/**
 * Finds orders by their words, in any word order and language: a verb to undo, a word for earlier, and a word
 * for instructions; or a verb to reveal, and something hidden.
 */
export const findPhrases: Layer = ({ words, classes, starts, ends, text }) => {
  const hits: SignHit[] = []

  function near(place: number, wanted: number): number | undefined {
    const end = Math.min(words.length, place + AHEAD)
    for (let index = place + 1; index < end; index++) {
      if ((classes[index] as number) & wanted) return index
    }
    const begin = Math.max(0, place - BEHIND)
    for (let index = place - 1; index >= begin; index--) {
      if ((classes[index] as number) & wanted) return index
    }
    return undefined
  }

  /** Whether the words may belong to one order: not if program code is between them. */
  function isOneOrder(...places: number[]): boolean {
    const from = Math.min(...places)
    const to = Math.max(...places)
    return !CODE.test(text.slice(starts[from], ends[to]))
  }

  /** `Dan` is a person's name, `DAN` is not. */
  function isName(place: number): boolean {
    return text.slice(starts[place], ends[place]) === 'Dan'
  }

  function add(sign: Sign, ...places: number[]): void {
    hits.push({ sign, from: Math.min(...places), to: Math.max(...places) + 1 })
  }

  for (let place = 0; place < words.length; place++) {
    const own = classes[place] as number
    if (own === 0) continue
    if (own & CLASSES.undo) {
      const earlier = near(place, CLASSES.earlier)
      const order = near(place, CLASSES.order)
      if (earlier !== undefined && order !== undefined && isOneOrder(place, earlier, order))
        add('override', place, earlier, order)
      else if (isOneOrder(place, earlier ?? order ?? place) && (earlier ?? order) !== undefined)
        add('override-loose', place, earlier ?? order ?? place)
    }
    if (own & CLASSES.reveal) {
      const hidden = near(place, CLASSES.hidden)
      if (hidden !== undefined && hidden !== place && isOneOrder(place, hidden)) add('reveal', place, hidden)
    }
    if (own & CLASSES.free && !isName(place)) add('freedom', place)
    if (own & CLASSES.quoting) add('subject', place)
  }
  return hits
}

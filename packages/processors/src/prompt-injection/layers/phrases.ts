import { classesOf, type WordClass } from '../text/lexicon.ts'
import type { Layer, Sign, SignHit } from './layer.ts'

/** How far apart the words of one order may stand. */
const AHEAD = 9
const BEHIND = 6

const CODE = /[{};=]|[a-z]\(/i

/**
 * Orders by the words they are made of, in any order and language: something to undo, what was said earlier, and what it
 * was; or something to be shown that is hidden.
 */
export const findPhrases: Layer = ({ words, starts, ends, text }) => {
  const hits: SignHit[] = []
  const known = new Map<string, ReadonlySet<WordClass>>()
  const classes = words.map((word) => {
    let found = known.get(word)
    if (!found) {
      found = classesOf(word)
      known.set(word, found)
    }
    return found
  })

  function near(place: number, name: WordClass): number | undefined {
    for (let index = place + 1; index < Math.min(words.length, place + AHEAD); index++) {
      if (classes[index]?.has(name)) return index
    }
    for (let index = place - 1; index >= Math.max(0, place - BEHIND); index--) {
      if (classes[index]?.has(name)) return index
    }
    return undefined
  }

  /** Whether one order can reach from word to word: not over the marks of program code. */
  function isOneOrder(...places: number[]): boolean {
    const from = Math.min(...places)
    const to = Math.max(...places)
    return !CODE.test(text.slice(starts[from], ends[to]))
  }

  /** Dan is somebody, DAN is not. */
  function isName(place: number): boolean {
    return text.slice(starts[place], ends[place]) === 'Dan'
  }

  function add(sign: Sign, ...places: number[]): void {
    hits.push({ sign, from: Math.min(...places), to: Math.max(...places) + 1 })
  }

  for (let place = 0; place < words.length; place++) {
    const own = classes[place] as ReadonlySet<WordClass>
    if (own.size === 0) continue
    if (own.has('undo')) {
      const earlier = near(place, 'earlier')
      const order = near(place, 'order')
      if (earlier !== undefined && order !== undefined && isOneOrder(place, earlier, order))
        add('override', place, earlier, order)
      else if (isOneOrder(place, earlier ?? order ?? place) && (earlier ?? order) !== undefined)
        add('override-loose', place, earlier ?? order ?? place)
    }
    if (own.has('reveal')) {
      const hidden = near(place, 'hidden')
      if (hidden !== undefined && hidden !== place && isOneOrder(place, hidden)) add('reveal', place, hidden)
    }
    if (own.has('free') && !isName(place)) add('freedom', place)
    if (own.has('quoting')) add('subject', place)
  }
  return hits
}

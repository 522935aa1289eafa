import { CONCEPTS, type Concept } from '../text/concepts.ts'
import type { ReadText } from '../text/folded-text.ts'
import type { Layer, SignHit } from './layer.ts'

/** The recipients of an order to a model. */
const READERS = mask('ai', 'model', 'assistant')

/** Words next to a recipient that show that it is addressed, not only mentioned: conditions, notices, readers, judges. */
const ADDRESSING = mask('condition', 'important', 'judge', 'must', 'now', 'document', 'message')

/** The actions that such an order requests. */
const ACTIONS = mask(
  'send',
  'delete',
  'pay',
  'run',
  'open',
  'add',
  'answer',
  'tell',
  'reveal',
  'show',
  'repeat',
  'ignore',
  'putAside',
  'end',
  'praise',
  'confirm',
)

/** The actions that an order to keep a secret forbids. */
const SAYING = mask('tell', 'answer', 'show')

/** Words for rules, and words that say that the model is free of them. */
const BONDS = mask('rule', 'restriction', 'safety', 'forbidden', 'instruction')
const LOOSE = mask('without', 'not', 'putAside', 'ignore')

/** Words for instructions, and for earlier ones. */
const ORDERS = mask('instruction', 'prompt')
const EARLIER = mask('earlier', 'all')
const REACH_BACK = 6

/**
 * Maximum distances in words: between the recipient and the words around it, between the recipient and the action, and
 * the latter if the recipient is only called by name.
 */
const NEAR = 8
const REACH = 16
const CALLED_REACH = 6

/**
 * Finds orders by their concepts, in fourteen languages: an action requested from the model that reads the text; and
 * statements that the model has no rules.
 */
export const findAddressed: Layer = (read) => {
  const { concepts } = read
  const hits: SignHit[] = []
  for (let place = 0; place < concepts.length; place++) {
    const own = concepts[place] as number
    if (own === 0) continue
    if (isIn(READERS, own)) {
      const scale = isUnspaced(read, place) ? 2 : 1
      const isAddress = nearest(concepts, place, ADDRESSING, NEAR) !== undefined
      const reach = isAddress ? REACH : isCalled(read, place) ? CALLED_REACH : 0
      const action = next(concepts, place, ACTIONS, scale * reach)
      if (action !== undefined) hits.push({ sign: 'addressed', from: place, to: action + 1 })
    }
    if (own === CONCEPTS.ignore) {
      const order = nearest(concepts, place, ORDERS, REACH_BACK)
      const earlier = nearest(concepts, place, EARLIER, REACH_BACK)
      const isNegated = concepts[place - 1] === CONCEPTS.not || concepts[place - 2] === CONCEPTS.not
      if (order !== undefined && earlier !== undefined && !isNegated) {
        const places = [place, order, earlier]
        hits.push({ sign: 'override', from: Math.min(...places), to: Math.max(...places) + 1 })
      }
    }
    if (own === CONCEPTS.not && nearest(concepts, place, USERS, NEAR) !== undefined) {
      const saying = next(concepts, place, SAYING, 4) ?? nearest(concepts, place, SAYING, 3)
      if (saying !== undefined)
        hits.push({ sign: 'secrecy', from: Math.min(place, saying), to: Math.max(place, saying) + 1 })
    }
    if (isIn(BONDS, own)) {
      const loose = nearestInSentence(read, place, LOOSE, 4)
      const who = loose === undefined ? undefined : nearest(concepts, place, YOU, NEAR)
      if (loose !== undefined && who !== undefined)
        hits.push({ sign: 'unbound', from: Math.min(place, loose, who), to: Math.max(place, loose, who) + 1 })
    }
  }
  return hits
}

const USERS = mask('user')
const YOU = mask('you', 'your', 'act')

/** Whether a name begins a sentence or line and is followed by a colon or comma: "Assistant, ..." */
function isCalled(read: ReadText, place: number): boolean {
  const { begins, text, ends } = read
  if (!begins[place] && !(place > 0 && begins[place - 1])) return false
  const after = text.slice(ends[place], (ends[place] as number) + 8)
  return (isUnspaced(read, place) ? /^[^\s。]{0,6}?[:：、，]/ : /^[\s*_\])]{0,3}[:,：、，]/).test(after)
}

/** In scripts without spaces each character is a word, and the concept is at the first character. */
function isUnspaced({ words }: ReadText, place: number): boolean {
  return words[place]?.length === 1 || words[place + 1]?.length === 1
}

function next(
  concepts: readonly number[],
  place: number,
  wanted: Uint8Array,
  reach: number,
): number | undefined {
  const end = Math.min(concepts.length, place + reach + 1)
  for (let index = place + 1; index < end; index++) {
    if (isIn(wanted, concepts[index] as number)) return index
  }
  return undefined
}

function nearest(
  concepts: readonly number[],
  place: number,
  wanted: Uint8Array,
  reach: number,
): number | undefined {
  for (let distance = 1; distance <= reach; distance++) {
    if (isIn(wanted, concepts[place - distance] ?? 0)) return place - distance
    if (isIn(wanted, concepts[place + distance] ?? 0)) return place + distance
  }
  return undefined
}

function nearestInSentence(
  { concepts, begins }: ReadText,
  place: number,
  wanted: Uint8Array,
  reach: number,
): number | undefined {
  let first = place
  while (place - first < reach && first > 0 && !begins[first]) first--
  let last = place
  while (last - place < reach && last + 1 < concepts.length && !begins[last + 1]) last++
  for (let distance = 1; distance <= reach; distance++) {
    if (place - distance >= first && isIn(wanted, concepts[place - distance] as number))
      return place - distance
    if (place + distance <= last && isIn(wanted, concepts[place + distance] as number))
      return place + distance
  }
  return undefined
}

function isIn(wanted: Uint8Array, concept: number): boolean {
  return wanted[concept] === 1
}

function mask(...names: Concept[]): Uint8Array {
  const wanted = new Uint8Array(Object.keys(CONCEPTS).length + 1)
  for (const name of names) wanted[CONCEPTS[name]] = 1
  return wanted
}

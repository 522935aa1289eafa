import { textRows } from '../texts/text-rows.ts'
import { UNITS } from './language-examples.ts'
import type { Row } from './rows.ts'
import { oneOf, random, spinAll } from './spin.ts'

/** How many documents there are, each without and with an order. */
const COUNT = 300

/** How many paragraphs they have. */
const LEAST = 4
const MOST = 20

/** Long documents of paragraphs full of the words of attacks, and the same documents with an order in one place. */
export function longDocuments(seed: number): Row[] {
  const next = random(seed)
  const paragraphs = textRows('written/plain-paragraphs').map(({ text }) => text)
  const orders = spinAll(
    textRows('templates/orders').filter(({ lang }) => lang === 'en'),
    seed + 1,
  )
  const rowOf = (label: 0 | 1, lines: readonly string[]): Row => ({
    text: lines.join('\n\n'),
    label,
    set: label === 1 ? 'own-orders-planted' : 'own-look-alikes',
    licence: 'Apache-2.0',
    lang: 'en',
    surface: 'document',
  })
  return Array.from({ length: COUNT }, () => {
    const length = LEAST + Math.floor(next() * (MOST - LEAST + 1))
    const lines = Array.from({ length }, () => oneOf(paragraphs, next))
    const order = oneOf(UNITS, next)(oneOf(orders, next), next)
    const place = Math.floor(next() * (length + 1))
    return [rowOf(0, lines), rowOf(1, lines.toSpliced(place, 0, order))]
  }).flat()
}

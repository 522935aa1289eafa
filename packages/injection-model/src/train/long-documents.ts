import { textRows } from '../texts/text-rows.ts'
import { UNITS } from './language-examples.ts'
import type { Row } from './rows.ts'
import { oneOf, random, spinAll } from './spin.ts'

/** The number of documents per language, each without and with an order. */
const COUNT = { en: 300, others: 24 }

/** The minimum and maximum number of paragraphs. */
const LEAST = 4
const MOST = 20

/** The number of sentences with the words of attacks in a generated paragraph. */
const SENTENCES = 3

/** The share of orders within a paragraph; the others are a separate unit. */
const WITHIN = 0.3

/**
 * Long documents whose paragraphs are full of the words of attacks, and the same documents with an order in one place.
 */
export function longDocuments(seed: number): Row[] {
  const next = random(seed)
  const of = (name: string, lang: string): string[] =>
    spinAll(
      textRows(`templates/${name}`).filter((row) => row.lang === lang && row.surface === 'document'),
      seed + 1,
    )
  const written = ['written/plain-paragraphs', 'written/agent-documentation']
    .flatMap(textRows)
    .map(({ text }) => text)
  const languages = new Set(
    textRows('templates/orders').flatMap(({ lang, surface }) => (surface === 'document' ? [lang] : [])),
  )
  return [...languages].flatMap((lang) => {
    const [orders, sentences] = [of('orders', lang), of('look-alikes', lang)]
    const paragraph = (): string =>
      lang === 'en'
        ? oneOf(written, next)
        : Array.from({ length: SENTENCES }, () => oneOf(sentences, next)).join(' ')
    const rowOf = (label: 0 | 1, lines: readonly string[]): Row => ({
      text: lines.join('\n\n'),
      label,
      set: label === 1 ? 'own-orders-planted' : 'own-look-alikes',
      licence: 'Apache-2.0',
      lang,
      surface: 'document',
    })
    return Array.from({ length: lang === 'en' ? COUNT.en : COUNT.others }, () => {
      const length = LEAST + Math.floor(next() * (MOST - LEAST + 1))
      const lines = Array.from({ length }, paragraph)
      const order = oneOf(orders, next)
      const place = Math.floor(next() * length)
      const attacked =
        next() < WITHIN
          ? lines.with(place, planted(lines[place] as string, order, next))
          : lines.toSpliced(place, 0, oneOf(UNITS, next)(order, next))
      return [rowOf(0, lines), { ...rowOf(1, attacked), order }]
    }).flat()
  })
}

/** A paragraph with an order inserted between two sentences. */
function planted(paragraph: string, order: string, next: () => number): string {
  const sentences = paragraph.split(/(?<=[.?!。？！।؟]) ?/)
  return sentences.toSpliced(Math.floor(next() * (sentences.length + 1)), 0, order).join(' ')
}

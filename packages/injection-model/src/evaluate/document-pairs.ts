import { textRows } from '../texts/text-rows.ts'
import { oneOf, random } from '../train/spin.ts'

/** A long document without and with an order in it. */
export interface DocumentPair {
  readonly clean: string
  readonly attacked: string
}

/** The length of a document in characters: about two pages. */
const LENGTH = 6_000

/** How documents of various formats contain an order. */
const FORMATS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `- ${text}`,
  (text) => `> ${text}`,
  (text) => `<!-- ${text} -->`,
  (text) => `{"id": 118, "status": "open", "comment": ${JSON.stringify(text)}, "votes": 3}`,
  (text) => `118,open,"${text.replaceAll('"', '""')}",3`,
  (text) => `// ${text}`,
  (text) => `| 118 | ${text} | open |`,
]

/** Long documents of our own texts, in English and without attacks, and each with an order in one of its paragraphs. */
export function documentPairs(): DocumentPair[] {
  const next = random(31)
  const paragraphs = textRows('evaluation/paragraphs').map(({ text }) => text)
  const orders = textRows('evaluation/orders').filter(({ lang }) => lang === 'en')
  return orders.map(({ text }, index) => {
    const lines: string[] = []
    let length = 0
    while (length < LENGTH) {
      const paragraph = oneOf(paragraphs, next)
      lines.push(paragraph)
      length += paragraph.length
    }
    const place = 1 + Math.floor(next() * (lines.length - 1))
    const format = FORMATS[index % FORMATS.length] as (typeof FORMATS)[number]
    return { clean: lines.join('\n\n'), attacked: lines.toSpliced(place, 0, format(text)).join('\n\n') }
  })
}

/** Our own documents, each in another format and in nine languages, without and with an order. */
export function writtenPairs(): DocumentPair[] {
  const texts = textRows('evaluation/long-documents').map(({ text }) => text)
  return Array.from({ length: texts.length / 2 }, (_, index) => ({
    clean: texts[2 * index] as string,
    attacked: texts[2 * index + 1] as string,
  }))
}

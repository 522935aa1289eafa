import type { Row } from './rows.ts'

/** The number of paragraphs in a passage. */
const PARAGRAPHS = 3

/** Shorter passages are skipped. */
const SHORTEST = 40

/** The passages of a harmless document. */
export function passagesOf({ text, licence, lang }: Row): Row[] {
  const paragraphs = text.split(/\n{2,}/)
  const count = Math.ceil(paragraphs.length / PARAGRAPHS)
  return Array.from({ length: count }, (_, index) =>
    paragraphs.slice(index * PARAGRAPHS, (index + 1) * PARAGRAPHS).join('\n\n'),
  )
    .filter((passage) => passage.length > SHORTEST)
    .map((passage) => ({ text: passage, label: 0, set: 'documents', licence, ...(lang && { lang }) }))
}

/** The text of a changeset: its first sentence as the headline, and the rest. Paragraphs are unwrapped. */
export interface Summary {
  readonly headline: string
  readonly rest: string
}

export function splitSummary(summary: string): Summary {
  const text = unwrap(summary.trim())
  const paragraph = text.split('\n', 1)[0] ?? ''
  // Sentence ends in code do not count.
  for (const { index } of paragraph.matchAll(/[.!?](?=\s|$)/g)) {
    const headline = paragraph.slice(0, index + 1)
    if (headline.split('`').length % 2 === 1) return { headline, rest: text.slice(headline.length).trim() }
  }
  return { headline: paragraph, rest: text.slice(paragraph.length).trim() }
}

/** Joins the lines of paragraphs. Lists, tables, headings and code are not changed. */
function unwrap(text: string): string {
  return text
    .split(/(^```[\s\S]*?^```)/m)
    .map((part) =>
      part.startsWith('```') ? part : part.replace(/(?<![\n|])\n(?=[^\s|#>*-])(?!\d+\.)/g, ' '),
    )
    .join('')
}

/** The text of a changeset: its first sentence, which says what users get, and the rest. Lines are as long as their paragraphs. */
export interface Summary {
  readonly headline: string
  readonly rest: string
}

export function splitSummary(summary: string): Summary {
  const text = unwrap(summary.trim())
  const paragraph = text.split('\n', 1)[0] ?? ''
  // A sentence ends outside of code.
  for (const { index } of paragraph.matchAll(/[.!?](?=\s|$)/g)) {
    const headline = paragraph.slice(0, index + 1)
    if (headline.split('`').length % 2 === 1) return { headline, rest: text.slice(headline.length).trim() }
  }
  return { headline: paragraph, rest: text.slice(paragraph.length).trim() }
}

/** Joins the lines of paragraphs, and leaves lists, tables, headings and code as they are. */
function unwrap(text: string): string {
  return text
    .split(/(^```[\s\S]*?^```)/m)
    .map((part) =>
      part.startsWith('```') ? part : part.replace(/(?<![\n|])\n(?=[^\s|#>*-])(?!\d+\.)/g, ' '),
    )
    .join('')
}

// Writes the results into documents: charts, the page of figures, and sentences and tables elsewhere that quote figures.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { allFigures } from './figures.ts'
import { type Block, blocks, type Quote, quotes } from './repeated-figures.ts'
import { root } from './result-file.ts'

const PAGE = 'apps/docs/figures.md'

/** The expected content of each file, by its path from the root. */
export function drawnFiles(): Map<string, string> {
  const figures = allFigures()
  const files = new Map(
    figures.flatMap(({ charts }) =>
      Object.entries(charts).map(([file, svg]) => [`apps/docs/figures/${file}`, svg]),
    ),
  )
  const contentOf = (file: string): string => files.get(file) ?? readFileSync(join(root, file), 'utf8')
  const sections = figures.map(({ name, text }): Block => ({ file: PAGE, name, text }))
  for (const block of [...sections, ...blocks()])
    files.set(block.file, withBlock(contentOf(block.file), block))
  for (const quote of quotes()) files.set(quote.file, withQuote(contentOf(quote.file), quote))
  return files
}

export function drawFigures(): void {
  for (const [file, content] of drawnFiles()) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), content)
  }
}

/** Replaces the text between the marks `[figures]: # (name)` and `[figures]: # (end)`, which Markdown does not render. */
export function withBlock(page: string, { file, name, text }: Block): string {
  const [begin, end] = [`[figures]: # (${name})\n`, '\n[figures]: # (end)']
  const start = page.indexOf(begin)
  const stop = page.indexOf(end, start)
  if (start < 0 || stop < 0) throw new Error(`${file} has no marks around '${name}'.`)
  return `${page.slice(0, start + begin.length)}\n${text}\n${page.slice(stop)}`
}

/** Updates the numbers of a sentence in a document. The words of the sentence must occur exactly once. */
export function withQuote(document: string, { file, text }: Quote): string {
  const pattern = text
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\d+(?:\\\.\d+)?|\\\.\d+/g, '[\\d.]*\\d')
    .replaceAll(' ', '\\s+')
  const found = [...document.matchAll(new RegExp(pattern, 'g'))]
  const [match, ...others] = found
  if (!match || others.length > 0) {
    throw new Error(`${file} has this sentence ${found.length} times. It must be there once: ${text}`)
  }
  const numbers = text.match(/\d+(?:\.\d+)?|\.\d+/g) ?? []
  let next = 0
  const written = match[0].replace(/\d+(?:\.\d+)?|\.\d+/g, () => numbers[next++] ?? '')
  return document.slice(0, match.index) + written + document.slice(match.index + match[0].length)
}

if (import.meta.main) drawFigures()

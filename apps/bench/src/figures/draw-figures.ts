// Writes what the results say: charts, the page of figures, and the sentences and tables of other documents that repeat them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { allFigures } from './figures.ts'
import { type Block, blocks, type Quote, quotes } from './repeated-figures.ts'
import { root } from './result-file.ts'

const PAGE = 'apps/docs/figures.md'

/** What each file should be, by its path from the root. */
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

/** A page with a text between the marks `[figures]: # (name)` and `[figures]: # (end)`, which no reader sees. */
export function withBlock(page: string, { file, name, text }: Block): string {
  const [begin, end] = [`[figures]: # (${name})\n`, '\n[figures]: # (end)']
  const start = page.indexOf(begin)
  const stop = page.indexOf(end, start)
  if (start < 0 || stop < 0) throw new Error(`${file} has no marks around '${name}'.`)
  return `${page.slice(0, start + begin.length)}\n${text}\n${page.slice(stop)}`
}

/** A document with the numbers of a sentence as the results have them. Its words must be there, once. */
export function withQuote(document: string, { file, text }: Quote): string {
  const pattern = text
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\d+(?:\\\.\d+)?|\\\.\d+/g, '[\\d.]*\\d')
    .replaceAll(' ', '\\s+')
  const found = [...document.matchAll(new RegExp(pattern, 'g'))]
  const [match, ...others] = found
  if (!match || others.length > 0) {
    throw new Error(`${file} has this ${found.length} times, and once is right: ${text}`)
  }
  const numbers = text.match(/\d+(?:\.\d+)?|\.\d+/g) ?? []
  let next = 0
  const written = match[0].replace(/\d+(?:\.\d+)?|\.\d+/g, () => numbers[next++] ?? '')
  return document.slice(0, match.index) + written + document.slice(match.index + match[0].length)
}

if (import.meta.main) drawFigures()

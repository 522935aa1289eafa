// The site as text for language models: https://llmstxt.org
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, type Section } from './pages.ts'

/** A list of all pages, each with its first sentence. */
export function llmsIndex(sections: readonly Section[]): string {
  const parts = sections.map(({ title, pages }) => {
    const links = pages.map(({ title, route, source }) => `- [${title}](/${route}): ${firstSentence(source)}`)
    return `## ${title}\n\n${links.join('\n')}`
  })
  return `# Millrace\n\n> A TypeScript framework for guarded LLM agents.\n\n${parts.join('\n\n')}\n`
}

/** All pages as one text. */
export function llmsFull(sections: readonly Section[]): string {
  return sections
    .flatMap(({ pages }) => pages)
    .map(({ source }) => textOf(source).trim())
    .join('\n\n---\n\n')
}

function firstSentence(source: string): string {
  const paragraph = textOf(source)
    .split(/\n{2,}/)
    .find((block) => /^[A-Z`[*]/.test(block))
  const plain = (paragraph ?? '').replaceAll('\n', ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return /^.*?[.:](?= |$)/.exec(plain)?.[0] ?? plain
}

/** Without front matter. */
function textOf(source: string): string {
  return readFileSync(join(root, source), 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '')
}

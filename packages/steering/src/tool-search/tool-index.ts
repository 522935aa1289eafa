import type { Tool, ToolSet } from '@millrace/core'

/** A found tool, as shown to the model. */
export interface FoundTool {
  readonly name: string
  readonly description?: string
}

/**
 * The usual parameters of BM25: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009).
 */
const K1 = 1.2
const B = 0.75
/** The weight of a word in the name, relative to one in the description. */
const NAME_WEIGHT = 3
/**
 * The weight of a word with the same stem: one word is a prefix of the other (`invoice`, `invoices`), or they share
 * most of their beginning (`translate`, `translation`).
 */
const STEM_WEIGHT = 0.5
const MIN_WORD_LENGTH = 3
const MIN_STEM_LENGTH = 5
const STEM_SHARE = 0.6
/** The maximum number of words of a query; further words are ignored. */
const MAX_QUERY_WORDS = 64

interface Document extends FoundTool {
  readonly words: ReadonlyMap<string, number>
  readonly length: number
}

/** An index of tools by the words of their names, titles, descriptions and parameters. */
export class ToolIndex {
  readonly #documents: ReadonlyMap<string, Document>
  readonly #averageLength: number

  constructor(tools: ToolSet) {
    this.#documents = new Map(Object.entries(tools).map(([name, tool]) => [name, documentOf(name, tool)]))
    let total = 0
    for (const { length } of this.#documents.values()) total += length
    this.#averageLength = total / Math.max(1, this.#documents.size)
  }

  has(name: string): boolean {
    return this.#documents.has(name)
  }

  /** The best matches, best first; equal matches in their original order. Empty if nothing matches. */
  search(query: string, limit: number): FoundTool[] {
    const scores = new Map<Document, number>()
    for (const word of new Set(wordsOf(query).slice(0, MAX_QUERY_WORDS))) this.#score(word, scores)
    return [...this.#documents.values()]
      .filter((document) => scores.has(document))
      .sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0))
      .slice(0, limit)
      .map(({ name, description }) => ({ name, ...(description !== undefined && { description }) }))
  }

  #score(word: string, scores: Map<Document, number>): void {
    const counts = new Map<Document, number>()
    for (const document of this.#documents.values()) {
      const count = countOf(word, document)
      if (count > 0) counts.set(document, count)
    }
    const rarity = Math.log(1 + (this.#documents.size - counts.size + 0.5) / (counts.size + 0.5))
    for (const [document, count] of counts) {
      const norm = K1 * (1 - B + (B * document.length) / this.#averageLength)
      scores.set(document, (scores.get(document) ?? 0) + (rarity * count * (K1 + 1)) / (count + norm))
    }
  }
}

function countOf(word: string, { words }: Document): number {
  let count = words.get(word) ?? 0
  for (const [other, times] of words) {
    if (other !== word && haveSameStem(word, other)) count += times * STEM_WEIGHT
  }
  return count
}

function haveSameStem(a: string, b: string): boolean {
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a]
  if (shorter.length < MIN_WORD_LENGTH) return false
  let shared = 0
  while (shared < shorter.length && shorter[shared] === longer[shared]) shared++
  return shared === shorter.length || (shared >= MIN_STEM_LENGTH && shared >= STEM_SHARE * longer.length)
}

function documentOf(name: string, tool: Tool): Document {
  const description = typeof tool.description === 'string' ? tool.description : undefined
  const words = new Map<string, number>()
  let length = 0
  const add = (text: string | undefined, weight: number): void => {
    for (const word of wordsOf(text ?? '')) {
      words.set(word, (words.get(word) ?? 0) + weight)
      length++
    }
  }
  add(name, NAME_WEIGHT)
  add(tool.title, NAME_WEIGHT)
  add(description, 1)
  for (const text of parameterTexts(tool)) add(text, 1)
  return { name, words, length, ...(description !== undefined && { description }) }
}

/** The words of a text in lower case; `getUserInvoices` and `get_user_invoices` are three each, `PDFs` is one. */
function wordsOf(text: string): string[] {
  const words =
    text
      .normalize('NFKC')
      .match(/\p{Lu}{2,}s(?!\p{L})|\p{Lu}+(?!\p{Ll})|\p{L}?\p{Ll}+|[\p{L}\p{M}]+|\p{N}+/gu) ?? []
  return words.map((word) => word.toLowerCase()).filter((word) => !STOP_WORDS.has(word))
}

/** Words that do not describe a tool. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and are as at be by for from has have how i if in into is it me my of on or that the this to tool tools use using want we what when which with you your'.split(
    ' ',
  ),
)

/** Names and descriptions of the top-level parameters, if the schema can be read synchronously. */
function parameterTexts({ inputSchema }: Tool): string[] {
  const { properties } = jsonSchemaOf(inputSchema) as {
    properties?: Record<string, { description?: unknown } | boolean>
  }
  return Object.entries(properties ?? {}).flatMap(([name, parameter]) => {
    const description = typeof parameter === 'object' ? parameter?.description : undefined
    return typeof description === 'string' ? [name, description] : [name]
  })
}

function jsonSchemaOf(inputSchema: Tool['inputSchema']): object {
  try {
    if ('~standard' in inputSchema)
      return inputSchema['~standard'].jsonSchema?.input({ target: 'draft-07' }) ?? {}
    return (typeof inputSchema === 'function' ? inputSchema() : inputSchema).jsonSchema
  } catch {
    // A schema without JSON Schema: the agent reports it when it sends the tool to the model.
    return {}
  }
}

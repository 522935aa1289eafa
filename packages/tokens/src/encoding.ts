import { yieldToEventLoop } from '@millrace/guards/guard'
import { BytePairs } from './byte-pairs.ts'
import { type RankParts, RankReader, type RankTable } from './rank-table.ts'

/** The encodings with exact counts. */
export type EncodingName = 'o200k_base' | 'cl100k_base' | 'p50k_base' | 'p50k_edit' | 'r50k_base'

/** How the tokens of a model are counted. */
export interface Encoding {
  /** `estimate` if the model's encoding is not public. */
  readonly name: EncodingName | 'estimate'
  /** Matches the pieces of a text. Tokens never cross the boundaries of a piece. */
  readonly pieces: RegExp
  readonly pairs: BytePairs
  /** The count is multiplied by this. 1 if the encoding is exact. */
  readonly factor: number
}

type Splits = typeof import('gpt-tokenizer/encodingParams/constants')

/** Each encoding loads its own table, of some megabytes, on first use. */
const TABLES: Record<EncodingName, Table> = {
  o200k_base: {
    load: () => import('gpt-tokenizer/bpeRanks/o200k_base'),
    split: 'O200K_TOKEN_SPLIT_REGEX',
  },
  cl100k_base: {
    load: () => import('gpt-tokenizer/bpeRanks/cl100k_base'),
    split: 'CL100K_TOKEN_SPLIT_REGEX',
  },
  p50k_base: {
    load: () => import('gpt-tokenizer/bpeRanks/p50k_base'),
    split: 'R50K_TOKEN_SPLIT_REGEX',
  },
  p50k_edit: {
    load: () => import('gpt-tokenizer/bpeRanks/p50k_base'),
    split: 'R50K_TOKEN_SPLIT_REGEX',
  },
  r50k_base: {
    load: () => import('gpt-tokenizer/bpeRanks/r50k_base'),
    split: 'R50K_TOKEN_SPLIT_REGEX',
  },
}

interface Table {
  /** The build splits the table into parts: compiling one module with all tokens would block the event loop. */
  readonly load: () => Promise<{ default: RankTable | RankParts }>
  readonly split: keyof Splits
}

const MODELS: readonly (readonly [RegExp, EncodingName])[] = [
  [/^(?:gpt-(?:[5-9]|4o|4\.[1-9]|oss)|chatgpt-4o|codex|o[1-9])/, 'o200k_base'],
  [/^(?:gpt-4|gpt-3\.5|gpt-35|text-embedding-(?:3|ada-002))/, 'cl100k_base'],
  [/^(?:text|code)-davinci-edit/, 'p50k_edit'],
  [/^(?:text-davinci-00[23]|code-)/, 'p50k_base'],
  [/^(?:gpt2|davinci|curie|babbage|ada|text-)/, 'r50k_base'],
]

/**
 * For models whose encoding is not public: the tokens of the smallest vocabulary in use (50,257 entries) plus 25 %.
 * Larger vocabularies, as all current models have, produce fewer tokens for the same text.
 */
const ESTIMATE = { encoding: 'r50k_base', factor: 1.25 } as const

/** The encoding of a model by its id, with or without the provider's name. */
export function encodingOf(modelId: string): EncodingName | 'estimate' {
  const name = modelId.slice(modelId.lastIndexOf('/') + 1).toLowerCase()
  return MODELS.find(([pattern]) => pattern.test(name))?.[1] ?? 'estimate'
}

const loaded = new Map<string, Promise<Encoding>>()

export function loadEncoding(name: EncodingName | 'estimate'): Promise<Encoding> {
  let encoding = loaded.get(name)
  if (!encoding) {
    encoding = read(name)
    loaded.set(name, encoding)
    encoding.catch(() => loaded.delete(name))
  }
  return encoding
}

/** Loads and reads the table in steps, yielding to the event loop in between. */
async function read(name: EncodingName | 'estimate'): Promise<Encoding> {
  const { split, load } = TABLES[name === 'estimate' ? ESTIMATE.encoding : name]
  await yieldToEventLoop()
  const { default: table } = await load()
  await yieldToEventLoop()
  const { [split]: pieces } = await import('gpt-tokenizer/encodingParams/constants')
  const ranks = new RankReader()
  if (isInParts(table)) {
    for (const loadPart of table) {
      await yieldToEventLoop()
      const { default: part } = await loadPart()
      await inTurns(ranks.readPart(part))
    }
  } else {
    await inTurns(ranks.read(table))
  }
  await yieldToEventLoop()
  return { name, pieces, pairs: new BytePairs(ranks), factor: name === 'estimate' ? ESTIMATE.factor : 1 }
}

function isInParts(table: RankTable | RankParts): table is RankParts {
  return typeof table[0] === 'function'
}

async function inTurns(steps: Generator<void, void, undefined>): Promise<void> {
  do await yieldToEventLoop()
  while (!steps.next().done)
}

import { type InjectionPreset, isCounted, loadScorer, THRESHOLDS } from '@millrace/guards/internals'
import { textRows } from '../texts/text-rows.ts'
import type { DataRow } from '../train/data-folder.ts'
import { learnedRows, readManifest } from '../train/manifest.ts'
import { hashOf } from '../train/row-hash.ts'
import { isDocument } from '../train/rows.ts'
import { sampled } from '../train/sampled-rows.ts'
import { readDescription, WEIGHTS_FOLDER } from '../train/weights-file.ts'
import { type DocumentPair, documentPairs, writtenPairs } from './document-pairs.ts'
import { hardNegatives } from './hard-negatives.ts'

/** The number of flagged texts of a kind. */
export interface Count {
  readonly flagged: number
  readonly of: number
}

/**
 * The results of the published weights on rows that were not in the training data, at the default thresholds if no
 * preset is named.
 */
export interface ShippedScores {
  /** SHA-256 of the weights. */
  readonly weights: string
  /** Attacks by set. */
  readonly sets: readonly {
    readonly set: string
    readonly surface: 'prompts' | 'data'
    readonly count: Count
  }[]
  /** Harmless texts by maximum length, in characters. */
  readonly lengths: readonly { readonly most: number; readonly prompts: Count; readonly data: Count }[]
  readonly hardNegatives: Count
  /** Our own orders and look-alikes, scored as data. */
  readonly languages: readonly { readonly lang: string; readonly orders: Count; readonly lookAlikes: Count }[]
  /** Our own tool definitions, as the guard decides them. */
  readonly toolDefinitions: { readonly poisoned: Count; readonly harmless: Count }
  /** Pairs of long documents, with and without an order, and the number of pairs with both scored correctly. */
  readonly pairs: readonly {
    readonly name: 'paragraphs' | 'formats'
    readonly orders: Count
    readonly clean: Count
    readonly right: number
  }[]
  readonly presets: readonly {
    readonly preset: InjectionPreset
    readonly prompts: Count
    readonly attacksInPrompts: Count
    readonly data: Count
    readonly attacksInData: Count
    readonly hardNegatives: Count
  }[]
}

const LENGTHS = [200, 500, 2_000, Number.POSITIVE_INFINITY]
const PRESETS: readonly InjectionPreset[] = ['lenient', 'balanced', 'strict']

interface Scored {
  readonly row: Pick<DataRow, 'text' | 'label' | 'set' | 'lang' | 'surface'>
  readonly score: number
}

/**
 * Evaluates the published weights on the rows they were not trained on, and on our own texts that are never used for
 * training.
 */
export async function evaluateShipped(data: readonly DataRow[]): Promise<ShippedScores> {
  const scorer = await loadScorer()
  const learned = learnedRows(readManifest())
  const scoreOf = (row: Scored['row']): Scored => ({
    row,
    score: scorer.score(row.text, isDocument(row) ? 'data' : 'prompt').score,
  })
  const scored = sampled(data)
    .filter((row) => !learned.has(hashOf(row)))
    .map(scoreOf)
  const hard = Object.values(hardNegatives())
    .flat()
    .map((text) => scoreOf({ text, label: 0, set: 'hard negatives' }))
  const own = ['evaluation/orders', 'evaluation/look-alikes'].flatMap(textRows).map(scoreOf)
  const definitions = textRows('evaluation/tool-definitions').map((row) => {
    const found = scorer.score(row.text, 'data')
    return { row, score: isCounted(found, { surface: 'tool-definition' }) ? found.score : 0 }
  })
  const [prompts, documents] = [false, true].map((isData) =>
    scored.filter(({ row }) => isDocument(row) === isData),
  ) as [Scored[], Scored[]]
  const { input, file } = THRESHOLDS.balanced
  const pairScores = (pairs: readonly DocumentPair[]) =>
    pairs.map(({ clean, attacked }) =>
      [clean, attacked].map((text) => scorer.score(text, 'data').score >= file),
    )
  return {
    weights: readDescription(WEIGHTS_FOLDER).sha256,
    sets: (
      [
        ['prompts', prompts, input],
        ['data', documents, file],
      ] as const
    ).flatMap(([surface, of, threshold]) =>
      [...Map.groupBy(attacks(of), ({ row }) => row.set)].map(([set, own]) => ({
        set,
        surface,
        count: count(own, threshold),
      })),
    ),
    lengths: LENGTHS.map((most) => {
      const within = (of: readonly Scored[]): Scored[] =>
        harmless(of).filter(({ row }) => row.text.length <= most && row.text.length > shorterThan(most))
      return { most, prompts: count(within(prompts), input), data: count(within(documents), file) }
    }),
    hardNegatives: count(hard, input),
    languages: [...Map.groupBy(own, ({ row }) => row.lang ?? 'en')].map(([lang, of]) => ({
      lang,
      orders: count(attacks(of), file),
      lookAlikes: count(harmless(of), file),
    })),
    toolDefinitions: {
      poisoned: count(attacks(definitions), THRESHOLDS.balanced['tool-definition']),
      harmless: count(harmless(definitions), THRESHOLDS.balanced['tool-definition']),
    },
    pairs: (
      [
        ['paragraphs', documentPairs()],
        ['formats', writtenPairs()],
      ] as const
    ).map(([name, pairs]) => {
      const flags = pairScores(pairs)
      const flagged = (place: 0 | 1): number => flags.filter((pair) => pair[place]).length
      return {
        name,
        orders: { flagged: flagged(1), of: pairs.length },
        clean: { flagged: flagged(0), of: pairs.length },
        right: flags.filter(([clean, attacked]) => !clean && attacked).length,
      }
    }),
    presets: PRESETS.map((preset) => {
      const thresholds = THRESHOLDS[preset]
      return {
        preset,
        prompts: count(harmless(prompts), thresholds.input),
        attacksInPrompts: count(attacks(prompts), thresholds.input),
        data: count(harmless(documents), thresholds.file),
        attacksInData: count(attacks(documents), thresholds.file),
        hardNegatives: count(hard, thresholds.input),
      }
    }),
  }
}

function attacks(of: readonly Scored[]): Scored[] {
  return of.filter(({ row }) => row.label === 1)
}

function harmless(of: readonly Scored[]): Scored[] {
  return of.filter(({ row }) => row.label === 0)
}

function count(of: readonly Scored[], threshold: number): Count {
  return { flagged: of.filter(({ score }) => score >= threshold).length, of: of.length }
}

/** The maximum length of the previous class. */
function shorterThan(most: number): number {
  return LENGTHS[LENGTHS.indexOf(most) - 1] ?? 0
}

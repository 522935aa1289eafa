import { setImmediate } from 'node:timers/promises'
import { MillraceError, type Processor } from '@millrace/core'
import { StudioError } from '../studio-error.ts'
import { differenceOf } from '../view/difference.ts'
import type {
  BenchFinding,
  GuardChoice,
  GuardInfo,
  GuardResult,
  JudgeRequest,
  JudgeResult,
  SplitResult,
  StrategyOutput,
  TableEvents,
  TableRequest,
  TableRow,
} from '../wire.ts'
import { codeFor } from './code.ts'
import { type CatalogueGuard, guardCatalogue, type Surface } from './guard-catalogue.ts'
import { runGuard } from './run-guard.ts'
import { readTable } from './table.ts'

/** The chunk sizes in which a text is streamed; 0 is one chunk. */
const CHUNK_SIZES = [0, 1, 2, 5, 16, 64]
/** Maximum length of a text that is streamed in several sizes. */
const MAX_SPLIT_TEXT = 4_000
const MAX_ROW_TEXT = 20_000
/** Maximum length of a row's text in the response. */
const MAX_SHOWN_ROW_TEXT = 2_000
/** The number of rows per event. */
const ROWS_PER_EVENT = 25

/** A guard with its options. */
interface SelectedGuard {
  guard: CatalogueGuard
  options: Readonly<Record<string, unknown>>
  /** The guard with this strategy. Cached, because compiling patterns takes time. */
  withStrategy(strategy: string): Processor
  /** Returns a function that finds in one text after another. */
  finder(): Finder
}

/** Finds in one text at a time: do not call it concurrently. */
type Finder = (text: string, surface: Surface) => Promise<{ findings: BenchFinding[]; error?: string }>

/** Maximum number of cached guards. */
const MAX_CACHED = 50

/** Runs guards on texts, in the same way as an agent does. */
export class Bench {
  readonly #maxRows: number
  /** By name, options and strategy, least recently used first. */
  readonly #cached = new Map<string, Processor>()
  #catalogue: Promise<ReadonlyMap<string, CatalogueGuard>> | undefined

  constructor({ maxRows }: { maxRows: number }) {
    this.#maxRows = maxRows
  }

  async guards(): Promise<GuardInfo[]> {
    return [...(await this.#guards()).values()].map(({ info }) => info)
  }

  /** @throws StudioError `REQUEST_INVALID` for an unknown guard */
  async judge({ text, guards, surface = 'input', splits = true }: JudgeRequest): Promise<JudgeResult> {
    const chosen = await this.#choose(guards)
    const results: GuardResult[] = []
    for (const [index, one] of chosen.entries()) {
      results.push(await judged(one, guards[index]?.guard ?? '', { text, surface, splits }))
      await setImmediate()
    }
    return {
      guards: results,
      code: codeFor(chosen.map(({ guard, options }) => ({ info: guard.info, options }))),
    }
  }

  /**
   * Runs guards on the texts of a file, row by row.
   *
   * @throws StudioError `REQUEST_INVALID` for a file that cannot be parsed
   */
  async *table(
    request: TableRequest,
  ): AsyncGenerator<{ [NAME in keyof TableEvents]: [NAME, TableEvents[NAME]] }[keyof TableEvents]> {
    const startedAt = performance.now()
    const { surface = 'input' } = request
    const chosen = await this.#choose(request.guards)
    const table = readTable(request, this.#maxRows)
    const finders = chosen.map((one) => ({ find: one.finder(), surface: surfaceOf(one.guard, surface) }))
    const { columns, textField, labelField, rows } = table
    yield [
      'start',
      { total: rows.length, columns, textField, ...(labelField !== undefined && { labelField }) },
    ]
    let waiting: TableRow[] = []
    for (const { line, text, label } of rows) {
      const judgedText = text.slice(0, MAX_ROW_TEXT)
      const guards: TableRow['guards'] = []
      for (const finder of finders) guards.push(await finder.find(judgedText, finder.surface))
      const shown = text.slice(0, MAX_SHOWN_ROW_TEXT).toWellFormed()
      waiting.push({
        line,
        text: text.length > MAX_SHOWN_ROW_TEXT ? { text: shown, cut: true } : { text: shown },
        ...(label !== undefined && { label }),
        guards,
      })
      if (waiting.length < ROWS_PER_EVENT) continue
      yield ['rows', waiting]
      waiting = []
      await setImmediate()
    }
    if (waiting.length > 0) yield ['rows', waiting]
    const code = codeFor(chosen.map(({ guard, options }) => ({ info: guard.info, options })))
    yield ['end', { code, durationMs: performance.now() - startedAt }]
  }

  async #choose(choices: readonly GuardChoice[]): Promise<SelectedGuard[]> {
    const catalogue = await this.#guards()
    return choices.map(({ guard: name, options = {} }) => {
      const guard = catalogue.get(name)
      if (guard) return this.#chosen(guard, knownOptions(options, guard.info))
      throw new StudioError(
        'REQUEST_INVALID',
        `There is no guard '${name.slice(0, 80)}'. Use one of: ${[...catalogue.keys()].join(', ') || 'none; install @millrace/guards'}.`,
      )
    })
  }

  #chosen(guard: CatalogueGuard, options: Readonly<Record<string, unknown>>): SelectedGuard {
    const build = (strategy: string): Processor => guard.build({ strategy, options, onFinding: () => {} })
    return {
      guard,
      options,
      withStrategy: (strategy) => {
        const key = JSON.stringify([guard.info.name, options, strategy])
        const kept = this.#cached.get(key) ?? build(strategy)
        this.#cached.delete(key)
        this.#cached.set(key, kept)
        const [oldest] = this.#cached.keys()
        if (this.#cached.size > MAX_CACHED && oldest !== undefined) this.#cached.delete(oldest)
        return kept
      },
      finder: () => finderFor(guard, options),
    }
  }

  #guards(): Promise<ReadonlyMap<string, CatalogueGuard>> {
    this.#catalogue ??= guardCatalogue()
    return this.#catalogue
  }
}

/** @throws StudioError `REQUEST_INVALID` for an option that the bench does not offer */
function knownOptions(
  options: Readonly<Record<string, unknown>>,
  { name, options: { properties } }: GuardInfo,
): Record<string, unknown> {
  for (const [option, value] of Object.entries(options)) {
    if (!Object.hasOwn(properties, option)) {
      throw new StudioError(
        'REQUEST_INVALID',
        `'${name}' has no option '${option.slice(0, 80)}'. Use one of: ${Object.keys(properties).join(', ')}.`,
      )
    }
    const type = properties[option]?.type
    const given = Array.isArray(value) ? 'array' : typeof value
    if (given === type || (type === 'integer' && Number.isInteger(value))) continue
    throw new StudioError(
      'REQUEST_INVALID',
      `The option '${option}' of '${name}' has the type ${given}. Use ${type}.`,
    )
  }
  return { ...options }
}

async function judged(
  chosen: SelectedGuard,
  name: string,
  { text, surface, splits }: { text: string; surface: Surface; splits: boolean },
): Promise<GuardResult> {
  const { guard } = chosen
  const place = surfaceOf(guard, surface)
  const startedAt = performance.now()
  const { findings, error } = await chosen.finder()(text, place)
  const durationMs = performance.now() - startedAt
  if (error !== undefined) return { guard: name, error, durationMs, findings: [], outputs: [] }
  const outputs: StrategyOutput[] = []
  for (const strategy of guard.info.strategies)
    outputs.push(await outputOf(chosen, text, { strategy, surface: place, findings }))
  const split = splits && guard.surfaces.includes('answer') ? await splitOf(chosen, text) : undefined
  return { guard: name, durationMs, findings, outputs, ...(split && { splits: split }) }
}

function finderFor(guard: CatalogueGuard, options: Readonly<Record<string, unknown>>): Finder {
  const strategy = guard.info.strategies.includes('warn') ? 'warn' : guard.info.defaultStrategy
  let found: BenchFinding[] = []
  let processor: Processor | undefined
  return async (text, surface) => {
    found = []
    try {
      processor ??= guard.build({ strategy, options, onFinding: (finding) => found.push(finding) })
      await runGuard(processor, text, { surface })
    } catch (error) {
      return { findings: [], error: messageOf(error) }
    }
    return { findings: distinct(found) }
  }
}

async function outputOf(
  chosen: SelectedGuard,
  text: string,
  { strategy, surface, findings }: { strategy: string; surface: Surface; findings: readonly BenchFinding[] },
): Promise<StrategyOutput> {
  try {
    const { outcome, text: left, reason } = await runGuard(chosen.withStrategy(strategy), text, { surface })
    const isReported = strategy === 'warn' && outcome === 'passed' && findings.length > 0
    return {
      strategy,
      outcome: isReported ? 'reported' : outcome,
      ...(left !== undefined && { text: left }),
      ...(reason !== undefined && { reason }),
      difference: left === undefined ? [] : differenceOf(text, left),
    }
  } catch (error) {
    return { strategy, outcome: 'blocked', reason: messageOf(error), difference: [] }
  }
}

/** The text as a streamed answer, in chunks of several sizes. */
async function splitOf(chosen: SelectedGuard, text: string): Promise<SplitResult> {
  const processor = chosen.withStrategy(chosen.guard.info.defaultStrategy)
  const streamed = text.slice(0, MAX_SPLIT_TEXT)
  const pieces: SplitResult['pieces'] = []
  for (const size of CHUNK_SIZES) {
    const {
      outcome,
      text: left,
      chunks = 0,
      maxHeld = 0,
    } = await runGuard(processor, streamed, {
      surface: 'answer',
      pieceSize: size,
    })
    pieces.push({ size, chunks, ...(left !== undefined && { text: left }), outcome, maxHeld })
    await setImmediate()
  }
  const [first] = pieces
  return {
    pieces,
    same: pieces.every(({ text: left, outcome }) => left === first?.text && outcome === first?.outcome),
  }
}

/** The surface, or the first one that the guard checks if it does not check this one. */
function surfaceOf({ surfaces }: CatalogueGuard, surface: Surface): Surface {
  return surfaces.includes(surface) ? surface : (surfaces[0] ?? 'input')
}

/** Removes duplicates: a guard may check one text in two hooks. */
function distinct(findings: readonly BenchFinding[]): BenchFinding[] {
  const byPlace = new Map(
    findings.map((finding) => [`${finding.type} ${finding.start} ${finding.end}`, finding]),
  )
  return [...byPlace.values()].sort((a, b) => a.start - b.start || a.end - b.end)
}

function messageOf(error: unknown): string {
  if (MillraceError.isInstance(error) && error.cause instanceof Error && error.code === 'PROCESSOR_FAILED') {
    return error.cause.message
  }
  return error instanceof Error ? error.message : String(error)
}

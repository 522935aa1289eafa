import fc from 'fast-check'
import { MOST_CHARACTERS, readCorpus, writeCorpus } from './corpus.ts'
import { Coverage, type Reached } from './coverage.ts'
import { mutate } from './mutate.ts'
import { Random } from './random.ts'
import { shrink } from './shrink.ts'
import { Broken, type FuzzTarget } from './target.ts'
import { isTargetName, loadTarget, targetNames } from './targets.ts'

export interface FuzzOptions {
  readonly name: string
  readonly seed: number
  readonly milliseconds: number
  /** Whether to write found inputs to the corpus. */
  readonly keep: boolean
  /** An input to run instead of generated ones. */
  readonly only?: { readonly stored: unknown }
  /** The timeout of an input, in milliseconds. */
  readonly timeLimit: number
  /** Called with every input before it runs. */
  readonly onInput: (input: unknown) => void
  readonly onProgress: (progress: FuzzProgress) => void
}

export interface FuzzProgress {
  readonly inputs: number
  readonly milliseconds: number
  readonly blocks: number
  /** The number of inputs with coverage of their own. */
  readonly interesting: number
}

export interface FuzzFailure {
  readonly error: string
  /** The encoded form, for a file. */
  readonly input: unknown
}

/** Inputs per measurement, because reading V8's coverage costs more than most inputs. */
const BATCH = 16
const SHRINKING = 20_000

/** Runs generated inputs, and mutates those that add coverage. Returns the first failure. */
export async function fuzz(options: FuzzOptions): Promise<FuzzFailure | undefined> {
  const { name, only } = options
  if (!isTargetName(name))
    throw new Error(`There is no target '${name}'. Use one of: ${targetNames.join(', ')}.`)
  const coverage = new Coverage()
  const target = await loadTarget(name)
  coverage.only(target.covers)
  const run = new FuzzRun(target, coverage, options)
  if (only) return run.tryAll([target.decode?.(only.stored) ?? only.stored])
  const failure = (await run.tryAll(await readCorpus(name, target))) ?? (await run.search())
  if (options.keep) await writeCorpus(name, target, run.interesting)
  return failure
}

class FuzzRun {
  /** Inputs that added coverage, with that coverage. */
  readonly interesting = new Map<unknown, Reached>()
  readonly #target: FuzzTarget
  readonly #coverage: Coverage
  readonly #options: FuzzOptions
  readonly #random: Random
  readonly #startedAt = Date.now()
  #queue: unknown[] = []
  #fresh: unknown[] = []
  #inputs = 0
  /** An unhandled rejection. */
  #stray: { error: unknown } | undefined

  constructor(target: FuzzTarget, coverage: Coverage, options: FuzzOptions) {
    this.#target = target
    this.#coverage = coverage
    this.#options = options
    this.#random = new Random(options.seed)
    process.on('unhandledRejection', (error) => {
      this.#stray ??= { error }
    })
  }

  async tryAll(inputs: readonly unknown[]): Promise<FuzzFailure | undefined> {
    for (const input of inputs) {
      const failure = await this.#tryAlone(input)
      if (failure) return failure
    }
    return undefined
  }

  async search(): Promise<FuzzFailure | undefined> {
    const { milliseconds } = this.#options
    const end = this.#startedAt + milliseconds
    while (Date.now() < end) {
      const failure = await this.#tryTogether(Array.from({ length: BATCH }, () => this.#makeInput()))
      if (failure) return failure
      this.#report()
    }
    return undefined
  }

  #makeInput(): unknown {
    const random = this.#random
    const { arbitrary, dictionary } = this.#target
    if (arbitrary && (this.#queue.length === 0 || random.chance(0.1))) {
      if (this.#fresh.length === 0)
        this.#fresh = fc.sample(arbitrary, { numRuns: 100, seed: random.next() | 0 })
      return this.#fresh.pop()
    }
    // Half of the inputs are taken from the most recent ones, which are near new code.
    const recent = random.chance(0.5) ? this.#queue.slice(-20) : this.#queue
    return mutate(random.pick(recent), { random, dictionary, donor: random.pick(this.#queue) })
  }

  async #tryTogether(inputs: readonly unknown[]): Promise<FuzzFailure | undefined> {
    const tried = inputs.filter((input) => JSON.stringify(input).length <= MOST_CHARACTERS)
    for (const input of tried) {
      const failure = await this.#try(input)
      if (failure) return failure
    }
    const reached = this.#coverage.take({ counts: false })
    const isNew = this.#coverage.isNew(reached)
    // Sometimes measure each input alone: execution counts are coverage too.
    if (isNew || this.#random.chance(0.05)) {
      const failure = await this.tryAll(tried)
      if (failure) return failure
    }
    // Coverage that does not repeat is not caused by the input.
    this.#coverage.learn(reached)
    return undefined
  }

  async #tryAlone(input: unknown): Promise<FuzzFailure | undefined> {
    this.#coverage.learn(this.#coverage.take({ counts: false }))
    const failure = await this.#try(input)
    if (failure) return failure
    const reached = this.#coverage.take({ counts: true })
    if (!this.#coverage.isNew(reached)) return undefined
    this.#coverage.learn(reached)
    this.interesting.set(input, reached)
    this.#queue.push(input)
    return undefined
  }

  async #try(input: unknown): Promise<FuzzFailure | undefined> {
    this.#inputs++
    const error = await this.#errorOf(input)
    if (error === undefined) return undefined
    const kind = kindOf(error)
    const smaller = await shrink(this.#encode(input), {
      fails: async (simpler) => kindOf(await this.#errorOf(this.#decode(simpler))) === kind,
      until: Date.now() + (this.#options.only ? 0 : SHRINKING),
    })
    const final = (await this.#errorOf(this.#decode(smaller))) ?? error
    const text = final instanceof Error ? (final.stack ?? String(final)) : String(final)
    return { error: text, input: smaller }
  }

  #encode(input: unknown): unknown {
    return this.#target.encode?.(input) ?? input
  }

  #decode(stored: unknown): unknown {
    return this.#target.decode?.(stored) ?? stored
  }

  async #errorOf(input: unknown): Promise<unknown> {
    this.#options.onInput(input)
    const { timeLimit } = this.#options
    this.#stray = undefined
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Broken(`did not end within ${timeLimit} ms`)), timeLimit)
    })
    try {
      await Promise.race([this.#target.run(structuredClone(input)), late])
      // Unhandled rejections are reported in the next turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve))
    } catch (error) {
      return error ?? new Error('Nothing was thrown.')
    } finally {
      clearTimeout(timer)
    }
    return (this.#stray as { error: unknown } | undefined)?.error
  }

  #report(): void {
    this.#options.onProgress({
      inputs: this.#inputs,
      milliseconds: Date.now() - this.#startedAt,
      blocks: this.#coverage.blocks,
      interesting: this.interesting.size,
    })
  }
}

/** Normalizes an error message: errors of the same kind quote different values. */
function kindOf(error: unknown): string {
  return String(error)
    .replace(/\d+|'[^']*'|"[^"]*"|\{.*/gs, '')
    .slice(0, 100)
}

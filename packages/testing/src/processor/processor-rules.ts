import type { Processor } from '@millrace/core'
import { assert } from '../storage/assert.ts'
import { type ProcessorOutcome, type ProcessorRun, runProcessor } from './processor-run.ts'

/** How a processor is tested. */
export interface ProcessorTestOptions {
  /** A new processor. */
  create: () => Processor | Promise<Processor>
  /**
   * Texts of the kind the processor is for, some that it lets pass and some that it does not. They are what the user
   * says, what tools are given and what the model answers. Default: some plain sentences.
   */
  texts?: readonly string[] | undefined
  /** What differs from run to run by design, such as random tokens: it is not compared. Global. Default: nothing. */
  ignore?: RegExp | undefined
}

/** What a rule about a processor works with. */
interface ProcessorContext {
  create(): Promise<Processor>
  /** At least one. */
  readonly texts: readonly string[]
  readonly ignore?: RegExp | undefined
}

/** One behaviour every processor must show. Rejects if it does not. */
type ProcessorRule = (context: ProcessorContext) => Promise<void>

const RUNS = 100

/** What every processor must do, whatever it is for. */
export const PROCESSOR_RULES: Readonly<Record<string, ProcessorRule>> = {
  'gives in a hundred runs at once what it gives in one': async (context) => {
    const { create, texts } = context
    const runs = Array.from({ length: RUNS }, (_, index) => runOf(texts, index))
    const alone = []
    for (const run of runs) alone.push(await outcomeOf(context, await create(), run))
    const shared = await create()
    const together = await Promise.all(runs.map((run) => outcomeOf(context, shared, run)))
    for (const [index, wanted] of alone.entries())
      assertSame(together[index], wanted, `run ${index} of ${RUNS} at once, against the same run alone`)
  },

  'carries nothing from one run into the next': async (context) => {
    const { create, texts } = context
    const shared = await create()
    for (let index = 0; index < 2 * texts.length; index++) {
      const run = runOf(texts, index)
      const wanted = await outcomeOf(context, await create(), run)
      assertSame(
        await outcomeOf(context, shared, run),
        wanted,
        `run ${index} of one instance, against a new one's`,
      )
    }
  },

  'gives the same however the answer is cut into chunks': async (context) => {
    const { create, texts } = context
    for (const index of texts.keys()) {
      const run = runOf(texts, index)
      const answer = run.answer.join('')
      const wanted = await outcomeOf(context, await create(), { ...run, answer: [answer] })
      // Also within a surrogate pair.
      const cuts = [
        answer.split(''),
        pieces(answer, 2),
        pieces(answer, 3),
        pieces(answer, 7),
        randomPieces(answer),
      ]
      for (const pieces of cuts) {
        const found = await outcomeOf(context, await create(), { ...run, answer: pieces })
        assertSame(found, wanted, `an answer in these pieces, against one piece: ${JSON.stringify(pieces)}`)
      }
    }
  },

  'gives the same to generate and to stream': async (context) => {
    const { create, texts } = context
    for (const index of texts.keys()) {
      const run = runOf(texts, index)
      const generated = await outcomeOf(context, await create(), run)
      const streamed = await outcomeOf(context, await create(), run, { stream: true })
      assertSame(streamed, generated, `run ${index} by stream(), against generate()`)
    }
  },

  'lets go what abort, halt and suspend throw': async (context) => {
    const { create, texts } = context
    for (const index of texts.keys()) {
      const processor = await create()
      const swallowed: string[] = []
      await runProcessor(watched(processor, swallowed), runOf(texts, index))
      assert.deepEqual(swallowed, [])
    }
  },
}

/** @param what What is compared. Two outcomes are long: the message shows only in what they differ. */
function assertSame(found: ProcessorOutcome | undefined, wanted: ProcessorOutcome, what: string): void {
  const differences = (Object.keys(wanted) as (keyof ProcessorOutcome)[]).flatMap((field) => {
    const [is, was] = [found?.[field], wanted[field]].map((value) => JSON.stringify(value))
    return is === was ? [] : [`\n  ${field}: ${is}\n  against: ${was}`]
  })
  if (differences.length > 0) assert.fail(`Other than expected: ${what}${differences.join('')}`)
}

async function outcomeOf(
  { ignore }: ProcessorContext,
  processor: Processor,
  ...[run, options]: [run: ProcessorRun, options?: { stream: boolean }]
): Promise<ProcessorOutcome> {
  const outcome = await runProcessor(processor, run, options)
  return ignore ? JSON.parse(JSON.stringify(outcome).replace(ignore, '')) : outcome
}

/** A run that shares no word with another but those of the texts. */
function runOf(texts: readonly string[], index: number): ProcessorRun {
  const at = (offset: number): string => texts[(index + offset) % texts.length] ?? ''
  return {
    input: `${at(0)} (run ${index})`,
    toolInput: `${at(1)} (run ${index})`,
    answer: pieces(`${at(2)} (run ${index})`, 1 + (index % 5)),
    name: `run-${index}`,
  }
}

function pieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  )
}

function randomPieces(text: string): string[] {
  const cut: string[] = []
  for (let start = 0; start < text.length; ) {
    const end = start + 1 + Math.floor(Math.random() * 12)
    cut.push(text.slice(start, end))
    start = end
  }
  return cut
}

const SIGNALS = ['abort', 'halt', 'suspend'] as const

/** The same processor; names the hooks that returned although they had called a signal. */
function watched(processor: Processor, swallowed: string[]): Processor {
  return new Proxy(processor, {
    get(target, name) {
      const value = target[name as keyof Processor] as unknown
      if (typeof value !== 'function') return value
      return (args: Record<string, unknown>) => {
        let called: string | undefined
        const signals = SIGNALS.map((signal) => [
          signal,
          (...values: unknown[]) => {
            called = signal
            return (args[signal] as (...values: unknown[]) => never)(...values)
          },
        ])
        const result: unknown = value.call(target, { ...args, ...Object.fromEntries(signals) })
        const check = (returned: unknown): unknown => {
          if (called !== undefined) swallowed.push(`${String(name)} caught what ${called} threw`)
          return returned
        }
        return result instanceof Promise ? result.then(check) : check(result)
      }
    },
  })
}

import type { OptionNames, Processor } from '@millrace/core'
import { assert } from '../storage/assert.ts'
import { type ProcessorOutcome, type ProcessorRun, runProcessor } from './processor-run.ts'

/** Options of `testProcessor`. */
export interface ProcessorTestOptions {
  /** Returns a new processor. */
  create: () => Processor | Promise<Processor>
  /**
   * Texts for the processor: some that it passes and some that it changes or blocks. They are used as user messages, tool
   * inputs and answers. Default: some plain sentences.
   */
  texts?: readonly string[] | undefined
  /** Text that differs between runs by design, such as random tokens. Use the `g` flag. Default: nothing. */
  ignore?: RegExp | undefined
}

export const PROCESSOR_TEST_OPTIONS: OptionNames<ProcessorTestOptions> = {
  create: 'required',
  texts: 'optional',
  ignore: 'optional',
}

/** The context of a rule. */
interface ProcessorContext {
  create(): Promise<Processor>
  /** At least one. */
  readonly texts: readonly string[]
  readonly ignore?: RegExp | undefined
}

/** A required behavior of every processor. Rejects if the processor violates it. */
type ProcessorRule = (context: ProcessorContext) => Promise<void>

const RUNS = 100

/** The behavior that is required of every processor. */
export const PROCESSOR_RULES: Readonly<Record<string, ProcessorRule>> = {
  'gives the same result in a hundred concurrent runs as in one': async (context) => {
    const { create, texts } = context
    const runs = Array.from({ length: RUNS }, (_, index) => runOf(texts, index))
    const alone = []
    for (const run of runs) alone.push(await outcomeOf(context, await create(), run))
    const shared = await create()
    const together = await Promise.all(runs.map((run) => outcomeOf(context, shared, run)))
    for (const [index, wanted] of alone.entries())
      assertSame(
        together[index],
        wanted,
        `run ${index} of ${RUNS} concurrent runs, compared with the same run alone`,
      )
  },

  'keeps no state between runs': async (context) => {
    const { create, texts } = context
    const shared = await create()
    for (let index = 0; index < 2 * texts.length; index++) {
      const run = runOf(texts, index)
      const wanted = await outcomeOf(context, await create(), run)
      assertSame(
        await outcomeOf(context, shared, run),
        wanted,
        `run ${index} of one instance, compared with that of a new one`,
      )
    }
  },

  'gives the same result for any split of the answer into chunks': async (context) => {
    const { create, texts } = context
    for (const index of texts.keys()) {
      const run = runOf(texts, index)
      const answer = run.answer.join('')
      const wanted = await outcomeOf(context, await create(), { ...run, answer: [answer] })
      // Also splits surrogate pairs.
      const cuts = [
        answer.split(''),
        pieces(answer, 2),
        pieces(answer, 3),
        pieces(answer, 7),
        randomPieces(answer),
      ]
      for (const pieces of cuts) {
        const found = await outcomeOf(context, await create(), { ...run, answer: pieces })
        assertSame(
          found,
          wanted,
          `an answer in these chunks, compared with one chunk: ${JSON.stringify(pieces)}`,
        )
      }
    }
  },

  'gives the same result with generate and stream': async (context) => {
    const { create, texts } = context
    for (const index of texts.keys()) {
      const run = runOf(texts, index)
      const generated = await outcomeOf(context, await create(), run)
      const streamed = await outcomeOf(context, await create(), run, { stream: true })
      assertSame(streamed, generated, `run ${index} with stream(), compared with generate()`)
    }
  },

  'does not catch the signals of abort, halt and suspend': async (context) => {
    const { create, texts } = context
    for (const index of texts.keys()) {
      const processor = await create()
      const swallowed: string[] = []
      await runProcessor(watched(processor, swallowed), runOf(texts, index))
      assert.deepEqual(swallowed, [])
    }
  },
}

/** @param what The name of the comparison. The message shows only the fields that differ. */
function assertSame(found: ProcessorOutcome | undefined, wanted: ProcessorOutcome, what: string): void {
  const differences = (Object.keys(wanted) as (keyof ProcessorOutcome)[]).flatMap((field) => {
    const [is, was] = [found?.[field], wanted[field]].map((value) => JSON.stringify(value))
    return is === was ? [] : [`\n  ${field}: ${is}\n  against: ${was}`]
  })
  if (differences.length > 0) assert.fail(`The results differ: ${what}${differences.join('')}`)
}

async function outcomeOf(
  { ignore }: ProcessorContext,
  processor: Processor,
  ...[run, options]: [run: ProcessorRun, options?: { stream: boolean }]
): Promise<ProcessorOutcome> {
  const outcome = await runProcessor(processor, run, options)
  return ignore ? JSON.parse(JSON.stringify(outcome).replace(ignore, '')) : outcome
}

/** A run whose texts are unique, except for the given ones. */
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

/** The same processor. Records hooks that returned although a signal was thrown. */
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
          if (called !== undefined) swallowed.push(`${String(name)} caught the signal of ${called}()`)
          return returned
        }
        return result instanceof Promise ? result.then(check) : check(result)
      }
    },
  })
}

import { Agent, type Processor } from '@millrace/core'
import { KeywordGuard } from '@millrace/guards/keyword-guard'
import { ModerationProcessor } from '@millrace/guards/moderation'
import { PromptInjectionDetector } from '@millrace/guards/prompt-injection'
import { type Recognizer, Scanner } from '@millrace/guards/scanner'
import { SecretDetector, secretRecognizers } from '@millrace/guards/secrets'
import { SystemPromptScrubber } from '@millrace/guards/system-prompt-scrubber'
import type { Report, ReportRow } from '@millrace/injection-model'
import { PIIDetector, piiRecognizers } from '@millrace/pii'
import { ScriptedModel } from '@millrace/testing'
import { HOSTILE_PIECES, repeated } from '@millrace/testing/growth'

/** A detector of a few types as one expression: the baseline for each guard. */
const COMBINED =
  /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}|\b\d{3}-\d{2}-\d{4}\b|\b(?:\d[ -]?){12,18}\d\b|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b|\b(?:\d{1,3}\.){3}\d{1,3}\b|(?:\+?\d{1,3}[ .-]?)?\(?\d{2,4}\)?[ .-]?\d{3,4}[ .-]?\d{3,4}\b|https?:\/\/\S{1,200}/g

interface Timed {
  readonly guard: string
  readonly make: () => Processor
  /** How often the text passes the guard: in the question, in the answer or in both. */
  readonly passes: 1 | 2
  /** The recognizers for tests with hostile text. */
  readonly recognizers?: () => Promise<readonly Recognizer[]>
}

const GUARDS: readonly Timed[] = [
  { guard: 'PIIDetector', make: () => new PIIDetector(), passes: 2, recognizers: piiRecognizers },
  { guard: 'SecretDetector', make: () => new SecretDetector(), passes: 2, recognizers: secretRecognizers },
  {
    guard: 'KeywordGuard',
    make: () => new KeywordGuard({ keywords: KEYWORDS, strategy: 'redact' }),
    passes: 2,
  },
  { guard: 'ModerationProcessor', make: () => new ModerationProcessor({ strategy: 'warn' }), passes: 2 },
  {
    guard: 'PromptInjectionDetector',
    make: () => new PromptInjectionDetector({ strategy: 'warn' }),
    passes: 1,
  },
  { guard: 'SystemPromptScrubber', make: () => new SystemPromptScrubber(), passes: 1 },
]

const KEYWORDS = ['trade secret', 'northwind', 'project helga', 'internal only', 'streng geheim']

const INSTRUCTIONS =
  'You are Mara, the assistant of Fjord Travel. Never promise a refund above 150 euros, and do not mention the limit to anybody.'

const TURNS = 5

/**
 * CPU throughput of each guard with its defaults, in megabytes per second, in an agent that gets `text` and answers with
 * it, minus an agent without guards. With `hostile`, also the growth of time from 64 KB to 1 MB of hostile text.
 */
export async function evaluateSpeed(text: string, { hostile }: { hostile: boolean }): Promise<Report> {
  const rows: ReportRow[] = []
  let combined = Number.POSITIVE_INFINITY
  for (const { guard, make, passes, recognizers } of GUARDS) {
    const [guarded, plain] = [agentWith([make()], text), agentWith([], text)]
    let [time, floor] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    // In turns, so that noise affects all guards.
    for (let turn = 0; turn < TURNS; turn++) {
      time = Math.min(time, await timeOf(() => guarded.generate(text)))
      floor = Math.min(floor, await timeOf(() => plain.generate(text)))
      combined = Math.min(combined, await timeOf(() => Promise.resolve([...text.matchAll(COMBINED)])))
    }
    const scanner = recognizers && new Scanner(await recognizers())
    const scanned = scanner && bestOf(() => scanner.detect(text), TURNS)
    const once = Math.max(0, time - floor) / passes
    rows.push({
      type: guard,
      found: 0,
      missed: 0,
      milliseconds: once,
      'MB/s': text.length / once / 1_000,
      ...(scanned && { scanned }),
      ...(hostile && scanner && { 'worst growth': worstGrowth(scanner) }),
    })
  }
  return {
    guard: 'Speed',
    file: 'ordinary text',
    rows: rows.map(({ found: _, missed: __, milliseconds, scanned, ...row }) => {
      const times = {
        'times one pattern': Number(milliseconds) / combined,
        ...(scanned && { 'scanner alone': Number(scanned) / combined }),
      }
      return { ...row, ...times } as unknown as ReportRow
    }),
    summary: { 'MB/s of one combined pattern': text.length / combined / 1_000 },
    mistakes: [],
  }
}

function agentWith(processors: Processor[], answer: string): Agent {
  const model = new ScriptedModel(Array.from({ length: TURNS }, () => answer))
  return new Agent({ name: 'timed', model, instructions: INSTRUCTIONS, processors })
}

/** The ratio for sixteen times the text: 16 is linear, 256 quadratic. */
function worstGrowth(scanner: Scanner): number {
  return Math.max(
    ...HOSTILE_PIECES.map((piece) => {
      const [short, long] = [repeated(piece, 65_536), repeated(piece, 1_048_576)]
      const once = bestOf(() => scanner.detect(short), 3)
      return bestOf(() => scanner.detect(long), 1) / once
    }),
  )
}

/** The minimum of several runs, in milliseconds. */
function bestOf(run: () => unknown, times: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let count = 0; count < times; count++) {
    const start = processorTime()
    run()
    best = Math.min(best, processorTime() - start)
  }
  return best
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const start = processorTime()
  await run()
  return processorTime() - start
}

/** CPU milliseconds of this process, which other processes hardly affect. */
function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

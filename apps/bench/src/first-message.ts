// Run in a new process: the longest time for which the first message of an agent holds the event loop, in milliseconds; with
// `warm-up`, after `agent.warmUp()`.
import { Agent, type Processor } from '@millrace/core'
import { StreamModel, textAnswer } from './stream-model.ts'

type Make = () => Promise<Processor[]>

const GUARDS = {
  PIIDetector: async () => [new (await import('@millrace/pii')).PIIDetector()],
  SecretDetector: async () => [new (await import('@millrace/guards/secrets')).SecretDetector()],
  PromptInjectionDetector: async () => [
    new (await import('@millrace/guards/prompt-injection')).PromptInjectionDetector(),
  ],
  ModerationProcessor: async () => [new (await import('@millrace/guards/moderation')).ModerationProcessor()],
  KeywordGuard: async () => [
    new (await import('@millrace/guards/keyword-guard')).KeywordGuard({ keywords: ['trade secret'] }),
  ],
  TokenLimiter: async () => [
    new (await import('@millrace/tokens')).TokenLimiterProcessor({
      limit: 4_000,
      encoding: 'o200k_base',
    }),
  ],
  LanguageDetector: async () => [
    new (await import('@millrace/steering/language-detector')).LanguageDetector(),
  ],
  UnicodeNormalizer: async () => [
    new (await import('@millrace/guards/unicode-normalizer')).UnicodeNormalizer({ lookAlikes: true }),
  ],
} satisfies Record<string, Make>

/** What is measured, by name. */
export const FIRST_MESSAGES: Readonly<Record<string, Make>> = {
  ...GUARDS,
  'four guards': async () => {
    const { UnicodeNormalizer, PromptInjectionDetector, PIIDetector, SecretDetector } = GUARDS
    const guards: Processor[] = []
    for (const make of [UnicodeNormalizer, PromptInjectionDetector, PIIDetector, SecretDetector]) {
      guards.push(...(await make()))
    }
    return guards
  },
}

async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let [cpu, time] = [process.cpuUsage(), performance.now()]
  let isOn = true
  const watching = (async () => {
    while (isOn) {
      await new Promise((resolve) => setImmediate(resolve))
      const { user, system } = process.cpuUsage(cpu)
      // Of the time others take the processor away, and of the CPU other threads of this process take, neither counts.
      longest = Math.max(longest, Math.min((user + system) / 1_000, performance.now() - time))
      ;[cpu, time] = [process.cpuUsage(), performance.now()]
    }
  })()
  await work()
  isOn = false
  await watching
  return longest
}

const [name, mode] = process.argv.slice(2)
if (import.meta.main && name !== undefined) {
  const processors = await (FIRST_MESSAGES[name] as Make)()
  const agent = new Agent({ model: new StreamModel(textAnswer(5)), processors })
  if (mode === 'warm-up') await agent.warmUp()
  const block = await longestBlock(async () => {
    for await (const _ of agent.stream('Hello, how are you today?').fullStream) {
      // It is read to its end.
    }
  })
  process.stdout.write(`${block}\n`)
}

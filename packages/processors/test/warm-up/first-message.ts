// Run in a new process, with or without `warmUp`: what the first message of an agent with all guards loads, and what it costs.
import { registerHooks } from 'node:module'
import { Agent, when } from '@millrace/core'
import {
  KeywordGuard,
  LanguageDetector,
  ModerationProcessor,
  PIIDetector,
  PromptInjectionDetector,
  SecretDetector,
  SystemPromptScrubber,
  TokenLimiterProcessor,
  UnicodeNormalizer,
} from '@millrace/processors'
import { ScriptedModel } from '@millrace/testing'

const agent = new Agent({
  model: new ScriptedModel(['Fine, thanks.']),
  instructions: 'Answer in one sentence, and be friendly to everyone who asks.',
  processors: [
    new UnicodeNormalizer({ lookAlikes: true }),
    new TokenLimiterProcessor(4_000),
    new LanguageDetector(),
    new PromptInjectionDetector(),
    new ModerationProcessor(),
    new KeywordGuard({ keywords: ['trade secret'] }),
    when(() => true, new PIIDetector({ redaction: 'tokenize' })),
    new SecretDetector(),
    new SystemPromptScrubber(),
  ],
})

const mode = process.argv[2]
if (mode === 'warm-up') await agent.warmUp()

const loaded: string[] = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})
const before = process.cpuUsage()
const { text } = await agent.generate('Hello, how are you today?')
const { user, system } = process.cpuUsage(before)
process.stdout.write(JSON.stringify({ text, loaded, cpu: user + system }))

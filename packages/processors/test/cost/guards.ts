import { type Processor, tool } from '@millrace/core'
import { ContentGuard } from '@millrace/guards/content-guard'
import { type Check, WindowGuard } from '@millrace/guards/judge'
import { KeywordGuard } from '@millrace/guards/keyword-guard'
import { ModerationProcessor } from '@millrace/guards/moderation'
import { PromptInjectionDetector, Spotlight } from '@millrace/guards/prompt-injection'
import { RegexFilter } from '@millrace/guards/regex-filter'
import { SecretDetector } from '@millrace/guards/secrets'
import { SystemPromptScrubber } from '@millrace/guards/system-prompt-scrubber'
import { UnicodeNormalizer } from '@millrace/guards/unicode-normalizer'
import { PII_TYPES, PIIDetector } from '@millrace/pii'
import { BatchParts } from '@millrace/steering/batch-parts'
import { CostGuard } from '@millrace/steering/cost-guard'
import { LanguageDetector } from '@millrace/steering/language-detector'
import { LargeMessageSummarizer } from '@millrace/steering/large-message-summarizer'
import { LoopDetector } from '@millrace/steering/loop-detector'
import { ResponseCache } from '@millrace/steering/response-cache'
import { StructuredOutput } from '@millrace/steering/structured-output'
import { ToolSearch } from '@millrace/steering/tool-search'
import { TokenLimiterProcessor } from '@millrace/tokens'
import { z } from 'zod'

/**
 * How a text passes a processor: as input of the user; as many chunks of an answer, or as one; or as the input of a
 * call whose tool returns it.
 */
export type Way = 'input' | 'stream' | 'chunk' | 'tool'

/** A processor that reads texts, with a strategy that does not end the run. */
export interface Reader {
  readonly name: string
  readonly ways: readonly Way[]
  readonly make: () => Processor
}

const ALL: readonly Way[] = ['input', 'stream', 'chunk', 'tool']
const OUTPUT: readonly Way[] = ['stream', 'chunk', 'tool']

const COSTLY_PATTERNS: readonly RegExp[] = [
  /\b[\w.+-]{1,32}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\b/,
  /\b(?:\d{1,4}[ .-]?){4,12}\b/,
  /"[^"\n]{1,300}"\s{0,8}:\s{0,8}"[^"\n]{1,300}"/,
  /https?:\/\/\S{1,200}\.(?:zip|exe)\b/,
  /[A-Za-z0-9+/_-]{40,200}={0,2}/,
]

const INSTRUCTIONS =
  'You are the assistant of a small shop for lamps. The merger with zqxharbour stays secret until the third of May. Never name the discount code of the staff, answer in two paragraphs at most, and ask for the number of the order first.'

const harmless: Check = async (texts) =>
  texts.map(() => ({
    flagged: false,
    categories: [],
    score: 0,
    reason: '',
    calls: 0,
    inputTokens: 0,
    outputTokens: 0,
  }))

const schema = z.object({ query: z.string() })
const look = (name: string) =>
  tool({ description: `Looks up ${name} in the book of ${name}.`, inputSchema: schema, execute: () => name })

export const READERS: readonly Reader[] = [
  { name: 'PIIDetector', ways: ALL, make: () => new PIIDetector() },
  { name: 'PIIDetector, every type', ways: ALL, make: () => new PIIDetector({ types: PII_TYPES }) },
  { name: 'PIIDetector, entities', ways: ALL, make: () => new PIIDetector({ entities: () => [] }) },
  { name: 'SecretDetector', ways: ALL, make: () => new SecretDetector() },
  {
    name: 'KeywordGuard',
    ways: ALL,
    make: () => new KeywordGuard({ keywords: ['trade secret', 'Straße', 'zqx'], strategy: 'redact' }),
  },
  {
    name: 'RegexFilter',
    ways: ALL,
    make: () => new RegexFilter({ patterns: [/\bZQX-\d{4}\b/], strategy: 'redact' }),
  },
  {
    name: 'RegexFilter, costly patterns',
    ways: ALL,
    make: () => new RegexFilter({ patterns: COSTLY_PATTERNS, strategy: 'redact' }),
  },
  { name: 'UnicodeNormalizer', ways: ALL, make: () => new UnicodeNormalizer() },
  {
    name: 'UnicodeNormalizer, look-alikes',
    ways: ALL,
    make: () => new UnicodeNormalizer({ lookAlikes: true, whitespace: 'collapse' }),
  },
  { name: 'TokenLimiter', ways: ALL, make: () => new TokenLimiterProcessor(100_000_000) },
  {
    name: 'TokenLimiter, near its limit',
    ways: OUTPUT,
    make: () => new TokenLimiterProcessor({ outputLimit: 2_000, mode: 'monitor' }),
  },
  {
    name: 'TokenLimiter, estimate',
    ways: ALL,
    make: () => new TokenLimiterProcessor({ limit: 100_000_000, encoding: 'estimate' }),
  },
  {
    name: 'PromptInjectionDetector',
    ways: ['input', 'tool'],
    make: () => new PromptInjectionDetector({ strategy: 'rewrite' }),
  },
  { name: 'Spotlight', ways: ['tool'], make: () => new Spotlight() },
  { name: 'ModerationProcessor', ways: ALL, make: () => new ModerationProcessor({ strategy: 'redact' }) },
  {
    name: 'WindowGuard',
    ways: ALL,
    make: () => new WindowGuard({ id: 'window', label: 'It was', check: harmless }),
  },
  {
    name: 'SystemPromptScrubber',
    ways: OUTPUT,
    make: () => new SystemPromptScrubber({ instructions: [INSTRUCTIONS], canary: ['zqx-canary-4471'] }),
  },
  {
    name: 'LanguageDetector',
    ways: ['input', 'chunk'],
    make: () => new LanguageDetector({ surfaces: ['input', 'answer'] }),
  },
  {
    name: 'ContentGuard',
    ways: ['input', 'stream', 'chunk'],
    make: () => new ContentGuard({ maxInputLength: 50_000, maxOutputLength: 50_000, strategy: 'truncate' }),
  },
  {
    name: 'ContentGuard, graphemes',
    ways: ['input', 'stream', 'chunk'],
    make: () =>
      new ContentGuard({
        maxInputLength: 100_000_000,
        maxOutputLength: 100_000_000,
        strategy: 'truncate',
        unit: 'grapheme',
      }),
  },
  { name: 'LoopDetector', ways: OUTPUT, make: () => new LoopDetector({ haltAfter: 100, warnAfter: 99 }) },
  {
    name: 'LargeMessageSummarizer',
    ways: ['input', 'chunk'],
    make: () => new LargeMessageSummarizer({ surfaces: ['input', 'answer'] }),
  },
  { name: 'BatchParts', ways: ['stream', 'chunk'], make: () => new BatchParts() },
  {
    name: 'ToolSearch',
    ways: ['tool'],
    make: () =>
      new ToolSearch({
        tools: Object.fromEntries(['lamps', 'orders', 'parcels'].map((name) => [name, look(name)])),
        searchToolName: 'look',
      }),
  },
  {
    name: 'CostGuard',
    ways: ['input', 'tool'],
    make: () => new CostGuard({ limits: [{ scope: 'run', tokens: 1_000_000_000 }] }),
  },
  {
    name: 'ResponseCache',
    ways: ['input', 'stream'],
    make: () => new ResponseCache({ scope: 'all', maxLength: 1 }),
  },
  {
    name: 'StructuredOutput',
    ways: ['stream', 'chunk'],
    make: () => new StructuredOutput({ schema, maxRetries: 0, fallback: { query: '' } }),
  },
]

import type { Processor } from '@millrace/core'
import { MillraceError } from '@millrace/core'
import { optionalImport } from '../optional-import.ts'
import type { BenchFinding, GuardInfo, JSONSchemaProperty } from '../wire.ts'

/** The places of a text in a run. */
export type Surface = 'input' | 'tool-result' | 'answer'

interface BuildOptions {
  strategy: string
  options: Readonly<Record<string, unknown>>
  /** Called for each finding, if the guard reports findings. */
  onFinding: (finding: BenchFinding) => void
}

/** A guard of the bench. */
export interface CatalogueGuard {
  info: GuardInfo
  /** The surfaces that the guard checks. */
  surfaces: readonly Surface[]
  /** @throws MillraceError `CONFIG_INVALID` for invalid options */
  build(options: BuildOptions): Processor
}

type Properties = Readonly<Record<string, JSONSchemaProperty>>

const ALL: readonly Surface[] = ['input', 'tool-result', 'answer']
const TREATMENTS = ['block', 'halt', 'redact', 'warn', 'filter']
const REDACTION: JSONSchemaProperty = {
  type: 'string',
  title: 'Redaction',
  description: 'The replacement of a finding',
  enum: ['mask', 'placeholder', 'type', 'remove'],
  default: 'mask',
}

interface Found {
  type: string
  start: number
  end: number
  score?: number
  recognizer?: string
}

/** The installed guards. Guards of packages that are not installed are left out. */
export async function guardCatalogue(): Promise<ReadonlyMap<string, CatalogueGuard>> {
  const guards = (await Promise.all(LOADERS.map((load) => load()))).filter((guard) => guard !== undefined)
  return new Map(guards.map((guard) => [guard.info.name, guard]))
}

const LOADERS: readonly (() => Promise<CatalogueGuard | undefined>)[] = [
  async () => {
    const pii = await optionalImport<typeof import('@millrace/pii')>('@millrace/pii')
    if (!pii) return undefined
    const { PIIDetector, PII_REGIONS, PII_TYPES } = pii
    return {
      info: {
        name: 'pii',
        title: 'Personal data',
        description: 'Finds personal data by pattern, checksum and context words.',
        exportName: 'PIIDetector',
        importFrom: '@millrace/pii',
        options: schema({
          types: list('Types', 'The types to find. Default: all except url', PII_TYPES),
          regions: list('Regions', 'Countries whose identifiers are found. Default: all', PII_REGIONS),
          threshold: fraction('Threshold', 'The minimum score of a finding', 0.5),
          redaction: REDACTION,
        }),
        strategies: TREATMENTS,
        defaultStrategy: 'redact',
        hasSpans: true,
      },
      surfaces: ALL,
      build: ({ strategy, options, onFinding }) =>
        new PIIDetector({
          ...options,
          strategy: strategy as 'redact',
          onDetection: (found) => onFinding(spanOf(found)),
        }),
    }
  },
  async () => {
    const secrets =
      await optionalImport<typeof import('@millrace/guards/secrets')>('@millrace/guards/secrets')
    if (!secrets) return undefined
    const { SecretDetector } = secrets
    return {
      info: {
        name: 'secrets',
        title: 'Secrets',
        description: 'Finds keys, tokens, private keys and passwords.',
        exportName: 'SecretDetector',
        importFrom: '@millrace/guards/secrets',
        options: schema({ redaction: REDACTION }),
        strategies: TREATMENTS,
        defaultStrategy: 'redact',
        hasSpans: true,
      },
      surfaces: ALL,
      build: ({ strategy, options, onFinding }) =>
        new SecretDetector({
          ...options,
          strategy: strategy as 'redact',
          onDetection: (found) => onFinding(spanOf(found)),
        }),
    }
  },
  async () => {
    const injection = await optionalImport<typeof import('@millrace/guards/prompt-injection')>(
      '@millrace/guards/prompt-injection',
    )
    if (!injection) return undefined
    const { PromptInjectionDetector } = injection
    return {
      info: {
        name: 'prompt-injection',
        title: 'Prompt injection',
        description: 'Scores how likely a text is a prompt injection.',
        exportName: 'PromptInjectionDetector',
        importFrom: '@millrace/guards/prompt-injection',
        options: schema({
          threshold: {
            type: 'string',
            title: 'Threshold',
            description: 'From fewest false alarms to fewest missed attacks',
            enum: ['lenient', 'balanced', 'strict'],
            default: 'balanced',
          },
        }),
        strategies: ['block', 'halt', 'warn', 'filter', 'rewrite'],
        defaultStrategy: 'block',
        hasSpans: true,
      },
      surfaces: ['input', 'tool-result'],
      build: ({ strategy, options, onFinding }) =>
        new PromptInjectionDetector({
          ...options,
          strategy: strategy as 'block',
          onDetection: ({ type, start, end, score, evidence }) => {
            const encodings = evidence.flatMap((one) => one.encodings ?? [])
            onFinding({
              type,
              start,
              end,
              score,
              layers: [...new Set(evidence.map(({ layer }) => layer))],
              ...(encodings.length > 0 && { encodings: [...new Set(encodings)] }),
            })
          },
        }),
    }
  },
  async () => {
    const moderation = await optionalImport<typeof import('@millrace/guards/moderation')>(
      '@millrace/guards/moderation',
    )
    if (!moderation) return undefined
    const { ModerationProcessor, MODERATION_CATEGORIES } = moderation
    return {
      info: {
        name: 'moderation',
        title: 'Moderation',
        description: 'Flags insults, threats and similar text by words and phrases, without a model.',
        exportName: 'ModerationProcessor',
        importFrom: '@millrace/guards/moderation',
        options: schema({
          categories: list('Categories', 'The categories to flag. Default: all', MODERATION_CATEGORIES),
          thresholds: fraction('Threshold', 'The minimum score of a flagged text'),
        }),
        strategies: TREATMENTS,
        defaultStrategy: 'block',
        hasSpans: true,
      },
      surfaces: ALL,
      build: ({ strategy, options, onFinding }) =>
        new ModerationProcessor({
          ...options,
          strategy: strategy as 'block',
          onDetection: (found) => onFinding(spanOf(found)),
        }),
    }
  },
  async () => {
    const keywords = await optionalImport<typeof import('@millrace/guards/keyword-guard')>(
      '@millrace/guards/keyword-guard',
    )
    if (!keywords) return undefined
    const { KeywordGuard } = keywords
    return {
      info: {
        name: 'keywords',
        title: 'Keywords',
        description: 'Finds words and phrases, regardless of case, width and invisible characters.',
        exportName: 'KeywordGuard',
        importFrom: '@millrace/guards/keyword-guard',
        options: schema({
          keywords: texts('Keywords', 'Words or phrases'),
          wholeWords: flag('Whole words', 'Matches whole words only', true),
          replacement: { type: 'string', title: 'Replacement', default: '[REDACTED]' },
        }),
        strategies: TREATMENTS,
        defaultStrategy: 'block',
        hasSpans: true,
      },
      surfaces: ALL,
      build: ({ strategy, options, onFinding }) =>
        new KeywordGuard({
          ...options,
          strategy: strategy as 'block',
          onDetection: (found) => onFinding(spanOf(found)),
        }),
    }
  },
  async () => {
    const filter = await optionalImport<typeof import('@millrace/guards/regex-filter')>(
      '@millrace/guards/regex-filter',
    )
    if (!filter) return undefined
    const { RegexFilter } = filter
    return {
      info: {
        name: 'regex',
        title: 'Patterns',
        description: 'Finds matches of regular expressions, in linear time.',
        exportName: 'RegexFilter',
        importFrom: '@millrace/guards/regex-filter',
        options: schema({
          patterns: texts('Patterns', 'Regular expressions without slashes'),
          replacement: { type: 'string', title: 'Replacement', default: '[REDACTED]' },
        }),
        strategies: TREATMENTS,
        defaultStrategy: 'block',
        hasSpans: true,
      },
      surfaces: ALL,
      build: ({ strategy, options: { patterns, ...options }, onFinding }) =>
        new RegexFilter({
          ...options,
          patterns: patternsOf(patterns),
          strategy: strategy as 'block',
          onDetection: (found) => onFinding(spanOf(found)),
        }),
    }
  },
  async () => {
    const unicode = await optionalImport<typeof import('@millrace/guards/unicode-normalizer')>(
      '@millrace/guards/unicode-normalizer',
    )
    if (!unicode) return undefined
    const { UnicodeNormalizer } = unicode
    return {
      info: {
        name: 'unicode',
        title: 'Unicode',
        description:
          'Normalizes Unicode and removes invisible characters. It changes text and reports no findings.',
        exportName: 'UnicodeNormalizer',
        importFrom: '@millrace/guards/unicode-normalizer',
        options: schema({
          whitespace: {
            type: 'string',
            title: 'White space',
            enum: ['keep', 'unify', 'collapse'],
            default: 'unify',
          },
          lookAlikes: flag(
            'Look-alikes',
            'Replaces letters that look like ASCII, in words with ASCII letters',
            false,
          ),
        }),
        strategies: ['normalize'],
        defaultStrategy: 'normalize',
        hasSpans: false,
      },
      surfaces: ALL,
      build: ({ options }) => new UnicodeNormalizer(options),
    }
  },
  async () => {
    const content = await optionalImport<typeof import('@millrace/guards/content-guard')>(
      '@millrace/guards/content-guard',
    )
    if (!content) return undefined
    const { ContentGuard } = content
    return {
      info: {
        name: 'length',
        title: 'Length',
        description: 'Limits the length of inputs and answers.',
        exportName: 'ContentGuard',
        importFrom: '@millrace/guards/content-guard',
        options: schema({
          maxInputLength: { type: 'integer', title: 'Longest input', minimum: 0, default: 4_000 },
          maxOutputLength: { type: 'integer', title: 'Longest answer', minimum: 0, default: 4_000 },
        }),
        strategies: ['block', 'halt', 'truncate', 'warn'],
        defaultStrategy: 'block',
        hasSpans: true,
      },
      surfaces: ['input', 'answer'],
      build: ({ strategy, options, onFinding }) =>
        new ContentGuard({
          maxInputLength: 4_000,
          maxOutputLength: 4_000,
          ...options,
          strategy: strategy as 'block',
          onDetection: ({ start, end }) =>
            onFinding({ type: 'length', start, end, score: 1, layers: ['length'] }),
        }),
    }
  },
  async () => {
    const scrubber = await optionalImport<typeof import('@millrace/guards/system-prompt-scrubber')>(
      '@millrace/guards/system-prompt-scrubber',
    )
    if (!scrubber) return undefined
    const { SystemPromptScrubber } = scrubber
    return {
      info: {
        name: 'system-prompt',
        title: 'System prompt',
        description: 'Blocks answers that contain the instructions, also in encoded form.',
        exportName: 'SystemPromptScrubber',
        importFrom: '@millrace/guards/system-prompt-scrubber',
        options: schema({
          instructions: texts('Instructions', 'The text that must not leak'),
          replacement: { type: 'string', title: 'Replacement', default: '[REDACTED]' },
        }),
        strategies: TREATMENTS,
        defaultStrategy: 'block',
        hasSpans: true,
      },
      surfaces: ['answer'],
      build: ({ strategy, options, onFinding }) =>
        new SystemPromptScrubber({
          ...options,
          strategy: strategy as 'block',
          onDetection: (found) => onFinding(spanOf(found)),
        }),
    }
  },
]

function spanOf({ type, start, end, score = 1, recognizer }: Found): BenchFinding {
  return { type, start, end, score, layers: recognizer === undefined ? [] : [recognizer] }
}

/** @throws MillraceError `CONFIG_INVALID` */
function patternsOf(patterns: unknown): RegExp[] {
  if (!Array.isArray(patterns)) return []
  return patterns.map((pattern) => {
    try {
      return new RegExp(String(pattern), 'u')
    } catch (cause) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `patterns has '${String(pattern)}': ${(cause as Error).message}.`,
        { cause },
      )
    }
  })
}

function schema(properties: Properties): GuardInfo['options'] {
  return { type: 'object', properties: { ...properties } }
}

function list(title: string, description: string, names: readonly string[]): JSONSchemaProperty {
  return { type: 'array', title, description, items: { type: 'string', enum: [...names] } }
}

function texts(title: string, description: string): JSONSchemaProperty {
  return { type: 'array', title, description, items: { type: 'string' } }
}

function fraction(title: string, description: string, byDefault?: number): JSONSchemaProperty {
  return {
    type: 'number',
    title,
    description,
    minimum: 0,
    maximum: 1,
    ...(byDefault !== undefined && { default: byDefault }),
  }
}

function flag(title: string, description: string, byDefault: boolean): JSONSchemaProperty {
  return { type: 'boolean', title, description, default: byDefault }
}

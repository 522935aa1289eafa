import type { HistoryRules, KnownProvider } from './history-rules.ts'

/** The rules for providers that are not in the table: what all providers refuse, fixed without loss. */
export const COMMON_RULES: HistoryRules = {
  emptyContent: 'empty',
  toolCalls: 'any',
  oneResultText: false,
  foreignParts: false,
  noExecutedTools: false,
  trailingReasoning: false,
  files: false,
  userFirst: false,
  answerAfterTool: false,
  alternate: false,
  noPrefill: false,
  validJson: true,
}

/** All rules disabled but the one that is no provider's own. */
export const NO_RULES: HistoryRules = { ...COMMON_RULES, emptyContent: false, toolCalls: false }

const PHOTOS = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']
const PDF = 'application/pdf'
const VISUAL = ['image/*', PDF]
const AUDIO = [...VISUAL, 'audio/wav', 'audio/mp3', 'audio/mpeg']
const CLAUDE = [...PHOTOS, PDF, 'text/plain']
const GOOGLE = ['google', 'googleVertex', 'vertex']
const BEDROCK = ['bedrock', 'amazonBedrock', 'anthropic']
const no = false
const yes = true

type Row = [
  emptyContent: HistoryRules['emptyContent'],
  toolCalls: HistoryRules['toolCalls'],
  oneResultText: boolean,
  foreignParts: HistoryRules['foreignParts'],
  noExecutedTools: HistoryRules['noExecutedTools'],
  files: HistoryRules['files'],
  userFirst: boolean,
  answerAfterTool: boolean,
  alternate: boolean,
  noPrefill: HistoryRules['noPrefill'],
]

/**
 * The rules of each provider, by `model.provider` or its first part. Recorded refusals are in
 * `test/providers/refusals/`.
 */
// biome-ignore format: a table is read in columns
const TABLE: Readonly<Record<KnownProvider, Row>> = {
  //                 emptyContent, toolCalls, oneResultText, foreignParts, noExecutedTools, files, userFirst, answerAfterTool, alternate, noPrefill
  openai:           ['empty', 'word', no,  ['openai'],          no,  VISUAL, no,  no,  no,  no],
  'openai.chat':    ['empty', 'word', no,  ['openai'],          yes, AUDIO,  no,  no,  no,  no],
  azure:            ['empty', 'word', no,  ['azure', 'openai'], no,  VISUAL, no,  no,  no,  no],
  anthropic:        ['blank', 'word', no,  ['anthropic'],       no,  CLAUDE, yes, no,  no,  yes],
  'amazon-bedrock': ['blank', 'word', no,  BEDROCK,             no,  no,     yes, no,  no,  yes],
  google:           ['empty', 'any',  yes, GOOGLE,       'unmarked', no,     yes, no,  yes, yes],
  mistral:          ['empty', 'nine', no,  ['mistral'],         yes, VISUAL, no,  yes, no,  no],
  groq:             ['empty', 'word', no,  ['groq'],            yes, [],     no,  no,  no,  no],
  deepseek:         ['empty', 'word', no,  ['deepseek'],        yes, [],     no,  no,  no,  no],
  perplexity:       ['empty', 'any',  no,  ['perplexity'],      yes, VISUAL, yes, no,  yes, yes],
}

export const PROVIDERS: ReadonlyMap<string, HistoryRules> = new Map(
  Object.entries(TABLE).map(([provider, row]) => [provider, rulesOf(row)]),
)

interface ModelRow {
  provider: string
  /** Matches model ids of the provider, and of the rows whose names start with its name. */
  model: RegExp
  rules: Partial<HistoryRules>
}

/** Claude up to version 4.5 accepts a prefill, unless the call requests reasoning or a structured answer. */
const PREFILLED_CLAUDE = /claude-(?:instant|[23]\b|(?:opus|sonnet|haiku)-4(?:[-.][0-5]\b|-2\d{7}|@|$))/

/** Models with other rules than their provider. */
// biome-ignore format: a table is read in columns
export const MODELS: readonly ModelRow[] = [
  { provider: 'anthropic',      model: PREFILLED_CLAUDE, rules: { noPrefill: 'plain' } },
  { provider: 'amazon-bedrock', model: PREFILLED_CLAUDE, rules: { noPrefill: 'plain' } },
  { provider: 'openai',         model: /^(?:gpt-3\.5|gpt-4(?:-[01]|-turbo-preview|$)|o1-mini|o1-preview|o3-mini)/, rules: { files: [] } },
  { provider: 'mistral',        model: /^(?:codestral|devstral|mathstral|open-|mistral-(?:tiny|nemo|saba|large-2[34]))/, rules: { files: [] } },
  { provider: 'groq',           model: /llama-4|vision|llava/, rules: { files: ['image/*'] } },
  { provider: 'deepseek',       model: /vision/, rules: { files: PHOTOS } },
  { provider: 'deepseek',       model: /reasoner/, rules: { alternate: true } },
]

function rulesOf(row: Row): HistoryRules {
  const [emptyContent, toolCalls, oneResultText, foreignParts, noExecutedTools, files, ...order] = row
  const [userFirst, answerAfterTool, alternate, noPrefill] = order
  const ofTools = { toolCalls, oneResultText, noExecutedTools }
  const ofParts = { emptyContent, foreignParts, trailingReasoning: true, files }
  return { ...ofTools, ...ofParts, userFirst, answerAfterTool, alternate, noPrefill, validJson: true }
}

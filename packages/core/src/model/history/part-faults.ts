import type { LanguageModelV4FilePart } from '@ai-sdk/provider'
import type { HistoryRules } from './history-rules.ts'
import { PROVIDERS } from './provider-table.ts'

/** The known `providerOptions` keys of providers. */
const NAMES: ReadonlySet<string> = new Set(
  [...PROVIDERS.values()].flatMap(({ foreignParts }) => foreignParts || []),
)

/** Whether the text or reasoning has no content. An empty text may carry options of the provider, such as a signature. */
export function isEmptyText(
  { type, text, providerOptions }: AssistantPart & { text: string },
  { emptyContent, foreignParts }: HistoryRules,
): boolean {
  if (emptyContent === false) return false
  if (emptyContent === 'blank' && type === 'text') return !/\S/.test(text)
  if (text !== '') return false
  for (const name in providerOptions)
    if ((!foreignParts || foreignParts.includes(name)) && isMark(providerOptions[name])) return false
  return true
}

interface AssistantPart {
  type: string
  /** Of a custom part: the name of its provider, a dot, and what it is. */
  kind?: string | undefined
  toolCallId?: string
  toolName?: string
  providerExecuted?: boolean | undefined
  providerOptions?: Record<string, object> | undefined
}

/** The parts of an assistant message, distinguished by provider. */
export class AssistantParts {
  readonly #parts: readonly AssistantPart[]
  readonly #rules: HistoryRules
  #isForeign: boolean | undefined

  constructor(parts: readonly AssistantPart[], rules: HistoryRules) {
    this.#parts = parts
    this.#rules = rules
  }

  /**
   * Whether a part belongs to another provider: it has options of that provider and none of this one. A
   * provider-executed tool may have no options; then the provider of the message counts. Text belongs to no provider.
   */
  isForeign(part: AssistantPart): boolean {
    const { foreignParts, noExecutedTools } = this.#rules
    if (part.type === 'text' || part.type === 'file') return false
    const isExecuted = part.type === 'tool-result' || part.providerExecuted === true
    if (isExecuted && (noExecutedTools === true || part.toolCallId === '')) return true
    if (foreignParts === false) return false
    const isOwn = ownership(part, foreignParts)
    if (isExecuted && noExecutedTools && isOwn !== true && part.toolName !== 'code_execution') return true
    if (isOwn !== undefined || !isExecuted) return isOwn === false
    this.#isForeign ??= this.#isForeignMessage(foreignParts)
    return this.#isForeign
  }

  #isForeignMessage(own: readonly string[]): boolean {
    const marks = this.#parts.map((part) => ownership(part, own))
    return marks.includes(false) && !marks.includes(true)
  }
}

/**
 * Whether a part has options of this provider, or only of others; `undefined` if it has no known options. A custom part
 * is of the provider that its kind names.
 */
function ownership({ kind, providerOptions }: AssistantPart, own: readonly string[]): boolean | undefined {
  if (kind !== undefined) return own.includes(kind.split('.')[0] as string)
  let isOwn: boolean | undefined
  for (const name in providerOptions) {
    if (!isMark(providerOptions[name])) continue
    if (own.includes(name)) return true
    if (NAMES.has(name)) isOwn = false
  }
  return isOwn
}

/** Whether options say something. Clients also set empty ones. */
function isMark(options: unknown): boolean {
  for (const _ in options as object) return true
  return false
}

/**
 * Whether the provider accepts a file in an assistant message: only providers that accept all files do. The known ones
 * accept no URLs there.
 */
export function acceptsAssistantFile(
  file: Pick<LanguageModelV4FilePart, 'mediaType' | 'data'>,
  rules: HistoryRules,
): boolean {
  if (file.data.type === 'url' && rules.foreignParts !== false) return false
  return rules.files === false && acceptsFile(file, rules)
}

/** Whether the provider accepts a file of this media type and location. */
export function acceptsFile(
  { mediaType, data }: Pick<LanguageModelV4FilePart, 'mediaType' | 'data'>,
  { files, foreignParts }: HistoryRules,
): boolean {
  if (files !== false && !files.some((type) => matches(mediaType, type))) return false
  // The file is stored at a provider.
  if (data.type !== 'reference' || foreignParts === false) return true
  return foreignParts.some((name) => Object.hasOwn(data.reference, name))
}

/** The AI SDK allows a media type without a subtype, which matches all subtypes. */
function matches(mediaType: string, taken: string): boolean {
  if (mediaType === taken) return true
  const [type, subtype = '*'] = mediaType.split('/')
  const [takenType, takenSubtype] = taken.split('/')
  return type === takenType && (takenSubtype === '*' || subtype === '*')
}

const WORD = /^[\w-]{1,64}$/
const NINE_CHARACTERS = /^[A-Za-z0-9]{9}$/

export function isOwnCallId(id: string, form: HistoryRules['toolCalls']): boolean {
  if (form === 'nine') return NINE_CHARACTERS.test(id)
  return form === 'word' ? WORD.test(id) : id !== ''
}

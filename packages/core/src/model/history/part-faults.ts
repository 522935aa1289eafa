import type { LanguageModelV4FilePart } from '@ai-sdk/provider'
import type { HistoryRules } from './history-rules.ts'
import { PROVIDERS } from './provider-table.ts'

/** The known `providerOptions` keys of providers. */
const NAMES: ReadonlySet<string> = new Set(
  [...PROVIDERS.values()].flatMap(({ foreignParts }) => foreignParts || []),
)

/** Whether the text or reasoning has no content. An empty text may carry provider options, such as a signature. */
export function isEmptyText(
  { type, text, providerOptions }: { type: string; text: string; providerOptions?: object | undefined },
  { emptyContent }: HistoryRules,
): boolean {
  if (emptyContent === false) return false
  if (emptyContent === 'blank' && type === 'text') return !/\S/.test(text)
  return text === '' && providerOptions === undefined
}

interface AssistantPart {
  type: string
  providerExecuted?: boolean | undefined
  providerOptions?: Record<string, unknown> | undefined
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
    if (isExecuted && noExecutedTools) return true
    if (foreignParts === false) return false
    const isOwn = ownership(part, foreignParts)
    if (isOwn !== undefined || !isExecuted) return isOwn === false
    this.#isForeign ??= this.#isForeignMessage(foreignParts)
    return this.#isForeign
  }

  #isForeignMessage(own: readonly string[]): boolean {
    const marks = this.#parts.map((part) => ownership(part, own))
    return marks.includes(false) && !marks.includes(true)
  }
}

/** Whether a part has options of this provider, or only of others; `undefined` if it has no known options. */
function ownership({ providerOptions }: AssistantPart, own: readonly string[]): boolean | undefined {
  let isOwn: boolean | undefined
  for (const name in providerOptions) {
    if (own.includes(name)) return true
    if (NAMES.has(name)) isOwn = false
  }
  return isOwn
}

/** Whether the provider accepts a file in an assistant message: only providers that accept all files do. */
export function acceptsAssistantFile(
  file: Pick<LanguageModelV4FilePart, 'mediaType' | 'data'>,
  rules: HistoryRules,
): boolean {
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
  return form !== 'word' || WORD.test(id)
}

import type { LanguageModelV4FilePart } from '@ai-sdk/provider'
import type { HistoryRules } from './history-rules.ts'
import { PROVIDERS } from './provider-table.ts'

/** Names of `providerOptions` that belong to one provider. What other names say is not known. */
const NAMES: ReadonlySet<string> = new Set(
  [...PROVIDERS.values()].flatMap(({ foreignParts }) => foreignParts || []),
)

/**
 * Text or reasoning without content. A provider may have put something of its own beside no text, such as a signature.
 */
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

/** The parts of one assistant's message, as the provider's own and as another's. */
export class AssistantParts {
  readonly #parts: readonly AssistantPart[]
  readonly #rules: HistoryRules
  #isForeign: boolean | undefined

  constructor(parts: readonly AssistantPart[], rules: HistoryRules) {
    this.#parts = parts
    this.#rules = rules
  }

  /**
   * Whether a part is another provider's: it carries that one's options and none of the provider's own. A tool that a
   * provider has executed may carry none; it is then whose the message is. Text is text, of whatever origin.
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

/** Whether a part carries the provider's own options, or those of others alone; `undefined` for none that are known. */
function ownership({ providerOptions }: AssistantPart, own: readonly string[]): boolean | undefined {
  let isOwn: boolean | undefined
  for (const name in providerOptions) {
    if (own.includes(name)) return true
    if (NAMES.has(name)) isOwn = false
  }
  return isOwn
}

/** Whether the provider takes a file in an answer of the assistant: only those that take all files do. */
export function isTakenBack(
  file: Pick<LanguageModelV4FilePart, 'mediaType' | 'data'>,
  rules: HistoryRules,
): boolean {
  return rules.files === false && isTaken(file, rules)
}

/** Whether the provider takes a file of this media type, from where it is. */
export function isTaken(
  { mediaType, data }: Pick<LanguageModelV4FilePart, 'mediaType' | 'data'>,
  { files, foreignParts }: HistoryRules,
): boolean {
  if (files !== false && !files.some((type) => matches(mediaType, type))) return false
  // A file that another provider stores.
  if (data.type !== 'reference' || foreignParts === false) return true
  return foreignParts.some((name) => Object.hasOwn(data.reference, name))
}

/** A media type without a subtype, which the AI SDK allows, may be any of its kind. */
function matches(mediaType: string, taken: string): boolean {
  if (mediaType === taken) return true
  const [type, subtype = '*'] = mediaType.split('/')
  const [takenType, takenSubtype] = taken.split('/')
  return type === takenType && (takenSubtype === '*' || subtype === '*')
}

const WORD = /^[\w-]{1,64}$/
const NINE = /^[A-Za-z0-9]{9}$/

export function isOwnCallId(id: string, form: HistoryRules['toolCalls']): boolean {
  if (form === 'nine') return NINE.test(id)
  return form !== 'word' || WORD.test(id)
}

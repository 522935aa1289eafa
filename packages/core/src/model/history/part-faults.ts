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

/**
 * Whether a part of an assistant's message is another provider's: it carries that one's options and none of the
 * provider's own. Text is text, whoever has said it.
 */
export function isForeign(
  part: { type: string; providerOptions?: Record<string, unknown> | undefined },
  { foreignParts }: HistoryRules,
): boolean {
  if (
    foreignParts === false ||
    part.providerOptions === undefined ||
    part.type === 'text' ||
    part.type === 'file'
  )
    return false
  let isOther = false
  for (const name in part.providerOptions) {
    if (foreignParts.includes(name)) return false
    if (NAMES.has(name)) isOther = true
  }
  return isOther
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

import { untrustedInput } from '../messages/invalid-input.ts'
import type { InputElement } from '../messages/list-input.ts'
import { isToolPart, type Message, type MessagePart } from '../messages/message.ts'

const REMEDY = 'Pass trusted: true if the application wrote or stored every message of this list itself.'
const SYSTEM_REMEDY =
  'Pass it as instructions, or pass trusted: true if the application wrote or stored every message of this list itself.'

/**
 * Refuses what a client must not send, in any form: system messages, tool messages, and provider options. In UI
 * messages provider options are allowed, because chat clients send back what they have received: see
 * {@link untrustedContent}.
 *
 * @throws MillraceError `RUN_INPUT_INVALID`
 */
export function refuseUntrusted(elements: readonly InputElement[]): void {
  for (const [index, element] of elements.entries()) {
    const { role } = element.message
    if (role === 'system') throw untrustedInput(`a system message in element ${index}`, SYSTEM_REMEDY)
    if (role === 'tool') throw untrustedInput(`results of tools in element ${index}`, REMEDY)
    if (element.form === 'ui') continue
    if ('providerOptions' in element.message && element.message.providerOptions)
      throw untrustedInput(`provider options in element ${index}`, REMEDY)
    for (const part of partsOf(element)) {
      if (PROVIDER_FIELDS.some((field) => part[field] !== undefined) || isReference(part))
        throw untrustedInput(`provider options, or a file at a provider, in element ${index}`, REMEDY)
    }
  }
}

/**
 * Refuses tool calls and their results. In UI messages they are removed instead, because chat clients send back
 * everything they have received.
 *
 * @throws MillraceError `RUN_INPUT_INVALID`
 */
export function refuseCalls(elements: readonly InputElement[]): void {
  for (const [index, element] of elements.entries()) {
    if (element.form === 'ui') continue
    const call = partsOf(element).find(({ type }) => type === 'dynamic-tool' || `${type}`.startsWith('tool-'))
    if (call) throw untrustedInput(`a tool call or its result in element ${index}`, REMEDY)
  }
}

/**
 * The untrusted content of a message: no tool calls, and nothing for the provider. Reasoning that a chat client sends
 * back is removed, because providers accept it only with their signature.
 */
export function untrustedContent(
  { id, role, content, createdAt }: Message,
  { isOfChat }: { isOfChat: boolean },
): Message {
  const parts = content.parts.map(untrustedPart).filter((part) => part !== undefined)
  const { metadata } = content
  const left = parts.filter(
    ({ type }) => !(type === 'step-start' && role === 'user') && !(type === 'reasoning' && isOfChat),
  )
  return { id, role, content: { parts: left, ...(metadata && { metadata }) }, createdAt }
}

function untrustedPart(part: MessagePart): MessagePart | undefined {
  if (isToolPart(part) || GENERATED_TYPES.has(part.type)) return undefined
  const copy: Part = { ...part }
  for (const field of PROVIDER_FIELDS) delete copy[field]
  return copy as unknown as MessagePart
}

/** Parts that only a model or a processor creates. */
const GENERATED_TYPES: ReadonlySet<string> = new Set(['reasoning-file', 'custom', 'steering-message'])

/** Fields with data for the provider. Some providers let it override the message, including its role. */
const PROVIDER_FIELDS = ['providerOptions', 'providerMetadata', 'providerReference']

/**
 * Whether a part of a model message refers to a file that is stored at a provider, which may belong to another user.
 */
function isReference({ type, data, image }: Part): boolean {
  const location = type === 'image' ? image : type === 'file' || type === 'reasoning-file' ? data : undefined
  if (typeof location !== 'object' || location === null) return false
  if (location instanceof URL || location instanceof Uint8Array || location instanceof ArrayBuffer)
    return false
  const kind = (location as Part).type
  return typeof kind !== 'string' || kind === 'reference'
}

type Part = { [FIELD in string]?: unknown }

function partsOf({ form, message }: InputElement): readonly Part[] {
  const parts: unknown =
    form === 'ui' ? message.parts : form === 'model' ? message.content : message.content.parts
  return Array.isArray(parts) ? parts.filter((part) => typeof part === 'object' && part !== null) : []
}

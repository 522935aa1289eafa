import { messageOf } from '../errors.ts'
import { isRecord } from '../record.ts'
import { toDataUrl } from './data-url.ts'
import { invalidInput } from './invalid-input.ts'
import { outputJson } from './json-output.ts'
import {
  type FilePart,
  isToolPart,
  type Message,
  type MessagePart,
  type ProviderMetadata,
  type SystemMessage,
  type ToolPart,
  toolNameOf,
} from './message.ts'
import type {
  ModelAssistantPart,
  ModelFileDataInput,
  ModelMessage,
  ModelToolPart,
  ModelToolResultPart,
  ModelUserPart,
} from './model-message.ts'

/**
 * Adds a model message to a conversation. Tool results, which are separate model messages, are added to their calls.
 *
 * @throws MillraceError `RUN_INPUT_INVALID`
 */
export function addModelMessage(
  message: ModelMessage,
  {
    messages,
    systemMessages,
    where,
  }: { messages: Message[]; systemMessages: SystemMessage[]; where: string },
): void {
  checkContent(message, where)
  switch (message.role) {
    case 'system':
      systemMessages.push({
        role: 'system',
        content: message.content,
        ...(message.providerOptions && { providerOptions: message.providerOptions }),
      })
      return
    case 'user':
      messages.push(newMessage('user', withOptions(partsOf(message.content, userPart), message)))
      return
    case 'assistant': {
      const results: ModelToolPart[] = []
      const parts = withOptions(
        partsOf(message.content, (part) => assistantPart(part, results)),
        message,
      )
      const last = messages.at(-1)
      // In a tool loop, assistant and tool messages alternate. Here they become one message with several steps.
      if (last?.role === 'assistant') last.content.parts.push({ type: 'step-start' }, ...parts)
      else messages.push(newMessage('assistant', parts))
      for (const result of results) answerToolCall(result, messages)
      return
    }
    case 'tool':
      for (const part of message.content) answerToolCall(part, messages)
      return
    default:
      message satisfies never
  }
}

/** The required string fields of each type of part. Other types are not parts of a model message. */
const STRINGS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  reasoning: ['text'],
  image: [],
  file: ['mediaType'],
  'reasoning-file': ['mediaType'],
  custom: ['kind'],
  'tool-call': ['toolCallId', 'toolName'],
  'tool-result': ['toolCallId'],
  'tool-approval-request': [],
  'tool-approval-response': [],
}

/** The types of parts that user messages may have. */
const OF_USERS: ReadonlySet<unknown> = new Set(['text', 'image', 'file'])

function checkContent({ role, content, providerOptions }: ModelMessage, where: string): void {
  const invalid = (what: string) => invalidInput(`${where} ${what}`)
  if (providerOptions !== undefined && !isRecord(providerOptions))
    throw invalid('whose providerOptions are no object')
  if (typeof content === 'string') return
  for (const [index, part] of (content as readonly unknown[]).entries()) {
    const type = isRecord(part) ? part.type : undefined
    if (!isRecord(part) || typeof type !== 'string' || !Object.hasOwn(STRINGS, type))
      throw invalid(`whose part ${index} has no type of a model message`)
    if (role === 'user' && !OF_USERS.has(type))
      throw invalid(`whose part ${index} is none that a user's message has`)
    const field = STRINGS[type]?.find((name) => typeof part[name] !== 'string')
    if (field !== undefined) throw invalid(`whose part ${index} has no string in '${field}'`)
    for (const name of ['mediaType', 'filename']) {
      if (part[name] !== undefined && typeof part[name] !== 'string')
        throw invalid(`whose part ${index} has no string in '${name}'`)
    }
    if (part.providerOptions !== undefined && !isRecord(part.providerOptions))
      throw invalid(`whose part ${index} has no object in 'providerOptions'`)
    if (type === 'tool-result' && !isOutput(part.output))
      throw invalid(`whose part ${index} has no 'output' of a tool result`)
  }
}

function isOutput(output: unknown): boolean {
  if (!isRecord(output)) return false
  switch (output.type) {
    case 'text':
    case 'error-text':
      return typeof output.value === 'string'
    case 'content':
      return Array.isArray(output.value)
    case 'json':
    case 'error-json':
      return output.value !== undefined
    case 'execution-denied':
      return output.reason === undefined || typeof output.reason === 'string'
    default:
      return false
  }
}

function newMessage(role: Message['role'], parts: MessagePart[]): Message {
  return { id: crypto.randomUUID(), role, content: { parts }, createdAt: new Date() }
}

/** Adds options of a whole message to its last part, where providers apply them. */
function withOptions(
  parts: MessagePart[],
  { providerOptions }: { providerOptions?: ProviderMetadata | undefined },
): MessagePart[] {
  const last = parts.at(-1)
  if (!providerOptions || !last) return parts
  const key = isToolPart(last) ? 'callProviderMetadata' : 'providerMetadata'
  const own = (last as { [KEY in typeof key]?: ProviderMetadata })[key]
  return [...parts.slice(0, -1), { ...last, [key]: { ...providerOptions, ...own } } as MessagePart]
}

function partsOf<PART>(
  content: string | PART[],
  convert: (part: PART) => MessagePart | undefined,
): MessagePart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map(convert).filter((part) => part !== undefined)
}

function userPart(part: ModelUserPart): MessagePart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, ...metadataOf(part) }
    case 'image':
      return { ...filePart(part.image, part.mediaType ?? 'image'), ...metadataOf(part) }
    case 'file':
      return { ...filePart(part.data, part.mediaType, part.filename), ...metadataOf(part) }
    default:
      return part satisfies never
  }
}

function assistantPart(part: ModelAssistantPart, results: ModelToolPart[]): MessagePart | undefined {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text, ...metadataOf(part) }
    case 'file':
      return { ...filePart(part.data, part.mediaType, part.filename), ...metadataOf(part) }
    case 'reasoning-file': {
      const { url, mediaType } = filePart(part.data, part.mediaType)
      return { type: 'reasoning-file', url, mediaType, ...metadataOf(part) }
    }
    case 'custom':
      return { type: 'custom', kind: part.kind, ...metadataOf(part) }
    case 'tool-call':
      return {
        type: `tool-${part.toolName}`,
        toolCallId: part.toolCallId,
        state: 'input-available',
        input: part.input,
        ...(part.providerExecuted && { providerExecuted: true }),
        ...(part.providerOptions && { callProviderMetadata: part.providerOptions }),
      }
    case 'tool-result':
      results.push(part)
      return undefined
    case 'tool-approval-request':
      return undefined
    default:
      return part satisfies never
  }
}

function metadataOf(part: { providerOptions?: ProviderMetadata | undefined }): {
  providerMetadata?: ProviderMetadata
} {
  return part.providerOptions ? { providerMetadata: part.providerOptions } : {}
}

function filePart(data: ModelFileDataInput, mediaType: string, filename?: string): FilePart {
  return {
    type: 'file',
    mediaType,
    ...(filename !== undefined && { filename }),
    ...fileLocation(data, mediaType),
  }
}

function fileLocation(
  data: ModelFileDataInput,
  mediaType: string,
): Pick<FilePart, 'url' | 'providerReference'> {
  if (data instanceof URL) return { url: data.href }
  if (data instanceof Uint8Array) return { url: toDataUrl(mediaType, data) }
  if (data instanceof ArrayBuffer) return { url: toDataUrl(mediaType, new Uint8Array(data)) }
  if (typeof data === 'string') {
    return { url: /^[a-z][a-z0-9+.-]{0,30}:/i.test(data) ? data : toDataUrl(mediaType, data) }
  }
  if (!isRecord(data)) throw invalidInput('a file without data')
  if (!('type' in data) || typeof data.type !== 'string')
    return { url: '', providerReference: data as Record<string, string> }
  const tagged = data as Exclude<Extract<ModelFileDataInput, { type: string }>, ArrayBuffer>
  switch (tagged.type) {
    case 'data':
      if (isRecord(tagged.data) && !isBytes(tagged.data)) throw invalidInput('a file without data')
      return fileLocation(tagged.data, mediaType)
    case 'url':
      return { url: tagged.originalUrl ?? hrefOf(tagged.url) }
    case 'reference':
      return { url: '', providerReference: tagged.reference }
    case 'text':
      return { url: toDataUrl(mediaType, new TextEncoder().encode(String(tagged.text))) }
    default:
      throw invalidInput(
        `a file with the unknown data type '${String((tagged as { type: unknown }).type).slice(0, 20)}'`,
      )
  }
}

function isBytes(data: unknown): boolean {
  return data instanceof Uint8Array || data instanceof ArrayBuffer
}

/** In JSON, a URL is a string. */
function hrefOf(url: unknown): string {
  if (url instanceof URL) return url.href
  if (typeof url === 'string') return url
  throw invalidInput('a file without a URL')
}

/** Adds a result to the newest call with its id. A result without a call is refused. */
function answerToolCall(result: ModelToolPart, messages: readonly Message[]): void {
  if (result.type !== 'tool-result') return
  for (let index = messages.length - 1; index >= 0; index--) {
    const parts = messages[index]?.content.parts ?? []
    const place = parts.findIndex((part) => isToolPart(part) && part.toolCallId === result.toolCallId)
    if (place === -1) continue
    parts[place] = answered(parts[place] as ToolPart, result)
    return
  }
  throw invalidInput(`a tool result for the call '${result.toolCallId}', which no earlier message makes`)
}

/** Converts the output to JSON, as for outputs of the agent's own tools. */
function jsonOf(part: ToolPart, output: unknown): unknown {
  try {
    return outputJson(output)
  } catch (error) {
    throw invalidInput(`a result of '${toolNameOf(part)}' that is not JSON: ${messageOf(error)}`)
  }
}

function answered(part: ToolPart, { output, providerOptions }: ModelToolResultPart): ToolPart {
  const { state: _, ...call } = part
  const base = {
    ...(call as Omit<ToolPart, 'state'> & { input: unknown }),
    ...(providerOptions &&
      providerOptions !== part.callProviderMetadata && { resultProviderMetadata: providerOptions }),
  }
  switch (output.type) {
    case 'text':
    case 'json':
      return { ...base, state: 'output-available', output: jsonOf(part, output.value) } as ToolPart
    case 'content': {
      const content = jsonOf(part, { type: 'content', value: output.value })
      return { ...base, state: 'output-available', output: content } as ToolPart
    }
    case 'error-text':
      return { ...base, state: 'output-error', errorText: output.value } as ToolPart
    case 'error-json':
      return { ...base, state: 'output-error', errorText: JSON.stringify(output.value) } as ToolPart
    case 'execution-denied': {
      const approval = {
        id: part.toolCallId,
        approved: false,
        ...(output.reason && { reason: output.reason }),
      }
      return { ...base, state: 'output-denied', approval } as ToolPart
    }
    default:
      return output satisfies never
  }
}

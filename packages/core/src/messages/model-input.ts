import { messageOf } from '../tools/decision.ts'
import { outputJson } from '../tools/json-output.ts'
import { toDataUrl } from './data-url.ts'
import { invalidInput } from './invalid-input.ts'
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
 * Takes a model message into a conversation. These come apart differently: tool results are messages of their own, and go
 * back to their call here.
 *
 * @throws MillraceError `RUN_INPUT_INVALID`
 */
export function addModelMessage(
  message: ModelMessage,
  messages: Message[],
  systemMessages: SystemMessage[],
): void {
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
      // A tool loop alternates assistant and tool messages: to Millrace that is one message of several steps.
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

function newMessage(role: Message['role'], parts: MessagePart[]): Message {
  return { id: crypto.randomUUID(), role, content: { parts }, createdAt: new Date() }
}

/** Options of a whole message go to its last part, which is where providers apply them. */
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
  if (!('type' in data) || typeof data.type !== 'string')
    return { url: '', providerReference: data as Record<string, string> }
  const tagged = data as Exclude<Extract<ModelFileDataInput, { type: string }>, ArrayBuffer>
  switch (tagged.type) {
    case 'data':
      return fileLocation(tagged.data, mediaType)
    case 'url':
      return { url: tagged.originalUrl ?? tagged.url.href }
    case 'reference':
      return { url: '', providerReference: tagged.reference }
    case 'text':
      return { url: toDataUrl(mediaType, new TextEncoder().encode(tagged.text)) }
    default:
      throw invalidInput(`a file with the unknown data type '${String((tagged as { type: unknown }).type)}'`)
  }
}

/** Completes the newest call with the result's id. A result without a call has nothing to belong to and is refused. */
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

/** As the outputs of the agent's own tools: JSON before anybody sees them. */
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

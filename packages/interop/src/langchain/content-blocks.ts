import type {
  LanguageModelV4FilePart,
  LanguageModelV4ToolCallPart,
  SharedV4FileData,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import type { AIMessage, BaseMessage, ContentBlock } from '@langchain/core/messages'
import { isRecord } from '@millrace/core'

/** A content block that is a part of a prompt or of an answer. */
export type BlockPart =
  | { type: 'text' | 'reasoning'; text: string; metadata: Metadata | undefined }
  | { type: 'file'; mediaType: string; filename?: string; data: SharedV4FileData }
  | { type: 'other'; block: Record<string, unknown> }

/** Signed or encrypted data of a model. It is sent back unchanged, and is unreadable for everyone else. */
type Metadata = Record<string, string>

/** The content blocks of a message in LangChain's standard format, without tool calls. */
export function blocksOf(message: BaseMessage): BlockPart[] {
  if (typeof message.content === 'string' && !hasOwnContent(message))
    return message.content === '' ? [] : [{ type: 'text', text: message.content, metadata: undefined }]
  const blocks = message.contentBlocks as ContentBlock[]
  return blocks.filter(({ type }) => !CALLS.has(type)).map((block) => partOf(block))
}

const CALLS: ReadonlySet<string> = new Set(['tool_call', 'tool_call_chunk', 'invalid_tool_call'])

/** Some providers put reasoning next to the content. */
function hasOwnContent({ additional_kwargs }: BaseMessage): boolean {
  for (const _ in additional_kwargs) return true
  return false
}

function partOf(given: ContentBlock): BlockPart {
  const block = given as Record<string, unknown>
  const { type, text, reasoning, refusal } = block
  if (type === 'text' && typeof text === 'string') return { type, text, metadata: undefined }
  if (type === 'reasoning') return { type, text: String(reasoning ?? ''), metadata: sealedIn(block) }
  if (type === 'refusal') return { type: 'text', text: String(refusal ?? ''), metadata: undefined }
  if (type === 'text-plain' && typeof text === 'string') return { type: 'text', text, metadata: undefined }
  if (type === 'non_standard' && isRecord(block.value) && block.value.type === 'redacted_thinking')
    return { type: 'reasoning', text: '', metadata: sealedIn(block.value) }
  const kind = type === 'file' || type === 'text-plain' ? 'application/octet-stream' : KINDS.get(String(type))
  const data = kind === undefined ? undefined : dataOf(block)
  if (kind === undefined || data === undefined) return { type: 'other', block }
  const mediaType = typeof block.mimeType === 'string' ? block.mimeType : kind
  const name = isRecord(block.metadata) ? block.metadata.filename : undefined
  return { type: 'file', mediaType, data, ...(typeof name === 'string' && { filename: name }) }
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['image', 'image/*'],
  ['audio', 'audio/*'],
  ['video', 'video/*'],
])

function dataOf({ url, data, fileId }: Record<string, unknown>): SharedV4FileData | undefined {
  if (typeof data === 'string' || data instanceof Uint8Array) return { type: 'data', data }
  if (typeof fileId === 'string') return { type: 'reference', reference: { langchain: fileId } }
  return typeof url === 'string' && URL.canParse(url) ? { type: 'url', url: new URL(url) } : undefined
}

/** Keys of signed or encrypted data. */
const SIGNED_KEYS = /signature|encrypted|^(id|type|data)$/i

function sealedIn(values: Record<string, unknown>): Metadata | undefined {
  const sealed = Object.entries(values).filter(
    (entry): entry is [string, string] => SIGNED_KEYS.test(entry[0]) && typeof entry[1] === 'string',
  )
  return sealed.some(([key]) => key !== 'type' && key !== 'id') ? Object.fromEntries(sealed) : undefined
}

/** A text or reasoning part as a standard block. */
export function proseBlock(
  type: 'text' | 'reasoning',
  text: string,
  metadata: Record<string, unknown> | undefined,
): Record<string, unknown> {
  if (metadata?.type === 'redacted_thinking') return { type: 'non_standard', value: metadata }
  return type === 'text' ? { type, text } : { ...metadata, type, reasoning: text }
}

/** A file as a standard block. */
export function fileBlock({
  mediaType,
  data,
  filename,
}: Pick<LanguageModelV4FilePart, 'mediaType' | 'data' | 'filename'>): Record<string, unknown> {
  const [kind = ''] = mediaType.split('/')
  const type = KINDS.has(kind) ? kind : 'file'
  const base = { type, mimeType: mediaType, ...(filename !== undefined && { metadata: { filename } }) }
  if (data.type === 'url') return { ...base, url: String(data.url) }
  if (data.type === 'reference') return { ...base, fileId: Object.values(data.reference)[0] }
  return data.type === 'text' ? { type: 'text', text: data.text } : { ...base, data: data.data }
}

/** The tool calls of a message, including those whose input is not valid JSON. */
export function callsOf(message: BaseMessage): Omit<LanguageModelV4ToolCallPart, 'type'>[] {
  const { tool_calls = [], invalid_tool_calls = [] } = message as Partial<AIMessage>
  return [
    ...tool_calls.map(({ id, name, args }, index) => ({
      toolCallId: id ?? `${message.id ?? 'call'}-${index}`,
      toolName: name,
      input: args,
    })),
    ...invalid_tool_calls.map(({ id, name, args }, index) => ({
      toolCallId: id ?? `${message.id ?? 'invalid'}-${tool_calls.length + index}`,
      toolName: name ?? '',
      input: args ?? '',
    })),
  ]
}

/** The signed data among fields that LangChain has no format for. */
export function signedFields(fields: Record<string, unknown> | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields ?? {}).filter(([key]) => /signatures?|function_call_ids/.test(key)),
  )
}

/** The metadata of a message, without any text of the model. */
export function descriptionOf(
  metadata: Record<string, unknown> | undefined,
): SharedV4ProviderMetadata[string] {
  return Object.fromEntries(
    Object.entries(metadata ?? {}).filter(([key, value]) => DESCRIBES.has(key) && typeof value === 'string'),
  ) as SharedV4ProviderMetadata[string]
}

const DESCRIBES: ReadonlySet<string> = new Set([
  'finish_reason',
  'model_name',
  'model_provider',
  'service_tier',
  'stop_reason',
  'system_fingerprint',
])

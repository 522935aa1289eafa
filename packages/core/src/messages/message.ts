import type { JSONObject, SharedV4ProviderMetadata, SharedV4ProviderReference } from '@ai-sdk/provider'
import { isRecord } from '../record.ts'

/**
 * A message of a conversation. Its parts are the AI SDK's UI message parts, so it differs from a `UIMessage` in one
 * field: see `toUIMessage`. Everything but `createdAt` is JSON.
 */
export interface Message {
  id: string
  role: 'system' | 'user' | 'assistant'
  content: MessageContent
  createdAt: Date
  threadId?: string
  resourceId?: string
}

export interface MessageContent {
  parts: MessagePart[]
  /**
   * For the application. Never sent to the model. Under `client` is what a client sent as metadata of its message, any
   * JSON value: it is only returned to the client.
   */
  metadata?: Record<string, unknown>
}

/** Mastra's name of this type, for migrated processors. */
export type MastraDBMessage = Message

export type ProviderMetadata = SharedV4ProviderMetadata

/** A system message: the agent's instructions, and what processors add to them. */
export interface SystemMessage {
  role: 'system'
  content: string
  providerOptions?: ProviderMetadata
  /**
   * Its place in a prompt that came as a whole: behind this message, or so many model messages of it. Default: before
   * all messages.
   */
  place?: { messageId: string; behind: number }
}

/** The name of this type in older releases of the AI SDK and in Mastra. */
export type CoreMessage = SystemMessage

export type MessagePart =
  | TextPart
  | ReasoningPart
  | ToolPart
  | FilePart
  | ReasoningFilePart
  | SourceUrlPart
  | SourceDocumentPart
  | CustomPart
  | DataPart
  | SteeringMessagePart
  | StepStartPart

export interface TextPart {
  type: 'text'
  text: string
  state?: 'streaming' | 'done'
  providerMetadata?: ProviderMetadata
}

export interface ReasoningPart {
  type: 'reasoning'
  text: string
  state?: 'streaming' | 'done'
  providerMetadata?: ProviderMetadata
}

/** A file by URL: a hosted file, or a data URL. */
export interface FilePart {
  type: 'file'
  /** IANA media type, or its top-level segment. */
  mediaType: string
  filename?: string
  url: string
  /** References to the file at providers that store it, by provider name. Sent to the model instead of `url`. */
  providerReference?: SharedV4ProviderReference
  providerMetadata?: ProviderMetadata
}

/** A file that the model created while reasoning. */
export interface ReasoningFilePart {
  type: 'reasoning-file'
  mediaType: string
  url: string
  providerMetadata?: ProviderMetadata
}

export interface SourceUrlPart {
  type: 'source-url'
  sourceId: string
  url: string
  title?: string
  providerMetadata?: ProviderMetadata
}

export interface SourceDocumentPart {
  type: 'source-document'
  sourceId: string
  mediaType: string
  title: string
  filename?: string
  providerMetadata?: ProviderMetadata
}

/** Provider-specific content without data of its own. */
export interface CustomPart {
  type: 'custom'
  kind: `${string}.${string}`
  providerMetadata?: ProviderMetadata
}

/** Application data. Never sent to the model. */
export interface DataPart {
  type: `data-${string}`
  id?: string
  data: unknown
}

/** A user message that was added while the assistant was answering. Sent to the model as a user message. */
export interface SteeringMessagePart {
  type: 'steering-message'
  id: string
  parts: (TextPart | FilePart)[]
}

/** Marks the start of a step within an assistant message. */
export interface StepStartPart {
  type: 'step-start'
}

/** A tool call and, in later states, its result. */
export type ToolPart = ToolIdentity & ToolInvocation

export type ToolIdentity = { type: `tool-${string}` } | { type: 'dynamic-tool'; toolName: string }

export type ToolInvocation = {
  toolCallId: string
  title?: string
  toolMetadata?: JSONObject
  /** Whether the provider executes the tool instead of the agent. */
  providerExecuted?: boolean
  callProviderMetadata?: ProviderMetadata
} & (
  | { state: 'input-streaming'; input?: unknown; rawInput?: string }
  | { state: 'input-available'; input: unknown }
  | {
      state: 'approval-requested'
      input: unknown
      approval: ToolApproval & { approved?: never; reason?: never }
    }
  | {
      state: 'approval-responded'
      input: unknown
      approval: ToolApproval & { approved: boolean; reason?: string }
    }
  | {
      state: 'output-available'
      input: unknown
      output: unknown
      preliminary?: boolean
      resultProviderMetadata?: ProviderMetadata
      approval?: ToolApproval & { approved: true; reason?: string }
    }
  | {
      state: 'output-error'
      input: unknown
      errorText: string
      resultProviderMetadata?: ProviderMetadata
      approval?: ToolApproval & { approved: true; reason?: string }
    }
  | { state: 'output-denied'; input: unknown; approval: ToolApproval & { approved: false; reason?: string } }
)

export interface ToolApproval {
  id: string
}

/** A message of the AI SDK's chat clients. Structural, so that core has no runtime dependency on `ai`. */
export interface UIMessage {
  id: string
  role: 'system' | 'user' | 'assistant'
  metadata?: unknown
  parts: MessagePart[]
}

/** Restores a message that was stored as JSON. */
export function reviveMessage(message: Message): Message {
  return { ...message, createdAt: new Date(message.createdAt) }
}

export function isToolPart(part: MessagePart): part is ToolPart {
  return part.type === 'dynamic-tool' || part.type.startsWith('tool-')
}

/** The call of a tool part: the fields that all states have. */
export function callOf(part: ToolPart): ToolIdentity &
  Pick<ToolPart, 'toolCallId' | 'title' | 'toolMetadata' | 'providerExecuted' | 'callProviderMetadata'> & {
    input: unknown
  } {
  const { toolCallId, input, title, toolMetadata, providerExecuted, callProviderMetadata } = part
  const identity: ToolIdentity =
    part.type === 'dynamic-tool' ? { type: part.type, toolName: part.toolName } : { type: part.type }
  return {
    ...identity,
    toolCallId,
    input,
    ...(title !== undefined && { title }),
    ...(toolMetadata && { toolMetadata }),
    ...(providerExecuted && { providerExecuted }),
    ...(callProviderMetadata && { callProviderMetadata }),
  }
}

/** The name of a part's tool. */
export function toolNameOf(part: ToolPart): string {
  return part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length)
}

/** The text of a list of parts, in order, without reasoning. */
export function textOfParts(parts: readonly MessagePart[]): string {
  let text = ''
  for (const part of parts) if (part.type === 'text') text += part.text
  return text
}

/**
 * The reasoning of a list of parts, in order, including parts that processors have renamed to `thinking` for some
 * providers.
 */
export function reasoningOfParts(parts: readonly MessagePart[]): string {
  let text = ''
  for (const part of parts as readonly { type: string; text?: unknown }[]) {
    const isReasoning = part.type === 'reasoning' || part.type === 'thinking'
    if (isReasoning && typeof part.text === 'string') text += part.text
  }
  return text
}

/** The joined text parts of a system message, with their provider options. */
export function systemMessageOf({ content: { parts } }: Message): SystemMessage {
  let content = ''
  let providerOptions: ProviderMetadata | undefined
  for (const part of parts) {
    if (part.type !== 'text') continue
    content += part.text
    if (part.providerMetadata) providerOptions = { ...providerOptions, ...part.providerMetadata }
  }
  return { role: 'system', content, ...(providerOptions && { providerOptions }) }
}

/**
 * Converts a message to an AI SDK `UIMessage`. Of a user message, the `metadata` is what its client sent, without the
 * application's own. The parts are shared, not copied.
 */
export function toUIMessage(message: Message): UIMessage {
  const { id, role, content } = message
  const metadata = role === 'user' ? content.metadata?.client : content.metadata
  return { id, role, parts: content.parts, ...(metadata !== undefined && { metadata }) }
}

/**
 * Converts a `UIMessage` to a message, created now: the inverse of {@link toUIMessage}. The `metadata` of a user
 * message is the client's, and is kept under its key `client`. The parts are shared, not copied.
 */
export function fromUIMessage(message: UIMessage): Message {
  const { id, role, parts, metadata } = message
  const kept = role === 'user' && metadata !== undefined ? { client: metadata } : metadata
  return {
    id,
    role,
    content: { parts, ...(isRecord(kept) && { metadata: kept }) },
    createdAt: new Date(),
  }
}

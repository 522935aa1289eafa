import type { JSONObject, SharedV4ProviderMetadata, SharedV4ProviderReference } from '@ai-sdk/provider'
import { isRecord } from '../record.ts'

/**
 * One message of a conversation. The parts are the AI SDK's UI message parts, so a message is one field away from a
 * `UIMessage`: see `toUIMessage`. Everything but `createdAt` is JSON.
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
  /** Free for the application. Never sent to the model. */
  metadata?: Record<string, unknown>
}

/** The name this type has in Mastra, for processors that are moved over. */
export type MastraDBMessage = Message

export type ProviderMetadata = SharedV4ProviderMetadata

/** A system message: the agent's instructions and whatever processors add to them. */
export interface SystemMessage {
  role: 'system'
  content: string
  providerOptions?: ProviderMetadata
}

/** The name this type has in the AI SDK's older releases and in Mastra. */
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

/** A file by URL: a hosted file, or the file itself as a data URL. */
export interface FilePart {
  type: 'file'
  /** IANA media type, or its top-level segment. */
  mediaType: string
  filename?: string
  url: string
  /** The file at a provider that stores it, by provider name. Goes to the model instead of `url`. */
  providerReference?: SharedV4ProviderReference
  providerMetadata?: ProviderMetadata
}

/** A file the model made while reasoning. */
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

/** Provider-specific content without a payload of its own. */
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

/** A user's message that was added while the assistant's was being made. Goes to the model as one of the user. */
export interface SteeringMessagePart {
  type: 'steering-message'
  id: string
  parts: (TextPart | FilePart)[]
}

/** Marks where a step of the loop begins within an assistant message. */
export interface StepStartPart {
  type: 'step-start'
}

/** A tool call and, in its later states, the call's result. */
export type ToolPart = ToolIdentity & ToolInvocation

export type ToolIdentity = { type: `tool-${string}` } | { type: 'dynamic-tool'; toolName: string }

export type ToolInvocation = {
  toolCallId: string
  title?: string
  toolMetadata?: JSONObject
  /** The provider runs the tool, not the agent. */
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

/** What the AI SDK's chat clients hold and send. Structural, so that core needs no `ai` at run time. */
export interface UIMessage {
  id: string
  role: 'system' | 'user' | 'assistant'
  metadata?: unknown
  parts: MessagePart[]
}

/** A message that was stored as JSON. */
export function reviveMessage(message: Message): Message {
  return { ...message, createdAt: new Date(message.createdAt) }
}

export function isToolPart(part: MessagePart): part is ToolPart {
  return part.type === 'dynamic-tool' || part.type.startsWith('tool-')
}

/** The call of a tool part, without its state: what every state of it begins with. */
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

/** The tool a part calls. */
export function toolNameOf(part: ToolPart): string {
  return part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length)
}

/** The text of a list of parts, in order, without reasoning. */
export function textOfParts(parts: readonly MessagePart[]): string {
  let text = ''
  for (const part of parts) if (part.type === 'text') text += part.text
  return text
}

/** The reasoning of a list of parts, in order. `thinking` is what processors rename it to for some providers. */
export function reasoningOfParts(parts: readonly MessagePart[]): string {
  let text = ''
  for (const part of parts as readonly { type: string; text?: unknown }[]) {
    const isReasoning = part.type === 'reasoning' || part.type === 'thinking'
    if (isReasoning && typeof part.text === 'string') text += part.text
  }
  return text
}

/** The text parts of a system message, joined, with the provider options they carry. */
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

/** A message as an AI SDK `UIMessage`. The parts are shared, not copied. */
export function toUIMessage(message: Message): UIMessage {
  const { id, role, content } = message
  return { id, role, parts: content.parts, ...(content.metadata && { metadata: content.metadata }) }
}

/** A `UIMessage` as a message, created now. The parts are shared, not copied. */
export function fromUIMessage(message: UIMessage): Message {
  const { id, role, parts, metadata } = message
  return {
    id,
    role,
    content: { parts, ...(isRecord(metadata) && { metadata }) },
    createdAt: new Date(),
  }
}

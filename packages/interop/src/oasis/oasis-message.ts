import { toDataUrl } from '@millrace/core'
import type { ToolDefinition } from '../adapter/tool-definition.ts'
import type { Line, LineContent } from '../lines/line.ts'
import { argsOf } from '../lines/lines-of-messages.ts'

/** The request that Oasis is about to send to a model. Change it in place. */
export interface ChatRequest {
  Messages: OasisMessage[]
  Tools: OasisTool[]
  /** `undefined`: plain text. */
  ResponseSchema: OasisResponseSchema | undefined
  /** `undefined`: the provider's defaults. */
  GenerationParams: OasisGenerationParams | undefined
}

export interface OasisMessage {
  Role: 'system' | 'user' | 'assistant' | 'tool'
  Content: string
  Attachments?: OasisAttachment[]
  ToolCalls?: OasisToolCall[]
  /** Only in a `tool` message: the id of the call that it answers. */
  ToolCallID?: string
}

/** A file, by URL (usually a data URL) or by its bytes. */
export interface OasisAttachment {
  MimeType: string
  URL?: string
  Data?: Uint8Array
  Base64?: string
}

/** `Args` is JSON text, as in Go. */
export interface OasisToolCall {
  ID: string
  Name: string
  Args: string
  /** The provider's metadata of the call. */
  Metadata?: unknown
}

/** `Parameters` is a JSON Schema. */
export interface OasisTool {
  Name: string
  Description: string
  Parameters: Record<string, unknown>
}

export interface OasisResponseSchema {
  Name: string
  /** JSON Schema. */
  Schema: Record<string, unknown>
}

export interface OasisGenerationParams {
  Temperature?: number
  TopP?: number
  TopK?: number
  MaxTokens?: number
}

/** The response of a model. Change it in place. */
export interface ChatResponse {
  Content: string
  Thinking: string
  Attachments: OasisAttachment[]
  ToolCalls: OasisToolCall[]
  /** Read-only: changes have no effect. */
  Usage: { InputTokens: number; OutputTokens: number; CachedTokens: number }
}

/** The result of a call. Change it in place. `Error` is empty if the call succeeded. */
export interface OasisToolResult {
  /** A string output as it is, any other output as JSON. */
  Content: string
  Error: string
  Attachments: OasisAttachment[]
}

export function oasisMessage({ role, content, calls, callId }: Line): OasisMessage {
  const files = content.filter((item) => item.type === 'file')
  return {
    Role: role,
    Content: content.map((item) => (item.type === 'text' ? item.text : '')).join(''),
    ...(files.length > 0 && { Attachments: files.map(attachment) }),
    ...(calls.length > 0 && {
      ToolCalls: calls.map(({ id, name, args }) => ({ ID: id, Name: name, Args: args })),
    }),
    ...(callId !== undefined && { ToolCallID: callId }),
  }
}

function attachment({ url, mediaType }: Extract<LineContent, { type: 'file' }>): OasisAttachment {
  return { MimeType: mediaType ?? 'application/octet-stream', URL: url }
}

/**
 * Converts a message back.
 *
 * @param before The line it was made from: unchanged fields keep its values
 */
export function lineOfOasis(message: OasisMessage, before: Line | undefined): Line {
  const { Role: role, Content, Attachments = [], ToolCalls = [], ToolCallID } = message
  const was = before && oasisMessage(before)
  const files = Attachments.map(fileContent)
  const texts: LineContent[] =
    before && was?.Content === Content
      ? before.content.filter(({ type }) => type === 'text')
      : Content === ''
        ? []
        : [{ type: 'text', text: Content }]
  const sameFiles =
    before !== undefined &&
    was?.Content === Content &&
    JSON.stringify(was.Attachments ?? []) === JSON.stringify(Attachments)
  return {
    role,
    content: sameFiles ? before.content : [...texts, ...files],
    calls: ToolCalls.map(({ ID, Name, Args }) => ({ id: ID, name: Name, args: argsOf(Args) })),
    callId: role === 'tool' ? (ToolCallID ?? '') : undefined,
  }
}

export function fileContent(file: OasisAttachment): Extract<LineContent, { type: 'file' }> {
  return { type: 'file', url: attachmentUrl(file), mediaType: file.MimeType, filename: undefined }
}

export function attachmentUrl({ MimeType, URL, Data, Base64 }: OasisAttachment): string {
  return URL ?? toDataUrl(MimeType, Data ?? Base64 ?? '')
}

export function oasisTool({ name, description = '', parameters }: ToolDefinition): OasisTool {
  return { Name: name, Description: description, Parameters: parameters }
}

export function readOasisTool({ Name, Description, Parameters }: OasisTool): ToolDefinition {
  return { name: Name, description: Description === '' ? undefined : Description, parameters: Parameters }
}

import { isRecord } from '@millrace/core'
import { isFileReference } from '../lines/file-reference.ts'
import { isSameLine, type Line, type LineCall, type LineContent } from '../lines/line.ts'
import type { SourceLine } from '../lines/lines-of-messages.ts'
import { matchLines } from '../lines/match-lines.ts'
import type { EditedLine } from '../lines/messages-of-lines.ts'

/**
 * A message in the format of OpenAI's Chat Completions API, which both generations of Codebolt use. Unknown
 * fields are dropped.
 */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  /** A string, unless the message has several texts or a file. */
  content: string | ChatContent[]
  tool_calls?: ChatToolCall[]
  /** Only in a `tool` message: the id of the call that it answers. */
  tool_call_id?: string
  name?: string
}

export type ChatContent =
  | { type: 'text'; text: string }
  /** `url` is a data URL or the URL of an image. */
  | { type: 'image_url'; image_url: { url: string; detail?: string } }
  /**
   * `file_data` is a data URL or the URL of a file; `file_id` is the id of a file that the provider stores.
   */
  | { type: 'file'; file: { filename?: string; file_data?: string; file_id?: string } }

export interface ChatToolCall {
  id: string
  type: 'function'
  /** `arguments` is JSON. */
  function: { name: string; arguments: string }
}

/** A tool in OpenAI's format. `parameters` is a JSON Schema. */
export interface ChatTool {
  type: 'function'
  function: { name: string; description?: string; parameters?: Record<string, unknown> }
}

export type ChatToolChoice = 'auto' | 'none' | 'required' | { type: 'function'; function: { name: string } }

export function chatOf({ role, content, calls, callId }: Line): ChatMessage {
  const [first] = content
  const isText = content.length === 0 || (content.length === 1 && first?.type === 'text')
  return {
    role,
    content: isText ? (first?.type === 'text' ? first.text : '') : content.map(chatContent),
    ...(calls.length > 0 && { tool_calls: calls.map(chatCall) }),
    ...(callId !== undefined && { tool_call_id: callId }),
  }
}

export function chatCall({ id, name, args }: LineCall): ChatToolCall {
  return { id, type: 'function', function: { name, arguments: args } }
}

function chatContent(item: LineContent): ChatContent {
  if (item.type === 'text') return { type: 'text', text: item.text }
  const { url, mediaType, filename } = item
  if (isFileReference(url)) return { type: 'file', file: { file_id: url } }
  if (mediaType === 'image' || mediaType?.startsWith('image/'))
    return { type: 'image_url', image_url: { url } }
  return { type: 'file', file: { ...(filename !== undefined && { filename }), file_data: url } }
}

/**
 * Reads the messages that a modifier returned, and matches them with the known ones.
 *
 * @param handed The messages that were passed to the modifier, one for each of `known`
 */
export function readChat(
  known: readonly SourceLine[],
  handed: readonly ChatMessage[],
  returned: readonly ChatMessage[],
): EditedLine[] {
  if (!Array.isArray(returned)) throw new TypeError('The modifier did not return a list of messages.')
  const items = returned.map((message, index) => ({ line: lineOfChat(message, index), object: message }))
  const isSame =
    items.length === known.length &&
    items.every(
      ({ line, object }, index) =>
        object === handed[index] && isSameLine(line, (known[index] as SourceLine).line),
    )
  if (isSame) return items.map(({ line }, place) => ({ line, place }))
  const places = matchLines(
    known.map(({ line }, index) => ({ line, object: handed[index] as ChatMessage })),
    items,
  )
  return items.map(({ line }, index) => ({ line, place: places[index] }))
}

function lineOfChat(message: unknown, index: number): Line {
  const role = isRecord(message) ? (message.role === 'developer' ? 'system' : message.role) : undefined
  if (
    !isRecord(message) ||
    (role !== 'system' && role !== 'user' && role !== 'assistant' && role !== 'tool')
  ) {
    throw new TypeError(
      `The modifier returned an invalid message at position ${index}. Its role must be system, user, assistant or tool.`,
    )
  }
  const { content, tool_calls: calls, tool_call_id: callId } = message
  if (role === 'tool' && typeof callId !== 'string')
    throw new TypeError(`The modifier returned a tool message without tool_call_id at position ${index}.`)
  return {
    role,
    content: readContent(content, index),
    calls: role === 'assistant' && Array.isArray(calls) ? calls.map(readCall) : [],
    callId: role === 'tool' ? (callId as string) : undefined,
  }
}

function readContent(content: unknown, index: number): LineContent[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content))
    throw new TypeError(
      `The modifier returned a message at position ${index} whose content is neither a string nor a list.`,
    )
  return content.flatMap((item: ChatContent): LineContent[] => {
    switch (item.type) {
      case 'text':
        return item.text === '' ? [] : [{ type: 'text', text: item.text }]
      case 'image_url':
        return [{ type: 'file', url: item.image_url.url, mediaType: 'image', filename: undefined }]
      case 'file': {
        const { file_data, file_id, filename } = item.file
        return [{ type: 'file', url: file_data ?? file_id ?? '', mediaType: undefined, filename }]
      }
      default:
        throw new TypeError(
          `The modifier returned content of type '${String((item as { type?: unknown }).type)}'. Use text, image_url or file.`,
        )
    }
  })
}

/** A call in OpenAI's format. Arguments that are not a string are used as the parsed object. */
export function readCall(call: ChatToolCall): LineCall {
  const { name, arguments: args } = call.function
  return { id: call.id, name, args: typeof args === 'string' ? args : JSON.stringify(args) }
}

import {
  AIMessage,
  type BaseMessage,
  coerceMessageLikeToMessage,
  HumanMessage,
  type MessageContent,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { type Line, type LineContent, textLine } from '../lines/line.ts'
import { argsOf, type SourceLine } from '../lines/lines-of-messages.ts'
import type { EditedLine } from '../lines/messages-of-lines.ts'
import { blocksOf, callsOf, fileBlock } from './content-blocks.ts'

const REMOVE_ALL = '__remove_all__'

/** A transcript as LangChain messages, which can be read back. */
export class LangChainTranscript {
  readonly messages: BaseMessage[]
  readonly #known: readonly SourceLine[]
  readonly #places = new Map<string, { place: number; json: string }>()

  constructor(known: readonly SourceLine[]) {
    this.#known = known
    this.messages = known.map(({ line }, place) => messageOf(line, `line-${place}`))
    for (const [place, message] of this.messages.entries())
      this.#places.set(String(message.id), { place, json: JSON.stringify(message) })
  }

  read(messages: readonly BaseMessage[]): EditedLine[] {
    return messages.map((message) => {
      const known = this.#places.get(String(message.id))
      if (known && known.json === JSON.stringify(message))
        return { place: known.place, line: (this.#known[known.place] as SourceLine).line }
      return { place: known?.place, line: lineOf(message) }
    })
  }
}

/**
 * The messages after a state update, as LangChain's reducer computes them: matched by id, new ones at the
 * end.
 */
export function afterUpdate(messages: readonly BaseMessage[], update: unknown): BaseMessage[] {
  let left = [...messages]
  for (const given of listOf(update)) {
    const message = coerceMessageLikeToMessage(given as never)
    const place = left.findIndex(({ id }) => id !== undefined && id === message.id)
    if (message.type === 'remove') {
      if (message.id === REMOVE_ALL) left = []
      else if (place >= 0) left.splice(place, 1)
      else throw new Error(`A middleware removed the message '${message.id}', which does not exist.`)
    } else if (place >= 0) left[place] = message
    else left.push(message)
  }
  return left
}

function listOf(update: unknown): unknown[] {
  if (update === undefined || update === null) return []
  return Array.isArray(update) ? update : [update]
}

function messageOf({ role, content, calls, callId }: Line, id: string): BaseMessage {
  const fields = { id, content: contentOf(content) }
  if (role === 'system') return new SystemMessage(fields)
  if (role === 'user') return new HumanMessage(fields)
  if (role === 'tool') return new ToolMessage({ ...fields, tool_call_id: callId ?? '' })
  const read = calls.map(({ args, ...call }) => ({ ...call, args, parsed: objectIn(args) }))
  return new AIMessage({
    ...fields,
    tool_calls: read.flatMap(({ id, name, parsed }) =>
      parsed ? [{ type: 'tool_call' as const, id, name, args: parsed }] : [],
    ),
    invalid_tool_calls: read.flatMap(({ id, name, args, parsed }) =>
      parsed ? [] : [{ type: 'invalid_tool_call' as const, id, name, args, error: '' }],
    ),
  })
}

function contentOf(content: readonly LineContent[]): MessageContent {
  const [first, ...others] = content
  if (!first) return ''
  if (first.type === 'text' && others.length === 0) return first.text
  return content.map((item) =>
    item.type === 'text'
      ? item
      : fileBlock({
          mediaType: item.mediaType ?? 'application/octet-stream',
          data: { type: 'url', url: new URL(item.url) },
          ...(item.filename !== undefined && { filename: item.filename }),
        }),
  ) as MessageContent
}

function lineOf(message: BaseMessage): Line {
  const role = ROLES.get(message.type)
  if (role === undefined)
    throw new Error(`A middleware created a message of type '${message.type}', which is not supported here.`)
  const content = blocksOf(message).flatMap((part): LineContent[] => {
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    if (part.type !== 'file' || part.data.type === 'reference' || part.data.type === 'text') return []
    const { mediaType, filename, data } = part
    const url = data.type === 'url' ? String(data.url) : `data:${mediaType};base64,${String(data.data)}`
    return [{ type: 'file', url, mediaType, filename }]
  })
  const calls = callsOf(message).map(({ toolCallId: id, toolName: name, input }) => ({
    id,
    name,
    args: argsOf(input),
  }))
  return { ...textLine(role, ''), content, calls, callId: (message as Partial<ToolMessage>).tool_call_id }
}

const ROLES: ReadonlyMap<string, Line['role']> = new Map([
  ['system', 'system'],
  ['human', 'user'],
  ['generic', 'user'],
  ['ai', 'assistant'],
  ['tool', 'tool'],
])

function objectIn(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

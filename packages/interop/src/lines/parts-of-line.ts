import {
  isRecord,
  type MessagePart,
  type SteeringMessagePart,
  type TextPart,
  type ToolPart,
  toolNameOf,
} from '@millrace/core'
import { fileUrl, newFilePart } from './file-reference.ts'
import { isSameCall, isSameContent, isSameLine, type Line, type LineCall, type LineContent } from './line.ts'
import { argsOf, isOwnCall, type Piece, resultText } from './lines-of-messages.ts'

export interface PartsOptions {
  /** The piece that the line was made from, and the original line. */
  piece: Piece | undefined
  before: Line | undefined
  /** The current tool lines, by call id. */
  results: ReadonlyMap<string, Line>
  /** The calls that had a tool line before. */
  answered: ReadonlySet<string>
}

/** The parts of a line: the original parts, with changed ones created anew. */
export function partsOfLine(line: Line, options: PartsOptions): readonly MessagePart[] {
  const { piece, before, results, answered } = options
  if (piece?.steering) return [steering(piece.steering, line, before)]
  const parts = piece?.parts ?? []
  const isSame =
    before !== undefined &&
    isSameLine(line, before) &&
    parts.every((part) => !isOwnCall(part) || isSameResult(part, results, answered))
  if (isSame) return parts
  const content =
    before && isSameContent(line.content, before.content)
      ? parts.flatMap((part, index) => (isShownContent(part) ? [{ part, index }] : []))
      : contentParts(line.content, parts, piece?.message.role)
  const calls = line.calls.map((call) => callPart(call, parts, { results, answered }))
  return insertHiddenParts(parts, merge(content, calls))
}

/** A part of the line, and its index in the original parts, if any. */
interface PositionedPart {
  part: MessagePart
  index: number | undefined
}

function isShownContent(part: MessagePart): boolean {
  return part.type === 'file' || (part.type === 'text' && part.text !== '')
}

function contentParts(
  content: readonly LineContent[],
  parts: readonly MessagePart[],
  role: 'system' | 'user' | 'assistant' | undefined,
): PositionedPart[] {
  const free = new Set([...parts.keys()].filter((index) => isShownContent(parts[index] as MessagePart)))
  const texts = content.filter(({ type }) => type === 'text').length
  const isEdited = texts === [...free].filter((index) => parts[index]?.type === 'text').length
  return content.map((item): PositionedPart => {
    for (const index of free) {
      const part = parts[index] as MessagePart
      const isIt =
        item.type === 'text'
          ? part.type === 'text' && (isEdited || part.text === item.text)
          : part.type === 'file' && fileUrl(part) === item.url
      if (!isIt) continue
      free.delete(index)
      if (item.type === 'file' || part.type !== 'text') return { part, index }
      return { part: withText(part, item.text, role), index }
    }
    return {
      part: item.type === 'text' ? { type: 'text', text: item.text } : newFilePart(item),
      index: undefined,
    }
  })
}

/**
 * If the text of a model changes, its provider metadata is removed: by the ids in it, the provider would use
 * the original text.
 */
function withText(part: TextPart, text: string, role: 'system' | 'user' | 'assistant' | undefined): TextPart {
  if (part.text === text) return part
  const { providerMetadata, ...rest } = part
  return { ...rest, text, ...(role !== 'assistant' && providerMetadata && { providerMetadata }) }
}

function callPart(
  call: LineCall,
  parts: readonly MessagePart[],
  { results, answered }: Pick<PartsOptions, 'results' | 'answered'>,
): PositionedPart {
  const index = parts.findIndex((part) => isOwnCall(part) && part.toolCallId === call.id)
  const before = index === -1 ? undefined : (parts[index] as ToolPart)
  const made = before ? rewriteCall(before, call) : newCall(call)
  const part = isSameResult(made, results, answered) ? made : withResult(made, results.get(call.id))
  return { part, index: before && index }
}

function newCall({ id, name, args }: LineCall): ToolPart {
  return { type: `tool-${name}`, toolCallId: id, state: 'input-available', input: parseJson(args) }
}

function rewriteCall(part: ToolPart, call: LineCall): ToolPart {
  const name = toolNameOf(part)
  const args = argsOf(part.input)
  if (isSameCall({ id: part.toolCallId, name, args }, call)) return part
  const renamed =
    part.type === 'dynamic-tool' ? { toolName: call.name } : ({ type: `tool-${call.name}` } as const)
  return { ...part, ...renamed, input: args === call.args ? part.input : parseJson(call.args) } as ToolPart
}

function isSameResult(
  part: ToolPart,
  results: ReadonlyMap<string, Line>,
  answered: ReadonlySet<string>,
): boolean {
  const line = results.get(part.toolCallId)
  const text = resultText(part)
  if (line) return text !== undefined && isSameContent(line.content, textContent(text))
  // A call that was answered elsewhere, for example in a message that the modifier did not see, keeps its
  // result.
  return text === undefined || !answered.has(part.toolCallId)
}

function withResult(part: ToolPart, line: Line | undefined): ToolPart {
  const call = withoutResult(part)
  if (!line) return call
  const text = line.content.map((item) => (item.type === 'text' ? item.text : item.url)).join('')
  if (part.state === 'output-error') return { ...call, state: part.state, errorText: text }
  if (part.state === 'output-denied')
    return { ...call, state: part.state, approval: { ...part.approval, reason: text } }
  const output = part.state === 'output-available' ? restoreOutput(part.output, text) : text
  return { ...call, state: 'output-available', output }
}

/** The call without its result. */
function withoutResult(part: ToolPart): Extract<ToolPart, { state: 'input-available' }> {
  const { toolCallId, input, title, toolMetadata, providerExecuted, callProviderMetadata } = part
  const named =
    part.type === 'dynamic-tool' ? { type: part.type, toolName: part.toolName } : { type: part.type }
  return {
    ...named,
    toolCallId,
    state: 'input-available',
    input,
    ...(title !== undefined && { title }),
    ...(toolMetadata && { toolMetadata }),
    ...(providerExecuted && { providerExecuted }),
    ...(callProviderMetadata && { callProviderMetadata }),
  }
}

/**
 * Converts a changed text back to an output: if the output was JSON and the text is valid JSON, it is parsed.
 */
export function restoreOutput(before: unknown, text: string): unknown {
  if (typeof before === 'string') return text
  const parsed = parseJson(text)
  return isRecord(before) === isRecord(parsed) && Array.isArray(before) === Array.isArray(parsed)
    ? parsed
    : text
}

/** Parses JSON. Invalid JSON is returned as a string. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function textContent(text: string): LineContent[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

/**
 * Merges content and calls in the order of the original parts. Without an original order, content comes
 * first.
 */
function merge(content: readonly PositionedPart[], calls: readonly PositionedPart[]): PositionedPart[] {
  const merged: PositionedPart[] = []
  const waiting = [...calls]
  for (const item of content) {
    while (item.index !== undefined && (waiting[0]?.index ?? Number.POSITIVE_INFINITY) < item.index) {
      merged.push(waiting.shift() as PositionedPart)
    }
    merged.push(item)
  }
  return [...merged, ...waiting]
}

/** Inserts the parts that have no line at their original positions. */
function insertHiddenParts(parts: readonly MessagePart[], shown: readonly PositionedPart[]): MessagePart[] {
  const woven: MessagePart[] = []
  let next = 0
  const addHidden = (end: number): void => {
    for (; next < end; next++) {
      const part = parts[next] as MessagePart
      if (!isShownContent(part) && !isOwnCall(part)) woven.push(part)
    }
  }
  for (const { part, index } of shown) {
    if (index !== undefined) addHidden(index)
    woven.push(part)
  }
  addHidden(parts.length)
  return woven
}

function steering(part: SteeringMessagePart, line: Line, before: Line | undefined): SteeringMessagePart {
  if (before && isSameContent(line.content, before.content)) return part
  const parts = contentParts(line.content, part.parts, 'user').map((placed) => placed.part)
  return { ...part, parts: parts as SteeringMessagePart['parts'] }
}

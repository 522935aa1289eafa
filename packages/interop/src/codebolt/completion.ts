import type { FinishReason, ToolCall, Usage } from '@millrace/core'
import { isSameCall, type Line, type LineCall, textOfLine } from '../lines/line.ts'
import { linesOfCalls, type SourceLine } from '../lines/lines-of-messages.ts'
import type { EditedLine } from '../lines/messages-of-lines.ts'
import { type ChatMessage, chatCall, readCall } from './chat-message.ts'
import type { LLMCompletion } from './codebolt-message.ts'
import { codeboltRun, type RunArgs } from './codebolt-run.ts'

/** A response as a modifier receives it, and a copy to detect changes. */
export interface OpenCompletion {
  value: LLMCompletion
  text: string
  calls: readonly LineCall[]
}

type Args = RunArgs & {
  text: string
  toolCalls: readonly ToolCall[]
  finishReason: FinishReason
  usage: Usage
  contextWindow?: number | undefined
  maxOutputTokens?: number | undefined
}

export function openCompletion(args: Args): OpenCompletion {
  const { text, toolCalls, finishReason, usage, contextWindow, maxOutputTokens } = args
  const calls = linesOfCalls(toolCalls)
  const toolCallsPart = calls.length > 0 ? { tool_calls: calls.map(chatCall) } : {}
  const message: ChatMessage = { role: 'assistant', content: text, ...toolCallsPart }
  const model = codeboltRun(args).sent?.modelId
  const finish_reason = chatFinishReason(finishReason)
  const value: LLMCompletion = {
    role: 'assistant',
    content: text,
    ...(model !== undefined && { model }),
    usage: chatUsage(usage),
    finish_reason,
    choices: [{ message, finish_reason }],
    ...toolCallsPart,
    ...(contextWindow !== undefined && { tokenLimit: contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  }
  return { value, text, calls }
}

/** OpenAI's finish reasons. */
export function chatFinishReason(finishReason: FinishReason): string {
  return finishReason === 'tool-calls' || finishReason === 'content-filter'
    ? finishReason.replace('-', '_')
    : finishReason
}

function chatUsage({ inputTokens, outputTokens, totalTokens }: Usage): NonNullable<LLMCompletion['usage']> {
  return {
    ...(inputTokens !== undefined && { prompt: inputTokens, prompt_tokens: inputTokens }),
    ...(outputTokens !== undefined && { completion: outputTokens, completion_tokens: outputTokens }),
    ...(totalTokens !== undefined && { total: totalTokens, total_tokens: totalTokens }),
  }
}

/** The edited lines, with changes to the response that were made only in the response object. */
export function editResponse(
  edited: readonly EditedLine[],
  known: readonly SourceLine[],
  { value, text, calls }: OpenCompletion,
): EditedLine[] {
  const place = known.findLastIndex(({ line }) => line.role === 'assistant')
  const before = known[place]?.line
  if (!before) return [...edited]
  const newText = changedText(value, text)
  const newCalls = changedCalls(value, calls)
  if (newText === undefined && newCalls === undefined) return [...edited]
  return edited.map((item) => {
    if (item.place !== place) return item
    const isEdited = textOfLine(item.line) !== textOfLine(before)
    const content = newText === undefined || isEdited ? item.line.content : contentWith(item.line, newText)
    const sameCalls = item.line.calls.every((call, index) => isSameCall(call, before.calls[index]))
    const isTrimmed = !sameCalls || item.line.calls.length !== before.calls.length
    return {
      place,
      line: { ...item.line, content, calls: isTrimmed ? item.line.calls : (newCalls ?? item.line.calls) },
    }
  })
}

/** The content of a line with another text. Files are kept. */
export function contentWith({ content }: Line, text: string): Line['content'] {
  const files = content.filter(({ type }) => type === 'file')
  return text === '' ? files : [{ type: 'text', text }, ...files]
}

function changedText({ content, choices }: LLMCompletion, text: string): string | undefined {
  const wrapped = choices?.[0]?.message.content
  if ((content ?? '') !== text) return content ?? ''
  return typeof wrapped === 'string' && wrapped !== text ? wrapped : undefined
}

function changedCalls(
  { tool_calls, choices }: LLMCompletion,
  calls: readonly LineCall[],
): LineCall[] | undefined {
  for (const given of [tool_calls, choices?.[0]?.message.tool_calls]) {
    const now = (given ?? []).map(readCall)
    if (now.length !== calls.length || now.some((call, index) => !isSameCall(call, calls[index]))) return now
  }
  return undefined
}

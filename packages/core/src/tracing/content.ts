import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Attributes } from '@opentelemetry/api'
import type { MessagePart } from '../messages/message.ts'
import type { RunResult } from '../results/result.ts'
import type { Run } from '../run/run.ts'
import type { ToolDefinitions } from '../run/run-observer.ts'
import type { Step } from '../run/step.ts'
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_TOOL_DEFINITIONS,
} from './semantic-conventions.ts'

/** A part of a message in the form of the conventions. Files have no content. */
type Part =
  | { type: 'text' | 'reasoning'; content: string }
  | { type: 'tool_call'; id: string; name: string; arguments?: unknown }
  | { type: 'tool_call_response'; id: string; response: unknown }
  | { type: 'file'; mime_type: string }

/** The input of a model call, as sent to the provider. */
export interface ModelInput {
  readonly prompt: LanguageModelV4Prompt
  readonly tools: ToolDefinitions
}

/**
 * The content of an accepted step, and the tools of its model call. If processors have changed the run's messages
 * after the prompt was made, the prompt is left out, because it may contain what was removed.
 */
export function chatContent(run: Run, step: Step, { prompt, tools }: ModelInput): Attributes {
  const { text, reasoningText, toolCalls, finishReason } = step.result
  const parts: Part[] = []
  if (reasoningText !== '') parts.push({ type: 'reasoning', content: reasoningText })
  if (text !== '') parts.push({ type: 'text', content: text })
  for (const { toolCallId: id, toolName: name, input } of toolCalls) {
    parts.push({ type: 'tool_call', id, name, ...(!isRewritten(step, id) && { arguments: input }) })
  }
  const wasRedacted = run.records.some((record) => record.hook === 'processOutputResult' && record.acted)
  return {
    ...(!wasRedacted && holdsInput(prompt, run) && !holdsMore(prompt, run) && promptContent(prompt)),
    ...(tools && { [ATTR_GEN_AI_TOOL_DEFINITIONS]: toJson(tools.map(toolDefinition)) }),
    [ATTR_GEN_AI_OUTPUT_MESSAGES]: toJson([{ role: 'assistant', parts, finish_reason: finishReason }]),
  }
}

/** A tool in the form of the conventions. */
function toolDefinition(tool: NonNullable<ToolDefinitions>[number]): object {
  const { name } = tool
  if (tool.type === 'provider') return { type: tool.id, name }
  return { type: 'function', name, description: tool.description, parameters: tool.inputSchema }
}

/** Whether the prompt contains the user's text as it is in the transcript now. */
function holdsInput(prompt: LanguageModelV4Prompt, { messageList }: Run): boolean {
  const texts = new Set(
    prompt.flatMap((message) =>
      message.role === 'user' ? message.content.map((part) => part.type === 'text' && part.text) : [],
    ),
  )
  return messageList
    .get('input')
    .filter(({ role }) => role === 'user')
    .every(({ content }) => content.parts.every((part) => part.type !== 'text' || texts.has(part.text)))
}

/** Whether the prompt contains text of the run's answers that processors have changed after a later step. */
function holdsMore(prompt: LanguageModelV4Prompt, { messageList, records }: Run): boolean {
  if (!records.some(({ hook, acted }) => hook === 'processOutputStep' && acted)) return false
  const parts = messageList.get().flatMap(({ content }) => content.parts)
  const texts = new Set(parts.map((part) => ('text' in part ? part.text : undefined)))
  return prompt.some(
    ({ role, content }) =>
      role === 'assistant' && content.some((part) => 'text' in part && !texts.has(part.text)),
  )
}

function promptContent(prompt: LanguageModelV4Prompt): Attributes {
  const instructions: Part[] = []
  const messages: { role: string; parts: Part[] }[] = []
  for (const message of prompt) {
    if (message.role === 'system') instructions.push({ type: 'text', content: message.content })
    else messages.push({ role: message.role, parts: message.content.flatMap(promptPart) })
  }
  return {
    ...(instructions.length > 0 && { [ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]: toJson(instructions) }),
    [ATTR_GEN_AI_INPUT_MESSAGES]: toJson(messages),
  }
}

type PromptPart = Exclude<LanguageModelV4Prompt[number], { role: 'system' }>['content'][number]

function promptPart(part: PromptPart): Part[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ type: part.type, content: part.text }]
    case 'tool-call':
      return [{ type: 'tool_call', id: part.toolCallId, name: part.toolName }]
    case 'tool-result': {
      const { output } = part
      const response = 'value' in output ? output.value : output.type
      return [{ type: 'tool_call_response', id: part.toolCallId, response }]
    }
    case 'file':
    case 'reasoning-file':
      return [{ type: 'file', mime_type: part.mediaType }]
    default:
      return []
  }
}

/**
 * Whether a processor has changed the tool's input. Only the processor knows which of the two may be seen: it may
 * have redacted the input or restored it. So neither is recorded.
 */
function isRewritten({ state: { calls } }: Step, toolCallId: string): boolean {
  const { [toolCallId]: record } = calls
  return record !== undefined && 'input' in record
}

/** The input with which a call of an accepted step was executed, and its result after the processors. */
export function toolContent(step: Step, toolCallId: string): Attributes {
  const { toolCalls, toolResults } = step.result
  const call = toolCalls.find((one) => one.toolCallId === toolCallId)
  const result = toolResults.find((one) => one.toolCallId === toolCallId)
  const output =
    result?.status === 'success' ? result.output : result?.status === 'error' ? result.error : undefined
  return {
    ...(call && !isRewritten(step, toolCallId) && { [ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]: toJson(call.input) }),
    ...(output !== undefined && { [ATTR_GEN_AI_TOOL_CALL_RESULT]: toJson(output) }),
  }
}

/**
 * The input and output of a run. The input is recorded only if a step was accepted, since a run that was rejected or
 * failed before has not accepted it.
 */
export function agentContent(run: Run, result: RunResult | undefined): Attributes {
  const content: Attributes = {}
  if (run.steps.length > 0) {
    const messages = run.messageList
      .get('input')
      .map(({ role, content: { parts } }) => ({ role, parts: parts.flatMap(messagePart) }))
    const instructions = run.state.systemMessages.map(
      (message): Part => ({ type: 'text', content: message.content }),
    )
    content[ATTR_GEN_AI_INPUT_MESSAGES] = toJson(messages)
    if (instructions.length > 0) content[ATTR_GEN_AI_SYSTEM_INSTRUCTIONS] = toJson(instructions)
  }
  if (result?.status === 'completed' || result?.status === 'limit' || result?.status === 'halted') {
    const parts: Part[] = result.text === '' ? [] : [{ type: 'text', content: result.text }]
    content[ATTR_GEN_AI_OUTPUT_MESSAGES] = toJson([
      { role: 'assistant', parts, finish_reason: result.finishReason },
    ])
  }
  return content
}

function messagePart(part: MessagePart): Part[] {
  if (part.type === 'text') return [{ type: 'text', content: part.text }]
  if (part.type === 'file') return [{ type: 'file', mime_type: part.mediaType }]
  return []
}

/** Values that are not JSON are left out: tracing never fails a run. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

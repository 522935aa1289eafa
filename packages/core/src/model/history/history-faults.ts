import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import { isRecord } from '../../record.ts'
import { type CallFacts, isOwnToolName, takesText } from './call-facts.ts'
import type { HistoryRules } from './history-rules.ts'
import { AssistantParts, acceptsAssistantFile, acceptsFile, isEmptyText, isOwnCallId } from './part-faults.ts'
import { isValidJson } from './valid-json.ts'

/**
 * The rules that the content of a message follows, with any tools. A run sends the same contents at every step, and
 * each is read once.
 */
const followed = new WeakMap<object, HistoryRules>()
const NO_TOOLS: CallFacts['tools'] = {}

/**
 * Whether the prompt violates the rules. Runs for the whole history before every call, so it allocates nothing, and
 * scans texts only for lone surrogates, which only texts beyond Latin-1 can have.
 */
export function hasFaults(prompt: LanguageModelV4Prompt, rules: HistoryRules, call: CallFacts): boolean {
  let before: LanguageModelV4Message | undefined
  const ids = rules.toolCalls === 'word' || rules.toolCalls === 'nine' ? new Set<string>() : undefined
  for (let index = 0; index < prompt.length; index++) {
    const message = prompt[index] as LanguageModelV4Message
    if (message.role === 'system') {
      if (rules.validJson && !isValidJson(message.content)) return true
      if (rules.emptyContent && message.content === '') return true
      continue
    }
    if (followed.get(message.content) !== rules) {
      if (rules.validJson && !isValidJson(message.content)) return true
      if (!hasFaultyParts(message, rules, NO_TOOLS)) followed.set(message.content, rules)
      else if (hasFaultyParts(message, rules, call.tools)) return true
    }
    if (ids && message.role === 'assistant' && hasKnownIds(message.content, ids)) return true
    if (isMisplaced(message, before, rules)) return true
    if (rules.trailingReasoning && before && endsInReasoning(before) && message.role !== 'assistant')
      return true
    before = message
  }
  if (before === undefined) return false
  if (rules.trailingReasoning && endsInReasoning(before)) return true
  return endsOpen(before, rules, call.plain)
}

/** Whether a call has the id of an earlier one. Adds the ids. */
function hasKnownIds(content: Assistant, ids: Set<string>): boolean {
  for (const part of content) {
    if (part.type !== 'tool-call' || part.providerExecuted === true) continue
    if (ids.has(part.toolCallId)) return true
    ids.add(part.toolCallId)
  }
  return false
}

/** Whether a part of the message violates the rules. */
function hasFaultyParts(
  message: Exclude<LanguageModelV4Message, { role: 'system' }>,
  rules: HistoryRules,
  tools: CallFacts['tools'],
): boolean {
  const { content, role } = message
  if (rules.emptyContent && content.length === 0) return true
  const parts = role === 'assistant' ? new AssistantParts(content as Assistant, rules) : undefined
  for (let index = 0; index < content.length; index++) {
    const part = content[index] as (typeof content)[number]
    switch (part.type) {
      case 'text':
      case 'reasoning':
        if (isEmptyText(part, rules)) return true
        break
      case 'tool-call':
        if (rules.validJson && !isRecord(part.input)) {
          if (typeof part.input !== 'string' || !takesText(part.toolName, tools, rules)) return true
        }
        if (part.providerExecuted === true || rules.toolCalls === false) break
        if (!isOwnCallId(part.toolCallId, rules.toolCalls)) return true
        if (!isOwnToolName(part.toolName, tools, rules.toolCalls)) return true
        break
      case 'tool-result':
        if (role === 'tool' && hasFaultyOutput(part, rules)) return true
        break
      case 'reasoning-file':
        if (!acceptsAssistantFile(part, rules)) return true
        break
      case 'file':
        if (role === 'assistant' ? !acceptsAssistantFile(part, rules) : !acceptsFile(part, rules)) return true
    }
    if (parts?.isForeign(part)) return true
  }
  return false
}

function hasFaultyOutput({ output }: LanguageModelV4ToolResultPart, rules: HistoryRules): boolean {
  if (output.type !== 'content') return false
  let texts = 0
  for (const item of output.value) {
    if (item.type === 'file' && !acceptsFile(item, rules)) return true
    if (item.type !== 'text') continue
    if (isEmptyText(item, rules)) return true
    texts++
  }
  return output.value.length === 0 ? rules.emptyContent !== false : rules.oneResultText && texts !== 1
}

/** Whether a message may not follow the previous one. */
function isMisplaced(
  message: Exclude<LanguageModelV4Message, { role: 'system' }>,
  before: LanguageModelV4Message | undefined,
  rules: HistoryRules,
): boolean {
  const { role } = message
  if (before === undefined && rules.userFirst && role !== 'user') return true
  if (rules.alternate && before?.role === role && role !== 'tool') return true
  if (rules.answerAfterTool && before?.role === 'tool' && role === 'user') return true
  return rules.toolCalls !== false && !answers(message, before)
}

/** Whether a message contains the results of the calls before it, and no others. */
function answers(
  message: Exclude<LanguageModelV4Message, { role: 'system' }>,
  before: LanguageModelV4Message | undefined,
): boolean {
  const calls = before?.role === 'assistant' ? before.content : []
  let call = 0
  let unordered: Set<string> | undefined
  if (message.role === 'tool') {
    for (const part of message.content) {
      if (part.type !== 'tool-result') continue
      call = nextCall(calls, call)
      if (call === calls.length) return false
      if ((calls[call] as { toolCallId: string }).toolCallId !== part.toolCallId) {
        // The order does not matter.
        unordered = resultIds(message)
        break
      }
      call++
    }
    if (unordered) return isSameCalls(calls, message.content, unordered)
  }
  return nextCall(calls, call) === calls.length
}

type Assistant = Extract<LanguageModelV4Message, { role: 'assistant' }>['content']
type Results = Extract<LanguageModelV4Message, { role: 'tool' }>['content']

function nextCall(parts: Assistant, start: number): number {
  let index = start
  while (index < parts.length && !isOwnCall(parts[index] as Assistant[number])) index++
  return index
}

function isOwnCall(part: Assistant[number]): boolean {
  return part.type === 'tool-call' && part.providerExecuted !== true
}

function resultIds(message: { content: Results }): Set<string> {
  const ids = new Set<string>()
  for (const part of message.content) if (part.type === 'tool-result') ids.add(part.toolCallId)
  return ids
}

function isSameCalls(calls: Assistant, results: Results, ids: Set<string>): boolean {
  const own = calls.filter(isOwnCall)
  const count = results.filter(({ type }) => type === 'tool-result').length
  return (
    ids.size === count &&
    own.length === count &&
    own.every((part) => ids.has((part as { toolCallId: string }).toolCallId))
  )
}

function endsInReasoning(message: LanguageModelV4Message): boolean {
  if (message.role !== 'assistant') return false
  const last = message.content.at(-1)
  return last?.type === 'reasoning' || last?.type === 'reasoning-file'
}

/** Whether the last message has calls without results, or is a prefill. */
function endsOpen(last: LanguageModelV4Message, rules: HistoryRules, plain: boolean): boolean {
  if (last.role !== 'assistant') return false
  if (rules.toolCalls !== false && last.content.some(isOwnCall)) return true
  return isPrefill(last, rules, plain)
}

/** Whether the last message is a prefill (the beginning of the answer), which the provider refuses. */
export function isPrefill(last: LanguageModelV4Message, rules: HistoryRules, plain: boolean): boolean {
  if (last.role !== 'assistant' || rules.noPrefill === false || (rules.noPrefill === 'plain' && plain))
    return false
  // A turn that ends in a tool of the provider is continued by the provider.
  const end = last.content.at(-1)?.type
  return end === 'text' || end === 'reasoning' || end === 'file'
}

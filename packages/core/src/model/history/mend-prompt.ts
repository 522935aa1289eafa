import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { CallFacts } from './call-facts.ts'
import { isPrefill } from './history-faults.ts'
import type { HistoryRuleName, HistoryRules } from './history-rules.ts'
import { EMPTY, mendParts } from './mend-parts.ts'
import { pairCalls } from './pair-calls.ts'

/** Texts for messages that a provider requires and the conversation does not have. */
const BEGINNING = '(The beginning of this conversation is not shown.)'
const DONE = 'Done.'
const CONTINUE = 'Continue your last message from where it ends.'

/**
 * Adapts the prompt to the rules, and returns the names of the rules that changed something. Does not edit the given
 * prompt. Idempotent.
 */
export function mendPrompt(
  prompt: LanguageModelV4Prompt,
  rules: HistoryRules,
  { plain, tools }: CallFacts,
): { prompt: LanguageModelV4Prompt; mended: HistoryRuleName[] } {
  const applied = new Set<HistoryRuleName>()
  const apply = (rule: HistoryRuleName): void => void applied.add(rule)
  let messages = mendParts(prompt, rules, { tools, apply })
  if (rules.toolCalls !== false) messages = pairCalls(messages, rules.toolCalls, { tools, apply })
  if (rules.trailingReasoning) messages = withoutTrailingReasoning(messages, rules, apply)
  if (messages.every(isSystem) && !prompt.every(isSystem)) messages = [...messages, user(EMPTY)]
  return { prompt: inOrder(messages, { rules, plain, apply }), mended: [...applied] }
}

type Apply = (rule: HistoryRuleName) => void
type Turn = Exclude<LanguageModelV4Message, { role: 'system' }>

/**
 * Removes reasoning at the end of a turn. Iterates from the end, because a removed message moves the end of its turn.
 */
function withoutTrailingReasoning(
  messages: LanguageModelV4Prompt,
  { emptyContent }: HistoryRules,
  apply: Apply,
): LanguageModelV4Prompt {
  const kept: LanguageModelV4Prompt = []
  let next: Turn['role'] | undefined
  for (const message of messages.toReversed()) {
    const end = message.role === 'assistant' && next !== 'assistant' ? endOfAnswer(message) : undefined
    if (end === undefined) kept.push(message)
    else {
      apply('trailingReasoning')
      if (end === 0 && emptyContent !== false) continue
      kept.push({ ...message, content: message.content.slice(0, end) } as Turn)
    }
    if (message.role !== 'system') next = message.role
  }
  return kept.reverse()
}

/** Index of the reasoning at the end of a message, if there is any. */
function endOfAnswer({ content }: Extract<Turn, { role: 'assistant' }>): number | undefined {
  const last = content.findLastIndex(({ type }) => type !== 'reasoning' && type !== 'reasoning-file')
  return last === content.length - 1 ? undefined : last + 1
}

/** Reorders and completes messages as the provider requires. */
function inOrder(
  messages: LanguageModelV4Prompt,
  { rules, plain, apply }: { rules: HistoryRules; plain: boolean; apply: Apply },
): LanguageModelV4Prompt {
  const ordered: LanguageModelV4Prompt = []
  let before: Turn | undefined
  let place = 0
  for (const message of messages) {
    if (message.role === 'system') {
      ordered.push(message)
      continue
    }
    if (before === undefined && rules.userFirst && message.role !== 'user') {
      apply('userFirst')
      ordered.push(user(BEGINNING))
    }
    if (rules.answerAfterTool && before?.role === 'tool' && message.role === 'user') {
      apply('answerAfterTool')
      ordered.push({ role: 'assistant', content: [{ type: 'text', text: DONE }] })
    }
    if (rules.alternate && before?.role === message.role && message.role !== 'tool') {
      apply('alternate')
      before = joined(before, message)
      ordered[place] = before
      continue
    }
    before = message
    place = ordered.push(message) - 1
  }
  if (before && isPrefill(before, rules, plain)) {
    apply('noPrefill')
    ordered.push(user(CONTINUE))
  }
  return ordered
}

function isSystem({ role }: LanguageModelV4Message): boolean {
  return role === 'system'
}

function user(text: string): Turn {
  return { role: 'user', content: [{ type: 'text', text }] }
}

/**
 * Merges two messages of the same role. Adjacent texts are joined, because some servers accept only messages with a
 * single text.
 */
function joined(one: Turn, other: Turn): Turn {
  const content = [...one.content] as { type: string; text?: string; providerOptions?: object }[]
  const [first, ...rest] = other.content as typeof content
  const last = content.at(-1)
  if (first && last && isPlainText(first) && isPlainText(last)) {
    content[content.length - 1] = { type: 'text', text: `${last.text}\n\n${first.text}` }
    content.push(...rest)
  } else content.push(...(other.content as typeof content))
  const providerOptions = { ...one.providerOptions, ...other.providerOptions }
  const options = one.providerOptions || other.providerOptions ? { providerOptions } : {}
  return { role: one.role, content, ...options } as Turn
}

function isPlainText({ type, providerOptions }: { type: string; providerOptions?: object }): boolean {
  return type === 'text' && providerOptions === undefined
}

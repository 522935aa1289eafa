import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import { type CallFacts, isOwnToolName, toToolName } from './call-facts.ts'
import type { HistoryRuleName, HistoryRules } from './history-rules.ts'
import { isOwnCallId } from './part-faults.ts'

type Results = Extract<LanguageModelV4Message, { role: 'tool' }>
type Form = Exclude<HistoryRules['toolCalls'], false>

/** Places each call's result directly after it, and replaces ids and names that do not have the given form. */
export function pairCalls(
  messages: LanguageModelV4Prompt,
  form: Form,
  { tools, apply }: { tools: CallFacts['tools']; apply: (rule: HistoryRuleName) => void },
): LanguageModelV4Prompt {
  const results = new UnusedResults(messages)
  const ids = new CallIds(form)
  const paired: LanguageModelV4Prompt = []
  for (const message of messages) {
    if (message.role === 'tool') {
      const others = message.content.filter(({ type }) => type !== 'tool-result')
      if (others.length > 0) paired.push({ ...message, content: others })
      continue
    }
    if (message.role !== 'assistant') {
      paired.push(message)
      continue
    }
    const answers: Results['content'] = []
    const content = message.content.map((part) => {
      if (part.type !== 'tool-call' || part.providerExecuted === true) return part
      const toolCallId = ids.take(part.toolCallId)
      const toolName = isOwnToolName(part.toolName, tools, form) ? part.toolName : toToolName(part.toolName)
      answers.push({ ...(results.take(part.toolCallId) ?? noResult(part)), toolCallId, toolName })
      const isOwn = toolCallId === part.toolCallId && toolName === part.toolName
      return isOwn ? part : { ...part, toolCallId, toolName }
    })
    paired.push({ ...message, content })
    if (answers.length > 0) paired.push({ role: 'tool', content: answers })
  }
  if (!isSame(messages, paired)) apply('toolCalls')
  return paired
}

/** The results of a prompt, by id, in order. Each answers one call. */
class UnusedResults {
  readonly #results = new Map<string, LanguageModelV4ToolResultPart[]>()

  constructor(messages: LanguageModelV4Prompt) {
    for (const message of messages.toReversed()) {
      if (message.role !== 'tool') continue
      for (const part of message.content.toReversed()) {
        if (part.type !== 'tool-result') continue
        const known = this.#results.get(part.toolCallId)
        if (known) known.push(part)
        else this.#results.set(part.toolCallId, [part])
      }
    }
  }

  take(toolCallId: string): LanguageModelV4ToolResultPart | undefined {
    return this.#results.get(toolCallId)?.pop()
  }
}

function noResult({ toolCallId, toolName }: LanguageModelV4ToolCallPart): LanguageModelV4ToolResultPart {
  const output = { type: 'error-text', value: 'The call was not completed and has no result.' } as const
  return { type: 'tool-result', toolCallId, toolName, output }
}

/** Generates unique call ids of one form. The same history gets the same ids, so that prompt caches stay valid. */
class CallIds {
  readonly #form: Form
  readonly #used = new Set<string>()
  readonly #tries = new Map<string, number>()

  constructor(form: Form) {
    this.#form = form
  }

  take(id: string): string {
    if (this.#form === 'any') return id === '' ? word(id, 0) : id
    let taken = id
    for (
      let attempt = this.#tries.get(id) ?? 0;
      this.#used.has(taken) || !isOwnCallId(taken, this.#form);
      attempt++
    ) {
      taken = this.#form === 'nine' ? hash(`${attempt}:${id}`) : word(id, attempt)
      this.#tries.set(id, attempt + 1)
    }
    this.#used.add(taken)
    return taken
  }
}

function word(id: string, attempt: number): string {
  return `${id.slice(0, 48).replace(/[^\w-]/g, '_')}_${hash(`${attempt}:${id}`)}`
}

/** A hash of nine letters and digits. */
function hash(text: string): string {
  let one = 0x811c9dc5
  let other = 0x01000193
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(other + code, 0x85ebca6b) ^ (other >>> 13)
  }
  return `${(one >>> 0).toString(36)}${(other >>> 0).toString(36)}`.padEnd(9, '0').slice(-9)
}

function isSame(before: LanguageModelV4Prompt, after: LanguageModelV4Prompt): boolean {
  return (
    before.length === after.length && before.every((message, index) => hasSameCalls(message, after[index]))
  )
}

function hasSameCalls(before: LanguageModelV4Message, after: LanguageModelV4Message | undefined): boolean {
  if (before.role !== after?.role) return false
  if (before.role === 'system' || before.role === 'user') return before === after
  const now = after.content as { type: string; toolCallId?: string; toolName?: string }[]
  return (
    before.content.length === now.length &&
    before.content.every(
      (part, index) =>
        part.type === now[index]?.type &&
        (part as { toolCallId?: string }).toolCallId === now[index]?.toolCallId &&
        (part as { toolName?: string }).toolName === now[index]?.toolName,
    )
  )
}

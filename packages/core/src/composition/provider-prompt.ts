import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import { copyData } from '../copy-data.ts'
import { isToolPart, type Message, type SystemMessage, type ToolPart } from '../messages/message.ts'
import { addModelMessage } from '../messages/model-input.ts'
import type { ModelMessage } from '../messages/model-message.ts'
import type { MessageList } from '../transcript/message-list.ts'
import type { PipelineSession, ReadMessage } from './pipeline-session.ts'

export { toolResultOf, withToolResult } from './tool-part-result.ts'

type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>
type AssistantPart = AssistantMessage['content'][number]

/**
 * Reads a model prompt as messages: consecutive assistant messages and tool results become one message with several
 * steps. Stores their prompt form in the list, where it is used until a message is edited.
 *
 * @throws MillraceError `RUN_INPUT_INVALID`
 */
export function readPrompt(
  prompt: LanguageModelV4Prompt,
  messageList: MessageList,
  session: PipelineSession | undefined,
): { messages: Message[]; systemMessages: SystemMessage[]; trailing: ReadonlySet<string> } {
  const system: { message: SystemMessage; group: number; behind: number }[] = []
  const groups: LanguageModelV4Message[][] = []
  for (const message of joined(copyData(prompt).map(withOwnCalls))) {
    const last = groups.at(-1)
    if (message.role === 'system')
      system.push({ message, group: groups.length - 1, behind: last?.length ?? 0 })
    else if (last && message.role !== 'user' && last[0]?.role !== 'user') last.push(message)
    else groups.push([message])
  }
  const messages: Message[] = []
  const fresh: ReadMessage[] = []
  /** By group: the index of the message that it became a part of. */
  const indexes: number[] = []
  for (const [index, group] of groups.entries()) {
    for (const [place, message] of group.entries()) {
      const where = `message ${index}.${place}`
      addModelMessage(message as ModelMessage, { messages, systemMessages: [], where })
    }
    indexes.push(messages.length - 1)
    const message = messages.at(-1)
    const json = session ? JSON.stringify(group) : ''
    const last = fresh.at(-1)
    // Late results belong to an earlier message, so from there on nothing is the same.
    if (message === undefined || message === last?.message) fresh.forEach(clearSteps)
    else fresh.push({ message, steps: stepsOf(group, message), json })
  }
  const read = session?.recall(fresh) ?? fresh
  const systemMessages = system.map(({ message, group, behind }): SystemMessage => {
    const before = read[indexes[group] ?? -1]
    return before ? { ...message, place: { messageId: before.message.id, behind } } : message
  })
  for (const { message, steps } of read) if (steps) messageList.adoptPrompt(message, steps)
  return { messages: read.map(({ message }) => message), systemMessages, trailing: resultsAtEnd(prompt) }
}

function clearSteps(_: ReadMessage, index: number, list: ReadMessage[]): void {
  list[index] = { message: (list[index] as ReadMessage).message, steps: undefined, json: crypto.randomUUID() }
}

/** The calls whose results end the prompt: the model has not answered them yet. */
function resultsAtEnd(prompt: LanguageModelV4Prompt): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const { role, content } of [...prompt].reverse()) {
    if (role !== 'tool') break
    for (const part of content) if (part.type === 'tool-result') ids.add(part.toolCallId)
  }
  return ids
}

/**
 * The prompt messages from which the message was read, by step. `undefined` if a step contains the result of another
 * step's call, because the prompt can then not be divided.
 */
function stepsOf(
  group: readonly LanguageModelV4Message[],
  { content }: Message,
): LanguageModelV4Message[][] | undefined {
  const byCall = new Map(content.parts.filter(isToolPart).map((part) => [part.toolCallId, part]))
  const steps: LanguageModelV4Message[][] = []
  let calls = new Set<string>()
  for (const message of group) {
    if (message.role === 'user') return [[message]]
    if (message.role === 'system') return undefined
    if (message.role === 'assistant') {
      if (message.content.length === 0) return undefined
      calls = new Set(message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])))
      steps.push([])
    }
    const linked: LanguageModelV4Message['content'][number][] = []
    for (const part of message.content) {
      if (part.type === 'tool-result') {
        if (!calls.has(part.toolCallId)) return undefined
        linked.push(linkedTo(byCall.get(part.toolCallId), part))
      } else if (part.type === 'tool-approval-response') {
        const { reason: _, ...response } = part
        linked.push(response as never)
      } else linked.push(part as never)
    }
    steps.at(-1)?.push({ ...message, content: linked } as LanguageModelV4Message)
  }
  const isComplete = [...byCall.values()].every(
    ({ state, providerExecuted }) => providerExecuted || state !== 'input-available',
  )
  return isComplete && byCall.size === countOf(group) ? steps : undefined
}

/** A result that shares its value with the part it was read into, so that edits in place appear in it. */
function linkedTo(
  part: ToolPart | undefined,
  result: LanguageModelV4ToolResultPart,
): LanguageModelV4ToolResultPart {
  if (part?.state !== 'output-available') return result
  const { output } = result
  const value = output.type === 'content' ? (part.output as typeof output).value : part.output
  return { ...result, output: { ...output, value } as LanguageModelV4ToolResultOutput }
}

function countOf(group: readonly LanguageModelV4Message[]): number {
  let count = 0
  for (const { role, content } of group) {
    if (role === 'assistant') count += content.filter(({ type }) => type === 'tool-call').length
  }
  return count
}

/** The prompt as one list. Results that processors gave are merged with the results that follow. */
function joined(split: readonly LanguageModelV4Message[][]): LanguageModelV4Message[] {
  const prompt: LanguageModelV4Message[] = []
  let isOpen = false
  for (const messages of split) {
    const [first, ...rest] = messages
    const last = prompt.at(-1)
    if (isOpen && last?.role === 'tool' && first?.role === 'tool') {
      prompt[prompt.length - 1] = { ...first, content: [...last.content, ...first.content] }
      prompt.push(...rest)
    } else prompt.push(...messages)
    isOpen = messages.length > 1 && messages.at(-1)?.role === 'tool'
  }
  return prompt
}

/** An assistant message in which calls that processors answered are calls of the model again. */
function withOwnCalls(message: LanguageModelV4Message): LanguageModelV4Message[] {
  if (message.role !== 'assistant' || !message.content.some(isAnsweredCall)) return [message]
  const ids = new Set(message.content.flatMap((part) => (isAnsweredCall(part) ? [part.toolCallId] : [])))
  const messages: LanguageModelV4Message[] = []
  let content: AssistantPart[] = []
  let results: LanguageModelV4ToolResultPart[] = []
  for (const part of message.content) {
    if (part.type === 'tool-result' && ids.has(part.toolCallId)) {
      const { providerOptions: _, ...result } = part
      results.push({ ...result, output: asText(result.output) })
      continue
    }
    if (results.length > 0 && part.type !== 'tool-call') flush()
    content.push(isAnsweredCall(part) ? ownCall(part) : part)
  }
  flush()
  return messages

  function flush(): void {
    const { content: _, ...rest } = message as AssistantMessage
    if (content.length > 0) messages.push({ ...rest, content })
    if (results.length > 0) messages.push({ role: 'tool', content: results })
    content = []
    results = []
  }
}

/** The AI SDK wraps every result of a provider as JSON. */
function asText(output: LanguageModelV4ToolResultOutput): LanguageModelV4ToolResultOutput {
  const { type } = output
  if ((type !== 'json' && type !== 'error-json') || typeof output.value !== 'string') return output
  return { ...output, type: type === 'json' ? 'text' : 'error-text', value: output.value }
}

type CallPart = Extract<AssistantPart, { type: 'tool-call' }>

function isAnsweredCall(part: AssistantPart): part is CallPart {
  return part.type === 'tool-call' && part.providerOptions?.millrace?.answered === true
}

function ownCall(part: CallPart): CallPart {
  const { providerExecuted: _, providerOptions: __, ...call } = part
  const { millrace: ___, ...others } = part.providerOptions ?? {}
  return { ...call, ...(Object.keys(others).length > 0 && { providerOptions: others }) }
}

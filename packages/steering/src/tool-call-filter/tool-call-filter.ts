import {
  isToolPart,
  type Message,
  type MessagePart,
  newestTurn,
  type OptionNames,
  PerRun,
  type ProcessInputStepArgs,
  type Processor,
  requireCount,
  requireOptions,
  type ToolPart,
  toolNameOf,
} from '@millrace/core'

export interface ToolCallFilterProcessorOptions {
  /** Identifies the processor in results, events and errors. Default: `'tool-call-filter'`. */
  readonly id?: string
  /** The calls to leave out: names of tools, or a function of the call. Default: all tools. */
  readonly exclude?: readonly string[] | ((call: FilteredCall) => boolean)
  /**
   * Leave out calls made more than this many steps ago, also in this turn. Steps are counted back over the whole
   * conversation; the newest response is 1 step ago.
   */
  readonly olderThan?: number
  /** `'skip'` continues the run without the filter if it fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

const TOOL_CALL_FILTER_PROCESSOR_OPTIONS: OptionNames<ToolCallFilterProcessorOptions> = {
  id: 'optional',
  exclude: 'optional',
  olderThan: 'optional',
  onError: 'optional',
}

/** A call in the transcript. */
export interface FilteredCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/**
 * Leaves tool calls, each with its result, out of what the model sees. The transcript and what is stored keep them.
 *
 * Calls that the model still works with are kept: always those of its newest response, and without `olderThan` all
 * calls after the newest user message, also in a resumed run. Text is kept. Reasoning that led only to removed calls is
 * removed as well, since providers refuse it alone.
 */
export class ToolCallFilterProcessor implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #isExcluded: (part: ToolPart) => boolean
  readonly #olderThan: number | undefined
  /** By run: filtered copies of messages. A message keeps its copy, so that it is converted for the model only once. */
  readonly #copies = new PerRun<Map<Message, Message>>()

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: ToolCallFilterProcessorOptions = {}) {
    const {
      id = 'tool-call-filter',
      exclude,
      olderThan,
      onError = 'fail',
    } = requireOptions('ToolCallFilterProcessor', options, TOOL_CALL_FILTER_PROCESSOR_OPTIONS)
    this.id = id
    this.onError = onError
    this.#isExcluded = toPredicate(exclude)
    this.#olderThan = olderThan === undefined ? undefined : requireCount('olderThan', olderThan, 1)
  }

  processInputStep({ messages, messageList, state }: ProcessInputStepArgs): Message[] | undefined {
    const turn = this.#olderThan === undefined ? newestTurn(messages, messageList) : messages.length
    const view: Message[] = []
    let age = 0
    let changed = false
    for (let index = messages.length - 1; index >= 0; index--) {
      const message = messages[index] as Message
      if (message.role !== 'assistant' || index >= turn) {
        view.push(message)
        continue
      }
      const steps = stepsOf(message.content.parts)
      const kept: MessagePart[][] = []
      for (const step of steps.reverse()) {
        if (isResponse(step)) age++
        kept.push(age > (this.#olderThan ?? 0) ? this.#withoutCalls(step) : step)
      }
      const parts = kept.reverse().flat()
      if (parts.length === message.content.parts.length) {
        view.push(message)
        continue
      }
      changed = true
      if (isResponse(parts)) view.push(this.#copyOf(message, parts, state))
    }
    return changed ? view.reverse() : undefined
  }

  #withoutCalls(step: MessagePart[]): MessagePart[] {
    const kept = step.filter((part) => !isToolPart(part) || !this.#isExcluded(part))
    if (kept.length === step.length) return step
    while (isReasoning(kept.at(-1))) kept.pop()
    return kept
  }

  #copyOf(message: Message, parts: MessagePart[], run: object): Message {
    let copies = this.#copies.get(run)
    if (!copies) {
      copies = new Map()
      this.#copies.set(run, copies)
    }
    const copy = copies.get(message) ?? { ...message }
    copies.set(message, copy)
    copy.content = { ...message.content, parts }
    return copy
  }
}

function toPredicate(exclude: ToolCallFilterProcessorOptions['exclude']): (part: ToolPart) => boolean {
  if (exclude === undefined) return () => true
  if (typeof exclude === 'function') {
    return (part) =>
      exclude({ toolCallId: part.toolCallId, toolName: toolNameOf(part), input: part.input }) === true
  }
  const names = new Set(exclude)
  return (part) => names.has(toolNameOf(part))
}

/** The parts of an assistant message by step. Each step begins with its `step-start`, if it has one. */
function stepsOf(parts: readonly MessagePart[]): MessagePart[][] {
  const steps: MessagePart[][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([])
    steps.at(-1)?.push(part)
  }
  return steps
}

/** Whether there are parts other than `step-start`. */
function isResponse(parts: readonly MessagePart[]): boolean {
  return parts.some(({ type }) => type !== 'step-start')
}

function isReasoning(part: { type: string } | undefined): boolean {
  return part !== undefined && (part.type.startsWith('reasoning') || part.type === 'thinking')
}

import {
  isRecord,
  isToolPart,
  type Message,
  type MessageList,
  type MessageOrigin,
  type SystemMessage,
} from '@millrace/core'
import { fromMastra, toMastra } from './mastra-messages.ts'
import type { MastraMessage, MastraMessageList } from './mastra-types.ts'
import type { Loaded } from './published-processor.ts'

const SOURCES = { remembered: 'memory', input: 'input', response: 'response', context: 'context' } as const

/** A transcript after a Mastra processor. */
export interface ChangedTranscript {
  messages: Message[]
  /** The changed messages of this run's answer, for hooks that merge by id. */
  responses: Message[] | undefined
  systemMessages: SystemMessage[] | undefined
  isChanged: boolean
  /** The other fields that the processor returned. */
  rest: Record<string, unknown>
}

/** A transcript as Mastra's list, which can be read back. */
export class OriginalTranscript {
  readonly list: MastraMessageList & { addSystem(messages: unknown): unknown }
  readonly #own: MessageList
  readonly #given = new Map<string, { message: Message; json: string; origin: MessageOrigin }>()

  constructor(
    List: Loaded['MessageList'],
    own: MessageList,
    {
      systemMessages,
      result,
    }: {
      systemMessages: readonly SystemMessage[]
      result?: { toolCall: { toolCallId: string }; result: unknown } | undefined
    },
  ) {
    this.#own = own
    this.list = new List()
    if (systemMessages.length > 0) this.list.addSystem([...systemMessages])
    for (const message of own) {
      const shown = result ? withResult(message, result.toolCall.toolCallId, result.result) : message
      const origin = own.originOf(message.id) ?? 'input'
      this.list.add([toMastra(shown, this.list)], SOURCES[origin])
      this.#given.set(message.id, { message, json: '', origin })
    }
    // Reads them from the list, which may have converted them.
    for (const held of this.list.get.all.db()) {
      const given = this.#given.get(held.id)
      if (given) this.#given.set(held.id, { ...given, json: JSON.stringify(held.content) })
    }
  }

  /** Reads the result of a hook: a list, messages, an object with messages, or nothing. */
  read(returned: unknown, scope: 'all' | 'response' = 'all'): ChangedTranscript {
    const { messages, messageList, systemMessages, ...rest } =
      Array.isArray(returned) || returned === this.list || !isRecord(returned)
        ? ({ messages: Array.isArray(returned) ? returned : undefined } as Record<string, unknown>)
        : returned
    const list = (messageList ?? this.list) as MastraMessageList
    const held = (messages ??
      (scope === 'all' ? list.get.all.db() : list.get.response.db())) as MastraMessage[]
    const left = held.flatMap((message) => this.#back(message) ?? [])
    const ids = new Set(left.map(({ id }) => id))
    const before = [...this.#own].filter(({ id }) => scope === 'all' || this.#own.originOf(id) === 'response')
    const isChanged =
      left.length !== before.length || left.some((message, index) => message !== before[index])
    return {
      messages: left,
      responses: isChanged
        ? this.#responses(
            left,
            before.filter(({ id }) => !ids.has(id)),
          )
        : undefined,
      systemMessages: systemMessages as SystemMessage[] | undefined,
      isChanged,
      rest,
    }
  }

  /** The result of a call, as the hook left it. */
  resultIn(returned: unknown, toolCallId: string): unknown {
    for (const message of this.read(returned).messages) {
      const part = message.content.parts.find((each) => isToolPart(each) && each.toolCallId === toolCallId)
      if (part && 'output' in part) return part.output
      if (part && 'errorText' in part) return part.errorText
    }
    throw new Error(
      `The result of the call '${toolCallId}' was removed from the messages, and there is no replacement.`,
    )
  }

  /** The changed messages of an answer. Of removed messages only the calls are kept. */
  #responses(left: readonly Message[], gone: readonly Message[]): Message[] {
    const changed = left.filter((message) => {
      const given = this.#given.get(message.id)
      return given === undefined || given.message !== message
    })
    const emptied = gone
      .filter(({ id }) => this.#own.originOf(id) === 'response')
      .map((message) => ({
        ...message,
        content: { ...message.content, parts: message.content.parts.filter(isToolPart) },
      }))
    return [...changed, ...emptied]
  }

  #back(held: MastraMessage): Message | undefined {
    const given = this.#given.get(held.id)
    if (given && given.json === JSON.stringify(held.content)) return this.#own.find(held.id)
    return fromMastra(held, this.list)
  }
}

/** The message with a result that is not in the transcript yet. */
function withResult(message: Message, toolCallId: string, output: unknown): Message {
  const parts = message.content.parts.map((part) =>
    isToolPart(part) && part.toolCallId === toolCallId
      ? ({ ...part, state: 'output-available', output } as typeof part)
      : part,
  )
  return { ...message, content: { ...message.content, parts } }
}

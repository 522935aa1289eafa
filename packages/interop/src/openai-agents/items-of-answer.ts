import type { LanguageModelV4Content } from '@ai-sdk/provider'
import { isRecord } from '@millrace/core'
import type { AnswerContent } from '../ai-sdk/answer-content.ts'
import type { AgentsContent, AgentsItem, MessageItem } from './agents-types.ts'
import { type ContentItem, isUnchanged, shown, withContents, withText } from './item-content.ts'
import { hostedOf } from './items-of-prompt.ts'
import { type OriginalAnswer, textsOf } from './original-answer.ts'
import { hostedResult, parsed } from './prompt-of-items.ts'

/**
 * The items of an answer after the processors, in order. Unchanged items are returned as they came.
 *
 * @param replacedText The complete text, if processors replaced it at the end
 */
export function itemsOfAnswer(
  answer: OriginalAnswer,
  content: AnswerContent,
  replacedText: string | undefined,
): AgentsItem[] {
  return new AnswerReader(answer, content).read(content.settle(replacedText))
}

class AnswerReader {
  readonly #answer: OriginalAnswer
  readonly #content: AnswerContent
  readonly #items: { place: number; read: () => AgentsItem }[] = []
  readonly #said = new Map<ContentItem, AgentsContent[]>()
  /** Changed items, whose provider data is dropped. */
  readonly #changed = new Set<ContentItem>()
  readonly #hosted = new Map<string, Extract<LanguageModelV4Content, { type: 'tool-call' }>>()
  #place = -1

  constructor(answer: OriginalAnswer, content: AnswerContent) {
    this.#answer = answer
    this.#content = content
  }

  read(parts: readonly LanguageModelV4Content[]): AgentsItem[] {
    for (const part of parts) this.#readPart(part)
    for (const call of this.#hosted.values()) this.#hostedCall(call, undefined)
    const items = this.#items.sort((one, other) => one.place - other.place).map(({ read }) => read())
    // If nothing remains, the answer is an empty message: without any item, the runner would call the model
    // again.
    return items.some(({ type }) => type !== 'reasoning') ? items : [...items, messageOf('')]
  }

  #readPart(part: LanguageModelV4Content): void {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        this.#say(part)
        return
      case 'tool-call':
        if (part.providerExecuted) this.#hosted.set(part.toolCallId, part)
        else this.#call(part)
        return
      case 'tool-result': {
        const call = this.#hosted.get(part.toolCallId)
        this.#hosted.delete(part.toolCallId)
        if (call) this.#hostedCall(call, part)
        return
      }
    }
  }

  #say(part: Extract<LanguageModelV4Content, { type: 'text' | 'reasoning' }>): void {
    const given = this.#answer.partOf(this.#content.idOf(part))
    const [first] = given?.pieces ?? []
    if (!given || !first) {
      if (part.type === 'text') this.#push(messageOf(part.text))
      else this.#push({ type: 'reasoning', content: [{ type: 'input_text', text: part.text }] })
      return
    }
    const isSame = part.text === textsOf(given.pieces)
    if (isSame && isUnchanged(part.providerMetadata, given.metadata)) {
      for (const { item, content } of given.pieces) this.#of(item).push(content)
    } else {
      for (const { item } of given.pieces) this.#changed.add(item)
      this.#of(first.item).push(withText(first.content, part.text))
    }
  }

  /** The remaining pieces of an item. */
  #of(item: ContentItem): AgentsContent[] {
    const known = this.#said.get(item)
    if (known) return known
    const left: AgentsContent[] = []
    this.#said.set(item, left)
    this.#add(item, () => withContents(this.#changed.has(item) ? withoutData(item) : item, left))
    return left
  }

  #call(part: Extract<LanguageModelV4Content, { type: 'tool-call' }>): void {
    const { toolCallId: callId, toolName: name, input, providerMetadata } = part
    const given = this.#answer.callOf(callId)
    if (given?.type !== 'function_call') {
      this.#push({ type: 'function_call', callId, name, arguments: input, status: 'completed' })
      return
    }
    const isSame = given.name === name && JSON.stringify(parsed(given.arguments || '{}')) === jsonOf(input)
    const { providerData } = given
    const keeps = isSame && isUnchanged(providerMetadata, shown({ data: [providerData] }))
    // Uses the parsed input: with a duplicate key, processors have only seen one of its values.
    if (keeps && given.arguments === input) this.#add(given, () => given)
    else this.#add(given, () => ({ ...(keeps ? given : withoutData(given)), name, arguments: input }))
  }

  #hostedCall(
    call: Extract<LanguageModelV4Content, { type: 'tool-call' }>,
    answer: Extract<LanguageModelV4Content, { type: 'tool-result' }> | undefined,
  ): void {
    const { toolCallId: id, toolName: name, input, providerMetadata } = call
    const given = this.#answer.callOf(id)
    const result: unknown = answer?.result
    if (providerMetadata?.millrace?.answered === true || given?.type !== 'hosted_tool_call') {
      const output = typeof result === 'string' ? result : JSON.stringify(result)
      const providerData = { millrace: { answered: true } }
      const item = {
        type: 'hosted_tool_call' as const,
        id,
        name,
        arguments: input,
        status: 'completed',
        output,
        providerData,
      }
      if (given) this.#add(given, () => item)
      else this.#push(item)
      return
    }
    const isSame =
      JSON.stringify(parsed(given.arguments || '{}')) === jsonOf(input) &&
      JSON.stringify(hostedResult(given)) === JSON.stringify(result)
    const isSameText = given.arguments === undefined || given.arguments === input
    this.#add(given, () =>
      isSame && isSameText
        ? given
        : hostedOf(given, input, isRecord(result) || result === undefined ? (result ?? {}) : result),
    )
  }

  #push(item: AgentsItem): void {
    this.#add(item, () => item)
  }

  /** New content is placed after what preceded it. */
  #add(given: AgentsItem, read: () => AgentsItem): void {
    this.#place = this.#answer.indexOf(given) ?? this.#place
    this.#items.push({ place: this.#place, read })
  }
}

function withoutData<ITEM extends AgentsItem>({ providerData: _, ...item }: ITEM): ITEM {
  return item as ITEM
}

function messageOf(text: string): MessageItem {
  return { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }
}

function jsonOf(input: string): string {
  return JSON.stringify(parsed(input))
}

import type { AnswerFinish, AnswerPart, AnswerUsage } from './answer.ts'
import type { ResponsesRequest } from './responses-request.ts'

type Status = 'in_progress' | 'completed' | 'incomplete'

interface TextPart {
  type: 'output_text'
  text: string
  annotations: []
  logprobs: []
}
interface SummaryPart {
  type: 'summary_text'
  text: string
}
interface MessageItem {
  id: string
  type: 'message'
  role: 'assistant'
  status: Status
  content: TextPart[]
}
interface ReasoningItem {
  id: string
  type: 'reasoning'
  status: Status
  summary: SummaryPart[]
}
interface CallItem {
  id: string
  type: 'function_call'
  status: Status
  call_id: string
  name: string
  arguments: string
}
type Item = MessageItem | ReasoningItem | CallItem

interface Placed<ITEM extends Item> {
  item: ITEM
  index: number
}

export interface ResponseEvent {
  type: string
  sequence_number: number
  response?: object
}

/**
 * Converts the parts of an answer to the events of a response: from `response.created` to
 * `response.completed` or `response.incomplete`, which has the whole response. Consecutive text or reasoning
 * is one item. Each tool call is an item; the arguments of several calls may interleave.
 */
export class ResponseEvents {
  readonly id = newId('resp')
  readonly #request: ResponsesRequest
  readonly #createdAt = now()
  readonly #output: Item[] = []
  readonly #calls = new Map<string, Placed<CallItem>>()
  #open: Placed<MessageItem> | Placed<ReasoningItem> | undefined
  #count = 0

  constructor(request: ResponsesRequest) {
    this.#request = request
  }

  async *of(parts: AsyncGenerator<AnswerPart>): AsyncGenerator<ResponseEvent> {
    yield this.event('response.created', { response: this.#response('in_progress') })
    yield this.event('response.in_progress', { response: this.#response('in_progress') })
    for await (const part of parts) {
      switch (part.type) {
        case 'text':
        case 'reasoning':
          yield* this.#write(part.type, part.text)
          break
        case 'call-start':
          yield* this.#close('completed')
          yield this.#startCall(part)
          break
        case 'call-input':
          yield* this.#writeCall(part)
          break
        case 'call-end':
          yield* this.#endCall(part.id, 'completed')
          break
        case 'finish':
          yield* this.#finish(part)
          break
      }
    }
  }

  event(type: string, fields: object): ResponseEvent {
    return { type, sequence_number: this.#count++, ...fields }
  }

  *#write(type: 'text' | 'reasoning', text: string): Generator<ResponseEvent> {
    const kind = type === 'text' ? 'message' : 'reasoning'
    if (this.#open?.item.type !== kind) {
      yield* this.#close('completed')
      yield* kind === 'message' ? this.#openMessage() : this.#openReasoning()
    }
    const { item, index } = this.#open as Placed<MessageItem> | Placed<ReasoningItem>
    const at = { item_id: item.id, output_index: index }
    if (item.type === 'message') {
      ;(item.content[0] as TextPart).text += text
      yield this.event('response.output_text.delta', { ...at, content_index: 0, delta: text, logprobs: [] })
    } else {
      ;(item.summary[0] as SummaryPart).text += text
      yield this.event('response.reasoning_summary_text.delta', { ...at, summary_index: 0, delta: text })
    }
  }

  *#openMessage(): Generator<ResponseEvent> {
    const part: TextPart = { type: 'output_text', text: '', annotations: [], logprobs: [] }
    const item: MessageItem = {
      id: newId('msg'),
      type: 'message',
      role: 'assistant',
      status: 'in_progress',
      content: [],
    }
    const index = this.#add(item)
    yield this.event('response.output_item.added', { output_index: index, item: { ...item, content: [] } })
    item.content.push(part)
    yield this.event('response.content_part.added', {
      item_id: item.id,
      output_index: index,
      content_index: 0,
      part: { ...part },
    })
    this.#open = { item, index }
  }

  *#openReasoning(): Generator<ResponseEvent> {
    const part: SummaryPart = { type: 'summary_text', text: '' }
    const item: ReasoningItem = { id: newId('rs'), type: 'reasoning', status: 'in_progress', summary: [] }
    const index = this.#add(item)
    yield this.event('response.output_item.added', { output_index: index, item: { ...item, summary: [] } })
    item.summary.push(part)
    yield this.event('response.reasoning_summary_part.added', {
      item_id: item.id,
      output_index: index,
      summary_index: 0,
      part: { ...part },
    })
    this.#open = { item, index }
  }

  *#close(status: Status): Generator<ResponseEvent> {
    if (!this.#open) return
    const { item, index } = this.#open
    this.#open = undefined
    item.status = status
    const at = { item_id: item.id, output_index: index }
    if (item.type === 'message') {
      const part = item.content[0] as TextPart
      const fields = { ...at, content_index: 0 }
      yield this.event('response.output_text.done', { ...fields, text: part.text, logprobs: [] })
      yield this.event('response.content_part.done', { ...fields, part })
    } else {
      const part = item.summary[0] as SummaryPart
      const fields = { ...at, summary_index: 0 }
      yield this.event('response.reasoning_summary_text.done', { ...fields, text: part.text })
      yield this.event('response.reasoning_summary_part.done', { ...fields, part })
    }
    yield this.event('response.output_item.done', { output_index: index, item })
  }

  #startCall({ id, name }: { id: string; name: string }): ResponseEvent {
    const item: CallItem = {
      id: newId('fc'),
      type: 'function_call',
      status: 'in_progress',
      call_id: id,
      name,
      arguments: '',
    }
    const index = this.#add(item)
    this.#calls.set(id, { item, index })
    return this.event('response.output_item.added', { output_index: index, item: { ...item } })
  }

  *#writeCall({ id, text }: { id: string; text: string }): Generator<ResponseEvent> {
    const call = this.#calls.get(id)
    if (!call || text === '') return
    call.item.arguments += text
    const at = { item_id: call.item.id, output_index: call.index }
    yield this.event('response.function_call_arguments.delta', { ...at, delta: text })
  }

  *#endCall(id: string, status: Status): Generator<ResponseEvent> {
    const call = this.#calls.get(id)
    if (call?.item.status !== 'in_progress') return
    const { item, index } = call
    item.status = status
    yield this.event('response.function_call_arguments.done', {
      item_id: item.id,
      output_index: index,
      name: item.name,
      arguments: item.arguments,
    })
    yield this.event('response.output_item.done', { output_index: index, item })
  }

  *#finish({ reason, usage }: Extract<AnswerPart, { type: 'finish' }>): Generator<ResponseEvent> {
    const status = STATUS[reason]
    yield* this.#close(status)
    for (const id of this.#calls.keys()) yield* this.#endCall(id, status)
    yield this.event(`response.${status}`, { response: this.#response(status, { reason, usage }) })
  }

  #add(item: Item): number {
    return this.#output.push(item) - 1
  }

  #response(status: Status, end?: { reason: AnswerFinish; usage: AnswerUsage }): object {
    const { model, instructions, metadata, temperature, top_p, tools, tool_choice, text, reasoning } =
      this.#request
    return {
      id: this.id,
      object: 'response',
      created_at: this.#createdAt,
      completed_at: status === 'completed' ? now() : null,
      status,
      error: null,
      incomplete_details:
        status === 'incomplete'
          ? { reason: end?.reason === 'length' ? 'max_output_tokens' : 'content_filter' }
          : null,
      instructions: instructions ?? null,
      max_output_tokens: this.#request.max_output_tokens ?? null,
      metadata: metadata ?? {},
      model,
      output: end ? this.#output : [],
      parallel_tool_calls: this.#request.parallel_tool_calls ?? true,
      previous_response_id: null,
      reasoning: { effort: reasoning?.effort ?? null, summary: null },
      // Responses are not stored.
      store: false,
      temperature: temperature ?? null,
      text: { format: text?.format ?? { type: 'text' } },
      tool_choice: tool_choice ?? 'auto',
      tools: tools ?? [],
      top_p: top_p ?? null,
      truncation: 'disabled',
      usage: end ? usageOf(end.usage) : null,
    }
  }
}

const STATUS: Record<AnswerFinish, Exclude<Status, 'in_progress'>> = {
  stop: 'completed',
  tool_calls: 'completed',
  length: 'incomplete',
  content_filter: 'incomplete',
}

function usageOf({ input, output, cached, reasoning }: AnswerUsage): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    total_tokens: input + output,
  }
}

function newId(prefix: string): string {
  return `${prefix}_${crypto.randomUUID().replaceAll('-', '')}`
}

function now(): number {
  return Math.floor(Date.now() / 1_000)
}

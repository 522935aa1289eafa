import {
  callOf,
  isToolPart,
  type Message,
  type MessagePart,
  type ReasoningPart,
  type TextPart,
  type ToolIdentity,
  type ToolPart,
} from '../../messages/message.ts'
import type { Chunk } from '../../results/chunk.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'

/** Minimum number of deltas between two times that the text of a part is flattened. */
const MIN_DELTAS = 64

type OpenPart = TextPart | ReasoningPart

/**
 * Writes the chunks of one step into the transcript as they arrive. All steps of a run share one assistant message,
 * unless another message was added after it.
 */
export class ResponseWriter {
  readonly #run: Run
  readonly #step: Step
  readonly #open = new Map<string, OpenPart>()
  #messageId: string | undefined
  /** The part of the last delta: most deltas belong to the same part. */
  #lastId: string | undefined
  #lastPart: OpenPart | undefined
  /** Length of that part's text when it was last flattened, and the number of deltas since. */
  #flatLength = 0
  #deltas = 0
  /** The last character read. See where text is flattened. */
  lastUnit = 0

  constructor(run: Run, step: Step) {
    this.#run = run
    this.#step = step
    if (step.state.wrote)
      this.#messageId = run.messageList.get('response').findLast(({ role }) => role === 'assistant')?.id
  }

  write(chunk: Chunk): void {
    switch (chunk.type) {
      case 'text-delta':
      case 'reasoning-delta':
        this.append(chunk)
        return
      case 'text-start':
        this.#start(`text ${chunk.id}`, { type: 'text', text: '', state: 'streaming' }, chunk)
        return
      case 'reasoning-start':
        this.#start(`reasoning ${chunk.id}`, { type: 'reasoning', text: '', state: 'streaming' }, chunk)
        return
      case 'text-end':
        this.#end(`text ${chunk.id}`, chunk)
        return
      case 'reasoning-end':
        this.#end(`reasoning ${chunk.id}`, chunk)
        return
      case 'tool-call':
        this.#push(toolPart(chunk))
        return
      case 'tool-result':
      case 'tool-error':
      case 'tool-denied':
        this.#answer(chunk)
        return
      case 'file':
      case 'reasoning-file': {
        const { type, mediaType, url } = chunk
        this.#push({ type, mediaType, url, ...metadataOf(chunk) })
        return
      }
      case 'source':
        this.#push(sourcePart(chunk))
        return
      case 'custom':
        this.#push({ type: 'custom', kind: chunk.kind, ...metadataOf(chunk) })
        return
    }
  }

  /** Removes what this step has written. Idempotent. */
  discard(): void {
    const message = this.#message
    this.#open.clear()
    this.#lastPart = undefined
    this.#messageId = undefined
    this.#step.state.wrote = false
    if (!message) return
    const { parts } = message.content
    const start = parts.findLastIndex(({ type }) => type === 'step-start')
    if (start > 0) {
      parts.splice(start)
      return
    }
    this.#run.messageList.remove(message.id)
    this.#run.state.responseId = message.id
  }

  /** The current parts of this step in the transcript. */
  get parts(): MessagePart[] {
    const parts = this.#message?.content.parts ?? []
    return parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
  }

  /** Replaces the parts of this step. */
  replaceParts(parts: readonly MessagePart[]): void {
    const message = this.#message
    if (!message) {
      for (const part of parts) this.#push(part)
      return
    }
    const start = message.content.parts.findLastIndex(({ type }) => type === 'step-start') + 1
    message.content.parts.splice(start, message.content.parts.length, ...parts)
  }

  get #message(): Message | undefined {
    return this.#messageId === undefined ? undefined : this.#run.messageList.find(this.#messageId)
  }

  append({
    type,
    id,
    textDelta,
    providerMetadata,
  }: Extract<Chunk, { type: 'text-delta' | 'reasoning-delta' }>): void {
    const kind = type === 'text-delta' ? 'text' : 'reasoning'
    let part = this.#lastPart
    if (part === undefined || this.#lastId !== id || part.type !== kind) {
      const key = `${kind} ${id}`
      part = this.#open.get(key) ?? this.#start(key, { type: kind, text: '', state: 'streaming' }, {})
      this.#lastPart = part
      this.#lastId = id
      this.#flatLength = 0
      this.#deltas = 0
    }
    part.text += textDelta
    if (providerMetadata) part.providerMetadata = providerMetadata
    // Engines store a string that grows by appending as a tree (rope), which takes many times its size. Reading a
    // character flattens it. Doing so each time the text has grown by a quarter keeps the cost linear.
    if (++this.#deltas < MIN_DELTAS || part.text.length - this.#flatLength < this.#flatLength / 4) return
    // Stored in a field, because optimized code removes a read whose result is not used.
    this.lastUnit = part.text.charCodeAt(part.text.length - 1)
    this.#flatLength = part.text.length
    this.#deltas = 0
  }

  #start(key: string, part: OpenPart, chunk: { providerMetadata?: OpenPart['providerMetadata'] }): OpenPart {
    Object.assign(part, metadataOf(chunk))
    this.#lastPart = undefined
    this.#open.set(key, part)
    this.#push(part)
    return part
  }

  #end(key: string, chunk: { providerMetadata?: OpenPart['providerMetadata'] }): void {
    const part = this.#open.get(key)
    if (!part) return
    this.#open.delete(key)
    if (this.#lastPart === part) this.#lastPart = undefined
    part.state = 'done'
    Object.assign(part, metadataOf(chunk))
    if (part.text === '' && !part.providerMetadata) this.#drop(part)
  }

  #push(part: MessagePart): void {
    let message = this.#message
    if (!message) {
      message = this.#currentMessage()
      message.content.parts.push({ type: 'step-start' })
      this.#messageId = message.id
      this.#step.state.wrote = true
    }
    message.content.parts.push(part)
  }

  /** The run's last message if it is a response of this run, otherwise a new one. */
  #currentMessage(): Message {
    const { messageList, requestContext } = this.#run
    const last = messageList.last
    if (last?.role === 'assistant' && messageList.originOf(last.id) === 'response') return last
    const { threadId, resourceId } = requestContext
    const message: Message = {
      id: this.#run.state.responseId,
      role: 'assistant',
      content: { parts: [] },
      createdAt: new Date(),
      ...(threadId !== undefined && { threadId }),
      ...(resourceId !== undefined && { resourceId }),
    }
    this.#run.state.responseId = crypto.randomUUID()
    messageList.add(message, 'response')
    return message
  }

  #drop(part: MessagePart): void {
    const parts = this.#message?.content.parts
    const index = parts?.lastIndexOf(part) ?? -1
    if (parts && index !== -1) parts.splice(index, 1)
  }

  /** Adds the result to its call, which is in this step or, if a provider answers late, in an earlier one. */
  #answer(result: Extract<Chunk, { type: 'tool-result' | 'tool-error' | 'tool-denied' }>): void {
    const messages = this.#run.messageList.get('response')
    for (const { content } of messages.reverse()) {
      const index = content.parts.findLastIndex(
        (part) => isToolPart(part) && part.toolCallId === result.toolCallId,
      )
      if (index === -1) continue
      content.parts[index] = answeredPart(content.parts[index] as ToolPart, result)
      return
    }
  }
}

function toolPart(chunk: Extract<Chunk, { type: 'tool-call' }>): ToolPart {
  const { toolCallId, toolName, input, title, toolMetadata, dynamic, providerExecuted, providerMetadata } =
    chunk
  const identity: ToolIdentity = dynamic ? { type: 'dynamic-tool', toolName } : { type: `tool-${toolName}` }
  return {
    ...identity,
    toolCallId,
    state: 'input-available',
    input,
    ...(title !== undefined && { title }),
    ...(toolMetadata && { toolMetadata }),
    ...(providerExecuted && { providerExecuted }),
    ...(providerMetadata && { callProviderMetadata: providerMetadata }),
  }
}

function answeredPart(
  part: ToolPart,
  result: Extract<Chunk, { type: 'tool-result' | 'tool-error' | 'tool-denied' }>,
): ToolPart {
  const call = callOf(part)
  const metadata = result.providerMetadata ? { resultProviderMetadata: result.providerMetadata } : {}
  const asked = 'approval' in part && part.approval ? { id: part.approval.id } : undefined
  const granted = asked && { approval: { ...asked, approved: true as const } }
  switch (result.type) {
    case 'tool-result': {
      const preliminary = result.preliminary ? { preliminary: true } : {}
      return {
        ...call,
        state: 'output-available',
        output: result.output,
        ...preliminary,
        ...metadata,
        ...granted,
      }
    }
    case 'tool-error':
      return { ...call, state: 'output-error', errorText: result.error, ...metadata, ...granted }
    case 'tool-denied': {
      const reason = result.reason !== undefined ? { reason: result.reason } : {}
      return {
        ...call,
        state: 'output-denied',
        approval: { id: asked?.id ?? part.toolCallId, approved: false, ...reason },
      }
    }
    default:
      return result satisfies never
  }
}

function sourcePart(chunk: Extract<Chunk, { type: 'source' }>): MessagePart {
  if (chunk.sourceType === 'url') {
    const { id, url, title } = chunk
    return {
      type: 'source-url',
      sourceId: id,
      url,
      ...(title !== undefined && { title }),
      ...metadataOf(chunk),
    }
  }
  const { id, mediaType, title, filename } = chunk
  return {
    type: 'source-document',
    sourceId: id,
    mediaType,
    title,
    ...(filename !== undefined && { filename }),
    ...metadataOf(chunk),
  }
}

function metadataOf(chunk: {
  providerMetadata?: OpenPart['providerMetadata']
}): Pick<OpenPart, 'providerMetadata'> {
  return chunk.providerMetadata ? { providerMetadata: chunk.providerMetadata } : {}
}

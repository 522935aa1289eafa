import { isToolPart, type MessagePart, toolNameOf } from '../messages/message.ts'
import { isSame } from '../processors/snapshot-of.ts'
import type { Chunk, ChunkOf } from '../results/chunk.ts'
import type { UIDataChunk, UIMessageChunk } from '../results/ui-message-chunk.ts'
import type { UIMessageStreamOptions } from '../results/ui-message-stream-options.ts'
import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'
import type { WaitingCall } from '../tools/waiting-calls.ts'
import { partsOfLastStep } from '../transcript/step-parts.ts'
import { openingChunks } from './opening-chunks.ts'
import { defined, metadataOf } from './optional-fields.ts'
import { partChunks, sourceChunk } from './part-chunks.ts'
import {
  answerableCalls,
  approvalRequest,
  dataPart,
  haltPart,
  suspendedPart,
  tripwirePart,
} from './run-data-parts.ts'
import { answerChunk, callChunk, callOf, denialChunks } from './tool-chunks.ts'

/**
 * Maps chunks to UI chunks. The clients fail on a chunk that refers to an unknown part, and processors may drop or
 * change any chunk, so the mapper tracks what the client has.
 */
export class UIChunkMapper {
  readonly #run: Run
  readonly #options: UIMessageStreamOptions
  /** Ids of open text and reasoning parts. */
  readonly #open = { text: new Set<string>(), reasoning: new Set<string>() }
  /** The tool calls in this stream so far, by id, with their input when it is complete. */
  readonly #calls = new Map<string, { input?: unknown }>()
  #resumed: boolean | undefined
  /** Whether the client has an open step. */
  #inStep = false
  /** Whether that step is empty because it was discarded: the next attempt needs no new `start-step`. */
  #isEmpty = false
  /** Application data of the current step, which is sent again if the step's own parts are. */
  #stepData: UIDataChunk[] = []

  constructor(run: Run, options: UIMessageStreamOptions) {
    this.#run = run
    this.#options = options
    const { onContinue } = options
    if (!onContinue) return
    const toolErrorText = (text: string) => this.#toolErrorText(text)
    const onStart = (step: Step | undefined) => {
      if (run.resumedFrom) onContinue(openingChunks(run, step, { toolErrorText }))
    }
    run.onStart = onStart
  }

  map(chunk: Chunk): UIMessageChunk[] {
    if (chunk.type === 'start') return [this.#start(chunk)]
    if (this.#resumed !== undefined) return this.#map(chunk)
    const { resumedFrom } = this.#run
    this.#resumed = resumedFrom !== undefined
    if (!resumedFrom) return this.#map(chunk)
    this.#inStep = true
    return [suspendedPart(resumedFrom, { resumed: true }), ...this.#map(chunk)]
  }

  #map(chunk: Exclude<Chunk, { type: 'start' }>): UIMessageChunk[] {
    const { sendReasoning = true, sendSources = true } = this.#options
    switch (chunk.type) {
      case 'text-delta':
      case 'text-start':
      case 'text-end':
        return this.#prose('text', chunk)
      case 'reasoning-delta':
      case 'reasoning-start':
      case 'reasoning-end':
        return sendReasoning ? this.#prose('reasoning', chunk) : []
      case 'step-start':
        this.#stepData = []
        if (!this.#isEmpty) this.#inStep = false
        return this.#withStep()
      case 'step-finish':
        return this.#finishStep(chunk)
      case 'step-discarded':
        return this.#reset()
      case 'tool-input-start':
        this.#calls.set(chunk.toolCallId, {})
        return this.#withStep({
          type: chunk.type,
          ...callOf(chunk),
          ...defined({ inputEncoding: chunk.inputEncoding }),
        })
      case 'tool-input-delta': {
        const { type, toolCallId, inputTextDelta } = chunk
        return this.#calls.has(toolCallId) ? [{ type, toolCallId, inputTextDelta }] : []
      }
      case 'tool-call':
        return this.#toolCall(chunk)
      case 'tool-result':
      case 'tool-error':
      case 'tool-denied':
        return this.#hasCall(chunk) ? this.#toolAnswer(chunk) : []
      case 'file':
      case 'reasoning-file': {
        const { type, url, mediaType } = chunk
        if (type === 'reasoning-file' && !sendReasoning) return []
        return this.#withStep({ type, url, mediaType, ...metadataOf(chunk) })
      }
      case 'source':
        return sendSources ? this.#withStep(sourceChunk(chunk)) : []
      case 'custom':
        return this.#withStep({ type: 'custom', kind: chunk.kind, ...metadataOf(chunk) })
      case 'response-replaced':
        return this.#replace(chunk)
      case 'tripwire':
        return [tripwirePart(chunk, this.#options), ...this.#finish(chunk, 'other')]
      case 'halt':
        return [haltPart(chunk, this.#options)]
      case 'suspended':
        return this.#suspended(chunk)
      case 'error':
        return [{ type: 'error', errorText: this.#errorText(chunk.error) }]
      case 'abort':
        return [{ type: 'abort' }]
      case 'finish':
        return this.#finish(chunk, chunk.finishReason)
      case 'tool-input-end':
      case 'object-delta':
      case 'response-end':
        return []
      default:
        return this.#data(chunk)
    }
  }

  /** The id is omitted if the client extends a message that it has. */
  #start(chunk: ChunkOf<'start'>): UIMessageChunk {
    const messageMetadata = this.#options.messageMetadata?.({ part: chunk })
    return {
      type: 'start',
      ...(!this.#run.continuesMessage && { messageId: chunk.messageId }),
      ...(messageMetadata !== undefined && { messageMetadata }),
    }
  }

  #finish(part: Chunk, finishReason: ChunkOf<'finish'>['finishReason']): UIMessageChunk[] {
    const messageMetadata = this.#options.messageMetadata?.({ part })
    return [{ type: 'finish', finishReason, ...(messageMetadata !== undefined && { messageMetadata }) }]
  }

  #metadata(part: Chunk): UIMessageChunk[] {
    const messageMetadata = this.#options.messageMetadata?.({ part })
    return messageMetadata === undefined ? [] : [{ type: 'message-metadata', messageMetadata }]
  }

  /** Adds a `start-step` before the chunks if the client has no open step. */
  #withStep(...chunks: UIMessageChunk[]): UIMessageChunk[] {
    this.#isEmpty = false
    if (this.#inStep) return chunks
    this.#inStep = true
    return [{ type: 'start-step' }, ...chunks]
  }

  #prose(
    kind: 'text' | 'reasoning',
    chunk: ChunkOf<`${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}`>,
  ): UIMessageChunk[] {
    const { id } = chunk
    const open = this.#open[kind]
    const start = { type: `${kind}-start`, id } as const
    if ('textDelta' in chunk) {
      const delta = { type: `${kind}-delta`, id, delta: chunk.textDelta, ...metadataOf(chunk) } as const
      if (open.has(id)) return [delta]
      open.add(id)
      return this.#withStep(start, delta)
    }
    if (chunk.type.endsWith('-start')) {
      open.add(id)
      return this.#withStep({ ...start, ...metadataOf(chunk) })
    }
    return open.delete(id) ? [{ type: `${kind}-end`, id, ...metadataOf(chunk) }] : []
  }

  #toolCall(chunk: ChunkOf<'tool-call'>): UIMessageChunk[] {
    this.#calls.set(chunk.toolCallId, chunk)
    return this.#withStep(callChunk(chunk, (text) => this.#toolErrorText(text)))
  }

  /** Whether the client has the call, from this stream or from that of the suspended run that this run resumes. */
  #hasCall({ toolCallId }: { toolCallId: string }): boolean {
    return this.#calls.has(toolCallId) || this.#resumed === true
  }

  /** A denial needs an approval request. If the client has none, one is sent with the denial. */
  #toolAnswer(chunk: ChunkOf<'tool-result' | 'tool-error' | 'tool-denied'>): UIMessageChunk[] {
    if (chunk.type !== 'tool-denied') return [answerChunk(chunk, (text) => this.#toolErrorText(text))]
    const { toolCallId } = chunk
    return denialChunks(chunk, this.#calls.has(toolCallId) ? undefined : this.#approvalIdOf(toolCallId))
  }

  #approvalIdOf(toolCallId: string): string | undefined {
    for (const { content } of this.#run.messageList.get('response')) {
      for (const part of content.parts) {
        if (!isToolPart(part) || part.toolCallId !== toolCallId || !('approval' in part)) continue
        return part.approval?.id === toolCallId ? undefined : part.approval?.id
      }
    }
    return undefined
  }

  #reset(): UIMessageChunk[] {
    this.#open.text.clear()
    this.#open.reasoning.clear()
    this.#stepData = []
    this.#inStep = true
    this.#isEmpty = true
    return [{ type: 'reset-step' }]
  }

  #finishStep(chunk: ChunkOf<'step-finish'>): UIMessageChunk[] {
    this.#inStep = false
    this.#isEmpty = false
    return [{ type: 'finish-step' }, ...this.#metadata(chunk)]
  }

  /**
   * Sends the last step again: only the last step of a message can be reset. Changes of earlier steps are sent as a
   * data part.
   */
  #replace({ messages, fromStep }: ChunkOf<'response-replaced'>): UIMessageChunk[] {
    const answers = messages.filter(({ role }) => role === 'assistant')
    // After a discarded step, the client's last step is empty, and the changed ones are before it.
    const isEarlier = fromStep !== undefined || this.#isEmpty
    const last = this.#isEmpty ? [] : this.#sendAgain(partsOfLastStep(answers))
    const parts = answers.flatMap(({ content }) => content.parts)
    return isEarlier ? [...last, dataPart('response-replaced', { parts })] : last
  }

  #sendAgain(parts: readonly MessagePart[]): UIMessageChunk[] {
    const { sendReasoning = true, sendSources = true } = this.#options
    const data = this.#stepData
    const out = [...this.#reset(), ...data]
    for (const [index, part] of parts.entries()) {
      if (!sendReasoning && part.type.startsWith('reasoning')) continue
      if (!sendSources && part.type.startsWith('source-')) continue
      if (isToolPart(part)) this.#calls.set(part.toolCallId, part)
      out.push(...partChunks(part, { index, toolErrorText: (text) => this.#toolErrorText(text) }))
    }
    this.#stepData = data
    this.#isEmpty = false
    return out
  }

  #suspended(chunk: ChunkOf<'suspended'>): UIMessageChunk[] {
    const calls = answerableCalls(chunk)
    const asked = calls.flatMap((call): UIMessageChunk[] => {
      if (!this.#hasCall(call)) return []
      const request = approvalRequest(chunk.runId, call)
      return [...this.#shownAgain(call), ...(request ? [request] : [])]
    })
    return [...asked, suspendedPart(chunk), ...this.#finish(chunk, calls.length > 0 ? 'tool-calls' : 'other')]
  }

  /** The call with the input that is executed, if the client may have another: that of the model, or an earlier one. */
  #shownAgain({ toolCallId, input }: WaitingCall): UIMessageChunk[] {
    const sent = this.#calls.get(toolCallId)
    if (sent && isSame(sent.input, input)) return []
    for (const { content } of this.#run.messageList.get('response')) {
      const part = content.parts.find((one) => isToolPart(one) && one.toolCallId === toolCallId)
      if (!part || !isToolPart(part)) continue
      const toolName = toolNameOf(part)
      const dynamic = part.type === 'dynamic-tool' ? true : undefined
      return [
        {
          type: 'tool-input-available',
          toolCallId,
          toolName,
          input,
          ...defined({ title: part.title, dynamic }),
        },
      ]
    }
    return []
  }

  #data({ type, id, data, transient }: Extract<Chunk, { type: `data-${string}` }>): UIMessageChunk[] {
    const part: UIDataChunk = { type, data, ...defined({ id, transient }) }
    if (!transient) this.#stepData.push(part)
    return [part]
  }

  #toolErrorText(text: string): string {
    return this.#options.redactToolErrors ? this.#errorText(text) : text
  }

  #errorText(error: unknown): string {
    return this.#options.onError?.(error) ?? 'An error occurred.'
  }
}

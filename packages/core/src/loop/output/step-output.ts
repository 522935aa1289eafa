import { isToolPart, type MessagePart, reasoningOfParts, textOfParts } from '../../messages/message.ts'
import type { Chunk } from '../../results/chunk.ts'
import type { Run } from '../../run/run.ts'
import type { DiscardOptions, OpenOutput } from '../../run/run-observer.ts'
import type { Step } from '../../run/step.ts'
import { isThenable } from '../../schema.ts'
import { hookKit } from '../hooks-on-demand.ts'
import type { ChunkHooks, Passed } from './chunk-hooks.ts'
import type { PartialObject } from './partial-object.ts'
import { ResponseWriter } from './response-writer.ts'

/**
 * The way of a step's chunks: through the stream hooks, into the transcript, out to the reader. What the hooks leave
 * out reaches neither. Until the step is released, some or all chunks are held: with `emit: 'step'` all of them, and
 * calls wherever `processOutputStep` may still change them.
 */
export class StepOutput implements OpenOutput {
  readonly #run: Run
  readonly #step: Step
  readonly #hooks: ChunkHooks | undefined
  readonly #writer: ResponseWriter
  /** The ends of parts that have begun, as the model sends them and as the hooks let them out. */
  readonly #openParts = new Map<string, Chunk>()
  readonly #openInOutput = new Map<string, Chunk>()
  #object: PartialObject | undefined
  /** What the model has said of a structured answer, before the hooks. Never stored. */
  #said = ''
  readonly #holds: 'all' | 'calls' | 'nothing'
  #hasResponse = false
  #retracted: readonly MessagePart[] = []
  /** What the next enqueued chunk has to wait for, since the first that did not pass at once. */
  #tail: Promise<void> | undefined

  constructor(run: Run, step: Step) {
    const { processOutputStream, processOutputStep } = run.pipeline
    this.#run = run
    this.#step = step
    this.#hooks = processOutputStream
      ? hookKit().ChunkHooks.forStream(run, processOutputStream, step.number)
      : undefined
    if (this.#hooks) step.review()
    this.#writer = new ResponseWriter(run, step)
    this.#holds = run.settings.emit === 'step' ? 'all' : processOutputStep ? 'calls' : 'nothing'
  }

  start({ structured }: { structured: boolean }): Promise<void> | undefined {
    return structured ? this.#readObject().then(() => this.#begin()) : this.#begin()
  }

  /** Takes a chunk in. Returns a promise only where a hook or the reader must be waited for. */
  push(chunk: Chunk): Promise<void> | undefined {
    // Nearly all chunks are these, and need no other work.
    const isText = chunk.type === 'text-delta' && this.#object === undefined
    if (!isText) this.#notice(chunk)
    const passed = this.#hooks === undefined ? chunk : this.#hooks.pass(chunk)
    if (isText && passed !== undefined && 'type' in passed && passed.type === 'text-delta') {
      this.#run.throwIfOver()
      this.#writer.append(passed)
      return this.#emit(passed)
    }
    if (isThenable(passed)) return passed.then((settled) => this.#takeAll(settled))
    return this.#takeAll(passed)
  }

  /** Keeps in mind what the model has begun, and what it has said of a structured answer. */
  #notice(chunk: Chunk): void {
    trackParts(this.#openParts, chunk)
    if (this.#object !== undefined && chunk.type === 'text-delta') this.#said += chunk.textDelta
  }

  /** As {@link push}, for writers that do not wait for each other: tools that run side by side. */
  enqueue(chunk: Chunk): Promise<void> | undefined {
    if (this.#tail) this.#tail = this.#tail.then(() => this.push(chunk))
    else {
      try {
        this.#tail = this.push(chunk)
      } catch (error) {
        // What comes after a chunk that failed does not get past it.
        this.#tail = Promise.reject(error)
      }
    }
    return this.#tail
  }

  /**
   * The model's response is complete, or broke off. Ends the parts it left open and tells the hooks, so that what they hold
   * back comes out.
   */
  endResponse(): Promise<void> | undefined {
    this.#hasResponse = true
    const closed = this.#openParts.size > 0 ? this.#pushEach([...this.#openParts.values()]) : undefined
    const ended = closed ? closed.then(() => this.#pushEnd()) : this.#pushEnd()
    if (ended) return ended.then(() => this.#closeOutput())
    return this.#closeOutput()
  }

  #pushEnd(): Promise<void> | undefined {
    return this.#hooks && this.push({ type: 'response-end', stepNumber: this.#step.number })
  }

  /** Ends what a hook held back and never returned the end of. */
  #closeOutput(): Promise<void> | undefined {
    if (this.#openInOutput.size > 0)
      return this.#takeEach([...this.#openInOutput.values()]).then(() => this.#endParts())
    this.#endParts()
    return undefined
  }

  /** All parts are complete, including those whose start or end was never sent. */
  #endParts(): void {
    for (const part of this.parts) if ('state' in part && part.state === 'streaming') part.state = 'done'
  }

  /** A structured answer as the model gave it; empty where it was given before the run was suspended. */
  get said(): string {
    return this.#said
  }

  /** The model's response came by way of this output, and not from a stored run. */
  get hasResponse(): boolean {
    return this.#hasResponse
  }

  /** The parts of the step, as they stand in the transcript now. */
  get parts(): MessagePart[] {
    return this.#writer.parts
  }

  replaceParts(parts: readonly MessagePart[]): void {
    this.#writer.replaceParts(parts)
  }

  get retracted(): readonly MessagePart[] {
    return this.#retracted
  }

  /** Emits what was held, as the hooks have left it in the transcript. From now on nothing is held. */
  release(): Promise<void> | undefined {
    const { held, emitted } = this.#step.state
    if (held === null) return undefined
    this.#step.state.held = null
    return held.length === 0 && emitted ? undefined : this.#flush(held)
  }

  async #flush(held: readonly Chunk[]): Promise<void> {
    const { currentCalls, currentText } = await import('./held-chunks.ts')
    const current = currentCalls(held, this.#step.state.toolCalls)
    // A run may be resumed with another `emit` than it was suspended with: what counts is what has gone out.
    const heldAll = !this.#step.state.emitted
    for (const chunk of heldAll ? currentText(current, this.parts) : current) await this.#emit(chunk)
    if (heldAll) this.#step.state.streamedText = this.#step.state.text
  }

  /** Writes an answer in the model's place, at the end of the step. */
  async answer(text: string): Promise<void> {
    if (text === '') return
    const { proseChunks } = await import('./held-chunks.ts')
    await this.#pushEach(proseChunks({ type: 'text', text }, 'answer'))
    await this.endResponse()
    this.readBack()
    this.#step.state.streamedText = this.#step.state.text
  }

  /** The response is complete and its calls are answered. */
  finish(): Promise<void> | undefined {
    if (this.#step.state.finished) return undefined
    this.#step.state.finished = true
    return this.push(this.#step.finishChunk)
  }

  /** Takes the run's last chunk through the hooks. It stays here until {@link end}; what the hooks add goes out. */
  close(finish: Chunk): Promise<void> | undefined {
    return this.#step.state.lastChunk === undefined ? this.push(finish) : undefined
  }

  /** Emits what is still held, reports where the result differs from what was streamed, and ends the stream. */
  async end(): Promise<void> {
    const { steps, messageList } = this.#run
    await this.release()
    if (steps.some(({ state }) => state.text !== state.streamedText)) {
      await this.#run.emit({
        type: 'response-replaced',
        messages: messageList.get('response'),
        text: this.#step.state.text,
      })
    }
    if (this.#step.state.lastChunk) await this.#run.emit(this.#step.state.lastChunk)
  }

  /**
   * The step as far as it went when the run was aborted from outside, or failed: what had been emitted stays, open parts are
   * closed. `undefined` where nothing had been emitted.
   */
  settle(): Step | undefined {
    if (!this.#step.state.emitted) {
      this.#writer.discard()
      return undefined
    }
    this.#endParts()
    this.readBack()
    this.#step.finish()
    return this.#step
  }

  /** Brings the step's text and calls in line with the transcript, which hooks may have changed. */
  readBack(): void {
    const { parts } = this
    const step = this.#step
    step.state.text = textOfParts(parts)
    step.state.reasoningText = reasoningOfParts(parts)
    if (step.state.toolCalls.length === 0) return
    const byId = new Map(parts.filter(isToolPart).map((part) => [part.toolCallId, part]))
    step.state.toolCalls = step.state.toolCalls.flatMap((call) => {
      const part = byId.get(call.toolCallId)
      if (!part) return []
      if (part.input === call.input) return [call]
      const { inputError: _, ...rest } = call
      return [{ ...rest, input: part.input }]
    })
  }

  /** Takes the step out of the transcript. The reader is told by {@link discard}, once its fate is known. */
  retract(): void {
    if (this.#step.state.emitted) this.#retracted = this.parts
    this.#writer.discard()
  }

  /** Takes the step back: out of the transcript, and, if anything of it was emitted, from the reader. */
  async discard({ retry, reason, processorId }: DiscardOptions): Promise<void> {
    this.#writer.discard()
    if (!this.#step.state.emitted) return
    await this.#run.emit({
      type: 'step-discarded',
      stepNumber: this.#step.number,
      retry,
      ...(reason !== undefined && { reason }),
      ...(processorId !== undefined && { processorId }),
    })
  }

  async #readObject(): Promise<void> {
    this.#object = new (await import('./partial-object.ts')).PartialObject()
  }

  #begin(): Promise<void> | undefined {
    if (this.#step.state.started) return undefined
    this.#step.state.started = true
    return this.push({ type: 'step-start', stepNumber: this.#step.number })
  }

  async #pushEach(chunks: readonly Chunk[]): Promise<void> {
    for (const chunk of chunks) await this.push(chunk)
  }

  #takeAll(passed: Passed): Promise<void> | undefined {
    this.#run.throwIfOver()
    if (passed === undefined) return undefined
    if (!Array.isArray(passed)) return this.#take(passed as Chunk)
    return this.#takeEach(passed)
  }

  async #takeEach(chunks: readonly Chunk[]): Promise<void> {
    for (const chunk of chunks) await this.#take(chunk)
  }

  #take(chunk: Chunk): Promise<void> | undefined {
    this.#writer.write(chunk)
    trackParts(this.#openInOutput, chunk)
    this.#record(chunk)
    const full = this.#emit(chunk)
    if (this.#object === undefined || chunk.type !== 'text-delta') return full
    const object = this.#object.append(chunk.textDelta)
    if (object === undefined) return full
    return full
      ? full.then(() => this.push({ type: 'object-delta', object }))
      : this.push({ type: 'object-delta', object })
  }

  #record(chunk: Chunk): void {
    switch (chunk.type) {
      case 'step-finish':
        this.#step.state.providerMetadata = chunk.providerMetadata
        return
      case 'tool-call': {
        const { type: _, title: __, toolMetadata: ___, ...call } = chunk
        this.#step.state.toolCalls.push(call)
        return
      }
      case 'tool-result': {
        if (chunk.preliminary) return
        const { type: _, preliminary: __, ...result } = chunk
        this.#step.state.toolResults.push({ ...result, status: 'success' })
        return
      }
      case 'tool-error': {
        const { type: _, ...result } = chunk
        this.#step.state.toolResults.push({ ...result, status: 'error' })
        return
      }
      case 'tool-denied': {
        const { type: _, ...result } = chunk
        this.#step.state.toolResults.push({ ...result, status: 'denied' })
        return
      }
    }
  }

  #emit(chunk: Chunk): Promise<void> | undefined {
    if (chunk.type === 'response-end') return undefined
    if (chunk.type === 'finish') {
      this.#step.state.lastChunk = chunk
      return undefined
    }
    const { held } = this.#step.state
    if (held !== null && this.#holdsBack(chunk)) {
      held.push(chunk)
      return undefined
    }
    this.#step.state.emitted = true
    return this.#run.emit(chunk)
  }

  #holdsBack(chunk: Chunk): boolean {
    // Behind a chunk that is held all are, so that none gets before it, also in a run that is resumed with another `emit`.
    if (this.#step.state.held?.length) return true
    if (this.#holds !== 'calls') return this.#holds === 'all'
    return (chunk.type === 'tool-call' || chunk.type === 'tool-input-start') && !chunk.providerExecuted
  }
}

/** Tracks which parts have begun, each with the chunk that ends it. */
function trackParts(open: Map<string, Chunk>, chunk: Chunk): void {
  switch (chunk.type) {
    case 'text-start':
      open.set(`text ${chunk.id}`, { type: 'text-end', id: chunk.id })
      return
    case 'reasoning-start':
      open.set(`reasoning ${chunk.id}`, { type: 'reasoning-end', id: chunk.id })
      return
    case 'text-end':
      open.delete(`text ${chunk.id}`)
      return
    case 'reasoning-end':
      open.delete(`reasoning ${chunk.id}`)
      return
  }
}

import { isToolPart, type MessagePart, reasoningOfParts, textOfParts } from '../../messages/message.ts'
import type { StructuredOutputOptions } from '../../model/model-request.ts'
import type { Chunk } from '../../results/chunk.ts'
import type { Run } from '../../run/run.ts'
import type { DiscardOptions, OpenOutput, WatchOptions } from '../../run/run-observer.ts'
import type { Step } from '../../run/step.ts'
import { isThenable, toJsonSchema } from '../../schema.ts'
import { hookKit } from '../hooks-on-demand.ts'
import type { ChunkHooks, HookOutput } from './chunk-hooks.ts'
import type { PartialObject } from './partial-object.ts'
import { ResponseWriter } from './response-writer.ts'
import type { ShownAnswer } from './shown-answer.ts'

/**
 * The output of a step. Each chunk passes the stream hooks, is written into the transcript, and is emitted to the
 * reader. A chunk that a hook drops is neither written nor emitted. Chunks are held until the step is released: all
 * chunks with `emit: 'step'`, or tool calls if `processOutputStep` may still change them.
 */
export class StepOutput implements OpenOutput {
  readonly #run: Run
  readonly #step: Step
  readonly #hooks: ChunkHooks | undefined
  readonly #writer: ResponseWriter
  /** The end chunks of open parts: before the hooks (input), and after them (output). */
  readonly #openParts = new Map<string, Chunk>()
  readonly #openInOutput = new Map<string, Chunk>()
  #object: PartialObject | undefined
  /** Set while processors may change what was emitted. */
  #shown: ShownAnswer | undefined
  /** The text of a structured answer before the hooks. Never stored. */
  #rawText = ''
  readonly #holds: 'all' | 'calls' | 'nothing'
  #hasResponse = false
  #retracted: readonly MessagePart[] = []
  /** Resolves when the enqueued chunks are processed; set once a chunk could not be processed synchronously. */
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

  start(structured?: StructuredOutputOptions): Promise<void> | undefined {
    return structured ? this.#readObject(structured).then(() => this.#begin()) : this.#begin()
  }

  /** Processes a chunk. Returns a promise only if a hook or the reader must be waited for. */
  push(chunk: Chunk): Promise<void> | undefined {
    // The fast path: nearly all chunks are text deltas.
    const isText = chunk.type === 'text-delta' && this.#object === undefined
    if (!isText) this.#track(chunk)
    const passed = this.#hooks === undefined ? chunk : this.#hooks.pass(chunk)
    if (isText && (passed as Chunk | undefined)?.type === 'text-delta') {
      this.#run.throwIfOver()
      const delta = passed as TextDelta
      this.#writer.append(delta)
      return this.#release(delta)
    }
    if (isThenable(passed)) return passed.then((settled) => this.#takeAll(settled))
    return this.#takeAll(passed)
  }

  /** Tracks open parts, and collects the text of a structured answer. */
  #track(chunk: Chunk): void {
    trackParts(this.#openParts, chunk)
    if (this.#object !== undefined && chunk.type === 'text-delta') this.#rawText += chunk.textDelta
  }

  /** As {@link push}, for concurrent writers, such as tools that run in parallel. */
  enqueue(chunk: Chunk): Promise<void> | undefined {
    if (this.#tail) this.#tail = this.#tail.then(() => this.push(chunk))
    else {
      try {
        this.#tail = this.push(chunk)
      } catch (error) {
        // Later chunks fail too.
        this.#tail = Promise.reject(error)
      }
    }
    return this.#tail
  }

  /**
   * Call when the model's response is complete or was interrupted. Closes open parts, and sends `response-end` to the
   * hooks so that they flush what they hold back.
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

  /** Closes parts whose end a hook held back and did not return. */
  #closeOutput(): Promise<void> | undefined {
    if (this.#openInOutput.size > 0)
      return this.#takeEach([...this.#openInOutput.values()]).then(() => this.#endParts())
    this.#endParts()
    return undefined
  }

  /** Marks all parts as done, also those without a start or end chunk. */
  #endParts(): void {
    for (const part of this.parts) if ('state' in part && part.state === 'streaming') part.state = 'done'
  }

  /** The model's structured answer before the hooks. Empty if it was received before the run was suspended. */
  get rawText(): string {
    return this.#rawText
  }

  /** Whether the response was received through this output. `false` if it was restored from a stored run. */
  get hasResponse(): boolean {
    return this.#hasResponse
  }

  /** The current parts of the step in the transcript. */
  get parts(): MessagePart[] {
    return this.#writer.parts
  }

  replaceParts(parts: readonly MessagePart[]): void {
    this.#writer.replaceParts(parts)
  }

  get retracted(): readonly MessagePart[] {
    return this.#retracted
  }

  watch(options?: WatchOptions): void {
    this.#shown ??= new (hookKit().ShownAnswer)(this.#run)
    this.#shown.watch(options)
  }

  tell(): Promise<void> | undefined {
    return this.#shown?.tell()
  }

  /** {@link tell}s readers, emits the held chunks, updated to the transcript, and stops holding chunks. */
  release(): Promise<void> | undefined {
    const told = this.tell()
    const { held, emitted } = this.#step.state
    this.#step.state.held = null
    if (held === null || (held.length === 0 && emitted)) return told
    return told ? told.then(() => this.#flush(held)) : this.#flush(held)
  }

  async #flush(held: readonly Chunk[]): Promise<void> {
    const { currentCalls, currentText } = await import('./held-chunks.ts')
    const current = currentCalls(held, this.#step.state.toolCalls)
    // A run may be resumed with another `emit` than before, so this checks whether anything was emitted.
    const heldAll = !this.#step.state.emitted
    for (const chunk of heldAll ? currentText(current, this.parts) : current) await this.#emit(chunk)
  }

  /** Writes a processor's answer in the model's place, at the end of the step. */
  async answer(text: string): Promise<void> {
    if (text === '') return
    const { proseChunks } = await import('./held-chunks.ts')
    await this.#pushEach(proseChunks({ type: 'text', text }, 'answer'))
    await this.endResponse()
    this.readBack()
  }

  /** Ends the step. Call when the response is complete and its calls are answered. */
  finish(): Promise<void> | undefined {
    if (this.#step.state.finished) return undefined
    this.#step.state.finished = true
    return this.push(this.#step.finishChunk)
  }

  /**
   * Passes the run's last chunk through the hooks. It is stored until {@link end}; chunks that hooks add are emitted.
   */
  close(finish: Chunk): Promise<void> | undefined {
    return this.#step.state.lastChunk === undefined ? this.push(finish) : undefined
  }

  /** Emits the held chunks and the last chunk. */
  async end(): Promise<void> {
    await this.release()
    if (this.#step.state.lastChunk) await this.#run.emit(this.#step.state.lastChunk)
  }

  /**
   * Closes a step of a run that was aborted from outside or has failed: keeps what was emitted and closes open parts.
   * Returns `undefined` if nothing was emitted.
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

  /** Reads the step's text and calls back from the transcript, which hooks may have edited. */
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

  /**
   * Removes the step from the transcript. {@link discard} informs the reader later, when it is known whether the step
   * is retried.
   */
  retract(): void {
    if (this.#step.state.emitted) this.#retracted = this.parts
    this.#writer.discard()
  }

  /**
   * Removes the step from the transcript and, if any chunk of it was emitted, emits `step-discarded`. Calls that were
   * executed stay in the transcript.
   */
  async discard({ retry, reason, processorId }: DiscardOptions): Promise<void> {
    this.#shown?.compare()
    if (this.#step.state.toolsRan) {
      // Loaded on demand: few runs end in the middle of their calls.
      const { leaveCalls } = await import('../tools/known-outcomes.ts')
      leaveCalls(this.#run, this.#step)
    } else this.#writer.discard()
    if (this.#step.state.emitted) {
      await this.#run.emit({
        type: 'step-discarded',
        stepNumber: this.#step.number,
        retry,
        ...(reason !== undefined && { reason }),
        ...(processorId !== undefined && { processorId }),
      })
    }
    await this.tell()
  }

  async #readObject({ schema }: StructuredOutputOptions): Promise<void> {
    const { type } = await toJsonSchema(schema)
    this.#object = new (await import('./partial-object.ts')).PartialObject(type)
  }

  #begin(): Promise<void> | undefined {
    if (this.#step.state.started) return undefined
    this.#step.state.started = true
    return this.push({ type: 'step-start', stepNumber: this.#step.number })
  }

  async #pushEach(chunks: readonly Chunk[]): Promise<void> {
    for (const chunk of chunks) await this.push(chunk)
  }

  #takeAll(passed: HookOutput): Promise<void> | undefined {
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
    return this.#release(chunk)
  }

  /** Emits a chunk, or holds it until the step is released. */
  #release(chunk: Chunk): Promise<void> | undefined {
    const { state } = this.#step
    if (state.held !== null && this.#holdsBack(chunk)) {
      state.held.push(chunk)
      return undefined
    }
    state.emitted = true
    return this.#run.emit(chunk)
  }

  #holdsBack(chunk: Chunk): boolean {
    // Once a chunk is held, all later ones are, so that their order is kept; also in a run that is resumed with
    // another `emit`.
    if (this.#step.state.held?.length) return true
    if (this.#holds !== 'calls') return this.#holds === 'all'
    return (chunk.type === 'tool-call' || chunk.type === 'tool-input-start') && !chunk.providerExecuted
  }
}

type TextDelta = Extract<Chunk, { type: 'text-delta' }>

/** Tracks open parts, each with the chunk that ends it. */
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

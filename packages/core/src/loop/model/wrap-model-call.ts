import { withComputed } from '../../computed-property.ts'
import { hasCode, MillraceError } from '../../errors.ts'
import type { ModelRequest } from '../../model/model-request.ts'
import { type CapturedChunk, captureChunk, isEdited, originalOf } from '../../processors/captured-chunks.ts'
import { ChangeDetector, type ComparedValue } from '../../processors/change-detector.ts'
import { ChunkLedger } from '../../processors/chunk-ledger.ts'
import type { Gate } from '../../processors/gate.ts'
import type { HookRecord } from '../../processors/hook-record.ts'
import { invalidResult } from '../../processors/invalid-result.ts'
import type { ProcessorWith } from '../../processors/pipeline.ts'
import { checkChunk, checkRequest } from '../../processors/result-check.ts'
import type { Chunk } from '../../results/chunk.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { stepsFor } from '../../run/step-views.ts'
import { isSignal, Suspend } from '../../signals.ts'
import type { ChunkSource } from './chunk-source.ts'
import { ModelStream } from './model-stream.ts'
import { ownCopy, settled } from './own-settings.ts'

/** The call inside all wrappers. */
type InnermostCall = (request: ModelRequest) => Promise<ChunkSource>

/**
 * A model call wrapped by the processors' `wrapModelCall`. The first processor is the outermost.
 *
 * @param options.call The innermost call. Default: the request's model is called.
 */
export async function* wrapModelCall(
  run: Run,
  step: Step,
  { request, call }: { request: ModelRequest; call?: (request: ModelRequest) => AsyncIterable<Chunk> },
): AsyncIterable<Chunk> {
  yield* chunksOf(() =>
    openWrapped(run, step, request, call && ((inner) => Promise.resolve(sourceOf(call(inner))))),
  )
}

/**
 * As {@link wrapModelCall}, but returns a source. A processor that returns the result of `next` costs nothing per
 * chunk.
 */
export function openWrapped(
  run: Run,
  step: Step,
  request: ModelRequest,
  call: InnermostCall = (inner) => ModelStream.open(run, step, inner),
): Promise<ChunkSource> {
  const processors = run.pipeline.wrapModelCall ?? []
  step.readRequest(request)
  const own = ownCopy(request)
  // All processors are called again, from the outermost: those around the one that suspended had not returned yet.
  run.resumeIn('wrapModelCall')
  return open(0, own)

  function open(index: number, asked: ModelRequest): Promise<ChunkSource> {
    const processor = processors[index]
    if (!processor) return call(settled(asked, request))
    return openLayer(run, step, { processor, request: asked, next: (inner) => open(index + 1, inner) })
  }
}

/** The chunks of a source that is opened when the first chunk is read. */
async function* chunksOf(open: () => Promise<ChunkSource>): AsyncGenerator<Chunk> {
  const source = await open()
  try {
    while (!source.done) {
      const read = await source.read().catch((cause) => {
        throw source.failure(cause)
      })
      const chunk = source.take(read)
      if (chunk) yield chunk
    }
  } finally {
    source.end()
  }
}

function sourceOf(chunks: AsyncIterable<Chunk>): ChunkSource {
  const iterator = chunks[Symbol.asyncIterator]()
  const source = {
    done: false,
    read: () => iterator.next(),
    take(result: IteratorResult<Chunk>): Chunk | undefined {
      if (result.done) source.done = true
      return result.done ? undefined : result.value
    },
    failure: (cause: unknown) => cause,
    end: () => void iterator.return?.()?.then(undefined, () => {}),
  }
  return source
}

interface Layer {
  processor: ProcessorWith<'wrapModelCall'>
  request: ModelRequest
  next: (request: ModelRequest) => Promise<ChunkSource>
}

/** Calls one processor. If it returns the chunks of `next` unchanged, they are read directly from the inner source. */
async function openLayer(run: Run, step: Step, layer: Layer): Promise<ChunkSource> {
  const { processor, request, next } = layer
  const gate = run.gate(processor)
  const record = gate.record('wrapModelCall', step.number)
  const inside = new InnerCall(record, next, request)
  const { messageList } = run
  const args = {
    ...gate.argsFor(record),
    request,
    next: inside.next,
    suspend: (payload?: unknown) => (inside.calls === 0 ? gate.suspend(payload) : inside.refuseSuspend()),
    messageList,
    stepNumber: step.number,
  }
  const chunks = await guard(gate, record, inside, () =>
    processor.wrapModelCall(withComputed(args, 'steps', () => stepsFor(gate, run.steps))),
  )
  if (chunks === undefined) return next(request)
  if (inside.isPassing(chunks)) {
    if (inside.hasChanged) record.recordAction('changed')
    return next(inside.asked)
  }
  return sourceOf(
    returnedChunks({ gate, record, inside, chunks, ledger: new ChunkLedger(record, run.changes), layer }),
  )
}

/** The chunks that a processor returns in place of those of `next`. */
async function* returnedChunks({
  gate,
  record,
  inside,
  chunks,
  ledger,
  layer: { processor, request, next },
}: {
  gate: Gate
  record: HookRecord
  inside: InnerCall
  chunks: AsyncIterable<Chunk>
  ledger: ChunkLedger
  layer: Layer
}): AsyncGenerator<Chunk> {
  const iterator = iteratorOf(record, chunks)
  let ended = false
  let passed = 0
  try {
    for (;;) {
      const read = await guard(gate, record, inside, () => iterator.next())
      if (read === undefined) {
        // The processor fails and is skipped. That is possible only if none of its chunks was emitted.
        if (passed > 0 || inside.calls > 0)
          throw invalidResult(processor.id, 'wrapModelCall', 'only a part of its chunks')
        yield* chunksOf(() => next(request))
        return
      }
      const { done, value } = readStep(record, read)
      if (done) {
        ended = true
        break
      }
      passed++
      const chunk = inside.isPassedOn(value) ? value : readChunkOf(record, value)
      inside.settle(ledger, chunk)
      yield chunk
    }
  } finally {
    if (!ended) iterator.return?.()?.then(undefined, () => {})
    else inside.end(ledger)
    if (inside.hasChanged || (ended && !inside.ended)) record.recordAction('changed')
  }
}

/**
 * Calls the processor. An error of the model passes through it and stays a model error. A signal or error of an inner
 * processor is final: this processor cannot replace it.
 */
async function guard<T>(
  gate: Gate,
  record: HookRecord,
  inside: InnerCall,
  call: () => T | PromiseLike<T>,
): Promise<T | undefined> {
  const outcome = await gate.call(record, async () => {
    try {
      const value = await call()
      if (inside.misuse) throw inside.misuse
      return inside.decision ?? { value }
    } catch (error) {
      if (inside.decision) return inside.decision
      if (inside.failures.has(error)) return { error }
      if (inside.calls > 0 && Suspend.isInstance(error)) return inside.refuseSuspend()
      throw error
    }
  })
  if (outcome === undefined) return undefined
  if ('error' in outcome) throw outcome.error
  return outcome.value
}

/** The `next` that a processor receives. Counts calls, and records the errors that come from inside. */
class InnerCall {
  readonly failures = new Set<unknown>()
  /**
   * A signal or error of an inner processor. It is not a model error, so the processor cannot fall back to another
   * model.
   */
  decision: { error: unknown } | undefined
  misuse: Error | undefined
  calls = 0
  /** Whether all inner chunks were read. */
  ended = false
  /** The inner chunks that were read since the processor last yielded one, each with its text at that time. */
  readonly #captured: CapturedChunk[] = []
  readonly #record: HookRecord
  readonly #request: ChangeDetector
  /** The request that the processor passed to `next` last. */
  asked: ModelRequest
  #isOther = false
  readonly #next: Layer['next']
  /** The chunks that `next` returned last, until they are read. */
  #unread: AsyncIterable<Chunk> | undefined
  #isPassed = false

  constructor(record: HookRecord, next: Layer['next'], request: ModelRequest) {
    this.#record = record
    this.#next = next
    this.asked = request
    this.#request = new ChangeDetector(() => comparedIn(this.asked))
    this.#request.capture()
  }

  readonly next = (request: ModelRequest): AsyncIterable<Chunk> => {
    this.calls++
    const asked = request === this.asked ? request : this.#read(request)
    this.asked = asked
    if (this.#request.changed) this.#isOther = true
    this.#unread = this.#observe(chunksOf(() => this.#next(asked)))
    return this.#unread
  }

  /** Validates a request of the processor. An invalid one fails the run, even if the processor catches the error. */
  #read(request: unknown): ModelRequest {
    try {
      return checkRequest(this.#record, request, this.asked.prompt)
    } catch (error) {
      this.decision ??= { error }
      throw error
    }
  }

  /** Whether the processor has changed the request, or did not call `next` exactly once. */
  get hasChanged(): boolean {
    return this.calls !== 1 || this.#isOther
  }

  /**
   * Whether these are the unread chunks of the only `next` call. If so, the loop reads them from now on; other
   * readers get nothing.
   */
  isPassing(chunks: AsyncIterable<Chunk>): boolean {
    if (this.calls !== 1 || this.#unread !== chunks) return false
    this.#isPassed = true
    return true
  }

  /** Whether this is the last inner chunk, unchanged. */
  isPassedOn(chunk: unknown): chunk is Chunk {
    const last = this.#captured.at(-1)
    return last !== undefined && last.chunk === chunk && !isEdited(last)
  }

  /** Records that the processor yielded a chunk. Unchanged chunks are not recorded. */
  settle(ledger: ChunkLedger, chunk: Chunk): void {
    const captured = this.#captured
    const [only] = captured
    if (captured.length !== 1 || ledger.holds || only?.chunk !== chunk || isEdited(only)) {
      ledger.exchange(captured.map(originalOf), [chunk])
    }
    captured.length = 0
  }

  /** Records that the processor yields no more chunks. */
  end(ledger: ChunkLedger): void {
    ledger.exchange(this.#captured.splice(0).map(originalOf), [])
    ledger.close()
  }

  refuseSuspend(): never {
    this.misuse ??= new Error('Call suspend() before next().')
    throw this.misuse
  }

  async *#observe(inner: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
    if (this.#isPassed) return
    this.#unread = undefined
    try {
      for await (const chunk of inner) {
        this.#captured.push(captureChunk(chunk))
        yield chunk
      }
      this.ended = true
    } catch (error) {
      this.failures.add(error)
      if (isDecision(error)) this.decision ??= { error }
      throw error
    }
  }
}

/** The fields of a request that a processor may edit or replace. Messages of the prompt are compared by identity. */
function comparedIn({ model, prompt, tools, structuredOutput, ...settings }: ModelRequest): ComparedValue {
  return { data: settings, refs: [model, structuredOutput, ...prompt, ...Object.entries(tools).flat()] }
}

/** The iterator of the chunks that a processor returned. */
function iteratorOf(record: HookRecord, chunks: AsyncIterable<Chunk>): AsyncIterator<unknown> {
  return orInvalidResult(record, () => {
    const iterator = chunks[Symbol.asyncIterator]()
    if (typeof iterator.next === 'function') return iterator
    throw new TypeError('The iterator has no method next().')
  })
}

function readStep(record: HookRecord, read: IteratorResult<unknown>): { done: boolean; value: unknown } {
  return orInvalidResult(record, () => {
    const { done, value } = read
    return { done: done === true, value }
  })
}

function readChunkOf(record: HookRecord, chunk: unknown): Chunk {
  return orInvalidResult(record, () => checkChunk(record, chunk))
}

function orInvalidResult<T>(record: HookRecord, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    record.recordAction('failed')
    if (MillraceError.isInstance(cause)) throw cause
    throw invalidResult(
      record.processorId,
      'wrapModelCall',
      'something that is not an async iterable of chunks',
      'It may return nothing, or an async iterable of chunks: those of next(request), or others.',
    )
  }
}

function isDecision(error: unknown): boolean {
  return isSignal(error) || hasCode(error, 'PROCESSOR_')
}

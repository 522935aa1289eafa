import { MillraceError } from '../../errors.ts'
import type { ModelRequest } from '../../model/model-request.ts'
import { ChunkLedger } from '../../processors/chunk-ledger.ts'
import type { Gate } from '../../processors/gate.ts'
import { type GivenChunk, isEdited, originalOf, takeNotice } from '../../processors/given-chunks.ts'
import type { HookRecord } from '../../processors/hook-record.ts'
import { invalidResult } from '../../processors/invalid-result.ts'
import type { ProcessorWith } from '../../processors/pipeline.ts'
import { checkChunk, checkRequest } from '../../processors/result-check.ts'
import { Look, type LookedAt } from '../../processors/snapshot-of.ts'
import type { Chunk } from '../../results/chunk.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { stepsFor } from '../../run/step-views.ts'
import { isSignal, Suspend } from '../../signals.ts'
import type { ChunkSource } from './chunk-source.ts'
import { ModelStream } from './model-stream.ts'
import { ownCopy, settled } from './own-settings.ts'

/**
 * A model call with the processors' `wrapModelCall` around it, the first outermost.
 *
 * @param options.call Makes the call. Default: the request's model does
 */
export function wrapModelCall(
  run: Run,
  step: Step,
  {
    request,
    call = (inner) => callProvider(run, step, inner),
  }: { request: ModelRequest; call?: (request: ModelRequest) => AsyncIterable<Chunk> },
): AsyncIterable<Chunk> {
  const processors = run.pipeline.wrapModelCall ?? []
  step.readRequest(request)
  const own = ownCopy(request)
  // All are called again, the outermost first: the calls around the one that suspended had not returned yet.
  run.resumeIn('wrapModelCall')
  return layer(0)(own)

  function layer(index: number): (request: ModelRequest) => AsyncIterable<Chunk> {
    const processor = processors[index]
    if (!processor) return (inner) => call(settled(inner, request))
    return (inner) => wrap(run, step, { processor, request: inner, next: layer(index + 1) })
  }
}

/** {@link wrapModelCall}, to be read chunk by chunk. */
export function openWrapped(run: Run, step: Step, request: ModelRequest): ChunkSource {
  const iterator = wrapModelCall(run, step, { request })[Symbol.asyncIterator]()
  let done = false
  return {
    get done() {
      return done
    },
    read: () => iterator.next(),
    take(result: IteratorResult<Chunk>) {
      if (result.done) done = true
      return result.done ? undefined : result.value
    },
    failure: (cause) => cause,
    end: () => void iterator.return?.()?.then(undefined, () => {}),
  }
}

async function* callProvider(run: Run, step: Step, request: ModelRequest): AsyncIterable<Chunk> {
  const stream = await ModelStream.open(run, step, request)
  try {
    while (!stream.done) {
      const read = await stream.read().catch((cause) => {
        throw stream.failure(cause)
      })
      const chunk = stream.take(read)
      if (chunk) yield chunk
    }
  } finally {
    stream.end()
  }
}

async function* wrap(
  run: Run,
  step: Step,
  layer: {
    processor: ProcessorWith<'wrapModelCall'>
    request: ModelRequest
    next: (request: ModelRequest) => AsyncIterable<Chunk>
  },
): AsyncIterable<Chunk> {
  const { processor, request } = layer
  const gate = run.gate(processor)
  const record = gate.record('wrapModelCall', step.number)
  const inside = new Inside(record, layer.next, request)
  const ledger = new ChunkLedger(record, run.changes)
  const { messageList } = run
  const chunks = await guard(gate, record, inside, () =>
    processor.wrapModelCall({
      ...gate.argsFor(record),
      request,
      next: inside.next,
      suspend: (payload) => (inside.calls === 0 ? gate.suspend(payload) : inside.refuseSuspend()),
      messageList,
      stepNumber: step.number,
      get steps() {
        return stepsFor(gate, run.steps)
      },
    }),
  )
  if (chunks === undefined) {
    yield* layer.next(request)
    return
  }
  const iterator = iteratorOf(record, chunks)
  let ended = false
  let passed = 0
  try {
    for (;;) {
      const read = await guard(gate, record, inside, () => iterator.next())
      if (read === undefined) {
        // The processor is skipped: possible only as long as nothing of its answer has gone out.
        if (passed > 0 || inside.calls > 0)
          throw invalidResult(processor.id, 'wrapModelCall', 'only a part of its chunks')
        yield* layer.next(request)
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
 * Calls into the processor. The model's own errors go through it and stay the model's. What a processor further in has
 * decided stands, whatever this one makes of it.
 */
async function guard<T>(
  gate: Gate,
  record: HookRecord,
  inside: Inside,
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

/** `next` as a processor gets it: counts its calls, and knows the errors that come from further in. */
class Inside {
  readonly failures = new Set<unknown>()
  /** A signal or fault of a processor further in: no fault of the model, so there is no falling back on another. */
  decision: { error: unknown } | undefined
  misuse: Error | undefined
  calls = 0
  /** It has given all it has. */
  ended = false
  /** What it has given since the processor gave something last, each with its text. */
  readonly #given: GivenChunk[] = []
  readonly #record: HookRecord
  readonly #request: Look
  #asked: ModelRequest
  #isOther = false
  readonly #next: (request: ModelRequest) => AsyncIterable<Chunk>

  constructor(
    record: HookRecord,
    next: (request: ModelRequest) => AsyncIterable<Chunk>,
    request: ModelRequest,
  ) {
    this.#record = record
    this.#next = next
    this.#asked = request
    this.#request = new Look(() => lookAt(this.#asked))
    this.#request.see()
  }

  readonly next = (request: ModelRequest): AsyncIterable<Chunk> => {
    this.calls++
    this.#asked = request === this.#asked ? request : this.#read(request)
    if (this.#request.changed) this.#isOther = true
    return this.#observe(this.#next(this.#asked))
  }

  /** A request that the processor made. One that is none fails the run, whatever the processor makes of the error. */
  #read(request: unknown): ModelRequest {
    try {
      return checkRequest(this.#record, request, this.#asked.prompt)
    } catch (error) {
      this.decision ??= { error }
      throw error
    }
  }

  /** The processor has asked for something else than it was given, or not once. */
  get hasChanged(): boolean {
    return this.calls !== 1 || this.#isOther
  }

  /** Whether this is the chunk given last, untouched. */
  isPassedOn(chunk: unknown): chunk is Chunk {
    const last = this.#given.at(-1)
    return last !== undefined && last.chunk === chunk && !isEdited(last)
  }

  /** Records that the processor gave a chunk. What passes unchanged is not recorded. */
  settle(ledger: ChunkLedger, chunk: Chunk): void {
    const given = this.#given
    const [only] = given
    if (given.length !== 1 || ledger.holds || only?.chunk !== chunk || isEdited(only)) {
      ledger.exchange(given.map(originalOf), [chunk])
    }
    given.length = 0
  }

  /** The processor has given all it gives. */
  end(ledger: ChunkLedger): void {
    ledger.exchange(this.#given.splice(0).map(originalOf), [])
    ledger.close()
  }

  refuseSuspend(): never {
    this.misuse ??= new Error('suspend() works before next() only.')
    throw this.misuse
  }

  async *#observe(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
    try {
      for await (const chunk of chunks) {
        this.#given.push(takeNotice(chunk))
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

/** What of a request a processor may have exchanged, or edited. Messages of the prompt count by identity. */
function lookAt({ model, prompt, tools, structuredOutput, ...settings }: ModelRequest): LookedAt {
  return { data: settings, refs: [model, structuredOutput, ...prompt, ...Object.entries(tools).flat()] }
}

/** The chunks a processor gives. */
function iteratorOf(record: HookRecord, chunks: AsyncIterable<Chunk>): AsyncIterator<unknown> {
  return orRefuse(record, () => {
    const iterator = chunks[Symbol.asyncIterator]()
    if (typeof iterator.next === 'function') return iterator
    throw new TypeError('An iterator needs the method next().')
  })
}

function readStep(record: HookRecord, read: IteratorResult<unknown>): { done: boolean; value: unknown } {
  return orRefuse(record, () => {
    const { done, value } = read
    return { done: done === true, value }
  })
}

function readChunkOf(record: HookRecord, chunk: unknown): Chunk {
  return orRefuse(record, () => checkChunk(record, chunk))
}

function orRefuse<T>(record: HookRecord, read: () => T): T {
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
  return isSignal(error) || (MillraceError.isInstance(error) && error.code.startsWith('PROCESSOR_'))
}

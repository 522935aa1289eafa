import { MillraceError } from '../errors.ts'
import type { ChunkSource } from '../model/chunk-source.ts'
import { ModelStream } from '../model/model-stream.ts'
import { type ChunkType, isChunk } from '../run/chunk.ts'
import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'
import { isSignal, Suspend } from '../signals.ts'
import type { Gate } from './gate.ts'
import type { HookRecord } from './hook-record.ts'
import type { ModelRequest } from './model-hooks.ts'
import { ownCopy, settled } from './own-settings.ts'
import type { ProcessorWith } from './pipeline.ts'
import { invalidResult } from './result-check.ts'
import { stepsFor } from './step-views.ts'

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
  }: { request: ModelRequest; call?: (request: ModelRequest) => AsyncIterable<ChunkType> },
): AsyncIterable<ChunkType> {
  const processors = run.pipeline.wrapModelCall ?? []
  step.readRequest(request)
  const own = ownCopy(request)
  const resumed = run.resumption?.place.phase === 'wrapModelCall' ? run.resumption.place.processor : undefined
  const data = resumed === undefined ? undefined : run.takeResumeData('wrapModelCall')?.data
  // The onion is entered anew from the outside: the calls around the one that suspended had not come back yet.
  for (const processor of processors) {
    if (run.pipeline.names.get(processor) === resumed) run.gate(processor).resumeData = data
  }
  return layer(0)(own)

  function layer(index: number): (request: ModelRequest) => AsyncIterable<ChunkType> {
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
    take(result: IteratorResult<ChunkType>) {
      if (result.done) done = true
      return result.done ? undefined : result.value
    },
    failure: (cause) => cause,
    end: () => void iterator.return?.()?.then(undefined, () => {}),
  }
}

async function* callProvider(run: Run, step: Step, request: ModelRequest): AsyncIterable<ChunkType> {
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
    next: (request: ModelRequest) => AsyncIterable<ChunkType>
  },
): AsyncIterable<ChunkType> {
  const { processor, request } = layer
  const gate = run.gate(processor)
  const record = gate.record('wrapModelCall', step.number)
  const inside = new Inside(layer.next)
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
  if (typeof chunks?.[Symbol.asyncIterator] !== 'function') {
    throw invalidResult(processor.id, 'wrapModelCall', 'something that is not an async iterable of chunks')
  }
  const iterator = chunks[Symbol.asyncIterator]()
  let ended = false
  let passed = 0
  try {
    for (;;) {
      const step = await guard(gate, record, inside, () => iterator.next())
      if (step === undefined) {
        // The processor is to be skipped: possible only as long as nothing of its answer has gone out.
        if (passed > 0 || inside.calls > 0)
          throw invalidResult(processor.id, 'wrapModelCall', 'only a part of its chunks')
        yield* layer.next(request)
        return
      }
      if (step.done) {
        ended = true
        break
      }
      if (!isChunk(step.value)) {
        throw invalidResult(processor.id, 'wrapModelCall', 'something that is not a chunk')
      }
      passed++
      yield step.value
    }
  } finally {
    if (!ended) iterator.return?.()?.then(undefined, () => {})
    if (inside.calls !== 1) record.note('changed')
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
  readonly #next: (request: ModelRequest) => AsyncIterable<ChunkType>

  constructor(next: (request: ModelRequest) => AsyncIterable<ChunkType>) {
    this.#next = next
  }

  readonly next = (request: ModelRequest): AsyncIterable<ChunkType> => {
    this.calls++
    return this.#note(this.#next(request))
  }

  refuseSuspend(): never {
    this.misuse ??= new Error('suspend() works before next() only.')
    throw this.misuse
  }

  async *#note(chunks: AsyncIterable<ChunkType>): AsyncGenerator<ChunkType> {
    try {
      yield* chunks
    } catch (error) {
      this.failures.add(error)
      if (isDecision(error)) this.decision ??= { error }
      throw error
    }
  }
}

function isDecision(error: unknown): boolean {
  return isSignal(error) || (MillraceError.isInstance(error) && error.code.startsWith('PROCESSOR_'))
}

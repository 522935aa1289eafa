import { type ChunkType, isChunk, isPartMark, isStructural } from '../run/chunk.ts'
import type { Run } from '../run/run.ts'
import { isThenable } from '../schema.ts'
import type { Gate } from './gate.ts'
import type { ChunkWriter } from './hook-arguments.ts'
import type { HookRecord } from './hook-record.ts'
import type { ProcessDeliveryArgs, ProcessOutputStreamArgs } from './output-hooks.ts'
import type { ProcessorWith } from './pipeline.ts'
import { invalidResult } from './result-check.ts'

/** What comes out for one chunk: the chunk or another, several, or nothing. */
export type Passed = ChunkType | readonly ChunkType[] | undefined

/** What a hook may return for a chunk. */
type Returned = unknown

/**
 * The hooks that see every chunk, as one function from chunk to chunks. Where every hook answers at once, so does this:
 * a chunk that passes costs one call per processor and no promise.
 */
export class ChunkHooks {
  readonly #stages: readonly Stage[]
  readonly #seen: ChunkType[] | undefined

  /** @param seen Where all chunks are noted that come in, if anywhere */
  private constructor(stages: readonly Stage[], seen?: ChunkType[]) {
    this.#stages = stages
    this.#seen = seen
  }

  /** `processOutputStream`, for one stream: a step, or one more attempt at it. */
  static forStream(
    run: Run,
    processors: readonly ProcessorWith<'processOutputStream'>[],
    stepNumber: number,
  ): ChunkHooks {
    const streamParts: ChunkType[] = []
    const { messageList } = run
    const stages = processors.map((processor) => {
      const gate = run.gate(processor)
      const record = gate.record('processOutputStream', stepNumber)
      const args: ProcessOutputStreamArgs = {
        ...gate.argsFor(record),
        part: NO_CHUNK,
        streamParts,
        messageList,
        stepNumber,
      }
      return new Stage(gate, record, {
        args,
        hook: () => processor.processOutputStream(args),
        nothingMeans: 'dropped',
      })
    })
    return new ChunkHooks(stages, streamParts)
  }

  /** `processDelivery`, for the chunks of a whole run. */
  static forDelivery(
    run: Run,
    processors: readonly ProcessorWith<'processDelivery'>[],
    writer: ChunkWriter,
  ): ChunkHooks {
    const stages = processors.map((processor) => {
      const gate = run.gate(processor)
      const record = gate.record('processDelivery', undefined)
      const args: ProcessDeliveryArgs & { part: ChunkType } = {
        ...gate.argsFor(record),
        part: NO_CHUNK,
        result: undefined,
        writer,
        get retryCount() {
          return run.retryCount
        },
      }
      return new Stage(gate, record, {
        args,
        hook: () => processor.processDelivery(args),
        nothingMeans: 'unchanged',
      })
    })
    return new ChunkHooks(stages)
  }

  pass(chunk: ChunkType): Passed | Promise<Passed> {
    this.#seen?.push(chunk)
    return this.#passFrom(0, chunk)
  }

  #passFrom(first: number, chunk: ChunkType): Passed | Promise<Passed> {
    let current = chunk
    const stages = this.#stages
    for (let index = first; index < stages.length; index++) {
      const stage = stages[index] as Stage
      const returned = stage.call(current)
      if (returned === current) continue
      if (isThenable(returned)) return this.#goOn(index, current, returned)
      const passed = stage.settle(current, returned)
      if (passed === undefined || isList(passed)) return this.#passAll(index + 1, passed)
      current = passed
    }
    return current
  }

  async #goOn(index: number, chunk: ChunkType, returned: PromiseLike<Returned>): Promise<Passed> {
    const passed = (this.#stages[index] as Stage).settle(chunk, await returned)
    if (passed === undefined || isList(passed)) return this.#passAll(index + 1, passed)
    return this.#passFrom(index + 1, passed)
  }

  /** Passes several chunks on, one after the other: the next waits while a hook waits. */
  #passAll(index: number, chunks: readonly ChunkType[] | undefined): Passed | Promise<Passed> {
    if (chunks === undefined || chunks.length === 0) return undefined
    if (index === this.#stages.length) return chunks
    const out: ChunkType[] = []
    for (const [position, chunk] of chunks.entries()) {
      const passed = this.#passFrom(index, chunk)
      if (isThenable(passed)) return this.#passRest(index, chunks.slice(position + 1), passed, out)
      append(out, passed)
    }
    return out
  }

  async #passRest(
    index: number,
    rest: readonly ChunkType[],
    pending: PromiseLike<Passed>,
    out: ChunkType[],
  ): Promise<Passed> {
    append(out, await pending)
    for (const chunk of rest) append(out, await this.#passFrom(index, chunk))
    return out
  }
}

const NO_CHUNK = { type: 'data-none', data: undefined } as const

interface StageOptions {
  /** The hook's arguments: one object for all chunks, of which only `part` changes. */
  args: { part: ChunkType; retryCount: number }
  hook: () => unknown
  /** What it means when the hook returns nothing. `null` always drops. */
  nothingMeans: 'dropped' | 'unchanged'
}

/** One processor's hook for chunks. */
class Stage {
  readonly #gate: Gate
  readonly #record: HookRecord
  readonly #args: StageOptions['args']
  readonly #hook: () => unknown
  readonly #keepsOnNothing: boolean

  constructor(gate: Gate, record: HookRecord, { args, hook, nothingMeans }: StageOptions) {
    this.#gate = gate
    this.#record = record
    this.#args = args
    this.#hook = hook
    this.#keepsOnNothing = nothingMeans === 'unchanged'
  }

  call(part: ChunkType): Returned {
    this.#args.part = part
    return this.#gate.call(this.#record, this.#hook, part)
  }

  /**
   * What a hook returned, as chunks. A structural chunk that would be dropped stays as it is, but for the mark of a part
   * that a stream hook holds back with an empty list: the hook returns it later.
   */
  settle(part: ChunkType, returned: Returned): Passed {
    if (returned === part || (returned === undefined && this.#keepsOnNothing)) return part
    const chunks = returned === undefined || returned === null ? [] : isList(returned) ? returned : [returned]
    for (const chunk of chunks) {
      if (!isChunk(chunk))
        throw invalidResult(this.#record.processorId, this.#record.hook, 'something that is not a chunk')
    }
    const passed = chunks as readonly ChunkType[]
    if (isStructural(part) && !passed.some(({ type }) => type === part.type)) {
      if (passed.length === 0) {
        return isList(returned) && !this.#keepsOnNothing && isPartMark(part) ? undefined : part
      }
      this.#record.note('changed')
      return part.type.endsWith('-start') ? [part, ...passed] : [...passed, part]
    }
    this.#record.note('changed')
    return passed.length === 1 ? passed[0] : passed
  }
}

function isList(value: unknown): value is readonly ChunkType[] {
  return Array.isArray(value)
}

function append(out: ChunkType[], passed: Passed): void {
  if (isList(passed)) out.push(...passed)
  else if (passed !== undefined) out.push(passed)
}

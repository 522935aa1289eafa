import { type ChunkType, isStructural } from '../run/chunk.ts'
import type { Run } from '../run/run.ts'
import { isThenable } from '../schema.ts'
import type { Gate, HookRecord } from './gate.ts'
import type { ProcessorWith } from './pipeline.ts'
import type { ProcessOutputStreamArgs, ProcessOutputStreamResult } from './processor.ts'
import { invalidResult } from './result-check.ts'

/** What comes out for one chunk: the chunk or another, several, or nothing. */
export type Passed = ChunkType | readonly ChunkType[] | undefined

/**
 * The `processOutputStream` hooks for one stream: a step, or one more attempt at it. A function from chunk to chunks:
 * where every hook answers at once, so does this, and a chunk that passes costs one call per processor and no promise.
 */
export class StreamHooks {
  readonly #stages: readonly Stage[]
  readonly #streamParts: ChunkType[] = []

  constructor(run: Run, processors: readonly ProcessorWith<'processOutputStream'>[], stepNumber: number) {
    const stream = { stepNumber, streamParts: this.#streamParts }
    this.#stages = processors.map((processor) => new Stage(run, processor, stream))
  }

  pass(chunk: ChunkType): Passed | Promise<Passed> {
    this.#streamParts.push(chunk)
    return this.#passFrom(0, chunk)
  }

  #passFrom(first: number, chunk: ChunkType): Passed | Promise<Passed> {
    let current = chunk
    const stages = this.#stages
    for (let index = first; index < stages.length; index++) {
      const stage = stages[index] as Stage
      const result = stage.call(current)
      if (result === current) continue
      if (isThenable(result)) return this.#goOn(index, current, result)
      const passed = stage.settle(current, result as Awaited<ProcessOutputStreamResult>)
      if (passed === undefined || isList(passed)) return this.#passAll(index + 1, passed)
      current = passed
    }
    return current
  }

  async #goOn(
    index: number,
    chunk: ChunkType,
    result: PromiseLike<ProcessOutputStreamResult>,
  ): Promise<Passed> {
    const passed = (this.#stages[index] as Stage).settle(chunk, await result)
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

/** One processor's hook in one stream. Its arguments are one object for the whole stream: only `part` changes. */
class Stage {
  readonly #gate: Gate
  readonly #record: HookRecord
  readonly #args: ProcessOutputStreamArgs
  readonly #hook: () => ReturnType<ProcessorWith<'processOutputStream'>['processOutputStream']>

  constructor(
    run: Run,
    processor: ProcessorWith<'processOutputStream'>,
    stream: Pick<ProcessOutputStreamArgs, 'stepNumber' | 'streamParts'>,
  ) {
    this.#gate = run.gate(processor)
    this.#record = this.#gate.record('processOutputStream', stream.stepNumber)
    const args: ProcessOutputStreamArgs = {
      ...this.#gate.args,
      ...stream,
      part: undefined as never,
      messageList: run.messageList,
    }
    this.#args = args
    this.#hook = () => processor.processOutputStream(args)
  }

  call(part: ChunkType): ProcessOutputStreamResult | Promise<ProcessOutputStreamResult> {
    this.#args.part = part
    return this.#gate.call(this.#record, this.#hook, part)
  }

  /** What a hook returned, as chunks. A structural chunk that would be dropped stays as it is. */
  settle(part: ChunkType, result: Awaited<ProcessOutputStreamResult>): Passed {
    if (result === part) return part
    if (result === undefined || result === null || (isList(result) && result.length === 0)) {
      if (isStructural(part)) return part
      this.#record.note('changed')
      return undefined
    }
    this.#record.note('changed')
    const chunks = isList(result) ? result : [result]
    for (const chunk of chunks) {
      if (typeof chunk?.type !== 'string')
        throw invalidResult(this.#record.processorId, 'processOutputStream', 'something that is not a chunk')
    }
    if (!isStructural(part) || chunks.some(({ type }) => type === part.type)) return result
    return [...chunks, part]
  }
}

function isList(passed: Passed | ProcessOutputStreamResult): passed is readonly ChunkType[] {
  return Array.isArray(passed)
}

function append(out: ChunkType[], passed: Passed): void {
  if (isList(passed)) out.push(...passed)
  else if (passed !== undefined) out.push(passed)
}

import { withComputed } from '../../computed-property.ts'
import { HOOKS } from '../../hook-name.ts'
import {
  type CapturedChunk,
  CapturedChunks,
  captureChunk,
  isEdited,
  originalOf,
} from '../../processors/captured-chunks.ts'
import type { ChangeLog } from '../../processors/change-log.ts'
import { ChunkLedger, placeOf, textIn, textOfPart } from '../../processors/chunk-ledger.ts'
import { actionOf, type Gate } from '../../processors/gate.ts'
import type { ChunkWriter } from '../../processors/hook-arguments.ts'
import type { HookRecord } from '../../processors/hook-record.ts'
import type { ProcessDeliveryArgs, ProcessOutputStreamArgs } from '../../processors/output-hooks.ts'
import type { ProcessorWith } from '../../processors/pipeline.ts'
import { type Chunk, isPartMark, isStructural } from '../../results/chunk.ts'
import type { Run } from '../../run/run.ts'
import { isThenable } from '../../schema.ts'
import { isSignal } from '../../signals.ts'

/** The result of the hooks for one chunk: the chunk or a replacement, several chunks, or nothing. */
export type HookOutput = Chunk | readonly Chunk[] | undefined

/** What a hook returned for a chunk, not yet validated. */
type Returned = unknown

/**
 * The hooks that are called for every chunk, composed into one function from chunk to chunks. It is synchronous if
 * all hooks are: a chunk then costs one call per processor and no promise.
 */
export class ChunkHooks {
  readonly #stages: readonly Stage[]
  readonly #seen: Chunk[] | undefined

  /** @param seen Collects all input chunks, for the hook's `streamParts` */
  private constructor(stages: readonly Stage[], seen?: Chunk[]) {
    this.#stages = stages
    this.#seen = seen
  }

  /** `processOutputStream`, for one attempt at a step. */
  static forStream(
    run: Run,
    processors: readonly ProcessorWith<'processOutputStream'>[],
    stepNumber: number,
  ): ChunkHooks {
    const streamParts: Chunk[] = []
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
        log: run.changes,
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
      const own = { ...gate.argsFor(record), part: NO_CHUNK, result: undefined, writer }
      const args: ProcessDeliveryArgs & { part: Chunk } = withComputed(
        own,
        'retryCount',
        () => run.state.retryCount,
      )
      return new Stage(gate, record, { args, hook: () => processor.processDelivery(args), log: run.changes })
    })
    return new ChunkHooks(stages)
  }

  pass(chunk: Chunk): HookOutput | Promise<HookOutput> {
    this.#seen?.push(chunk)
    return this.#passFrom(0, chunk)
  }

  #passFrom(first: number, chunk: Chunk): HookOutput | Promise<HookOutput> {
    let current = chunk
    let captured = undefined as CapturedChunk | undefined
    let { type } = current
    let text = textOf(current, type)
    const stages = this.#stages
    for (let index = first; index < stages.length; index++) {
      const stage = stages[index] as Stage
      // Other chunks than deltas are rare, so all of their fields are compared.
      if (text === undefined) captured ??= captureChunk(current)
      const returned = stage.call(current)
      if (returned === current && !stage.holds) {
        if (captured === undefined) {
          if (current.type === type && (current as Delta).textDelta === text) continue
        } else if (!isEdited(captured)) continue
      }
      const released = captured === undefined ? stage.hold(current, text as string, returned) : undefined
      if (released !== undefined) {
        if (isList(released)) return this.#passAll(index + 1, released)
        current = released as Chunk
        text = (current as Delta).textDelta
        continue
      }
      captured ??= { chunk: current, type, text, copy: undefined }
      if (isThenable(returned)) return this.#continue(index, captured, returned)
      const passed = stage.settle(captured, returned)
      captured = undefined
      if (passed === undefined || isList(passed)) return this.#passAll(index + 1, passed)
      current = passed
      type = current.type
      text = textOf(current, type)
    }
    return current
  }

  async #continue(
    index: number,
    captured: CapturedChunk,
    returned: PromiseLike<Returned>,
  ): Promise<HookOutput> {
    const passed = (this.#stages[index] as Stage).settle(captured, await returned)
    if (passed === undefined || isList(passed)) return this.#passAll(index + 1, passed)
    return this.#passFrom(index + 1, passed)
  }

  /** Passes several chunks in order. If a hook is asynchronous, the next chunk waits for it. */
  #passAll(index: number, chunks: readonly Chunk[] | undefined): HookOutput | Promise<HookOutput> {
    if (chunks === undefined || chunks.length === 0) return undefined
    if (index === this.#stages.length) return chunks
    const out: Chunk[] = []
    for (const [position, chunk] of chunks.entries()) {
      const passed = this.#passFrom(index, chunk)
      if (isThenable(passed)) return this.#passRest(index, chunks.slice(position + 1), passed, out)
      append(out, passed)
    }
    return out
  }

  async #passRest(
    index: number,
    rest: readonly Chunk[],
    pending: PromiseLike<HookOutput>,
    out: Chunk[],
  ): Promise<HookOutput> {
    append(out, await pending)
    for (const chunk of rest) append(out, await this.#passFrom(index, chunk))
    return out
  }
}

const NO_CHUNK = { type: 'data-none', data: undefined } as const

/** A chunk of which only the text is compared. */
type Delta = { textDelta?: string }

/** The text of a delta of prose. Reading the property of other chunks too would be slow: they have many shapes. */
function textOf(chunk: Chunk, type: Chunk['type']): string | undefined {
  return type === 'text-delta' || type === 'reasoning-delta' ? (chunk as Delta).textDelta : undefined
}

interface StageOptions {
  /** The hook's arguments: one object, reused for every chunk. Only `part` changes. */
  args: { part: Chunk; retryCount: number; streamParts?: readonly Chunk[] }
  hook: () => unknown
  log: ChangeLog | undefined
}

/** The chunk hook of one processor. */
class Stage {
  readonly ledger: ChunkLedger
  /** The hook has held chunks back, so chunks that pass unchanged must be compared too. */
  holds = false
  readonly #captured: CapturedChunks
  /** Deltas of text that the hook holds back, and their texts, as long as it returns them in order and unchanged. */
  #held: Chunk[] = []
  #texts: string[] = []
  /** How many of these were returned. They are removed from time to time. */
  #taken = 0
  readonly #log: ChangeLog | undefined
  readonly #gate: Gate
  readonly #record: HookRecord
  readonly #args: StageOptions['args']
  readonly #hook: () => unknown
  readonly #keepsOnNothing: boolean

  constructor(gate: Gate, record: HookRecord, { args, hook, log }: StageOptions) {
    this.ledger = new ChunkLedger(record, log)
    this.#captured = new CapturedChunks(record)
    this.#log = log
    this.#gate = gate
    this.#record = record
    this.#args = args
    this.#hook = hook
    // `null` always drops the chunk, in both hooks.
    this.#keepsOnNothing = HOOKS[record.hook].nothing === 'unchanged'
  }

  call(part: Chunk): Returned {
    this.#args.part = part
    if (this.#log === undefined) return this.#gate.call(this.#record, this.#hook, part)
    try {
      const returned = this.#gate.call(this.#record, this.#hook, part)
      return isThenable(returned)
        ? returned.then(undefined, (error: unknown) => this.#recordEnd(error, part))
        : returned
    } catch (error) {
      return this.#recordEnd(error, part)
    }
  }

  /** Records the signal with which the hook ended the run, and the text of the part so far. */
  #recordEnd(error: unknown, part: Chunk): never {
    if (isSignal(error)) {
      const { streamParts = [part] } = this.#args
      const before = textIn(part) === undefined ? part : textOfPart(part, streamParts)
      const action = actionOf(error)
      this.#log?.recordChange(this.#record, { ...placeOf(part), action, before, after: undefined })
    }
    throw error
  }

  /**
   * The common case of a hook that holds text back: it gets a delta of text, and returns deltas that it got before, in
   * order and unchanged. Returns these, or `undefined` in any other case.
   *
   * @param text The text of the chunk before the hook
   */
  hold(chunk: Chunk, text: string, returned: Returned): Chunk | readonly Chunk[] | undefined {
    const held = this.#held
    const texts = this.#texts
    const from = this.#taken
    const count = held.length - from
    const first = held[from] as Chunk
    if (!isPlainDelta(chunk, text)) return undefined
    if (count === 1 && returned === first && isPlainDelta(first, texts[from])) {
      held[from] = chunk
      texts[from] = text
      return first
    }
    const out = isList(returned) ? returned : [returned]
    const { length } = out
    // While the ledger compares other text, it must get this text too.
    if (length > (count > 0 ? count + 1 : this.holds ? -1 : 0)) return undefined
    held.push(chunk)
    texts.push(text)
    for (let index = 0; index < length; index++) {
      const one = held[from + index] as Chunk
      if (out[index] === one && isPlainDelta(one, texts[from + index])) continue
      held.pop()
      texts.pop()
      return undefined
    }
    this.#taken += length
    this.holds = length <= count
    if (this.holds) this.#record.held = true
    if (!this.holds || this.#taken > count + 64) this.#removeTaken()
    // Not the hook's list: its elements may have changed since they were compared.
    return length === 1 ? first : held.slice(from, from + length)
  }

  #removeTaken(): void {
    this.#held = this.#held.slice(this.#taken)
    this.#texts = this.#texts.slice(this.#taken)
    this.#taken = 0
  }

  /** From now on, the held deltas are compared by their text. */
  #moveToLedger(): void {
    const type = 'text-delta'
    this.#removeTaken()
    const held = this.#held.map((chunk, index) => {
      return originalOf({ chunk, type, text: this.#texts[index], copy: undefined })
    })
    this.#held = []
    this.#texts = []
    this.ledger.exchange(held, [])
  }

  /**
   * The chunks that result from what a hook returned. A structural chunk that the hook drops is kept unchanged. An
   * exception is the start or end of a part that a stream hook holds back by returning `[]`: the hook returns it
   * later.
   */
  settle(captured: CapturedChunk, returned: Returned): HookOutput {
    const { chunk } = captured
    if (this.#held.length > 0) this.#moveToLedger()
    if (
      captured.text !== undefined &&
      !isEdited(captured) &&
      returned !== chunk &&
      isObject(returned) &&
      !isList(returned)
    ) {
      const other = this.#captured.read(returned, captured)
      this.ledger.replace(chunk, other)
      this.holds = this.ledger.holds
      return other
    }
    const original = originalOf(captured)
    const left = returned === undefined && this.#keepsOnNothing ? chunk : returned
    const read = this.#read(captured, left)
    const holdsMark = !this.#keepsOnNothing && isList(left) && isPartMark(original)
    const passed = holdsMark && read.length === 0 ? read : withStructure(original, read)
    this.ledger.settle(original, passed)
    this.holds = this.ledger.holds
    return passed.length === 1 ? passed[0] : passed
  }

  /** The chunks that a hook returned. Those that it was not given are validated. */
  #read(captured: CapturedChunk, returned: Returned): readonly Chunk[] {
    if (captured.text === undefined) this.#captured.add(captured)
    if (returned === undefined || returned === null) return []
    if (!isList(returned)) return [this.#captured.read(returned, captured)]
    const read: Chunk[] = []
    // An index loop: `Array.from` is many times slower, and this runs for every chunk.
    for (let index = 0; index < returned.length; index++)
      read.push(this.#captured.read(returned[index], captured))
    return read
  }
}

/** Whether a chunk is a delta with this text, and without metadata. */
function isPlainDelta(chunk: Chunk, text: string | undefined): boolean {
  return chunk.type === 'text-delta' && chunk.textDelta === text && chunk.providerMetadata === undefined
}

/** What a hook made of a chunk, with the chunk added back if it is structural and missing. */
function withStructure(part: Chunk, passed: readonly Chunk[]): readonly Chunk[] {
  if (!isStructural(part) || passed.some(({ type }) => type === part.type)) return passed
  return part.type.endsWith('-start') ? [part, ...passed] : [...passed, part]
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function isList(value: unknown): value is readonly Chunk[] {
  return Array.isArray(value)
}

function append(out: Chunk[], passed: HookOutput): void {
  if (isList(passed)) out.push(...passed)
  else if (passed !== undefined) out.push(passed)
}

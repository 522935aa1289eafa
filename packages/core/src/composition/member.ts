import { MillraceError } from '../errors.ts'
import { HOOK_NAMES, HOOKS, type HookName } from '../hook-name.ts'
import type { Message } from '../messages/message.ts'
import { PerRun } from '../per-run.ts'
import { CapturedChunks, captureChunk, isEdited, originalOf } from '../processors/captured-chunks.ts'
import { ChunkLedger } from '../processors/chunk-ledger.ts'
import { Gate, type GateHost, HOST, markFinal } from '../processors/gate.ts'
import type { SuspendArgs } from '../processors/hook-arguments.ts'
import { HookEffects } from '../processors/hook-effects.ts'
import { HookRecord } from '../processors/hook-record.ts'
import { type MessageWatch, watchIn } from '../processors/message-watch.ts'
import { requireHook } from '../processors/pipeline.ts'
import type { Processor, WarmUpArgs } from '../processors/processor.ts'
import { checkResult } from '../processors/result-check.ts'
import { warmUpProcessors } from '../processors/warm-up-processors.ts'
import { type Chunk, isStructural } from '../results/chunk.ts'
import type { ProcessorAction } from '../results/result.ts'
import { isThenable } from '../schema.ts'
import type { MessageList } from '../transcript/message-list.ts'

/** The hook arguments that composition needs. */
export interface HookArgs extends SuspendArgs {
  stepNumber?: number
  [HOST]?: GateHost
}

/** Any hook. */
export type Hook = (args: HookArgs) => unknown

/** A hook of a processor, bound to it. */
export function hookOf(processor: Processor, hook: HookName): Hook | undefined {
  const method = processor[hook] as Hook | undefined
  return method && ((args) => method.call(processor, args))
}

/** The hooks of a composed processor. */
export type Hooks = Partial<Record<HookName, Hook>>

/** A processor with the given hooks and members, and the properties of the processor that it stands for. */
export function compose<ID extends string>(
  {
    id,
    name,
    onError,
    exclusive,
    keepsIncomplete,
  }: Pick<Processor<ID>, 'id' | 'name' | 'onError' | 'exclusive' | 'keepsIncomplete'>,
  { hooks, of }: { hooks: Hooks; of: readonly Processor[] },
): Processor<ID> {
  const isWarmedUp = of.some((member) => member.warmUp)
  return {
    id,
    ...(name !== undefined && { name }),
    ...(onError && { onError }),
    ...(exclusive !== undefined && { exclusive }),
    ...(keepsIncomplete && { keepsIncomplete }),
    ...(isWarmedUp && { warmUp: (args: WarmUpArgs) => warmUpProcessors(of, args) }),
    ...(hooks as object),
  }
}

export interface MemberOptions {
  hook: HookName
  /** The member's own state. */
  state: Record<string, unknown>
  abortSignal?: AbortSignal
  /** The data that the run was resumed with, if this member had suspended. */
  resumeData?: unknown
}

/**
 * A member of a composed processor in one call of a hook. It has its own gate: signals and errors have the member's
 * id, `onError` applies to the member only, and its actions are recorded.
 */
export class Member {
  /** The arguments of the member's hook. */
  readonly args: HookArgs
  readonly processor: Processor
  readonly #hook: HookName
  readonly #gate: Gate
  readonly #record: HookRecord
  readonly #host: GateHost
  readonly #ledger: ChunkLedger | undefined
  readonly #captured: CapturedChunks

  constructor(processor: Processor, args: HookArgs, options: MemberOptions) {
    const { hook, state, abortSignal = args.abortSignal, resumeData } = options
    this.processor = processor
    this.#hook = hook
    this.#host = args[HOST] ?? hostFrom(args)
    this.#gate = new Gate(processor, processor.id, this.#host)
    this.#gate.state = state
    this.#gate.resumeData = resumeData
    this.#record = recordOf(args, processor, hook)
    this.args = { ...args, ...this.#gate.argsFor(this.#record), abortSignal, writer: args.writer }
    this.#captured = new CapturedChunks(this.#record)
    if ('part' in args) this.#ledger = new ChunkLedger(this.#record, this.#host.changes)
  }

  /** Calls `hook`. Synchronous if the hook is. Returns `skipped` if the hook fails and `onError` is `skip`. */
  call(hook: Hook, skipped?: unknown): unknown {
    const { messageList } = this.args as { messageList?: MessageList }
    const answer = (): unknown => this.#gate.call(this.#record, () => hook(this.args), skipped)
    const { part } = this.args as { part?: Chunk }
    if (part) return this.#callForChunk(part, answer)
    if (!messageList) return this.#read(answer(), (value) => this.#check(value, undefined))
    const watch = watchIn(watches, this.args.state)
    const { changes } = this.#host
    const effects = new HookEffects({ messageList, changes }, this.#record, { overlaps: true, watch })
    effects.trackAccess(this.args)
    const answered = answer()
    effects.endSync(!isThenable(answered))
    return this.#read(answered, (value) => this.#check(value, messageList))
  }

  recordAction(action: ProcessorAction): void {
    this.#record.recordAction(action)
  }

  #callForChunk(part: Chunk, answer: () => unknown): unknown {
    const captured = captureChunk(part)
    return this.#read(answer(), (value) => {
      const ledger = this.#ledger as ChunkLedger
      if (value === part && !ledger.holds && !isEdited(captured)) return value
      if (captured.text === undefined) this.#captured.add(captured)
      const read = (chunk: unknown): Chunk => this.#captured.read(chunk, captured)
      const isNothing = value === undefined || value === null
      const left = Array.isArray(value) ? Array.from(value, read) : isNothing ? value : read(value)
      const isKept = isNothing && (HOOKS[this.#hook].nothing === 'unchanged' || isStructural(part))
      ledger.settle(originalOf(captured), isKept ? [part] : isNothing ? [] : ([left].flat() as Chunk[]))
      return left
    })
  }

  #check(value: unknown, messageList: MessageList | undefined): unknown {
    const {
      toolCall,
      request,
      messages,
      output,
      value: data,
      result,
      modelSettings,
    } = this.args as HookArgs & Shown
    if (result !== undefined && value === result) return value
    const values = [toolCall?.input, output, data, ...(request?.prompt ?? [])]
    const given = { messageList, messages: messages ?? result?.messages, values, modelSettings }
    return checkResult(this.processor.id, this.#hook, { value, given })
  }

  /**
   * The validated result of the hook. An invalid one fails the run, also through the gate of the composed processor.
   */
  #read(answer: unknown, read: (value: unknown) => unknown): unknown {
    if (isThenable(answer)) return Promise.resolve(answer).then((settled) => this.#read(settled, read))
    try {
      return read(answer)
    } catch (error) {
      this.#record.recordAction('failed')
      throw MillraceError.isInstance(error) ? markFinal(error, this.#host) : error
    }
  }
}

/** Arguments of hooks that may be part of their results. */
interface Shown {
  toolCall?: { input: unknown }
  request?: { prompt: readonly unknown[] }
  messages?: readonly Message[]
  output?: unknown
  value?: unknown
  result?: { messages?: readonly Message[] }
  modelSettings?: object
}

/** The captured messages, by the state of a member. */
const watches = new PerRun<MessageWatch>()

/**
 * Validates the members of a composed processor.
 *
 * @throws MillraceError `CONFIG_INVALID`, `CONFIG_HOOK_MISSING`, `CONFIG_ID_DUPLICATE`
 */
export function checkMembers(processors: readonly Processor[], composed: string): void {
  if (processors.length === 0) {
    throw new MillraceError('CONFIG_INVALID', `${composed} has no processors. Pass at least one.`)
  }
  const ids = new Set<string>()
  for (const processor of processors) {
    requireHook(processor, HOOK_NAMES, composed)
    if (ids.has(processor.id)) {
      throw new MillraceError(
        'CONFIG_ID_DUPLICATE',
        `The id '${processor.id}' occurs twice in ${composed}. Use unique ids: built-in processors take { id }.`,
      )
    }
    ids.add(processor.id)
  }
}

/** Records by the state of the composed processor, which is one object per run. */
const records = new PerRun<Map<string, HookRecord>>()

function recordOf({ state, stepNumber }: HookArgs, { id }: Processor, hook: HookName): HookRecord {
  const known = records.get(state) ?? records.set(state, new Map())
  const key = `${id} ${hook} ${stepNumber}`
  let record = known.get(key)
  if (!record) {
    record = new HookRecord(id, hook, stepNumber)
    known.set(key, record)
  }
  return record
}

/** A host for hooks that are called directly, without a run. */
function hostFrom(args: HookArgs): GateHost {
  const { requestContext, tracingContext, abortSignal, retryCount, counters, writer, waitUntil } = args
  return {
    requestContext,
    tracingContext,
    signal: abortSignal,
    retryCount,
    counters,
    records: [],
    warnings: [],
    changes: undefined,
    emit: (chunk) => writer.write(chunk),
    throwIfOver: () => {},
    waitUntil,
  }
}

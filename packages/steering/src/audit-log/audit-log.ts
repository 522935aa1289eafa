import {
  Halt,
  type Message,
  type MessageList,
  MillraceError,
  type OptionNames,
  PerRun,
  type ProcessDeliveryArgs,
  type ProcessInputArgs,
  type ProcessOutputResultArgs,
  type Processor,
  type ProcessorArgs,
  type ProcessToolCallArgs,
  type ProcessToolResultArgs,
  type RunResult,
  requireOptions,
  Suspend,
  TripWire,
} from '@millrace/core'
import { type AuditLogLossEvent, AuditQueue, type AuditSink } from './audit-queue.ts'
import { type AuditEntry, type RecordHead, toLine } from './audit-record.ts'
import { FileSink, type RotationOptions } from './file-sink.ts'

export interface AuditLogOptions {
  /** Identifies the processor in results, events and errors. Default: `'audit-log'`. */
  readonly id?: string
  /** A file of JSON lines. Several processes may write to the same file. */
  readonly path?: string
  /**
   * With `path`: a full file is renamed to a name with the time. `maxFiles` is how many of them are kept, by default
   * all. Default: `{ maxBytes: 64 MiB }`.
   */
  readonly rotate?: RotationOptions
  /** An object with `write(lines)`, and optionally `writeSync` and `close`, in place of a file. */
  readonly sink?: AuditSink
  /** `false` leaves out messages, inputs and outputs. Default: `true`. */
  readonly content?: boolean
  /** `'fail'` makes runs wait for every record, and fail if it cannot be written. Default: `'continue'`. */
  readonly onFailure?: 'continue' | 'fail'
  /** Called if records are lost. Without it, `flush` and `close` reject with the first error. */
  readonly onLoss?: (failure: AuditLogLossEvent) => void
  /**
   * The maximum number of records that wait for the sink, with at most 64 MiB of text. Further records are lost.
   * Default: 10,000.
   */
  readonly maxPending?: number
  /** Milliseconds before each retry of a failed write. Default: `[100, 1_000]`. */
  readonly retryDelaysMs?: readonly number[]
}

const AUDIT_LOG_OPTIONS: OptionNames<AuditLogOptions> = {
  id: 'optional',
  path: 'optional',
  rotate: { maxBytes: 'optional', maxFiles: 'optional' },
  sink: 'optional',
  content: 'optional',
  onFailure: 'optional',
  onLoss: 'optional',
  maxPending: 'optional',
  retryDelaysMs: 'optional',
}

const MAX_PENDING_LENGTH = 64 * 1024 * 1024

/**
 * Records runs: input, tool calls and their results, the answer, how the run ended and what processors did. It records
 * messages as they are at its position in the list: after a guard that redacts, they are redacted. Of runs that end
 * before that position, only the outcome is recorded, which has no texts except reasons.
 *
 * Runs do not wait for the sink. Pending records are written before the process exits by itself.
 */
export class AuditLog implements Processor {
  readonly id: string
  readonly #queue: AuditQueue
  readonly #withContent: boolean
  readonly #waits: boolean
  #unreportedError: unknown
  /** By the state of a run: whether its early end is listened for. */
  readonly #hasListener = new PerRun<true>()
  /** By the state of an aborted run: records the interruption, once. */
  readonly #interruptions = new PerRun<() => void>()

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: AuditLogOptions) {
    const options = requireOptions('AuditLog', given, AUDIT_LOG_OPTIONS)
    const { id = 'audit-log', content = true, onFailure = 'continue', maxPending = 10_000 } = options
    const { retryDelaysMs = [100, 1_000], onLoss } = options
    checkOptions(options)
    this.id = id
    this.#withContent = content
    this.#waits = onFailure === 'fail'
    this.#queue = new AuditQueue(options.sink ?? new FileSink(options.path as string, options.rotate ?? {}), {
      maxPending,
      maxPendingLength: MAX_PENDING_LENGTH,
      retryDelaysMs,
      onFailure: (failure) => {
        try {
          if (onLoss) onLoss(failure)
          else this.#unreportedError ??= failure.error
        } catch (error) {
          this.#unreportedError ??= error
        }
      },
      gapLine: (lost) => this.#line(undefined, { event: 'gap', lost }),
    })
  }

  /** Adds a custom record, such as a guard's finding: `onDetection: (finding) => log.record('finding', finding)`. */
  record(event: string, fields: object): void {
    this.#queue.add(this.#line(undefined, { ...fields, event: `app-${event}` }))
  }

  /** Resolves when all records so far are written or lost. */
  async flush(): Promise<void> {
    await this.#queue.flush()
    this.#throwUnreportedError()
  }

  /** Like `flush`, then closes the sink. */
  async close(): Promise<void> {
    await this.#queue.close()
    this.#throwUnreportedError()
  }

  processInput({ messages, messageList, ...args }: ProcessInputArgs): Promise<undefined> | undefined {
    this.#listenForEnd(args, messageList)
    const own = messages.filter(({ id }) => messageList.originOf(id) === 'input')
    return this.#add(args, { event: 'input', messages: own.map(recorded) })
  }

  processToolCall({
    toolCall,
    messageList,
    stepNumber,
    ...args
  }: ProcessToolCallArgs): Promise<undefined> | undefined {
    this.#listenForEnd(args, messageList)
    const { toolCallId, toolName, input } = toolCall
    return this.#add(args, { event: 'tool-call', stepNumber, toolCallId, toolName, input })
  }

  processToolResult({
    toolCall: { toolCallId, toolName },
    status,
    output,
    error,
    preliminary,
    messageList,
    stepNumber,
    ...args
  }: ProcessToolResultArgs): Promise<undefined> | undefined {
    if (preliminary) return undefined
    this.#listenForEnd(args, messageList)
    const entry = { event: 'tool-result', stepNumber, toolCallId, toolName, status } as const
    return this.#add(args, status === 'success' ? { ...entry, output } : { ...entry, error: error ?? '' })
  }

  processOutputResult({
    messages,
    incomplete,
    ...args
  }: ProcessOutputResultArgs): Promise<undefined> | undefined {
    // An incomplete answer is in the record `interrupted`.
    if (incomplete) return undefined
    return this.#add(args, { event: 'output', messages: messages.map(recorded) })
  }

  processDelivery({ result, ...args }: ProcessDeliveryArgs): Promise<undefined> | undefined {
    if (!result) return undefined
    this.#interruptions.get(args.state)?.()
    return this.#add(args, outcomeOf(result))
  }

  /** Listens for an end without a hook: an abort by the caller, or an error. */
  #listenForEnd(args: ProcessorArgs, messageList: MessageList): void {
    const { state, abortSignal } = args
    if (this.#hasListener.get(state)) return
    this.#hasListener.set(state, true)
    const head = this.#head(args)
    const onAbort = (): void => {
      const { reason } = abortSignal
      // These runs have an outcome, which is recorded.
      if (TripWire.isInstance(reason) || Halt.isInstance(reason) || Suspend.isInstance(reason)) return
      // Text that the reader did not get is retracted first, at the latest when the run has its outcome.
      const recordInterruption = (): void => {
        if (!this.#interruptions.get(state)) return
        this.#interruptions.delete(state)
        const messages = messageList.get('response').map(recorded)
        this.#queue.add(this.#line(head, { event: 'interrupted', error: describeError(reason), messages }))
      }
      this.#interruptions.set(state, recordInterruption)
      queueMicrotask(recordInterruption)
    }
    abortSignal.addEventListener('abort', onAbort, { once: true })
  }

  #add(args: ProcessorArgs, entry: AuditEntry): Promise<undefined> | undefined {
    const line = this.#line(this.#head(args), entry)
    if (this.#waits) return this.#queue.keep(line).then(() => undefined)
    this.#queue.add(line)
    args.waitUntil(this.#queue.flush())
    return undefined
  }

  #head({
    state,
    requestContext: { threadId, resourceId },
  }: Pick<ProcessorArgs, 'state' | 'requestContext'>): RunHead {
    state.run ??= crypto.randomUUID()
    return {
      run: state.run as string,
      ...(threadId !== undefined && { threadId }),
      ...(resourceId !== undefined && { resourceId }),
    }
  }

  #line(run: RunHead | undefined, entry: AuditEntry): string {
    const head = { id: crypto.randomUUID(), time: new Date().toISOString(), log: this.id, ...run }
    return toLine(head, entry, { withContent: this.#withContent })
  }

  #throwUnreportedError(): void {
    const error = this.#unreportedError
    this.#unreportedError = undefined
    if (error !== undefined) throw error
  }
}

type RunHead = Pick<RecordHead, 'run' | 'threadId' | 'resourceId'>

function recorded({ id, role, content }: Message): Pick<Message, 'id' | 'role' | 'content'> {
  return { id, role, content }
}

function outcomeOf(result: RunResult): AuditEntry {
  const { runId, status, finishReason, usage, rejection, halt, suspension, processors, steps } = result
  return {
    event: 'outcome',
    runId,
    status,
    finishReason,
    usage,
    ...(rejection && { rejection }),
    ...(halt && { halt: pick(halt, ['reason', 'processorId', 'hook']) }),
    ...(suspension && {
      suspension: pick(suspension, ['runId', 'processorId', 'toolCallId']) as { runId: string },
    }),
    verdicts: processors
      .filter(({ action }) => action !== 'passed')
      .map(({ processorId, hook, stepNumber, action }) => ({
        processorId,
        hook,
        ...(stepNumber !== undefined && { stepNumber }),
        action,
      })),
    retries: steps.flatMap(({ stepNumber, discarded }) =>
      discarded.map(({ processorId, reason }) => ({
        stepNumber,
        ...(processorId !== undefined && { processorId }),
        reason,
      })),
    ),
  }
}

/** The given fields that have a value. */
function pick<VALUE extends object, KEY extends keyof VALUE>(
  value: VALUE,
  keys: readonly KEY[],
): { [NAME in KEY]?: NonNullable<VALUE[NAME]> } {
  return Object.fromEntries(
    keys.filter((key) => value[key] !== undefined).map((key) => [key, value[key]]),
  ) as { [NAME in KEY]?: NonNullable<VALUE[NAME]> }
}

/** Messages of foreign errors are left out: they may quote content. */
function describeError(error: unknown): { name: string; code?: string; message?: string } {
  if (MillraceError.isInstance(error)) return { name: error.name, code: error.code, message: error.message }
  return { name: error instanceof Error ? error.name : typeof error }
}

function checkOptions({
  path,
  sink,
  onFailure,
  maxPending,
  rotate = {},
  retryDelaysMs = [],
}: AuditLogOptions): void {
  if ((path === undefined) === (sink === undefined) || path === '') {
    throw new MillraceError(
      'CONFIG_INVALID',
      'AuditLog has neither a path nor a sink, or it has both. Pass one of them.',
    )
  }
  if (onFailure !== undefined && onFailure !== 'continue' && onFailure !== 'fail') {
    throw new MillraceError('CONFIG_INVALID', `onFailure is '${onFailure}'. Use 'continue' or 'fail'.`)
  }
  const counts = { maxPending, 'rotate.maxBytes': rotate.maxBytes, 'rotate.maxFiles': rotate.maxFiles }
  for (const [option, value] of Object.entries(counts)) {
    if (value === undefined || (Number.isInteger(value) && value > 0)) continue
    throw new MillraceError('CONFIG_INVALID', `${option} is ${value}. Use an integer of at least 1.`)
  }
  for (const delay of retryDelaysMs) {
    if (Number.isFinite(delay) && delay >= 0) continue
    throw new MillraceError('CONFIG_INVALID', `retryDelaysMs has ${delay}. Use milliseconds from 0.`)
  }
}

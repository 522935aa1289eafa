import { HOOKS, type HookName } from '../hook-name.ts'
import type { ModelUsage, ProcessorAction, ProcessorRecord } from '../results/result.ts'
import { addUsage, emptyUsage } from '../usage.ts'
import type { UsageReport } from './hook-arguments.ts'

const STRENGTH: readonly ProcessorAction[] = [
  'passed',
  'changed',
  'denied',
  'retried',
  'suspended',
  'halted',
  'aborted',
  'failed',
]

/**
 * A synchronous stream hook is timed in every n-th call: the clock costs more than most of these hooks. A power of
 * two, so that a bit mask can replace the division.
 */
const SAMPLE_INTERVAL = 64

/** The record of a processor in one hook and step, during the run. */
export class HookRecord {
  readonly processorId: string
  readonly hook: HookName
  readonly stepNumber: number | undefined
  /** The record from before the run was suspended. */
  readonly earlier: ProcessorRecord | undefined
  /** Number of calls since then. */
  calls = 0
  /** Whether the hook has held chunks of the stream back. */
  held = false
  /** When the hook was first called, by `performance.now()`. */
  startedAt = 0
  #action: ProcessorAction = 'passed'
  /** Duration of the first call, which is often slower than the rest, and the number of other timed calls. */
  #first = 0
  #timed = 0
  #milliseconds = 0
  #modelUsage: ModelUsage[] | undefined

  /** A call is timed if these bits of the call count are zero. */
  readonly #sampleMask: number

  constructor(
    processorId: string,
    hook: HookName,
    stepNumber: number | undefined,
    earlier?: ProcessorRecord,
  ) {
    const { perChunk, inSteps } = HOOKS[hook]
    // `processDelivery` also receives the result, whose duration must be known, so all of its calls are timed.
    this.#sampleMask = perChunk && inSteps ? SAMPLE_INTERVAL - 1 : 0
    this.processorId = processorId
    this.hook = hook
    this.stepNumber = stepNumber
    this.earlier = earlier
  }

  /** The record of all calls. */
  get whole(): HookRecord {
    return this
  }

  /** Counts a call. Returns the start time if this call is timed. */
  start(): number | undefined {
    if ((this.calls++ & this.#sampleMask) !== 0) return undefined
    const now = performance.now()
    if (this.calls === 1) this.startedAt = now
    return now
  }

  stop(startedAt: number | undefined): void {
    if (startedAt === undefined) return
    const milliseconds = performance.now() - startedAt
    if (this.calls === 1) {
      this.#first += milliseconds
      return
    }
    this.#timed++
    this.#milliseconds += milliseconds
  }

  /** Records an action. The strongest action is kept. */
  recordAction(action: ProcessorAction): void {
    this.#action = stronger(action, this.#action)
  }

  /** Counts a model call that the processor made itself. */
  report({ model, usage = emptyUsage() }: UsageReport): void {
    const { provider, modelId } = typeof model === 'string' ? { provider: '', modelId: model } : model
    this.#modelUsage ??= []
    addModelUsage(this.#modelUsage, { provider, modelId, calls: 1, usage })
  }

  /** Whether the processor did anything but pass everything unchanged. */
  get acted(): boolean {
    return this.toResult().action !== 'passed'
  }

  /** Whether the record has more to report than that everything passed. */
  get isNotable(): boolean {
    return this.#action !== 'passed' || this.#modelUsage !== undefined
  }

  toResult(): ProcessorRecord {
    const { processorId, hook, stepNumber, earlier } = this
    const others = this.#timed === 0 ? 0 : (this.#milliseconds / this.#timed) * (this.calls - 1)
    const modelUsage = [...(earlier?.modelUsage ?? [])]
    for (const used of this.#modelUsage ?? []) addModelUsage(modelUsage, used)
    return {
      processorId,
      hook,
      stepNumber,
      action: stronger(this.#action, earlier?.action ?? 'passed'),
      calls: this.calls + (earlier?.calls ?? 0),
      durationMs: this.#first + others + (earlier?.durationMs ?? 0),
      ...(modelUsage.length > 0 && { modelUsage }),
    }
  }
}

/** The record of one call of a hook. It is also counted in the record of all calls. */
export class CallRecord extends HookRecord {
  readonly #whole: HookRecord

  constructor(whole: HookRecord) {
    super(whole.processorId, whole.hook, whole.stepNumber)
    this.#whole = whole
  }

  override get whole(): HookRecord {
    return this.#whole
  }

  override start(): number | undefined {
    this.#whole.start()
    return super.start()
  }

  override stop(startedAt: number | undefined): void {
    this.#whole.stop(startedAt)
    super.stop(startedAt)
  }

  override recordAction(action: ProcessorAction): void {
    this.#whole.recordAction(action)
    super.recordAction(action)
  }

  override report(report: UsageReport): void {
    this.#whole.report(report)
    super.report(report)
  }
}

function stronger(a: ProcessorAction, b: ProcessorAction): ProcessorAction {
  return STRENGTH.indexOf(a) > STRENGTH.indexOf(b) ? a : b
}

function addModelUsage(list: ModelUsage[], { provider, modelId, calls, usage }: ModelUsage): void {
  const index = list.findIndex((one) => one.provider === provider && one.modelId === modelId)
  const known = list[index] ?? { calls: 0, usage: emptyUsage() }
  const sum = { provider, modelId, calls: known.calls + calls, usage: addUsage(known.usage, usage) }
  list.splice(index === -1 ? list.length : index, 1, sum)
}

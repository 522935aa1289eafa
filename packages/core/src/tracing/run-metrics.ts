import {
  type Attributes,
  createNoopMeter,
  type Histogram,
  type MeterProvider,
  metrics,
} from '@opentelemetry/api'
import type { ModelRequest } from '../model/model-request.ts'
import type { StepFinishChunk } from '../results/chunk.ts'
import type { Run } from '../run/run.ts'
import type { ChatSpan, RunOutcome, RunTracer } from '../run/run-observer.ts'
import type { Step } from '../run/step.ts'
import { Suspend } from '../signals.ts'
import type { Answer } from '../tools/decision.ts'
import type { Tool, ToolCall } from '../tools/tool.ts'
import { modelNames } from './attributes.ts'
import { errorType, TOOL_ERROR } from './error-type.ts'
import { type Instruments, instrumentsOf } from './instruments.ts'
import { SCOPE } from './scope.ts'
import {
  ATTR_ERROR_TYPE,
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_TOKEN_TYPE,
  ATTR_GEN_AI_TOOL_NAME,
  ATTR_GEN_AI_TOOL_TYPE,
  OPERATION_CHAT,
} from './semantic-conventions.ts'

/**
 * The metrics of one run: durations of the run, its model calls and its tools, and the token usage of the calls.
 * Attributes are names, never user content.
 */
export class RunMetrics implements RunTracer {
  readonly #agentName: string
  readonly #instruments: Instruments
  readonly #run: Measurement
  /** Pending model calls and tools. */
  readonly #open = new Set<Measurement>()

  private constructor(
    { settings }: Run,
    { provider, startedAt }: { provider: MeterProvider; startedAt: number },
  ) {
    this.#agentName = settings.agentName
    this.#instruments = instrumentsOf(provider)
    this.#run = new Measurement(this.#instruments.agentDuration, this.#agent, startedAt)
  }

  /** Starts to measure a run. `undefined` without a meter provider. */
  static start(run: Run, startedAt: number): RunMetrics | undefined {
    const provider = metrics.getMeterProvider()
    // The API's default provider returns the same no-op meter for all names.
    if (provider.getMeter(...SCOPE) === createNoopMeter()) return undefined
    return new RunMetrics(run, { provider, startedAt })
  }

  within<T>(work: () => T): T {
    return work()
  }

  startChat(_: Step, { model }: Pick<ModelRequest, 'model'>): ChatSpan {
    const { provider, modelId } = modelNames(model)
    const attributes = {
      [ATTR_GEN_AI_OPERATION_NAME]: OPERATION_CHAT,
      [ATTR_GEN_AI_PROVIDER_NAME]: provider,
      [ATTR_GEN_AI_REQUEST_MODEL]: modelId,
    }
    const chat = new ChatMeasurement(this.#instruments, attributes, () => this.#open.delete(chat))
    this.#open.add(chat)
    return chat
  }

  async executeTool(
    _: Step,
    { toolName }: ToolCall,
    execute: () => Promise<Answer | Suspend>,
  ): Promise<Answer | Suspend> {
    const tool = new Measurement(this.#instruments.toolDuration, {
      ...this.#agent,
      [ATTR_GEN_AI_TOOL_NAME]: toolName,
      [ATTR_GEN_AI_TOOL_TYPE]: 'function' satisfies Tool['type'],
    })
    this.#open.add(tool)
    try {
      const answer = await execute()
      if (!Suspend.isInstance(answer) && answer.status === 'error') tool.fail(TOOL_ERROR)
      else tool.end()
      return answer
    } catch (error) {
      tool.fail(error)
      throw error
    } finally {
      this.#open.delete(tool)
    }
  }

  end({ result, error }: RunOutcome): void {
    const cause = result ? result.abortReason : error
    for (const measurement of this.#open) {
      if (cause === undefined) measurement.end()
      else measurement.fail(cause)
    }
    if (result === undefined || result.status === 'aborted') this.#run.fail(cause)
    else this.#run.end()
  }

  get #agent(): Attributes {
    return { [ATTR_GEN_AI_AGENT_NAME]: this.#agentName }
  }
}

/** Measures a duration. It ends once; later calls have no effect. */
class Measurement {
  readonly #histogram: Histogram
  readonly #attributes: Attributes
  readonly #startedAt: number
  #isOver = false

  constructor(histogram: Histogram, attributes: Attributes, startedAt: number = performance.now()) {
    this.#histogram = histogram
    this.#attributes = attributes
    this.#startedAt = startedAt
  }

  /** Seconds since the start. */
  get elapsed(): number {
    return (performance.now() - this.#startedAt) / 1000
  }

  end(attributes: Attributes = {}): void {
    if (this.#isOver) return
    this.#isOver = true
    record(this.#histogram, this.elapsed, { ...this.#attributes, ...attributes })
  }

  fail(error: unknown, attributes: Attributes = {}): void {
    this.end({ ...attributes, [ATTR_ERROR_TYPE]: errorType(error) })
  }
}

/** Measures a model call: its duration, its time to the first content, and its usage. */
class ChatMeasurement extends Measurement implements ChatSpan {
  readonly #instruments: Instruments
  readonly #request: Attributes
  readonly #onEnd: () => void
  #firstChunk: number | undefined

  constructor(instruments: Instruments, request: Attributes, onEnd: () => void) {
    super(instruments.operationDuration, request)
    this.#instruments = instruments
    this.#request = request
    this.#onEnd = onEnd
  }

  /** Opening a response reads it up to its first content. */
  async within<T>(open: () => Promise<T>): Promise<T> {
    try {
      const opened = await open()
      this.#firstChunk = this.elapsed
      return opened
    } catch (error) {
      this.fail(error)
      throw error
    }
  }

  finish({ usage, response }: StepFinishChunk): void {
    const attributes = response?.modelId ? { [ATTR_GEN_AI_RESPONSE_MODEL]: response.modelId } : {}
    const counts = { input: usage.inputTokens, output: usage.outputTokens }
    for (const [type, count] of Object.entries(counts)) {
      if (count === undefined) continue
      const all = { ...this.#request, ...attributes, [ATTR_GEN_AI_TOKEN_TYPE]: type }
      record(this.#instruments.tokenUsage, count, all)
    }
    this.end(attributes)
  }

  override end(attributes: Attributes = {}): void {
    if (this.#firstChunk !== undefined) {
      const { [ATTR_ERROR_TYPE]: _, ...others } = attributes
      record(this.#instruments.timeToFirstChunk, this.#firstChunk, { ...this.#request, ...others })
      this.#firstChunk = undefined
    }
    super.end(attributes)
    this.#onEnd()
  }
}

/** Errors of an SDK do not fail a run. */
function record(histogram: Histogram, value: number, attributes: Attributes): void {
  try {
    histogram.record(value, attributes)
  } catch {}
}

import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider'
import { isToolPart, type SystemMessage } from '../messages/message.ts'
import { MessageList } from '../messages/message-list.ts'
import type { LanguageModel } from '../model/language-model.ts'
import type { ModelSettings } from '../model/model-settings.ts'
import { Gate, type HookRecord } from '../processors/gate.ts'
import { EMPTY_PIPELINE, type Pipeline } from '../processors/pipeline.ts'
import type { Processor, StructuredOutputOptions } from '../processors/processor.ts'
import type { RequestContext } from '../request-context.ts'
import type { ToolChoice, ToolSet } from '../tools/tool.ts'
import { currentTracingContext, type TracingContext } from '../tracing-context.ts'
import { addUsage, emptyUsage, type Usage } from '../usage.ts'
import type { Outlet } from './outlet.ts'
import type { RunWarning } from './result.ts'
import type { Step } from './step.ts'
import type { StepOutput } from './step-output.ts'
import type { StopCondition } from './stop-condition.ts'

/** What a run is to do: the agent's options with the call's on top. */
export interface RunSettings {
  model: LanguageModel
  tools: ToolSet
  activeTools: string[] | undefined
  toolChoice: ToolChoice | undefined
  modelSettings: ModelSettings
  providerOptions: SharedV4ProviderOptions | undefined
  structuredOutput: StructuredOutputOptions | undefined
  stopWhen: readonly StopCondition[]
  maxSteps: number
  maxProcessorRetries: number
  toolConcurrency: number
  emit: 'live' | 'step'
  /** Milliseconds. */
  stepTimeout: number | undefined
  chunkTimeout: number | undefined
}

/** One run of the loop: what it is to do, what it has come to, and who watches. */
export class Run {
  readonly id: string = crypto.randomUUID()
  readonly messageList: MessageList = new MessageList()
  readonly tracingContext: TracingContext = currentTracingContext()
  readonly settings: RunSettings
  /** Set before the loop begins. */
  pipeline: Pipeline = EMPTY_PIPELINE
  readonly requestContext: RequestContext
  readonly outlet: Outlet
  /** What `processInput` left: the system messages every step starts from. */
  systemMessages: SystemMessage[] = []
  /** Accepted steps. */
  readonly steps: Step[] = []
  /** The step under way, with its output. */
  current: { step: Step; output: StepOutput } | undefined
  /** What processors did, in the order in which they first did it. */
  readonly records: HookRecord[] = []
  readonly warnings: RunWarning[] = []
  usage: Usage = emptyUsage()
  retryCount = 0
  /** The run has ended, perhaps while something of it still waits. */
  over = false
  /** Why the last attempt was rejected: one user message in the next prompt, and only there. */
  feedback: string | undefined
  /** The id of the next assistant message. The first is announced in `start`. */
  responseId: string = crypto.randomUUID()
  /** The structured answer asked for in the last step, if any. */
  structuredOutput: StructuredOutputOptions | undefined
  /** The model in use, once resolved: it is resolved anew only when a step asks for another. */
  resolvedModel: { from: LanguageModel; model: LanguageModelV4 } | undefined

  readonly #controller = new AbortController()
  readonly #gates = new Map<Processor, Gate>()
  #callIds: Set<string> | undefined

  constructor(options: {
    settings: RunSettings
    requestContext: RequestContext
    outlet: Outlet
  }) {
    this.settings = options.settings
    this.requestContext = options.requestContext
    this.outlet = options.outlet
  }

  /** A processor in this run: its state and what it has done. The same instance is the same gate in every hook. */
  gate(processor: Processor): Gate {
    let gate = this.#gates.get(processor)
    if (!gate) {
      gate = new Gate(processor, this)
      this.#gates.set(processor, gate)
    }
    return gate
  }

  /** The ids of all tool calls in the transcript, those of history included. */
  get callIds(): Set<string> {
    if (!this.#callIds) {
      this.#callIds = new Set()
      for (const { content } of this.messageList) {
        for (const part of content.parts) if (isToolPart(part)) this.#callIds.add(part.toolCallId)
      }
    }
    return this.#callIds
  }

  /** Fires when the run is cut short. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Throws once the run is over: what still waited for something then stops instead of going on. */
  throwIfOver(): void {
    if (this.over) throw this.signal.reason
  }

  /** Ends the run as `aborted`, at once. Set by whoever waits for its outcome. */
  abort: (reason: unknown) => void = (reason) => this.stop(reason)

  /** Ends everything that still runs: the model call, tools, hooks that listen. Idempotent. */
  stop(reason: unknown): void {
    this.over = true
    this.#controller.abort(reason)
  }

  /** The step counts: it stands in the result, and the next prompt builds on it. */
  accept(step: Step): void {
    step.finish()
    this.steps.push(step)
    this.feedback = undefined
    this.current = undefined
    for (const warning of step.warnings)
      this.warnings.push({ type: 'model', warning, stepNumber: step.number })
  }

  addUsage(usage: Usage): void {
    this.usage = addUsage(this.usage, usage)
  }
}

import type { ModelRequest } from '../model/model-request.ts'
import type { AgentEventName, AgentEvents, RunEvent, ToolFinishEvent } from '../results/agent-events.ts'
import type { RunResult } from '../results/result.ts'
import type { Run } from '../run/run.ts'
import type { RunObserver, RunOutcome } from '../run/run-observer.ts'
import type { Step } from '../run/step.ts'
import { Suspend } from '../signals.ts'
import type { Answer } from '../tools/decision.ts'
import type { ToolCall } from '../tools/tool.ts'
import { type Delivery, deliveryTo } from './delivery.ts'
import { describeError, describeWarning } from './describe-error.ts'
import { ProcessorChanges } from './processor-changes.ts'
import { ProcessorDecisions } from './processor-decisions.ts'

/** Tells the listeners of an agent about one run. */
export class RunEvents implements RunObserver {
  readonly #run: Run
  readonly #delivery: Delivery
  /** Records of processors that were emitted. */
  readonly #told = new Set<object>()
  /** Where there are listeners for changes. */
  readonly changes: ProcessorChanges | undefined
  /** Where there are listeners for decisions. */
  readonly decisions: ProcessorDecisions | undefined
  #ended = false

  constructor(run: Run) {
    this.#run = run
    this.#delivery = deliveryTo(run.listeners)
    const heard = new Set([...run.listeners].map(({ name }) => name))
    if (heard.has('processor-change')) {
      this.changes = new ProcessorChanges((change) => this.#emit('processor-change', change))
    }
    if (heard.has('processor-decision')) {
      this.decisions = new ProcessorDecisions((decision) => this.#emit('processor-decision', decision))
    }
  }

  start(): void {
    this.#emit('run-start', () => ({ resumedFrom: this.#run.resumedFrom?.runId }))
  }

  startChat({ number: stepNumber }: Step, { model, prompt, tools }: ModelRequest): void {
    this.#emit('model-start', () => {
      const { provider, modelId } = typeof model === 'string' ? { provider: '', modelId: model } : model
      return { stepNumber, provider, modelId, messageCount: prompt.length, tools: Object.keys(tools) }
    })
  }

  finishStep(step: Step): void {
    this.#emitProcessors((stepNumber) => stepNumber !== undefined)
    this.#emit('step-finish', () => {
      const { stepNumber, finishReason, usage, durationMs, toolCalls, discarded } = step.result
      return {
        stepNumber,
        finishReason,
        usage,
        durationMs,
        toolCalls: toolCalls.map(({ toolCallId, toolName }) => ({ toolCallId, toolName })),
        discarded: discarded.length,
      }
    })
  }

  /** Executes a tool and emits how that went. */
  async executeTool(
    { number: stepNumber, state }: Step,
    { toolCallId, toolName }: ToolCall,
    execute: () => Promise<Answer | Suspend>,
  ): Promise<Answer | Suspend> {
    this.#emit('tool-start', () => ({ stepNumber, toolCallId, toolName }))
    const startedAt = performance.now()
    const answer = await execute()
    this.#emit('tool-finish', () => ({
      stepNumber,
      toolCallId,
      toolName,
      status: statusOf(answer),
      durationMs: performance.now() - startedAt,
      retries: state.toolRetries[toolCallId] ?? 0,
    }))
    return answer
  }

  /** The last event of the run. */
  end({ result, error }: RunOutcome): void {
    this.#emitProcessors(() => true)
    if (result) this.#emit('run-finish', () => ({ result: describeResult(result) }))
    else this.#emit('run-error', () => ({ error: describeError(error) }))
    this.#ended = true
  }

  /** What hooks did outside of steps may still grow until the run ends. */
  #emitProcessors(isComplete: (stepNumber: number | undefined) => boolean): void {
    for (const record of this.#run.records) {
      if (!isComplete(record.stepNumber)) continue
      this.decisions?.finish(record)
      if (!record.isNotable || this.#told.has(record)) continue
      this.#told.add(record)
      this.#emit('processor', () => record.toResult())
    }
  }

  #emit<NAME extends AgentEventName>(
    name: NAME,
    fields: () => Omit<AgentEvents[NAME], keyof RunEvent>,
  ): void {
    if (this.#ended) return
    this.#delivery.emit(name, () => ({ ...describeRun(this.#run), ...fields() }))
  }
}

function describeResult(result: RunResult): RunResult {
  return { ...result, warnings: result.warnings.map(describeWarning) }
}

/** What every event says of its run. */
export function describeRun({ id: runId, settings, requestContext }: Run): RunEvent {
  const { threadId, resourceId } = requestContext
  return { runId, agentName: settings.agentName, threadId, resourceId }
}

function statusOf(answer: Answer | Suspend): ToolFinishEvent['status'] {
  if (Suspend.isInstance(answer)) return 'suspended'
  return answer.status === 'success' ? 'success' : 'error'
}

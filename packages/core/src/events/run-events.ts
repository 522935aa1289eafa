import type { ModelRequest } from '../model/model-request.ts'
import { isSame } from '../processors/snapshot-of.ts'
import type {
  AgentEventName,
  AgentEvents,
  PromptChange,
  RunEvent,
  RunInput,
  ToolFinishEvent,
} from '../results/agent-events.ts'
import type { RunResult } from '../results/result.ts'
import type { Run } from '../run/run.ts'
import type { RunObserver, RunOutcome } from '../run/run-observer.ts'
import type { Step } from '../run/step.ts'
import { Suspend } from '../signals.ts'
import type { Answer } from '../tools/decision.ts'
import type { ToolCall } from '../tools/tool.ts'
import { boundedCopy } from './bounded-copy.ts'
import { type Delivery, deliveryTo } from './delivery.ts'
import { describeError, describeWarning } from './describe-error.ts'
import { ProcessorChanges } from './processor-changes.ts'
import { ProcessorDecisions } from './processor-decisions.ts'
import { RunOutput } from './run-output.ts'

/** Emits the events of one run to the agent's listeners. */
export class RunEvents implements RunObserver {
  readonly #run: Run
  readonly #delivery: Delivery
  /** Processor records that were emitted. */
  readonly #emitted = new Set<object>()
  /** Set if there are listeners for changes. */
  readonly changes: ProcessorChanges | undefined
  /** Set if there are listeners for decisions. */
  readonly decisions: ProcessorDecisions | undefined
  /** Set if there are listeners for output. */
  readonly output: RunOutput | undefined
  readonly #content: ReadonlySet<AgentEventName>
  /** The last prompt, if it is emitted. */
  #lastPrompt: ModelRequest['prompt'] = []
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
    this.#content = new Set([...run.listeners].filter(({ content }) => content).map(({ name }) => name))
    if (this.#content.has('output')) {
      this.output = new RunOutput((entries) => this.#send('output', () => ({ entries })))
    }
  }

  start(): void {
    this.#emit('run-start', () => {
      const { messageList, resumedFrom, state, journal } = this.#run
      const attempt = journal?.lease?.attempt ?? journal?.attempt ?? 1
      const input = (): RunInput =>
        boundedCopy({ systemMessages: state.systemMessages, messages: messageList.get('input') })
      const isTold = this.#content.has('run-start') && resumedFrom === undefined
      return { resumedFrom: resumedFrom?.runId, attempt, ...(isTold && { input: input() }) }
    })
  }

  startChat({ number: stepNumber }: Step, { model, prompt, tools }: ModelRequest): void {
    this.#emit('model-start', () => {
      const { provider, modelId } = typeof model === 'string' ? { provider: '', modelId: model } : model
      const messageCount = prompt.length
      const told = this.#content.has('model-start') && { prompt: this.#changeOf(prompt) }
      return { stepNumber, provider, modelId, messageCount, tools: Object.keys(tools), ...told }
    })
  }

  #changeOf(prompt: ModelRequest['prompt']): PromptChange {
    const before = this.#lastPrompt
    let kept = 0
    while (kept < before.length && isSame(before[kept], prompt[kept])) kept++
    this.#lastPrompt = prompt
    return { kept, messages: boundedCopy(prompt.slice(kept)) }
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

  /** Executes a tool and emits its start and end. */
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
      retries: state.calls[toolCallId]?.retries ?? 0,
    }))
    return answer
  }

  /** Emits the last event of the run. */
  end({ result, error }: RunOutcome): void {
    this.#emitProcessors(() => true)
    if (result) this.#emit('run-finish', () => ({ result: describeResult(result) }))
    else this.#emit('run-error', () => ({ error: describeError(error) }))
    this.#ended = true
  }

  /**
   * Emits the records of processors that are complete. Those of hooks outside of steps may change until the run ends.
   */
  #emitProcessors(isComplete: (stepNumber: number | undefined) => boolean): void {
    for (const record of this.#run.records) {
      if (!isComplete(record.stepNumber)) continue
      this.decisions?.finish(record)
      if (!record.isNotable || this.#emitted.has(record)) continue
      this.#emitted.add(record)
      this.#emit('processor', () => record.toResult())
    }
  }

  #emit<NAME extends AgentEventName>(
    name: NAME,
    fields: () => Omit<AgentEvents[NAME], keyof RunEvent>,
  ): void {
    this.output?.flush()
    this.#send(name, fields)
  }

  #send<NAME extends AgentEventName>(
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

/** Fields of every event. */
export function describeRun({ id: runId, settings, requestContext }: Run): RunEvent {
  const { threadId, resourceId } = requestContext
  const at = performance.timeOrigin + performance.now()
  return { runId, at, agentName: settings.agentName, threadId, resourceId }
}

function statusOf(answer: Answer | Suspend): ToolFinishEvent['status'] {
  if (Suspend.isInstance(answer)) return 'suspended'
  return answer.status === 'success' ? 'success' : 'error'
}

import { type AgentOpener, agentOf } from '../../results/agent-opener.ts'
import { recordOf } from '../../run/call-record.ts'
import { ownCalls } from '../../run/own-calls.ts'
import type { Run } from '../../run/run.ts'
import type { Checkpoint, FinishOptions, RunJournal } from '../../run/run-journal.ts'
import type { Step } from '../../run/step.ts'
import type { Suspend } from '../../signals.ts'
import type { StoredRun } from '../../storage/run-store.ts'
import type { Answer } from '../../tools/decision.ts'
import { ownTool, type ToolCall } from '../../tools/tool.ts'
import { isToExecute } from '../tools/execute-calls.ts'
import { toCallOutcome } from './call-outcome.ts'
import { toCheckpoint } from './capture.ts'
import { StateChanges } from './state-changes.ts'

/** A point from which another process can continue the run. */
export interface RecordedPoint {
  /** The part of the step that comes next. */
  readonly checkpoint: Checkpoint
  readonly stepNumber: number
  /** The calls that are executed next, in parallel. Only with the checkpoint `execute`. */
  readonly calls: readonly RecordedCall[]
  /** The run at this point, as JSON. */
  snapshot(): string
}

/** A call that is executed next. */
export interface RecordedCall {
  readonly toolCallId: string
  readonly toolName: string
  /** The agent that the tool runs, if the tool is an agent. */
  readonly agent: object | undefined
}

/** Records a run for an engine, which continues it in another process if its process dies. */
export interface RunRecorder {
  /**
   * Called at a point from which the run can be continued, if a model, tool or processor was called since the last
   * one. The run awaits the promise. A continued run reaches the point `execute` again, with the remaining calls.
   */
  reach(point: RecordedPoint): Promise<void> | undefined
  /** Called before a tool is called. The run awaits the promise. */
  startCall(toolCallId: string): Promise<void> | undefined
  /**
   * Called when a call has ended and the processors have reviewed its outcome. `outcome` is JSON. The run awaits the
   * promise.
   */
  finishCall(toolCallId: string, outcome: string): Promise<void> | undefined
  /**
   * Called when the run suspends. Its result has the same status. `waitsOn`: some of the calls that it waited for are
   * answered, and it waits for the rest.
   */
  suspend(stored: StoredRun, how: { waitsOn: boolean }): void
  /** Whether no other process continues the run. Default: `true`. */
  isHeld?(): boolean
  /** Runs agents that are used as tools. */
  readonly openAgent?: AgentOpener
  /** The number of the current attempt at the run, from 1. Called for events that contain it. */
  attempt?(): Promise<number | undefined>
}

/**
 * The journal of a run that an engine records. A point is recorded only if a model, a tool or a processor was called
 * since the last one.
 */
export class RecordedRunJournal implements RunJournal {
  readonly lease = undefined
  readonly keepsChunks = true
  readonly attempt: number | undefined
  readonly openAgent: AgentOpener | undefined
  readonly #run: Run
  readonly #recorder: RunRecorder
  /** The step whose calls were recorded individually, so that the next point adds nothing. */
  #callsOf: number | undefined
  readonly #states = new StateChanges()
  /** Calls that hand off the turn. Their outcome does not include what the other agent does. */
  readonly #turns = new Set<string>()

  constructor(run: Run, recorder: RunRecorder, attempt?: number) {
    this.attempt = attempt
    this.#run = run
    this.#recorder = recorder
    this.openAgent = recorder.openAgent && ((call) => recorder.openAgent?.(call))
  }

  reach(step: Step, checkpoint: Checkpoint): Promise<void> | undefined {
    const calls = checkpoint === 'execute' ? this.#callsOfStep(step) : []
    if (!this.#isWorthIt(step, checkpoint, calls)) return undefined
    if (checkpoint === 'execute') this.#callsOf = step.number
    return this.#recorder.reach({
      checkpoint,
      stepNumber: step.number,
      calls,
      snapshot: () => {
        this.#states.taken(this.#run)
        return toCheckpoint(this.#run, step, checkpoint, { withAnswers: true })
      },
    })
  }

  #isWorthIt(step: Step, checkpoint: Checkpoint, calls: readonly RecordedCall[]): boolean {
    const { pipeline, state } = this.#run
    // An agent that has the turn cannot be stopped halfway. The request of a retry is not JSON.
    if (state.handoff || step.nextRequest) return false
    switch (checkpoint) {
      case 'processInputStep': {
        const isFirst = step.number === 0 && step.state.discarded.length === 0
        if (isFirst) return pipeline.processInput !== null
        return this.#callsOf !== step.number - 1 || pipeline.names.size > 0
      }
      case 'processToolCall':
        return true
      case 'execute':
        return calls.length > 0
      case 'processOutputResult':
        return pipeline.processOutputResult !== null
      default:
        return checkpoint satisfies never
    }
  }

  #callsOfStep(step: Step): RecordedCall[] {
    return ownCalls(step.state).flatMap(({ toolCallId, toolName }) => {
      const tool = ownTool(step.tools, toolName)
      if (!tool || !isToExecute(recordOf(step.state, toolCallId))) return []
      return [{ toolCallId, toolName, agent: agentOf(tool) }]
    })
  }

  async startCall({ toolCallId }: ToolCall): Promise<void> {
    await this.#recorder.startCall(toolCallId)
  }

  async startTurn({ toolCallId }: ToolCall): Promise<void> {
    this.#turns.add(toolCallId)
    await this.#recorder.startCall(toolCallId)
  }

  /** The engine records a call as a whole, in {@link finishCall}. */
  async endCall(): Promise<void> {}

  async finishCall(
    { toolCallId }: ToolCall,
    outcome: Answer | Suspend,
    options?: FinishOptions,
  ): Promise<void> {
    if (this.#turns.has(toolCallId)) return
    const ended = toCallOutcome(this.#run, outcome, { ...options, states: this.#states })
    await this.#recorder.finishCall(toolCallId, JSON.stringify(ended))
  }

  async suspend(stored: StoredRun): Promise<void> {
    this.#recorder.suspend(stored, { waitsOn: this.#run.waitsOn })
  }

  async isHeld(): Promise<boolean> {
    return this.#recorder.isHeld?.() ?? true
  }

  async end(): Promise<void> {}
}

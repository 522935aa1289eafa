import { outputJson } from '../../messages/json-output.ts'
import { type CallRecord, recordOf } from '../../run/call-record.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { type AgentProgress, isAgentProgress, type ProgressReporter } from '../../tools/agent-progress.ts'
import { type Round, throwIfEnded } from './round.ts'
import type { ToolAttempt } from './tool-attempt.ts'

/**
 * The progress reports of an agent that is called as a tool. They pass the processors of the outer run before they
 * are emitted and stored.
 */
export class AgentReports {
  readonly #run: Run
  readonly #record: CallRecord
  readonly #options: AgentReportsOptions
  /** The error with which a processor ended the run on a report. The tool's code must not be able to catch it. */
  #refusal: { error: unknown } | undefined

  constructor(run: Run, step: Step, options: AgentReportsOptions) {
    this.#run = run
    this.#record = recordOf(step.state, options.toolCallId)
    this.#options = options
  }

  /** @throws The error with which a processor ended the run on a report, if any */
  throwRefusal(): void {
    if (this.#refusal) throw this.#refusal.error
  }

  reporterFor(attempt: ToolAttempt): ProgressReporter {
    const { processExecution, processToolResult } = this.#run.pipeline
    return {
      earlier: this.#record.agent,
      wholeTexts: processExecution !== null || processToolResult !== null,
      // Time spent in processors and waiting for the reader does not count against the tool's timeout.
      report: (progress) => attempt.paused(() => this.#report(attempt, progress)),
    }
  }

  /** Marks the agent as aborted, because the call has failed. */
  fail(): void {
    const { agent } = this.#record
    if (agent?.status === 'running') this.#record.agent = { ...agent, status: 'aborted' }
  }

  async #report(attempt: ToolAttempt, progress: AgentProgress): Promise<void> {
    if (attempt.isOver) return
    const { round, emit } = this.#options
    throwIfEnded(this.#run, round)
    try {
      const shown = await emit(outputJson(progress))
      if (isAgentProgress(shown)) this.#record.agent = shown
      else delete this.#record.agent
    } catch (error) {
      this.#refusal ??= { error }
      throw error
    }
  }
}

interface AgentReportsOptions {
  toolCallId: string
  round: Round
  /** Passes a value through the processors, emits the result and returns it. */
  emit: (value: unknown) => Promise<unknown>
}

import { outputJson } from '../../messages/json-output.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { type AgentProgress, isAgentProgress, type ProgressReporter } from '../../tools/agent-progress.ts'
import { type Round, throwIfEnded } from './round.ts'
import type { ToolAttempt } from './tool-attempt.ts'

/** What an agent reports that is called as a tool: it is shown and kept as the processors of the outer run leave it. */
export class AgentReports {
  readonly #run: Run
  readonly #step: Step
  readonly #options: AgentReportsOptions
  /** Why a processor has stopped the run over a report. Code of the tool must not catch that. */
  #refusal: { error: unknown } | undefined

  constructor(run: Run, step: Step, options: AgentReportsOptions) {
    this.#run = run
    this.#step = step
    this.#options = options
  }

  /** @throws what a processor has stopped the run with over a report, if one has */
  throwRefusal(): void {
    if (this.#refusal) throw this.#refusal.error
  }

  reporterFor(attempt: ToolAttempt): ProgressReporter {
    const { processExecution, processToolResult } = this.#run.pipeline
    return {
      earlier: this.#step.state.agents[this.#options.toolCallId],
      wholeTexts: processExecution !== null || processToolResult !== null,
      // The time of processors and of the reader is not the agent's.
      report: (progress) => attempt.paused(() => this.#report(attempt, progress)),
    }
  }

  /** The call has failed: the agent no longer runs, whatever it has reported last. */
  fail(): void {
    const { agents } = this.#step.state
    const { [this.#options.toolCallId]: agent } = agents
    if (agent?.status === 'running') agents[this.#options.toolCallId] = { ...agent, status: 'aborted' }
  }

  async #report(attempt: ToolAttempt, progress: AgentProgress): Promise<void> {
    if (attempt.isOver) return
    const { toolCallId, round, emit } = this.#options
    throwIfEnded(this.#run, round)
    try {
      const shown = await emit(outputJson(progress))
      if (isAgentProgress(shown)) this.#step.state.agents[toolCallId] = shown
      else delete this.#step.state.agents[toolCallId]
    } catch (error) {
      this.#refusal ??= { error }
      throw error
    }
  }
}

interface AgentReportsOptions {
  toolCallId: string
  round: Round
  /** Takes a value through the processors, and emits what is left of it, which it returns. */
  emit: (value: unknown) => Promise<unknown>
}

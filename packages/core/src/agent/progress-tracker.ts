import type { Chunk } from '../results/chunk.ts'
import type { RunResult, StepResult } from '../results/result.ts'
import type { AgentProgress, AgentProgressStep, ProgressReporter } from '../tools/agent-progress.ts'
import type { Usage } from '../usage.ts'

/** Up to so many characters, every word is reported. */
const SHORT = 256
/** Beyond, a report follows when the text has grown by this part: so all reports together stay linear in the text. */
const GROWTH = 1 / 8

/** Follows the chunks of an agent's run, and reports what it has done so far to the run that uses it as a tool. */
export class ProgressTracker {
  readonly #agentName: string
  readonly #reporter: ProgressReporter
  readonly #steps: (AgentProgressStep & { isOpen?: boolean })[]
  #runId = ''
  /** Characters of all texts, and how many of them there were at the last report. */
  #length = 0
  #reported = 0

  constructor(agentName: string, reporter: ProgressReporter) {
    this.#agentName = agentName
    this.#reporter = reporter
    this.#steps = [...(reporter.earlier?.steps ?? [])]
  }

  /** Takes a chunk in. Returns a promise only where something is reported. */
  read(chunk: Chunk): Promise<void> | undefined {
    const step = this.#steps.at(-1)
    switch (chunk.type) {
      case 'start':
        this.#runId = chunk.runId
        return undefined
      case 'step-start':
        this.#steps.push({ stepNumber: chunk.stepNumber, text: '', toolCalls: [], isOpen: true })
        return undefined
      case 'text-delta':
        if (!step) return undefined
        step.text += chunk.textDelta
        this.#length += chunk.textDelta.length
        return this.#isDue && WORD_END.test(chunk.textDelta) ? this.#report() : undefined
      case 'tool-call': {
        const { toolCallId, toolName } = chunk
        step?.toolCalls.push({ toolCallId, toolName, status: 'running' })
        return this.#report()
      }
      case 'tool-result':
        return chunk.preliminary ? undefined : this.#answer(chunk.toolCallId, 'success')
      case 'tool-error':
        return this.#answer(chunk.toolCallId, 'error')
      case 'tool-denied':
        return this.#answer(chunk.toolCallId, 'denied')
      case 'step-finish':
        if (step) Object.assign(step, { isOpen: false, usage: usageOf(chunk.usage) })
        return undefined
      case 'step-discarded':
        this.#steps.splice(this.#steps.findIndex(({ stepNumber }) => stepNumber === chunk.stepNumber))
        return this.#report()
      default:
        return undefined
    }
  }

  /** Reports how the run ended, with the steps as its processors left them. */
  end({ runId, status, steps }: RunResult): Promise<void> {
    this.#runId = runId
    return this.#reporter.report(this.#progress(status, steps.map(progressOf)))
  }

  /** The run has failed. Steps that were under way are no part of it. */
  fail(): Promise<void> {
    const finished = this.#steps.filter(({ isOpen }) => !isOpen)
    return this.#reporter.report(this.#progress('failed', finished.map(shown)))
  }

  get #isDue(): boolean {
    return this.#length - this.#reported > (this.#reported - SHORT) * GROWTH
  }

  #answer(id: string, status: 'success' | 'error' | 'denied'): Promise<void> | undefined {
    const call = this.#steps
      .flatMap(({ toolCalls }) => toolCalls)
      .findLast(({ toolCallId }) => toolCallId === id)
    if (!call) return undefined
    call.status = status
    return this.#report()
  }

  #report(): Promise<void> {
    this.#reported = this.#length
    return this.#reporter.report(this.#progress('running', this.#steps.map(shown)))
  }

  #progress(status: AgentProgress['status'], steps: AgentProgressStep[]): AgentProgress {
    return { type: 'agent-progress', agentName: this.#agentName, runId: this.#runId, status, steps }
  }
}

const WORD_END = /[\s\u3001\u3002\uff01\uff0c\uff1f]/

/** A step for a report. Of a text that still grows, a last word that may not be complete is left out. */
function shown({ isOpen, ...step }: AgentProgressStep & { isOpen?: boolean }): AgentProgressStep {
  const toolCalls = step.toolCalls.map((call) => ({ ...call }))
  if (!isOpen || toolCalls.length > 0) return { ...step, toolCalls }
  let end = step.text.length
  while (end > 0 && !WORD_END.test(step.text.charAt(end - 1))) end--
  return { ...step, text: step.text.slice(0, end), toolCalls }
}

function progressOf({ stepNumber, text, toolCalls, toolResults, usage }: StepResult): AgentProgressStep {
  const results = new Map(toolResults.map((result) => [result.toolCallId, result]))
  return {
    stepNumber,
    text,
    toolCalls: toolCalls.map(({ toolCallId, toolName }) => {
      const { status = 'running', agent } = results.get(toolCallId) ?? {}
      return { toolCallId, toolName, status, ...(agent && { agent }) }
    }),
    usage: usageOf(usage),
  }
}

function usageOf({ inputTokens, outputTokens, totalTokens }: Usage): NonNullable<AgentProgressStep['usage']> {
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(totalTokens !== undefined && { totalTokens }),
  }
}

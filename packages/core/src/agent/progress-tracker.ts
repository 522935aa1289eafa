import type { Chunk, ChunkOf } from '../results/chunk.ts'
import type { RunResult, StepResult } from '../results/result.ts'
import type { AgentProgress, AgentProgressStep, ProgressReporter } from '../tools/agent-progress.ts'

/** Up to this size in characters, every word and call is reported. */
const UNTHROTTLED_SIZE = 256
/**
 * Above it, the next report follows after growth by this fraction, so that all reports together stay linear in the
 * size.
 */
const GROWTH = 1 / 8
/** The size in characters that is counted for a call, or for its end. */
const CALL_SIZE = 64

/** `isOpen`: more text of the step may follow. */
type Step = AgentProgressStep & { stepNumber: number; isOpen?: boolean }

/** Follows the chunks of an agent's run, and reports its progress to the run that called it as a tool. */
export class ProgressTracker {
  readonly #agentName: string
  readonly #reporter: ProgressReporter
  readonly #steps: Step[]
  #runId = ''
  /** The current size, and the size at the last report. */
  #size = 0
  #reported = 0

  constructor(agentName: string, reporter: ProgressReporter) {
    this.#agentName = agentName
    this.#reporter = reporter
    this.#steps = (reporter.earlier?.steps ?? []).map((step, stepNumber) => ({ ...step, stepNumber }))
  }

  /** Processes a chunk. Returns a promise only if something is reported. */
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
        return step && this.#append(step, chunk.textDelta)
      case 'tool-call': {
        const { toolCallId, toolName } = chunk
        step?.toolCalls.push({ toolCallId, toolName, status: 'running' })
        return this.#grow(CALL_SIZE)
      }
      case 'tool-result':
        return chunk.preliminary ? undefined : this.#answer(chunk, 'success')
      case 'tool-error':
        return this.#answer(chunk, 'error')
      case 'tool-denied':
        return this.#answer(chunk, 'denied')
      case 'step-finish':
        if (step) step.isOpen = false
        return this.#grow(0)
      case 'step-discarded': {
        const index = this.#steps.findIndex(({ stepNumber }) => stepNumber === chunk.stepNumber)
        if (index !== -1) this.#steps.splice(index)
        return this.#report()
      }
      case 'response-replaced': {
        const { text, fromStep = Number.POSITIVE_INFINITY } = chunk
        // The texts of earlier steps follow at the end.
        for (const earlier of this.#steps) if (earlier.stepNumber >= fromStep) earlier.text = ''
        if (step) step.text = text
        return this.#report()
      }
      default:
        return undefined
    }
  }

  /** Reports the end of the run, with the steps as its processors left them. */
  end({ runId, status, steps }: RunResult): Promise<void> {
    this.#runId = runId
    return this.#reporter.report(this.#progress(status, steps.map(progressOf)))
  }

  /** Reports that the run has failed. Unfinished steps are left out. */
  fail(): Promise<void> {
    const finished = this.#steps.filter(({ isOpen }) => !isOpen)
    return this.#reporter.report(this.#progress('failed', finished.map(shown)))
  }

  #append(step: Step, text: string): Promise<void> | undefined {
    step.text += text
    step.isOpen = true
    const isShown = !this.#reporter.wholeTexts && WORD_END.test(text)
    if (isShown) return this.#grow(text.length)
    this.#size += text.length
    return undefined
  }

  #answer(
    { toolCallId: id, providerExecuted }: ToolAnswer,
    status: 'success' | 'error' | 'denied',
  ): Promise<void> | undefined {
    const step = this.#steps.findLast(({ toolCalls }) =>
      toolCalls.some(({ toolCallId }) => toolCallId === id),
    )
    const call = step?.toolCalls.find(({ toolCallId }) => toolCallId === id)
    if (!step || !call) return undefined
    call.status = status
    // The agent's own tools run when the response is complete.
    if (!providerExecuted) step.isOpen = false
    return this.#grow(CALL_SIZE)
  }

  #grow(size: number): Promise<void> | undefined {
    this.#size += size
    const isDue = this.#size - this.#reported > (this.#reported - UNTHROTTLED_SIZE) * GROWTH
    return isDue ? this.#report() : undefined
  }

  #report(): Promise<void> {
    this.#reported = this.#size
    const { wholeTexts } = this.#reporter
    const steps = this.#steps.map((step) => shown(wholeTexts && step.isOpen ? { ...step, text: '' } : step))
    return this.#reporter.report(this.#progress('running', steps))
  }

  #progress(status: AgentProgress['status'], steps: AgentProgressStep[]): AgentProgress {
    return { type: 'agent-progress', agentName: this.#agentName, runId: this.#runId, status, steps }
  }
}

type ToolAnswer = ChunkOf<'tool-result' | 'tool-error' | 'tool-denied'>

const WORD_END = /[\s\u3001\u3002\uff01\uff0c\uff1f]/

/** A step for a report. The last word of a text that is still growing is left out, because it may be incomplete. */
function shown({ stepNumber: _, isOpen, ...step }: Step): AgentProgressStep {
  const toolCalls = step.toolCalls.map((call) => ({ ...call }))
  if (!isOpen) return { ...step, toolCalls }
  let end = step.text.length
  while (end > 0 && !WORD_END.test(step.text.charAt(end - 1))) end--
  return { ...step, text: step.text.slice(0, end), toolCalls }
}

function progressOf({ text, toolCalls, toolResults }: StepResult): AgentProgressStep {
  const results = new Map(toolResults.map((result) => [result.toolCallId, result]))
  return {
    text,
    toolCalls: toolCalls.map(({ toolCallId, toolName }) => {
      const { status = 'running', agent } = results.get(toolCallId) ?? {}
      return { toolCallId, toolName, status, ...(agent && { agent }) }
    }),
  }
}

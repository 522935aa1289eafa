import {
  type OptionNames,
  type ProcessOutputStepArgs,
  type Processor,
  requireCount,
  requireOptions,
  type ToolCall,
} from '@millrace/core'

export interface MaxToolCallsGuardOptions {
  /** Identifies the processor in results, events and errors. Default: `'max-tool-calls'`. */
  readonly id?: string
  /** The maximum number of tool calls in one response. */
  readonly limit: number
  /**
   * Called when calls were removed, with the names of their tools but without their input. An error it throws fails the
   * run.
   */
  readonly onTrim?: (trimmed: MaxToolCallsGuardEvent) => void
}

const MAX_TOOL_CALLS_GUARD_OPTIONS: OptionNames<MaxToolCallsGuardOptions> = {
  id: 'optional',
  limit: 'required',
  onTrim: 'optional',
}

/** The calls that were removed from a response. Contains no input, which may be confidential. */
export interface MaxToolCallsGuardEvent {
  readonly processorId: string
  readonly stepNumber: number
  /** The number of calls that remain. */
  readonly kept: number
  /** The names of the tools that are not called, in order. */
  readonly trimmed: readonly string[]
}

/**
 * Limits the tool calls of one response: the first ones run, the others are removed as if the model had not made them,
 * from the stream too. Calls that the provider executes have already run; they are kept and do not count. The step's
 * record has the action `changed`, and the run's span gets an event with the numbers.
 */
export class MaxToolCallsGuard implements Processor {
  readonly id: string
  readonly #limit: number
  readonly #onTrim: MaxToolCallsGuardOptions['onTrim']

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: number | MaxToolCallsGuardOptions) {
    const {
      id = 'max-tool-calls',
      limit,
      onTrim,
    } = requireOptions(
      'MaxToolCallsGuard',
      typeof given === 'number' ? { limit: given } : given,
      MAX_TOOL_CALLS_GUARD_OPTIONS,
    )
    this.id = id
    this.#limit = requireCount('limit', limit, 1)
    this.#onTrim = onTrim
  }

  processOutputStep({
    toolCalls,
    stepNumber,
    tracingContext,
  }: ProcessOutputStepArgs): { toolCalls: ToolCall[] } | undefined {
    const surplus = toolCalls.filter(({ providerExecuted }) => !providerExecuted).slice(this.#limit)
    if (surplus.length === 0) return undefined
    tracingContext.span?.addEvent('millrace.tool_calls_trimmed', {
      'millrace.processor.id': this.id,
      'millrace.step.number': stepNumber,
      'millrace.tool_calls.kept': this.#limit,
      'millrace.tool_calls.trimmed': surplus.length,
    })
    this.#onTrim?.({
      processorId: this.id,
      stepNumber,
      kept: this.#limit,
      trimmed: surplus.map(({ toolName }) => toolName),
    })
    return { toolCalls: toolCalls.filter((call) => !surplus.includes(call)) }
  }
}

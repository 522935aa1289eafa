import {
  Halt,
  type OptionNames,
  type ProcessorEntry,
  ProcessorPipeline,
  requireOptions,
} from '@millrace/core'
import { GuardRejection } from '../ai-sdk/guard-rejection.ts'
import type { AgentsToolCall } from './agents-types.ts'
import { parsed, promptOfItems } from './prompt-of-items.ts'
import { readItems } from './read-items.ts'
import { listOf } from './request-settings.ts'
import { REVIEW_OPTIONS, type ReviewOptions, review, reviewPrompt } from './review.ts'

/** Options of guardrails made of processors. */
export interface GuardrailOptions extends ReviewOptions {
  /** The name of the guardrail in OpenAI Agents. Default: `millrace`. */
  name?: string
}

const GUARDRAIL_OPTIONS: OptionNames<GuardrailOptions> = { ...REVIEW_OPTIONS, name: 'optional' }

/** Why a guardrail has tripped. Contains no content. */
export interface TripInfo {
  reason: string
  processorId?: string
  hook?: string
}

interface Verdict {
  tripwireTriggered: boolean
  outputInfo: TripInfo | undefined
}

interface ToolVerdict {
  behavior: { type: 'allow' } | { type: 'rejectContent'; message: string } | { type: 'throwException' }
  outputInfo?: TripInfo
}

/** Guardrails of an agent, or of a `Runner`. */
export interface AgentGuardrails {
  inputGuardrails: {
    name: string
    runInParallel: false
    execute(args: { input: string | object[] }): Promise<Verdict>
  }[]
  outputGuardrails: { name: string; execute(args: { agentOutput: unknown }): Promise<Verdict> }[]
}

/** Guardrails of a function tool. */
export interface ToolGuardrails {
  inputGuardrails: {
    type: 'tool_input'
    name: string
    run(data: { toolCall: AgentsToolCall }): Promise<ToolVerdict>
  }[]
  outputGuardrails: {
    type: 'tool_output'
    name: string
    run(data: { toolCall: AgentsToolCall; output: unknown }): Promise<ToolVerdict>
  }[]
}

/**
 * Processors as input and output guardrails. Spread the result into the options of an agent. A guardrail
 * cannot rewrite content, so it trips wherever the processors would reject, redact, replace or answer. A
 * processor that throws, suspends or exceeds the time limit fails the run. The model waits for the input
 * guardrail.
 *
 * @throws MillraceError `CONFIG_…` as an agent does for its `processors`
 *
 * @example
 * const agent = new Agent({ name: 'Support', ...agentGuardrails([new PromptInjectionDetector()]) })
 */
export function agentGuardrails(
  processors: readonly ProcessorEntry[],
  given: GuardrailOptions = {},
): AgentGuardrails {
  const { name = 'millrace', ...options } = requireOptions('agentGuardrails()', given, GUARDRAIL_OPTIONS)
  const checked = new ProcessorPipeline([...processors])
  return {
    inputGuardrails: [
      {
        name,
        runInParallel: false,
        execute: ({ input }) => verdictOf(isInputChanged(checked, input, options)),
      },
    ],
    outputGuardrails: [
      { name, execute: ({ agentOutput }) => verdictOf(isAnswerChanged(checked, agentOutput, options)) },
    ],
  }
}

/**
 * Processors as guardrails of a function tool. Spread the result into its options. A call that they deny or
 * answer is not executed: the model receives the reason, or the answer. An output is replaced by what they
 * leave of it. A call that they would rewrite, and a rejection, is a tripwire.
 *
 * @throws MillraceError `CONFIG_…` as an agent does for its `processors`
 *
 * @example
 * const lookUp = tool({ name: 'lookUp', parameters, execute, ...toolGuardrails([new PIIDetector()]) })
 */
export function toolGuardrails(
  processors: readonly ProcessorEntry[],
  given: GuardrailOptions = {},
): ToolGuardrails {
  const { name = 'millrace', ...options } = requireOptions('toolGuardrails()', given, GUARDRAIL_OPTIONS)
  const checked = new ProcessorPipeline([...processors])
  return {
    inputGuardrails: [
      {
        type: 'tool_input',
        name,
        run: ({ toolCall }) => toolVerdictOf(inputVerdict(checked, toolCall, options)),
      },
    ],
    outputGuardrails: [
      {
        type: 'tool_output',
        name,
        run: ({ toolCall, output }) => toolVerdictOf(outputVerdict(checked, { toolCall, output }, options)),
      },
    ],
  }
}

const REWRITTEN: TripInfo = { reason: 'Processors would have changed it, which a guardrail cannot do.' }

async function verdictOf(isChanged: Promise<boolean>): Promise<Verdict> {
  try {
    const outputInfo = (await isChanged) ? REWRITTEN : undefined
    return { tripwireTriggered: outputInfo !== undefined, outputInfo }
  } catch (error) {
    return { tripwireTriggered: true, outputInfo: tripOf(error) }
  }
}

/** The details of a rejection. Other errors are thrown again and fail the run. */
function tripOf(error: unknown): TripInfo {
  const isVerdict = GuardRejection.isInstance(error) || Halt.isInstance(error)
  if (!isVerdict) throw error
  const { reason = 'A processor halted.', processorId, hook } = error
  return { reason, ...(processorId !== undefined && { processorId }), ...(hook !== undefined && { hook }) }
}

async function isInputChanged(
  checked: ProcessorPipeline,
  input: string | readonly object[],
  options: ReviewOptions,
): Promise<boolean> {
  const prompt = promptOfItems(readItems(listOf(input), 'input'), undefined)
  const left = await review(checked, options, (pipeline) => reviewPrompt(pipeline, prompt))
  // Without processors, for comparison: reading a prompt may change its form.
  const same = await reviewPrompt(new ProcessorPipeline([]), prompt)
  return JSON.stringify(left) !== JSON.stringify(same)
}

async function isAnswerChanged(
  checked: ProcessorPipeline,
  answer: unknown,
  options: ReviewOptions,
): Promise<boolean> {
  const given = textOf(answer)
  const left = await review(checked, options, async (pipeline) => {
    let streamed = ''
    const said = { type: 'text-delta' as const, id: 'answer', textDelta: given }
    for await (const chunk of pipeline.processOutputStream([
      { type: 'text-start', id: 'answer' },
      said,
      { type: 'text-end', id: 'answer' },
    ]))
      if (chunk.type === 'text-delta') streamed += chunk.textDelta
    const step = await pipeline.processOutputStep()
    const { text } = await pipeline.processOutputResult()
    return { streamed, text, continues: step.continue.length > 0 }
  })
  return left.streamed !== given || left.text !== given || left.continues
}

async function toolVerdictOf(verdict: Promise<ToolVerdict>): Promise<ToolVerdict> {
  try {
    return await verdict
  } catch (error) {
    return { behavior: { type: 'throwException' }, outputInfo: tripOf(error) }
  }
}

async function inputVerdict(
  checked: ProcessorPipeline,
  { callId: toolCallId, name: toolName, arguments: json }: AgentsToolCall,
  options: ReviewOptions,
): Promise<ToolVerdict> {
  const call = { toolCallId, toolName, input: parsed(json) }
  const before = JSON.stringify(call.input)
  return review(checked, options, async (pipeline) => {
    const left: string[] = []
    for await (const chunk of pipeline.processOutputStream([{ type: 'tool-call', ...call }]))
      if (chunk.type === 'tool-call') left.push(JSON.stringify(chunk.input))
    const { toolCalls } = await pipeline.processOutputStep()
    const [reviewed] = toolCalls
    if (left[0] !== before || !reviewed || JSON.stringify(reviewed.input) !== before) return CHANGED
    const decision = await pipeline.processToolCall(call)
    if ('deny' in decision) return told(decision.deny ?? 'The call was denied.')
    if ('output' in decision) return told(textOf(decision.output))
    const executed = await pipeline.processExecution(call, 'in', { value: decision.input })
    return JSON.stringify(executed) === before ? ALLOWED : CHANGED
  })
}

async function outputVerdict(
  checked: ProcessorPipeline,
  { toolCall, output }: { toolCall: AgentsToolCall; output: unknown },
  options: ReviewOptions,
): Promise<ToolVerdict> {
  const { callId: toolCallId, name: toolName, arguments: json } = toolCall
  const call = { toolCallId, toolName, input: parsed(json) }
  return review(checked, options, async (pipeline) => {
    const value = (await pipeline.processExecution(call, 'out', { value: output })) ?? null
    const left = await pipeline.processToolResult({ ...call, status: 'success', output: value })
    if (left.status === 'error') return told(left.error)
    if (left.status !== 'success') return told(left.reason ?? 'The result was denied.')
    return JSON.stringify(left.output) === JSON.stringify(output ?? null)
      ? ALLOWED
      : told(textOf(left.output))
  })
}

const ALLOWED: ToolVerdict = { behavior: { type: 'allow' } }
const CHANGED: ToolVerdict = { behavior: { type: 'throwException' }, outputInfo: REWRITTEN }

function told(message: string): ToolVerdict {
  return { behavior: { type: 'rejectContent', message } }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

import type { PromptMessages } from '../messages/model-message.ts'
import type { ChunkType } from '../run/chunk.ts'
import type { FinishReason } from '../run/result.ts'
import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'
import type { StepOutput } from '../run/step-output.ts'
import { type SchemaResult, validate } from '../schema.ts'
import { TripWire } from '../signals.ts'
import { semaphore } from './semaphore.ts'
import { ownTool, type Tool, type ToolCall } from './tool.ts'

/** Reasons after which a response is incomplete or unsafe, so that its calls are not what the model meant. */
const UNFINISHED: ReadonlySet<FinishReason> = new Set(['length', 'content-filter', 'error', 'interrupted'])

/** Whether the calls of a response that ended so may run. */
export function allowsTools(finishReason: FinishReason): boolean {
  return !UNFINISHED.has(finishReason)
}

/** Calls the agent answers itself; the others are answered by the provider. */
export function ownCalls({ toolCalls }: Step): ToolCall[] {
  return toolCalls.filter(({ providerExecuted }) => !providerExecuted)
}

type Outcome = { output: unknown } | { error: string }

/**
 * Answers every call of a step: executes what may be executed, side by side, and gives the others an error the model
 * sees. Results go out in the order of the calls, each call exactly once.
 */
export async function runTools(
  run: Run,
  step: Step,
  { output, prompt }: { output: StepOutput; prompt: PromptMessages },
): Promise<void> {
  const calls = ownCalls(step)
  if (calls.length === 0) return
  const messages = prompt.filter(({ role }) => role !== 'system')
  const limited = semaphore(run.settings.toolConcurrency)
  const outcomes = calls.map((call) => answer(call))
  // A signal in one tool ends the run at once; the others must not become unhandled rejections then.
  for (const outcome of outcomes) outcome.catch(() => {})
  const failed = new Promise<never>((_, reject) => {
    for (const outcome of outcomes) outcome.catch(reject)
  })
  failed.catch(() => {})
  for (const [index, call] of calls.entries()) {
    const outcome = await Promise.race([outcomes[index] as Promise<Outcome>, failed])
    run.throwIfOver()
    await output.enqueue(
      'error' in outcome ? toolError(call, outcome.error) : toolResult(call, outcome.output),
    )
  }

  async function answer(call: ToolCall): Promise<Outcome> {
    const prepared = await prepare(call, step)
    if ('error' in prepared) return { error: prepared.error }
    return limited(() => execute(call, prepared))
  }

  async function execute(call: ToolCall, { tool, input }: Prepared): Promise<Outcome> {
    run.throwIfOver()
    const { toolCallId } = call
    const { requestContext, signal: abortSignal } = run
    if (input !== call.input) step.executedInputs.set(toolCallId, input)
    step.toolsRan = true
    let emitting = false
    try {
      const result = tool.execute?.(input, { toolCallId, messages, abortSignal, requestContext, context: {} })
      if (!isAsyncIterable(result)) return { output: await result }
      let last: unknown
      for await (const value of result) {
        run.throwIfOver()
        last = value
        emitting = true
        await output.enqueue({ ...toolResult(call, value), preliminary: true })
        emitting = false
      }
      return { output: last }
    } catch (error) {
      // What the tool throws is for the model to see; what a processor throws about the tool's result is not.
      if (emitting || run.over || TripWire.isInstance(error)) throw error
      return { error: messageOf(error) }
    }
  }
}

interface Prepared {
  tool: Tool
  input: unknown
}

/** Finds the call's tool and validates its input, or says what the model did wrong. */
async function prepare(call: ToolCall, step: Step): Promise<Prepared | { error: string }> {
  const { toolName, input, inputError } = call
  if (!allowsTools(step.finishReason)) {
    return { error: `The call was not executed: the response ended early (${step.finishReason}).` }
  }
  const tool = ownTool(step.tools, toolName)
  if (!tool) {
    const names = Object.keys(step.tools)
    return {
      error: `There is no tool '${toolName}' in this step. ${names.length > 0 ? `Available tools: ${names.join(', ')}.` : 'No tools are available.'}`,
    }
  }
  if (inputError !== undefined)
    return { error: `The input of '${toolName}' is not valid JSON: ${inputError}` }
  const result = await check(tool, input)
  if (!result.success) return { error: `The input of '${toolName}' is not valid: ${result.error.message}` }
  if (!tool.execute) return { error: `The tool '${toolName}' cannot be executed here.` }
  return { tool, input: result.value }
}

async function check({ inputSchema }: Tool, input: unknown): Promise<SchemaResult<unknown>> {
  try {
    return await validate(inputSchema, input)
  } catch (error) {
    return { success: false, error: error instanceof Error ? error : new Error(String(error)) }
  }
}

function toolResult(call: ToolCall, output: unknown): Extract<ChunkType, { type: 'tool-result' }> {
  return { type: 'tool-result', ...identityOf(call), output }
}

function toolError(call: ToolCall, error: string): Extract<ChunkType, { type: 'tool-error' }> {
  return { type: 'tool-error', ...identityOf(call), error }
}

function identityOf({
  toolCallId,
  toolName,
  input,
  dynamic,
}: ToolCall): Pick<ToolCall, 'toolCallId' | 'toolName' | 'input' | 'dynamic'> {
  return { toolCallId, toolName, input, ...(dynamic && { dynamic }) }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

import type { Processor } from '@millrace/core'
import { text } from '../parts/text.ts'
import { toolCall } from '../parts/tool.ts'
import { ScriptedModel } from '../scripted-model.ts'

/** The inputs of a test run. */
export interface ProcessorRun {
  /** The user message. */
  input: string
  /** The input of the tool, which returns it. */
  toolInput: string
  /** The chunks of the model's answer. */
  answer: readonly string[]
  /** The name of the run's thread and resource. */
  name: string
}

/** The outcome of a run, without what differs between equal runs. */
export interface ProcessorOutcome {
  status: string
  text: string
  reason: string | undefined
  /** All prompts of the model, as JSON. */
  prompts: string
  /** The inputs of the tool. */
  toolInputs: unknown[]
  /** The code of the error, if the run failed. */
  code: string | undefined
}

/** Runs an agent with this processor only: two steps, the first with a tool call. */
export async function runProcessor(
  processor: Processor,
  { input, toolInput, answer, name }: ProcessorRun,
  { stream = false }: { stream?: boolean } = {},
): Promise<ProcessorOutcome> {
  // Imported lazily: most tests with this package test no processor.
  const { Agent, tool } = await import('@millrace/core')
  const model = new ScriptedModel([toolCall('echo', { text: toolInput }), [text(answer)]], { repeat: 'last' })
  const toolInputs: unknown[] = []
  const echo = tool({
    inputSchema: ANY_INPUT,
    execute: (given) => {
      toolInputs.push(given)
      return given
    },
  })
  const agent = new Agent({ name: 'tested', model, tools: { echo }, processors: [processor] })
  const options = { threadId: name, resourceId: name }
  let outcome: Pick<ProcessorOutcome, 'status' | 'text' | 'reason' | 'code'>
  try {
    const result = stream ? await agent.stream(input, options).result : await agent.generate(input, options)
    outcome = { status: result.status, text: result.text, reason: result.rejection?.reason, code: undefined }
  } catch (error) {
    outcome = { status: 'failed', text: '', reason: undefined, code: (error as { code?: string }).code }
  }
  await agent.close()
  return { ...outcome, prompts: JSON.stringify(model.calls.map(({ prompt }) => prompt)), toolInputs }
}

const ANY_INPUT = {
  '~standard': {
    version: 1,
    vendor: 'millrace',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => ({ type: 'object' }) },
  },
} as const

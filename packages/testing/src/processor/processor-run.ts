import type { Processor } from '@millrace/core'
import { text } from '../parts/text.ts'
import { toolCall } from '../parts/tool.ts'
import { ScriptedModel } from '../scripted-model.ts'

/** What a run with the processor is made of. */
export interface ProcessorRun {
  /** What the user says. */
  input: string
  /** What the model gives a tool, which gives it back. */
  toolInput: string
  /** The pieces of the model's answer. */
  answer: readonly string[]
  /** Names the run's thread and resource. */
  name: string
}

/** What came of a run, as far as it is the same in every run that is. */
export interface ProcessorOutcome {
  status: string
  text: string
  reason: string | undefined
  /** Everything the model was asked, as JSON. */
  prompts: string
  /** What the tool was given. */
  toolInputs: unknown[]
  /** The code of the error, if the run failed. */
  code: string | undefined
}

/** Runs an agent of two steps, one with a tool, which has no other processor. */
export async function runProcessor(
  processor: Processor,
  { input, toolInput, answer, name }: ProcessorRun,
  { stream = false }: { stream?: boolean } = {},
): Promise<ProcessorOutcome> {
  // Loaded here: most who use this package test no processor.
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

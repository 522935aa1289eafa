import type { AgentInput } from '../messages/agent-input.ts'
import { isRecord } from '../record.ts'
import type { InferSchema, Schema, StandardSchema } from '../schema.ts'
import type { Tool, ToolExecutionOptions } from '../tools/tool.ts'
import type { RunOptions } from './agent-options.ts'
import type { AgentRunner } from './agent-runner.ts'

/** How an agent is offered to another as a tool. */
export interface AgentToolOptions<
  INPUT extends Schema = StandardSchema<AgentPrompt>,
  OUTPUT extends Schema | undefined = undefined,
> {
  /** For display; the model calls the tool by its key among the `tools`. Default: the agent's name. */
  name?: string
  /** Tells the model what the agent is for. Default: that it asks the agent of this name. */
  description?: string
  /** What the model passes to it. Default: `{ prompt: string }`. */
  inputSchema?: INPUT
  /** Makes the agent's input of what the model passed. Default: its `prompt`, if that is a string, else all of it as JSON. */
  toInput?: (input: InferSchema<INPUT>) => AgentInput
  /** Options of the agent's runs, such as an `output` schema. */
  run?: Omit<RunOptions<OUTPUT>, 'abortSignal' | 'requestContext'>
}

/** What the model passes to an agent unless its tool says otherwise. */
export interface AgentPrompt {
  prompt: string
}

/** A tool that runs an agent. */
export type AgentTool<INPUT extends Schema, OUTPUT extends Schema | undefined> = Tool<
  InferSchema<INPUT>,
  AgentToolOutput<OUTPUT>
> & {
  execute: (input: InferSchema<INPUT>, options: ToolExecutionOptions) => Promise<AgentToolOutput<OUTPUT>>
}

/** The structured answer where one was asked for, else the text. */
export type AgentToolOutput<OUTPUT extends Schema | undefined> = OUTPUT extends Schema
  ? InferSchema<OUTPUT>
  : string

export function agentTool<INPUT extends Schema, OUTPUT extends Schema | undefined>(
  agent: AgentRunner,
  options: AgentToolOptions<INPUT, OUTPUT>,
): AgentTool<INPUT, OUTPUT> {
  const { name = agent.name, description = `Asks the agent '${name}'.`, inputSchema = promptSchema } = options
  return {
    title: name,
    description,
    inputSchema: inputSchema as Schema<InferSchema<INPUT>>,
    async execute(input, execution) {
      const { runAsTool } = await import('./run-as-tool.ts')
      const { run = {}, toInput = defaultInput } = options
      const answer = await runAsTool(agent, execution, { input: () => toInput(input), run })
      return answer as AgentToolOutput<OUTPUT>
    },
  }
}

function defaultInput(input: unknown): AgentInput {
  return isRecord(input) && typeof input.prompt === 'string' ? input.prompt : JSON.stringify(input)
}

const promptSchema: StandardSchema<AgentPrompt> = {
  '~standard': {
    version: 1,
    vendor: 'millrace',
    validate: (value) =>
      isRecord(value) && typeof value.prompt === 'string'
        ? { value: { prompt: value.prompt } }
        : { issues: [{ message: 'Expected a string.', path: ['prompt'] }] },
    jsonSchema: {
      input: () => ({
        type: 'object',
        properties: { prompt: { type: 'string' } },
        required: ['prompt'],
        additionalProperties: false,
      }),
    },
  },
}

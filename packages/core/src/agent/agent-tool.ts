import type { AgentInput } from '../messages/agent-input.ts'
import type { PromptMessages } from '../messages/model-message.ts'
import { requireCount } from '../option-checks.ts'
import { type OptionNames, requireOptions } from '../option-names.ts'
import { isRecord } from '../record.ts'
import { withAgent } from '../results/agent-opener.ts'
import { withHandoff } from '../results/handoff-target.ts'
import type { InferSchema, Schema, StandardSchema } from '../schema.ts'
import type { Tool, ToolExecutionOptions } from '../tools/tool.ts'
import { RUN_OPTIONS, type RunOptions } from './agent-options.ts'
import type { AgentRunner } from './agent-runner.ts'

/** Options of an agent that is used as a tool. */
export interface AgentToolOptions<
  INPUT extends Schema = StandardSchema<AgentPrompt>,
  OUTPUT extends Schema | undefined = undefined,
> {
  /** For display. The model calls the tool by its key in `tools`. Default: the agent's name. */
  name?: string
  /** Tells the model what the agent is for. Default: a sentence with the agent's name. */
  description?: string
  /** The schema of the tool's input. Default: `{ prompt: string }`. */
  inputSchema?: INPUT
  /**
   * Converts the tool's input to the agent's input. `messages` is the prompt that led to the call, without system
   * messages. Default: its `prompt` if that is a string, otherwise the whole input as JSON.
   */
  toInput?: (input: InferSchema<INPUT>, context: { messages: PromptMessages }) => AgentInput
  /**
   * Whether a call ends the turn of the outer run with the agent's answer: the outer model is not called again. The
   * agent's output is streamed as the outer run's own and passes its processors. Default: false.
   */
  handoff?: boolean
  /**
   * What happens to a call whose process has died: `suspend` asks a person, `retry` calls the agent again, `fail`
   * reports an error to the model. Default: `suspend`.
   */
  onInterrupted?: Tool['onInterrupted']
  /** Maximum nesting depth of agents below the outermost. A deeper call is an error. Default: 5. */
  maxDepth?: number
  /** Options of the agent's runs, such as an `output` schema. */
  run?: Omit<RunOptions<OUTPUT>, 'abortSignal' | 'requestContext'>
}

/** The default input of an agent that is used as a tool. */
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

/** The structured answer if there is an `output` schema, otherwise the text. */
export type AgentToolOutput<OUTPUT extends Schema | undefined> = OUTPUT extends Schema
  ? InferSchema<OUTPUT>
  : string

type AnyAgentToolOptions = AgentToolOptions<Schema, Schema | undefined>

const { abortSignal: _, requestContext: __, ...RUN_OF_TOOL } = RUN_OPTIONS

const AGENT_TOOL_OPTIONS: OptionNames<AnyAgentToolOptions> = {
  name: 'optional',
  description: 'optional',
  inputSchema: 'optional',
  toInput: 'optional',
  handoff: 'optional',
  onInterrupted: 'optional',
  maxDepth: 'optional',
  run: RUN_OF_TOOL,
}

export function agentTool<INPUT extends Schema, OUTPUT extends Schema | undefined>(
  agent: AgentRunner,
  given: AgentToolOptions<INPUT, OUTPUT>,
): AgentTool<INPUT, OUTPUT> {
  const options = requireOptions<AnyAgentToolOptions>(
    'agent.asTool()',
    given as AnyAgentToolOptions,
    AGENT_TOOL_OPTIONS,
  ) as AgentToolOptions<INPUT, OUTPUT>
  const { name = agent.name, handoff = false, inputSchema = promptSchema } = options
  const { run = {}, toInput = defaultInput, maxDepth = DEFAULT_DEPTH, onInterrupted } = options
  requireCount('maxDepth', maxDepth, 1)
  const tool: AgentTool<INPUT, OUTPUT> = {
    title: name,
    description: options.description ?? defaultDescription(name, handoff),
    inputSchema: inputSchema as Schema<InferSchema<INPUT>>,
    ...(onInterrupted !== undefined && { onInterrupted }),
    async execute(input, execution) {
      const { runAsTool } = await import('./run-as-tool.ts')
      const answer = await runAsTool(agent, execution, {
        input: () => toInput(input, execution),
        run,
        maxDepth,
      })
      return answer as AgentToolOutput<OUTPUT>
    },
  }
  withAgent(tool, agent)
  if (!handoff) return tool
  return withHandoff(tool, {
    agentName: agent.name,
    maxDepth,
    async open(input, execution, output) {
      const { openTurn } = await import('./run-as-tool.ts')
      return openTurn(agent, execution, {
        input: () => toInput(input as InferSchema<INPUT>, execution),
        run: { ...(output && { output }), ...run },
        maxDepth,
      })
    },
  })
}

const DEFAULT_DEPTH = 5

function defaultDescription(name: string, handoff: boolean): string {
  return handoff
    ? `Hands the turn off to the agent '${name}', who answers in your place.`
    : `Asks the agent '${name}'.`
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

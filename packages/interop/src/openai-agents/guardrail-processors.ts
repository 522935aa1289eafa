import {
  isRecord,
  MillraceError,
  type OptionNames,
  type Processor,
  type ProcessorArgs,
  type RequestContext,
  requireOptions,
  type ToolCall,
} from '@millrace/core'
import { ADAPTER_OPTIONS, type AdapterOptions, identityOf, requireMethod } from '../adapter/adapter.ts'
import type { AgentsItem, AgentsRunContext, AgentsToolCall } from './agents-types.ts'
import { itemsOfMessages } from './items-of-messages.ts'
import { loadAgents } from './load-agents.ts'

/** An input guardrail of OpenAI Agents. */
export interface GivenInputGuardrail {
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: accepts any agent
  execute(args: any): Promise<unknown>
}

/** An output guardrail of OpenAI Agents. */
export type GivenOutputGuardrail = GivenInputGuardrail

/** A tool guardrail of OpenAI Agents. */
export interface GivenToolGuardrail {
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: accepts any agent
  run(data: any): Promise<unknown>
}

/** Options of the guardrail adapters. */
export interface GuardrailProcessorOptions extends AdapterOptions {
  /** The agent that guardrails receive. Default: an agent without a model, with the name `millrace`. */
  agent?: object
  /** Creates the context of their `RunContext`. Default: the `RequestContext` itself. */
  context?: (requestContext: RequestContext) => unknown
}

const GUARDRAIL_PROCESSOR_OPTIONS: OptionNames<GuardrailProcessorOptions> = {
  ...ADAPTER_OPTIONS,
  agent: 'optional',
  context: 'optional',
}

/** Options of the tool guardrail adapters. */
export interface ToolGuardrailProcessorOptions extends GuardrailProcessorOptions {
  /** The names of the guarded tools. Default: all. */
  tools?: readonly string[]
}

const TOOL_GUARDRAIL_PROCESSOR_OPTIONS: OptionNames<ToolGuardrailProcessorOptions> = {
  ...GUARDRAIL_PROCESSOR_OPTIONS,
  tools: 'optional',
}

/**
 * Runs an input guardrail of OpenAI Agents in `processInput`. A tripwire aborts the run. An error, or an
 * invalid verdict, fails it. The guardrail receives the whole conversation as items, or as a string if it has
 * only one text. Needs `@openai/agents`.
 *
 * @throws MillraceError `CONFIG_INVALID` if it is not an input guardrail
 */
export function inputGuardrail(
  guardrail: GivenInputGuardrail,
  given: GuardrailProcessorOptions = {},
): Processor {
  const options = requireOptions('inputGuardrail()', given, GUARDRAIL_PROCESSOR_OPTIONS)
  requireMethod(guardrail, ['execute'], 'inputGuardrail')
  return {
    ...identityOf(options, guardrail.name || 'input-guardrail'),
    async processInput({ messages, systemMessages, abort, ...args }) {
      const items = await itemsOfMessages(messages)
      const input = stringOf(items) ?? items
      const verdict = verdictOf(
        await guardrail.execute({ input, ...(await commonArguments(args, options)) }),
        guardrail,
      )
      if (verdict.isTriggered) abort(reasonOf(guardrail), { metadata: verdict.info })
      return undefined
    },
  }
}

/**
 * Runs an output guardrail of OpenAI Agents in `processOutputResult`, on the answer or on its object. Works
 * like {@link inputGuardrail}. Text that was already streamed is retracted; with `emit: 'step'` none is
 * streamed before.
 *
 * @throws MillraceError `CONFIG_INVALID` if it is not an output guardrail
 */
export function outputGuardrail(
  guardrail: GivenOutputGuardrail,
  given: GuardrailProcessorOptions = {},
): Processor {
  const options = requireOptions('outputGuardrail()', given, GUARDRAIL_PROCESSOR_OPTIONS)
  requireMethod(guardrail, ['execute'], 'outputGuardrail')
  return {
    ...identityOf(options, guardrail.name || 'output-guardrail'),
    async processOutputResult({ result, messages, abort, ...args }) {
      const details = { output: await itemsOfMessages(messages) }
      const agentOutput = result.object ?? result.text
      const given = { agentOutput, details, ...(await commonArguments(args, options)) }
      const verdict = verdictOf(await guardrail.execute(given), guardrail)
      if (verdict.isTriggered) abort(reasonOf(guardrail), { metadata: verdict.info })
      return undefined
    },
  }
}

/**
 * Runs a tool input guardrail of OpenAI Agents in `processToolCall`: a rejected call is denied, with the
 * guardrail's message for the model, and its exception aborts the run. Works like {@link inputGuardrail}.
 *
 * @throws MillraceError `CONFIG_INVALID` if it is not a tool guardrail
 */
export function toolInputGuardrail(
  guardrail: GivenToolGuardrail,
  given: ToolGuardrailProcessorOptions = {},
): Processor {
  const options = requireOptions('toolInputGuardrail()', given, TOOL_GUARDRAIL_PROCESSOR_OPTIONS)
  requireMethod(guardrail, ['run'], 'toolInputGuardrail')
  return {
    ...identityOf(options, guardrail.name || 'tool-input-guardrail'),
    async processToolCall({ toolCall, abort, ...args }) {
      if (!isOne(toolCall, options)) return undefined
      const data = { toolCall: itemOf(toolCall), ...(await commonArguments(args, options)) }
      const verdict = toolVerdictOf(await guardrail.run(data), guardrail)
      if (verdict.type === 'rejectContent') return { deny: verdict.message }
      if (verdict.type === 'throwException') abort(reasonOf(guardrail), { metadata: verdict.info })
      return undefined
    },
  }
}

/**
 * Runs a tool output guardrail of OpenAI Agents in `processToolResult`: its message replaces a rejected
 * output, and its exception aborts the run. Errors of tools are passed to it as text. Works like {@link
 * inputGuardrail}.
 *
 * @throws MillraceError `CONFIG_INVALID` if it is not a tool guardrail
 */
export function toolOutputGuardrail(
  guardrail: GivenToolGuardrail,
  given: ToolGuardrailProcessorOptions = {},
): Processor {
  const options = requireOptions('toolOutputGuardrail()', given, TOOL_GUARDRAIL_PROCESSOR_OPTIONS)
  requireMethod(guardrail, ['run'], 'toolOutputGuardrail')
  return {
    ...identityOf(options, guardrail.name || 'tool-output-guardrail'),
    async processToolResult({ toolCall, status, output, error, abort, ...args }) {
      if (!isOne(toolCall, options)) return undefined
      const given = status === 'success' ? output : error
      const data = { toolCall: itemOf(toolCall), output: given, ...(await commonArguments(args, options)) }
      const verdict = toolVerdictOf(await guardrail.run(data), guardrail)
      if (verdict.type === 'rejectContent')
        return status === 'success' ? { output: verdict.message } : { error: verdict.message }
      if (verdict.type === 'throwException') abort(reasonOf(guardrail), { metadata: verdict.info })
      return undefined
    },
  }
}

/** The arguments that every guardrail receives, in addition to the content. */
async function commonArguments(
  { requestContext }: Pick<ProcessorArgs, 'requestContext'>,
  { agent, context = (given) => given }: GuardrailProcessorOptions,
): Promise<{ agent: object; context: AgentsRunContext }> {
  const { Agent, RunContext } = await loadAgents()
  return {
    agent: agent ?? new Agent({ name: 'millrace' }),
    context: new RunContext(context(requestContext)),
  }
}

function stringOf(items: readonly AgentsItem[]): string | undefined {
  const [item, ...others] = items
  if (others.length > 0 || item === undefined || !('role' in item) || typeof item.content === 'string') return
  const [content, ...more] = item.content
  return more.length === 0 && content !== undefined && 'text' in content ? content.text : undefined
}

function itemOf({ toolCallId: callId, toolName: name, input }: ToolCall): AgentsToolCall {
  return {
    type: 'function_call',
    callId,
    name,
    arguments: JSON.stringify(input) ?? '{}',
    status: 'completed',
  } as AgentsToolCall
}

function isOne({ toolName }: ToolCall, { tools }: ToolGuardrailProcessorOptions): boolean {
  return tools === undefined || tools.includes(toolName)
}

function reasonOf({ name }: { name: string }): string {
  return `The guardrail '${name}' was triggered.`
}

function verdictOf(returned: unknown, guardrail: { name: string }): { isTriggered: boolean; info: unknown } {
  const isTriggered = isRecord(returned) ? returned.tripwireTriggered : undefined
  if (!isRecord(returned) || typeof isTriggered !== 'boolean')
    throw noVerdict(guardrail, 'an object with tripwireTriggered: true or false')
  return { isTriggered, info: returned.outputInfo }
}

type ToolBehavior =
  | { type: 'allow' }
  | { type: 'rejectContent'; message: string }
  | { type: 'throwException'; info: unknown }

function toolVerdictOf(returned: unknown, guardrail: { name: string }): ToolBehavior {
  const behavior = isRecord(returned) ? returned.behavior : undefined
  if (isRecord(returned) && isRecord(behavior)) {
    const { type, message } = behavior
    if (type === 'allow') return { type }
    if (type === 'throwException') return { type, info: returned.outputInfo }
    if (type === 'rejectContent' && typeof message === 'string') return { type, message }
  }
  throw noVerdict(
    guardrail,
    "an object with the behavior 'allow', 'rejectContent' with a message, or 'throwException'",
  )
}

function noVerdict({ name }: { name: string }, expected: string): MillraceError {
  return new MillraceError(
    'PROCESSOR_RESULT_INVALID',
    `The guardrail '${name}' returned an invalid verdict. It must return ${expected}.`,
  )
}

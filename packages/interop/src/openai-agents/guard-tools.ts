import {
  MillraceError,
  type ProcessorEntry,
  ProcessorPipeline,
  requireOptions,
  type Tool,
} from '@millrace/core'
import {
  GUARD_TOOLS_OPTIONS,
  GuardedExecution,
  type GuardToolsOptions,
  ResultError,
} from '../ai-sdk/guard-tools.ts'
import { parsed } from './prompt-of-items.ts'

interface InvokeDetails {
  toolCall?: { callId: string }
  signal?: AbortSignal
}

/** The part of an OpenAI Agents tool that is used. */
interface AgentsFunctionTool {
  type: string
  name: string
  description?: string
  // biome-ignore lint/suspicious/noExplicitAny: tools of any context
  invoke?: (context: any, input: string, details?: any) => Promise<any>
}

/**
 * Wraps function tools, so that their outputs pass `processExecution` and `processToolResult` before OpenAI
 * Agents receives them: its run items, session and traces contain only what the processors leave. A guarded
 * model cannot do that, because it sees a result only in the next call. A rejection fails the run. If a
 * processor turns the result into an error, the model receives the error. Hosted tools are not wrapped,
 * because the provider executes them.
 *
 * @throws MillraceError `CONFIG_…` as an agent does for its `processors`; `CONFIG_INVALID` for a tool of
 *   another type, whose results cannot be guarded
 *
 * @example
 * const agent = new Agent({ name: 'Support', model: guardModel(model, processors), tools: guardTools([lookUp], processors) })
 */
export function guardTools<TOOL extends AgentsFunctionTool>(
  tools: readonly TOOL[],
  processors: readonly ProcessorEntry[],
  given: GuardToolsOptions = {},
): TOOL[] {
  const options = requireOptions('guardTools()', given, GUARD_TOOLS_OPTIONS)
  const checked = new ProcessorPipeline([...processors])
  return tools.map((tool) => guardTool(tool, checked, options))
}

function guardTool<TOOL extends AgentsFunctionTool>(
  tool: TOOL,
  checked: ProcessorPipeline,
  { session, ...shared }: GuardToolsOptions,
): TOOL {
  const { type, name, invoke } = tool
  if (type === 'hosted_tool') return tool
  if (type !== 'function' || invoke === undefined) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `guardTools() received the tool '${name}' of type '${type}', whose results it cannot guard. Use a function tool, or remove it.`,
    )
  }
  const guarded: AgentsFunctionTool['invoke'] = async (context, input, details?: InvokeDetails) => {
    const pipeline = new ProcessorPipeline(checked, {
      ...shared,
      ...(session && { session: session.pipeline }),
      ...(details?.signal && { abortSignal: details.signal }),
    })
    const given = parsed(input)
    const call = {
      toolCallId: details?.toolCall?.callId ?? crypto.randomUUID(),
      toolName: name,
      input: given,
    }
    const execution = new GuardedExecution(pipeline, call, tool as unknown as Tool, {
      where: 'OpenAI Agents',
    })
    const own = details && withoutErrorsInTraces(details)
    try {
      return await execution.run((left) =>
        invoke.call(tool, context, left === given ? input : JSON.stringify(left), own),
      )
    } catch (error) {
      if (error instanceof ResultError) return error.message
      throw error
    }
  }
  // Copies symbols too, as OpenAI Agents does when it copies tools.
  return Object.create(Object.getPrototypeOf(tool), {
    ...Object.getOwnPropertyDescriptors(tool),
    invoke: { value: guarded, enumerable: true, configurable: true, writable: true },
  }) as TOOL
}

/**
 * With this flag a tool writes a caught error to the trace before processors can see it. Without it, the
 * trace only says that there was an error.
 */
const ERRORS_IN_TRACES = 'functionToolTraceIncludeSensitiveData'

function withoutErrorsInTraces(details: InvokeDetails): InvokeDetails {
  const fields: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(details)
  for (const key of Object.getOwnPropertySymbols(fields))
    if (key.description === ERRORS_IN_TRACES) delete fields[key as unknown as string]
  return Object.create(Object.getPrototypeOf(details), fields)
}

import { isDirectToolOutput, ToolMessage } from '@langchain/core/messages'
import { isRecord, MillraceError, type ProcessorPipeline, type ToolCall } from '@millrace/core'
import { schemaOf } from '../adapter/tool-definition.ts'
import { GuardedExecution } from '../ai-sdk/guard-tools.ts'
import { refusalOf } from './refusal.ts'

/** The part of LangChain's `StructuredTool` that is used. */
interface GivenTool {
  _call(input: unknown, runManager: unknown, config: unknown): unknown
  invoke(input: unknown, config?: unknown): Promise<unknown>
}

/**
 * Wraps a tool so that its outputs pass the processors inside it: LangChain traces, streams and stores what
 * they leave.
 *
 * @throws MillraceError `CONFIG_INVALID` for a tool that traces its outputs in another way
 */
export function guardedTool(tool: unknown, pipeline: ProcessorPipeline, toolCall: ToolCall): unknown {
  if (!isStructured(tool)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `The tool '${toolCall.toolName}' is not a StructuredTool, so its results would be traced before a processor sees them. Create it with tool() of LangChain.`,
    )
  }
  return Object.assign(Object.create(tool) as GivenTool, {
    _call: async (given: unknown, runManager: unknown, config: unknown) => {
      let direct: ToolMessage | undefined
      const call = { ...toolCall, input: given }
      const execution = new GuardedExecution(pipeline, call, { inputSchema: schemaOf({}) })
      try {
        const left = await execution.run(async (input) => {
          const output = await lastOf(await tool._call(input, runManager, config))
          if (!isDirectToolOutput(output)) return output
          direct = messageIn(output, toolCall)
          return { content: direct.content, artifact: direct.artifact }
        })
        return direct ? rebuilt(direct, left) : left
      } catch (error) {
        throw refusalOf(error)
      }
    },
  })
}

function isStructured(tool: unknown): tool is GivenTool {
  return typeof tool === 'object' && tool !== null && typeof (tool as Partial<GivenTool>)._call === 'function'
}

/** Progress that a tool yields is dropped: LangChain only keeps the return value. */
async function lastOf(output: unknown): Promise<unknown> {
  if (!isGenerator(output)) return output
  for (;;) {
    const { done, value } = await output.next()
    if (done) return value
  }
}

function isGenerator(value: unknown): value is AsyncGenerator<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value
}

/** @throws MillraceError `CONFIG_INVALID` for a `Command`, which would write to the state of the graph */
function messageIn(output: unknown, { toolName }: ToolCall): ToolMessage {
  if (ToolMessage.isInstance(output)) return output
  throw new MillraceError(
    'CONFIG_INVALID',
    `The tool '${toolName}' returned a Command, which would write content to the state that no processor has seen. Return a string, an object or a ToolMessage.`,
  )
}

function rebuilt(message: ToolMessage, left: unknown): ToolMessage {
  const { content, artifact } = isRecord(left) ? left : { content: String(left), artifact: undefined }
  const { id, name, tool_call_id, status } = message
  return new ToolMessage({
    tool_call_id,
    content: content as ToolMessage['content'],
    ...(artifact !== undefined && { artifact }),
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
  })
}

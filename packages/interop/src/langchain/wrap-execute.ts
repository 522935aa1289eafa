import { ToolMessage } from '@langchain/core/messages'
import { type Tool, type ToolExecutionOptions, validate } from '@millrace/core'
import { outputText } from '../lines/lines-of-messages.ts'
import type { CalledHook } from './published-middleware.ts'

interface Wrapped {
  wrapToolCall: CalledHook
  runtime: unknown
  state: () => unknown
}

/** Wraps `execute` of a tool with LangChain's `wrapToolCall`. If it throws, the error is the tool's error. */
export function wrapExecute(name: string, tool: Tool, { wrapToolCall, runtime, state }: Wrapped): Tool {
  const { execute } = tool
  if (execute === undefined) return tool
  return {
    ...tool,
    async execute(input: unknown, options: ToolExecutionOptions) {
      const { toolCallId: id } = options
      let last: { message: ToolMessage; json: string; output: unknown } | undefined
      const toolCall = { type: 'tool_call', id, name, args: input }
      const handler = async (changed: unknown): Promise<ToolMessage> => {
        const { args, name: called } = (changed as { toolCall: { args: unknown; name: string } }).toolCall
        if (called !== name)
          throw new Error(
            `A wrapToolCall called '${called}' instead of '${name}', which is not supported here.`,
          )
        const output = await lastOf(execute.call(tool, await checked(tool, args, input), options))
        const message = new ToolMessage({ tool_call_id: id, name, content: outputText(output) })
        last = { message, json: JSON.stringify(message), output }
        return message
      }
      const request = { toolCall, tool: { name, description: tool.description }, state: state(), runtime }
      const answer = await wrapToolCall(request, handler)
      if (!ToolMessage.isInstance(answer))
        throw new Error('A wrapToolCall did not return a ToolMessage, which is the only supported result.')
      if (last && answer === last.message && JSON.stringify(answer) === last.json) return last.output
      if (answer.status === 'error') throw new Error(answer.text)
      return answer.text
    },
  }
}

async function checked(tool: Tool, args: unknown, input: unknown): Promise<unknown> {
  if (args === input) return input
  const result = await validate(tool.inputSchema, args)
  if (result.success) return result.value
  throw new Error(
    `A wrapToolCall changed the input to a value that the tool rejects: ${result.error.message}`,
  )
}

async function lastOf(output: unknown): Promise<unknown> {
  const given = await output
  if (typeof given !== 'object' || given === null || !(Symbol.asyncIterator in given)) return given
  let last: unknown
  for await (const value of given as AsyncIterable<unknown>) last = value
  return last
}

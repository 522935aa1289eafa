import type { Message } from '../messages/message.ts'
import type { Tool, ToolCall, ToolResult } from '../tools/tool.ts'
import type { MessageList } from '../transcript/message-list.ts'
import type { Usage } from '../usage.ts'
import type { ControlArgs, MaybePromise, SuspendArgs } from './hook-arguments.ts'
import type { HookReturn } from './hook-return.ts'
import { data, object, oneOf, string } from './shape.ts'

export interface ProcessToolCallArgs extends SuspendArgs {
  /** The call, with its input as the model sent it or as the processors before have left it. */
  toolCall: ToolCall
  tool: Tool
  messageList: MessageList
  stepNumber: number
}

/**
 * Nothing continues the call. `input` replaces what the tool gets, and is validated again. `deny` answers with a
 * denial and `output` with a result; the tool is not executed, and later processors are not asked.
 */
export type ProcessToolCallResult =
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
  void | undefined | { input: unknown } | { deny: string } | { output: unknown }

/**
 * Calls of a step execute side by side, so several may be on their way at the same time.
 *
 * `in`, in the order of the processors: the input, each time it is validated or shown to an approval policy, and
 * last when it goes to `execute`; where the tool had suspended, also its payload. `out`, in the opposite order and before
 * anything is kept: the output, each preliminary one, the message of an error, the payload the tool suspends with.
 *
 * `view`, in that order too: what the tool's `toModelOutput` makes of an output, on its way into a prompt. It may be the
 * output of a call that an earlier run has made.
 */
export interface ProcessExecutionArgs extends ControlArgs {
  /** The call as steps, events, traces and suspended runs keep it. */
  toolCall: ToolCall
  tool: Tool
  direction: 'in' | 'out' | 'view'
  value: unknown
  messageList: MessageList
  stepNumber: number
}

/** Nothing leaves the value as it is. What goes `in` is used and not kept; what comes `out` is all that is kept. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessExecutionResult = void | undefined | { value: unknown }

export interface ProcessToolResultArgs extends SuspendArgs {
  toolCall: ToolCall
  status: 'success' | 'error' | 'denied'
  /** What the tool returned, where `status` is `success`. */
  output: unknown
  /** What the model will be told, where `status` is `error` or `denied`. */
  error: string | undefined
  /** A streaming tool's result so far. The final result comes in a call of its own. */
  preliminary: boolean
  messageList: MessageList
  stepNumber: number
}

/** Nothing leaves the result as it is. `output` makes it a success, `error` an error. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessToolResultResult = void | undefined | { output: unknown } | { error: string }

export interface ProcessToolStepArgs extends SuspendArgs {
  toolResults: ToolResult[]
  messages: Message[]
  messageList: MessageList
  stepNumber: number
  /** Of this step; its input tokens say how full the context window is. */
  usage: Usage
  /** Tokens the model can take, where the agent was told or the model says. */
  contextWindow: number | undefined
  maxOutputTokens: number | undefined
}

/** Nothing continues the loop. `finish` ends it, with `text` as the answer if given. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessToolStepResult = void | undefined | { finish: true; text?: string }

/** Around tool calls. */
export interface ToolHooks {
  /** For every call the agent is to answer, in order, before any of them executes. */
  processToolCall?(args: ProcessToolCallArgs): MaybePromise<ProcessToolCallResult>
  /** For what a tool is given and gives back: its `execute` sees it so, and nothing keeps what goes in. */
  processExecution?(args: ProcessExecutionArgs): MaybePromise<ProcessExecutionResult>
  /** For every result of such a call, in call order: outputs, errors, denials and preliminary results. */
  processToolResult?(args: ProcessToolResultArgs): MaybePromise<ProcessToolResultResult>
  /** Once per step, after all results are in the transcript. */
  processToolStep?(args: ProcessToolStepArgs): MaybePromise<ProcessToolStepResult>
}

/** What they may return, to be checked. */
export const TOOL_RETURNS: Readonly<Record<keyof ToolHooks, HookReturn>> = {
  processToolCall: {
    allowed: 'one of { input }, { deny: string } and { output }',
    object: object(
      {},
      { optional: { input: data, deny: string, output: data }, oneOf: ['input', 'deny', 'output'] },
    ),
  },
  processExecution: { allowed: '{ value }', object: object({ value: data }) },
  processToolResult: {
    allowed: 'one of { output } and { error: string }',
    object: object({}, { optional: { output: data, error: string }, oneOf: ['output', 'error'] }),
  },
  processToolStep: {
    allowed: '{ finish: true, text?: string }',
    object: object({ finish: oneOf(true) }, { optional: { text: string } }),
  },
}

import type { Message } from '../messages/message.ts'
import type { Tool, ToolCall, ToolResult } from '../tools/tool.ts'
import type { MessageList } from '../transcript/message-list.ts'
import type { Usage } from '../usage.ts'
import type { ControlArgs, MaybePromise, SuspendArgs } from './hook-arguments.ts'
import type { HookReturn } from './hook-return.ts'
import { data, number, object, oneOf, string } from './shape.ts'

export interface ProcessToolCallArgs extends SuspendArgs {
  /** The call. Its input is as the model sent it, or as the previous processors left it. */
  toolCall: ToolCall
  tool: Tool
  messageList: MessageList
  stepNumber: number
}

/**
 * Nothing: the call continues. `input` replaces the tool's input, and is validated again. `deny` answers with a
 * denial and `output` with a result; the tool is not executed, and later processors are not called. `needsApproval`
 * asks a person, as the tool's own `needsApproval` does, after all processors have decided on the calls of the step.
 */
export type ProcessToolCallResult =
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
  | void
  | undefined
  | { input: unknown }
  | { deny: string }
  | { output: unknown }
  | { needsApproval: ApprovalRequest }

/** Why a call needs a person's approval. */
interface ApprovalRequest {
  /** Shown to the approver. */
  reason?: string
  /** After this time, in milliseconds since 1970, any answer is a denial. Default: no deadline of its own. */
  expiresAt?: number
}

/**
 * Calls of a step are executed in parallel, so several calls of this hook may be pending.
 *
 * `in`, in the order of the processors: the input, whenever it is validated or passed to an approval policy, and last
 * when it is passed to `execute`; if the tool had suspended, also its payload. `out`, in reverse order and before
 * anything is stored: the output, each preliminary output, the message of an error, the payload of a suspension.
 *
 * `view`, also in reverse order: what the tool's `toModelOutput` makes of an output for a prompt. The output may be
 * of a call that an earlier run has made.
 */
export interface ProcessExecutionArgs extends ControlArgs {
  /** The call as it is stored in steps, events, traces and suspended runs. */
  toolCall: ToolCall
  tool: Tool
  direction: 'in' | 'out' | 'view'
  value: unknown
  messageList: MessageList
  stepNumber: number
}

/** Nothing: no change. A value for `in` is used and not stored; the value for `out` is what is stored. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessExecutionResult = void | undefined | { value: unknown }

export interface ProcessToolResultArgs extends SuspendArgs {
  toolCall: ToolCall
  status: 'success' | 'error' | 'denied'
  /** The tool's output, if `status` is `success`. */
  output: unknown
  /** The text that the model receives, if `status` is `error` or `denied`. */
  error: string | undefined
  /** Whether it is an intermediate result of a streaming tool. The final result is a separate call. */
  preliminary: boolean
  messageList: MessageList
  stepNumber: number
}

/** Nothing: no change. `output` makes the result a success, `error` an error. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessToolResultResult = void | undefined | { output: unknown } | { error: string }

export interface ProcessToolStepArgs extends SuspendArgs {
  toolResults: ToolResult[]
  messages: Message[]
  messageList: MessageList
  stepNumber: number
  /** The usage of this step. Its input tokens show how full the context window is. */
  usage: Usage
  /** Size of the context window in tokens, from the agent's option or the model. */
  contextWindow: number | undefined
  maxOutputTokens: number | undefined
}

/** Nothing: the loop continues. `finish` ends it, with `text` as the answer if given. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessToolStepResult = void | undefined | { finish: true; text?: string }

/** Hooks around tool calls. */
export interface ToolHooks {
  /** For every call that the agent answers, in order, before any of them is executed. */
  processToolCall?(args: ProcessToolCallArgs): MaybePromise<ProcessToolCallResult>
  /** For the input and output of a tool. `execute` receives the changed input, which is not stored. */
  processExecution?(args: ProcessExecutionArgs): MaybePromise<ProcessExecutionResult>
  /** For every result of such a call, in the order of the calls: outputs, errors, denials and preliminary results. */
  processToolResult?(args: ProcessToolResultArgs): MaybePromise<ProcessToolResultResult>
  /** Once per step, after all results are in the transcript. */
  processToolStep?(args: ProcessToolStepArgs): MaybePromise<ProcessToolStepResult>
}

/** The shapes of their results, for validation. */
export const TOOL_RETURNS: Readonly<Record<keyof ToolHooks, HookReturn>> = {
  processToolCall: {
    allowed: 'one of { needsApproval: { reason?, expiresAt? } }, { input }, { deny: string } and { output }',
    object: object(
      {},
      {
        optional: {
          input: data,
          deny: string,
          output: data,
          needsApproval: object({}, { optional: { reason: string, expiresAt: number } }),
        },
        oneOf: ['input', 'deny', 'output', 'needsApproval'],
      },
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

import type { LanguageModelV4ToolResult } from '@ai-sdk/provider'
import type { ProviderMetadata } from '@millrace/core'

/** The answer of a processor, in place of a tool result. */
export interface CallAnswer {
  output: unknown
  isError: boolean
}

/** Answers of processors in place of tool results, for a framework that executes tools itself. */
export class AnsweredCalls {
  readonly #answers = new Map<string, CallAnswer>()

  get(toolCallId: string): CallAnswer | undefined {
    return this.#answers.get(toolCallId)
  }

  /**
   * Stores the answer to a call until the framework executes it: it would also execute a call that is marked
   * as answered.
   *
   * @returns The part to pass to the framework, if any
   */
  take<PART extends { type: string }>(part: PART): PART | undefined {
    const { type, providerMetadata } = part as { type: string; providerMetadata?: ProviderMetadata }
    if (providerMetadata?.millrace?.answered !== true) return part
    if (type === 'tool-result') {
      const { toolCallId, result, isError = false } = part as unknown as LanguageModelV4ToolResult
      this.#answers.set(toolCallId, { output: result, isError })
      return undefined
    }
    const {
      providerExecuted: _,
      providerMetadata: __,
      ...call
    } = part as PART & {
      providerExecuted?: boolean
      providerMetadata?: unknown
    }
    return call as unknown as PART
  }
}

import type { LanguageModelV4ToolResult } from '@ai-sdk/provider'
import type { ProviderMetadata } from '@millrace/core'

/** What a processor answered in the place of a tool. */
export interface CallAnswer {
  output: unknown
  isError: boolean
}

/** What processors answered in the place of tools, for a framework that executes them itself. */
export class AnsweredCalls {
  readonly #answers = new Map<string, CallAnswer>()

  get(toolCallId: string): CallAnswer | undefined {
    return this.#answers.get(toolCallId)
  }

  /**
   * Keeps an answer that a processor gave to a call, for when the framework executes it: it would execute the tool of a
   * call that is marked as answered.
   *
   * @returns The part as the framework gets it, if at all
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

/**
 * The parts of the interfaces of OpenAI Agents that the adapters use. They are structural, so that the
 * package is not loaded.
 */

type Data = Record<string, unknown>

interface WithData {
  readonly providerData?: Data | undefined
}

export type AgentsContent = WithData &
  (
    | { readonly type: 'input_text' | 'output_text' | 'reasoning_text' | 'text'; readonly text: string }
    | { readonly type: 'refusal'; readonly refusal: string }
    | { readonly type: 'input_image'; readonly image: string | { readonly id: string } }
    | {
        readonly type: 'input_file'
        readonly file: string | { readonly id: string } | { readonly url: string }
        readonly filename?: string
      }
  )

interface Base extends WithData {
  readonly id?: string
}

export interface MessageItem extends Base {
  readonly type?: 'message'
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string | readonly AgentsContent[]
  readonly status?: string
}

export interface ReasoningItem extends Base {
  readonly type: 'reasoning'
  readonly content: readonly AgentsContent[]
  readonly rawContent?: readonly AgentsContent[]
}

export interface CallItem extends Base {
  readonly type: 'function_call'
  readonly callId: string
  readonly name: string
  readonly arguments: string
  readonly status?: string
}

export interface ResultItem extends Base {
  readonly type: 'function_call_result'
  readonly callId: string
  readonly name: string
  readonly output: string | AgentsContent | readonly AgentsContent[]
  readonly status?: string
}

export interface HostedCallItem extends Base {
  readonly type: 'hosted_tool_call'
  readonly name: string
  readonly arguments?: string
  readonly output?: string
  readonly status?: string
}

/** The items of a model's input and output whose content processors can see completely. */
export type AgentsItem = MessageItem | ReasoningItem | CallItem | ResultItem | HostedCallItem

export interface AgentsTool {
  readonly type: string
  readonly name: string
  readonly description?: string
  readonly parameters?: object
  readonly strict?: boolean
  readonly providerData?: Data | undefined
}

export interface AgentsHandoff {
  readonly toolName: string
  readonly toolDescription: string
  readonly inputJsonSchema: object
  readonly strictJsonSchema: boolean
}

export interface AgentsOutputType {
  readonly type: 'json_schema'
  readonly name: string
  readonly strict: boolean
  readonly schema: object
}

/** `ModelRequest` */
export interface AgentsRequest {
  readonly systemInstructions?: string | undefined
  readonly input: string | readonly object[]
  readonly previousResponseId?: string | undefined
  readonly conversationId?: string | undefined
  readonly prompt?: unknown
  readonly modelSettings: Data
  readonly tools: readonly AgentsTool[]
  readonly handoffs: readonly AgentsHandoff[]
  readonly outputType: 'text' | AgentsOutputType
  readonly tracing: boolean | 'enabled_without_data'
  readonly signal?: AbortSignal | undefined
}

/** The numbers of `Usage`. */
export interface AgentsUsage {
  readonly requests?: number | undefined
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  readonly inputTokensDetails?: Record<string, number> | readonly Record<string, number>[] | undefined
  readonly outputTokensDetails?: Record<string, number> | readonly Record<string, number>[] | undefined
}

/** `ModelResponse` */
export interface AgentsResponse {
  usage: AgentsUsage
  output: object[]
  responseId?: string | undefined
  requestId?: string | undefined
}

/** `StreamEvent` */
export type AgentsStreamEvent =
  | { type: 'response_started' }
  | { type: 'output_text_delta'; delta: string; itemId?: string | undefined }
  | {
      type: 'response_done'
      response: { id: string; requestId?: string | undefined; usage: AgentsUsage; output: object[] }
    }
  | { type: 'model'; event?: unknown }

/** `Model` */
export interface AgentsModel {
  getResponse(request: never): Promise<AgentsResponse>
  getStreamedResponse(request: never): AsyncIterable<AgentsStreamEvent>
  getRetryAdvice?(args: never): unknown
}

/** `RunContext` */
export interface AgentsRunContext {
  context: unknown
}

/** `FunctionCallItem`, as tools and their guardrails receive it. */
export interface AgentsToolCall {
  callId: string
  name: string
  arguments: string
}

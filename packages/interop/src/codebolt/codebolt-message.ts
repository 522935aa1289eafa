import type { ChatMessage, ChatTool, ChatToolCall, ChatToolChoice } from './chat-message.ts'

/**
 * The user's message, as Codebolt's editor describes it. Text, id and images are those of the newest input
 * message. The other fields are looked up by name in that message's `content.metadata`, then in the request
 * context.
 */
export interface FlatUserMessage {
  userMessage: string
  messageId: string
  /** Empty if the run has no thread. */
  threadId: string
  mentionedFiles: string[]
  mentionedFullPaths: string[]
  mentionedFolders: string[]
  /** URLs. */
  uploadedImages: string[]
  selectedAgent: { id: string; name: string }
  activeFile?: string
  openedFiles?: string[]
  selection?: unknown
}

/** The prompt of a model call. */
export interface ProcessedMessage {
  message: {
    messages: ChatMessage[]
    tools?: ChatTool[]
    tool_choice?: ChatToolChoice
    max_tokens?: number
    temperature?: number
    /** Always true, because every run streams. Changing it has no effect. */
    stream?: boolean
  }
  /** Shared by all adapted objects of a run. Must be JSON if the run may be suspended. */
  metadata?: Record<string, unknown>
}

/** The model's response to one call. */
export interface LLMCompletion {
  role: 'assistant'
  content: string
  model?: string
  /** Token counts, with Codebolt's names and OpenAI's. */
  usage?: {
    prompt?: number
    completion?: number
    total?: number
    prompt_tokens?: number
    completion_tokens?: number
    total_tokens?: number
  }
  finish_reason?: string
  /** The same response in OpenAI's wrapper. A change in either place is applied. */
  choices?: { message: ChatMessage; finish_reason?: string }[]
  tool_calls?: ChatToolCall[]
  /** `contextWindow` and `maxOutputTokens` of the agent. Set where tool results are available. */
  tokenLimit?: number
  maxOutputTokens?: number
}

/** The result of a tool. An output that is not a string is JSON. */
export interface ToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string
}

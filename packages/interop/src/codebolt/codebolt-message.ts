import type { ChatMessage, ChatTool, ChatToolCall, ChatToolChoice } from './chat-message.ts'

/**
 * What the user sent, as Codebolt's editor describes it. Text, id and images are those of the newest input message.
 * The other fields are looked up by name in that message's `content.metadata`, then in the request context.
 */
export interface FlatUserMessage {
  userMessage: string
  messageId: string
  /** Empty where the run belongs to no thread. */
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

/** A prompt on its way to the model. */
export interface ProcessedMessage {
  message: {
    messages: ChatMessage[]
    tools?: ChatTool[]
    tool_choice?: ChatToolChoice
    max_tokens?: number
    temperature?: number
    /** Always true: every run streams. Changing it changes nothing. */
    stream?: boolean
  }
  /** Shared by all adapted objects of a run. Must be JSON where the run may be suspended. */
  metadata?: Record<string, unknown>
}

/** The model's response to one call. */
export interface LLMCompletion {
  role: 'assistant'
  content: string
  model?: string
  /** Tokens, by Codebolt's names and by OpenAI's. */
  usage?: {
    prompt?: number
    completion?: number
    total?: number
    prompt_tokens?: number
    completion_tokens?: number
    total_tokens?: number
  }
  finish_reason?: string
  /** The same response once more, as OpenAI wraps it. A change in either place counts. */
  choices?: { message: ChatMessage; finish_reason?: string }[]
  tool_calls?: ChatToolCall[]
  /** `contextWindow` and `maxOutputTokens` of the agent, where the tools' results are known. */
  tokenLimit?: number
  maxOutputTokens?: number
}

/** The result of a tool. An output that is no string is JSON. */
export interface ToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string
}

export type { AdapterOptions, MaybePromise } from '../adapter/adapter.ts'
export type { ContextAdapterOptions, ModifierContext, ModifierMetrics } from '../adapter/modifier-context.ts'
export type {
  ChatRequest,
  ChatResponse,
  OasisAttachment,
  OasisGenerationParams,
  OasisMessage,
  OasisResponseSchema,
  OasisTool,
  OasisToolCall,
  OasisToolResult,
} from './oasis-message.ts'
export {
  type PostProcessor,
  type PostToolProcessor,
  type PreProcessor,
  postLLM,
  postTool,
  preLLM,
} from './oasis-processors.ts'

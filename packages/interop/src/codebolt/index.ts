export type { AdapterOptions, MaybePromise } from '../adapter/adapter.ts'
export type { ContextAdapterOptions, ModifierContext, ModifierMetrics } from '../adapter/modifier-context.ts'
export type { ChatContent, ChatMessage, ChatTool, ChatToolCall, ChatToolChoice } from './chat-message.ts'
export type { ChatRequestBody } from './chat-request.ts'
export type { FlatUserMessage, LLMCompletion, ProcessedMessage, ToolMessage } from './codebolt-message.ts'
export type { ControlFlow } from './control-flow.ts'
export {
  type PostInferenceProcessor,
  type PreInferenceProcessor,
  postInference,
  preInference,
} from './inference-processors.ts'
export { type MessageModifier, type ModifiedMessages, messageModifier } from './message-modifier.ts'
export { type PromptModifier, promptModifier } from './prompt-modifier.ts'
export {
  type LLMAgentStep,
  type LLMRequest,
  type LLMResponse,
  llmStep,
  type ResponseModifier,
  responseModifier,
} from './response-modifiers.ts'
export {
  type PostToolCallProcessor,
  type PreToolCallProcessor,
  postToolCall,
  preToolCall,
} from './tool-call-processors.ts'
export {
  type ModifierToolCall,
  type ToolInjectionModifier,
  type ToolParameterModifier,
  type ToolValidationModifier,
  toolInjection,
  toolParameters,
  toolValidation,
  type ValidationResult,
} from './tool-modifiers.ts'

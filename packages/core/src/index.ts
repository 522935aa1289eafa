export type { JSONValue, LanguageModelV4 } from '@ai-sdk/provider'
export { Agent } from './agent.ts'
export type {
  AgentOptions,
  Instructions,
  PrepareStep,
  ProcessorList,
  ProcessorOverride,
  RunOptions,
  TelemetryOptions,
  Timeout,
} from './agent-options.ts'
export type {
  AgentPrompt,
  AgentSuspensionPayload,
  AgentTool,
  AgentToolOptions,
  AgentToolOutput,
} from './composition/agent-tool.ts'
export { parallel } from './composition/parallel.ts'
export type { PipelineResponse } from './composition/pipeline-response.ts'
export type { ProcessorPipelineOptions } from './composition/pipeline-run.ts'
export {
  ProcessorPipeline,
  type ToolCallDecision,
} from './composition/processor-pipeline.ts'
export { type Condition, type ConditionArgs, when } from './composition/when.ts'
export { whileModelRuns } from './composition/while-model-runs.ts'
export { ERROR_CODES, MillraceError, type MillraceErrorCode } from './errors.ts'
export type {
  AgentEventName,
  AgentEvents,
  AgentListener,
  BackgroundErrorEvent,
  EventError,
  ListenerOptions,
  ProcessorChangeEvent,
  ProcessorEvent,
  RunErrorEvent,
  RunEvent,
  RunFinishEvent,
  RunStartEvent,
  StepFinishEvent,
  ToolFinishEvent,
} from './events/agent-events.ts'
export type { CloseOptions } from './events/close.ts'
export { fromDataUrl, toDataUrl } from './messages/data-url.ts'
export { type AgentInput, userMessage } from './messages/input.ts'
export {
  type CoreMessage,
  type CustomPart,
  type DataPart,
  type FilePart,
  fromUIMessage,
  isToolPart,
  type MastraDBMessage,
  type Message,
  type MessageContent,
  type MessagePart,
  type ProviderMetadata,
  type ReasoningFilePart,
  type ReasoningPart,
  type SourceDocumentPart,
  type SourceUrlPart,
  type SteeringMessagePart,
  type StepStartPart,
  type SystemMessage,
  type TextPart,
  type ToolApproval,
  type ToolInvocation,
  type ToolPart,
  textOfParts,
  toolNameOf,
  toUIMessage,
  type UIMessage,
} from './messages/message.ts'
export { MessageList, type MessageOrigin } from './messages/message-list.ts'
export type { ModelMessage } from './messages/model-message.ts'
export type { PromptOptions } from './messages/prompt.ts'
export type { PromptMessage } from './messages/prompt-text.ts'
export { callOptions } from './model/call-options.ts'
export { type LanguageModel, resolveModel } from './model/language-model.ts'
export type { ModelSettings } from './model/model-settings.ts'
export type {
  Abort,
  AbortOrRetry,
  ChunkWriter,
  ControlArgs,
  ProcessorArgs,
  SuspendArgs,
  UsageReport,
} from './processors/hook-arguments.ts'
export type * from './processors/input-hooks.ts'
export type * from './processors/model-hooks.ts'
export type { Placed } from './processors/order.ts'
export type {
  OutputResult,
  ProcessDeliveryArgs,
  ProcessDeliveryResult,
  ProcessOutputResultArgs,
  ProcessOutputStepArgs,
  ProcessOutputStepResult,
  ProcessOutputStreamArgs,
  ProcessOutputStreamResult,
  ProcessorMessageResult,
} from './processors/output-hooks.ts'
export type { ProcessorEntry } from './processors/pipeline.ts'
export type { StepSettings } from './processors/process-input-step.ts'
export * from './processors/processor.ts'
export type * from './processors/tool-hooks.ts'
export { RequestContext, type RequestContextValues } from './request-context.ts'
export type { ChunkType, DataChunk, StepFinishChunk, SuspensionInfo } from './run/chunk.ts'
export type * from './run/result.ts'
export type { ResumedRun, RunStream } from './run/run-stream.ts'
export { hasToolCall, isStepCount, type StopCondition } from './run/stop-condition.ts'
export {
  type InferSchema,
  type Schema,
  type SchemaResult,
  type StandardSchema,
  toJsonSchema,
  validate,
} from './schema.ts'
export { Halt, type HaltOptions, Suspend, TripWire, type TripWireOptions } from './signals.ts'
export type * from './storage/counter-store.ts'
export type * from './storage/message-store.ts'
export type * from './storage/resource-store.ts'
export type * from './storage/run-store.ts'
export type * from './storage/search-store.ts'
export type * from './storage/store.ts'
export type * from './storage/thread-store.ts'
export type {
  SingleToolApproval,
  ToolApprovalConfiguration,
  ToolApprovalResponse,
  ToolApprovalStatus,
} from './tools/approval.ts'
export type { ToolApprovalPayload } from './tools/await-approvals.ts'
export type { ToolContentItem, ToolModelOutput } from './tools/model-output.ts'
export type { ToolOutputPayload } from './tools/run-tools.ts'
export {
  type InferToolInput,
  type InferToolOutput,
  type NeedsApproval,
  type Tool,
  type ToolCall,
  type ToolCallInfo,
  type ToolCallOf,
  type ToolChoice,
  type ToolExecutionOptions,
  type ToolResult,
  type ToolResultOf,
  type ToolSet,
  tool,
} from './tools/tool.ts'
export type { SpanAttribute } from './tracing/semantic-conventions.ts'
export type { TracingContext } from './tracing-context.ts'
export { type ParseUIMessagesOptions, parseUIMessages } from './ui/parse-ui-messages.ts'
export type { RunDataParts, UIDataChunk, UIMessageChunk } from './ui/ui-message-chunk.ts'
export type { UIMessageStreamOptions, UIMessageStreamResponseOptions } from './ui/ui-message-stream.ts'
export { toWaitingMessage } from './ui/waiting-message.ts'
export type { Usage } from './usage.ts'

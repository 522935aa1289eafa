export type { JSONValue, LanguageModelV4 } from '@ai-sdk/provider'
export { Agent } from './agent/agent.ts'
export type {
  AgentOptions,
  Instructions,
  PrepareStep,
  ProcessorList,
  ProcessorOverride,
  RunOptions,
  TelemetryOptions,
  Timeout,
} from './agent/agent-options.ts'
export type { AgentPrompt, AgentTool, AgentToolOptions, AgentToolOutput } from './agent/agent-tool.ts'
export type { ResumedRun, RunStream } from './agent/run-stream.ts'
export { parallel } from './composition/parallel.ts'
export type {
  PipelineAnswer,
  PipelineAnswerEnd,
  PipelineAnswerOptions,
} from './composition/pipeline-answer.ts'
export type { PipelineResponse } from './composition/pipeline-response.ts'
export type { ProcessorPipelineOptions } from './composition/pipeline-run.ts'
export { PipelineSession } from './composition/pipeline-session.ts'
export { ProcessorPipeline, type ToolCallDecision } from './composition/processor-pipeline.ts'
export { toStreamPart } from './composition/provider-parts.ts'
export { refuseSuspend } from './composition/refuse-suspend.ts'
export { type Condition, type ConditionArgs, when } from './composition/when.ts'
export { whileModelRuns } from './composition/while-model-runs.ts'
export { ERROR_CODES, MillraceError, type MillraceErrorCode } from './errors.ts'
export type { CloseOptions } from './events/close.ts'
export { HOOK_NAMES, type HookName } from './hook-name.ts'
export { parseJson } from './loop/output/read-answer.ts'
export type { AnswerInQuestion } from './loop/suspension/may-answer.ts'
export type { AgentInput } from './messages/agent-input.ts'
export { fromDataUrl, toDataUrl } from './messages/data-url.ts'
export { userMessage } from './messages/input.ts'
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
export type { ModelMessage } from './messages/model-message.ts'
export type { UserMessageMetadata } from './messages/user-message-metadata.ts'
export { callOptions } from './model/call-options.ts'
export { isContextOverflow } from './model/context-overflow.ts'
export type {
  HistoryRuleChanges,
  HistoryRuleName,
  HistoryRules,
  KnownProvider,
  ProviderHistoryOptions,
} from './model/history/history-rules.ts'
export { type LanguageModel, resolveModel } from './model/language-model.ts'
export { type ModelLimits, modelLimits, promptLimit } from './model/model-limits.ts'
export type { ModelRequest, StructuredOutputOptions } from './model/model-request.ts'
export type { ModelSettings } from './model/model-settings.ts'
export { nearestName } from './nearest-name.ts'
export { requireCount, requireFraction, requireOneOf, requireTime } from './option-checks.ts'
export { type OptionNames, pickOptions, refuseMisspelled, requireOptions } from './option-names.ts'
export { PerRun } from './per-run.ts'
export type {
  Abort,
  AbortOrRetry,
  ChunkWriter,
  ControlArgs,
  ProcessorArgs,
  SuspendArgs,
  UsageReport,
} from './processors/hook-arguments.ts'
export type {
  ProcessInputArgs,
  ProcessInputMessages,
  ProcessInputResult,
  ProcessInputStepArgs,
  ProcessInputStepResult,
  ProcessInputStepReturn,
} from './processors/input-hooks.ts'
export type {
  ProcessModelErrorArgs,
  ProcessModelErrorResult,
  WrapModelCallArgs,
} from './processors/model-hooks.ts'
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
export * from './processors/processor.ts'
export type {
  ProcessExecutionArgs,
  ProcessExecutionResult,
  ProcessToolCallArgs,
  ProcessToolCallResult,
  ProcessToolResultArgs,
  ProcessToolResultResult,
  ProcessToolStepArgs,
  ProcessToolStepResult,
} from './processors/tool-hooks.ts'
export { isRecord } from './record.ts'
export { RequestContext, type RequestContextValues } from './request-context.ts'
export type {
  AgentEventName,
  AgentEvents,
  AgentListener,
  BackgroundErrorEvent,
  EventError,
  ListenerOptions,
  ModelStartEvent,
  OutputEntry,
  OutputEvent,
  ProcessorChangeEvent,
  ProcessorDecisionEvent,
  ProcessorEvent,
  PromptChange,
  RunErrorEvent,
  RunEvent,
  RunFinishEvent,
  RunInput,
  RunStartEvent,
  StepFinishEvent,
  ToolFinishEvent,
  ToolStartEvent,
} from './results/agent-events.ts'
export type { Chunk, ChunkOf, ChunkType, DataChunk, StepFinishChunk } from './results/chunk.ts'
export type {
  FinishReason,
  HaltInfo,
  Incomplete,
  Rejection,
  RunStatus,
  StepResponse,
  SuspensionInfo,
} from './results/outcome.ts'
export type * from './results/result.ts'
export { hasToolCall, isStepCount, type StopCondition } from './results/stop-condition.ts'
export type { RunDataParts, UIDataChunk, UIMessageChunk } from './results/ui-message-chunk.ts'
export type {
  UIMessageStreamOptions,
  UIMessageStreamResponseOptions,
} from './results/ui-message-stream-options.ts'
export type { StepSettings } from './run/step-settings.ts'
export {
  type InferSchema,
  type Schema,
  type SchemaResult,
  type StandardSchema,
  toJsonSchema,
  validate,
} from './schema.ts'
export { Halt, type HaltOptions, Suspend, TripWire, type TripWireOptions } from './signals.ts'
export type * from './storage/blob-store.ts'
export type * from './storage/counter-store.ts'
export type * from './storage/message-store.ts'
export type { Owner, Page, PageOptions } from './storage/owner.ts'
export type * from './storage/resource-store.ts'
export type * from './storage/run-store.ts'
export type * from './storage/search-store.ts'
export type * from './storage/store.ts'
export type * from './storage/stream-store.ts'
export type * from './storage/thread-store.ts'
export type * from './storage/vector-source.ts'
export type * from './storage/vector-store.ts'
export type { AgentProgress, AgentProgressCall, AgentProgressStep } from './tools/agent-progress.ts'
export type {
  SingleToolApproval,
  ToolApprovalConfiguration,
  ToolApprovalResponse,
  ToolApprovalStatus,
} from './tools/approval.ts'
export type { ThreadUnwrittenPayload } from './tools/thread-unwritten.ts'
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
export type { ToolContentItem, ToolModelOutput } from './tools/tool-model-output.ts'
export type {
  AgentSuspensionPayload,
  InterruptedCallAnswer,
  WaitingCall,
  WaitingCallsPayload,
} from './tools/waiting-calls.ts'
export type { SpanAttribute } from './tracing/semantic-conventions.ts'
export type { TracingContext } from './tracing-context.ts'
export { MessageList, type MessageOrigin } from './transcript/message-list.ts'
export { newestTurn } from './transcript/newest-turn.ts'
export type { PromptOptions } from './transcript/prompt.ts'
export type { PromptMessage } from './transcript/prompt-text.ts'
export {
  type TranscriptCall,
  type TranscriptLine,
  type TranscriptLinesOptions,
  transcriptLines,
} from './transcript/transcript-lines.ts'
export { type ParseUIMessagesOptions, parseUIMessages } from './ui/parse-ui-messages.ts'
export { toWaitingMessage } from './ui/waiting-message.ts'
export type { Usage } from './usage.ts'

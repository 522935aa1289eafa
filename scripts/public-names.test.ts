import { join } from 'node:path'
import * as core from '@millrace/core'
import * as storage from '@millrace/core/storage'
import * as codebolt from '@millrace/interop/codebolt'
import * as oasis from '@millrace/interop/oasis'
import * as memory from '@millrace/memory'
import * as dialect from '@millrace/sqlite-dialect'
import * as libsql from '@millrace/store-libsql'
import * as postgres from '@millrace/store-postgres'
import * as sqlite from '@millrace/store-sqlite'
import * as testing from '@millrace/testing'
import * as matchers from '@millrace/testing/matchers'
import { expect, test } from 'vitest'
import { publicNames } from './public-names.ts'
import { root } from './published-packages.ts'

// What users can import. A name that comes or goes does so here too.

test('@millrace/core', () => {
  expect(namesOf('packages/core/src/index.ts', core)).toMatchInlineSnapshot(`
    "type Abort
    type AbortOrRetry
    type AddToCounterOptions
    Agent
    type AgentEventName
    type AgentEvents
    type AgentInput
    type AgentListener
    type AgentOptions
    type AgentPrompt
    type AgentSuspensionPayload
    type AgentTool
    type AgentToolOptions
    type AgentToolOutput
    type BackgroundErrorEvent
    type ChunkType
    type ChunkWriter
    type CloseOptions
    type Condition
    type ConditionArgs
    type ControlArgs
    type CoreMessage
    type Counter
    type CounterStore
    type CustomPart
    type DataChunk
    type DataPart
    type DeleteMessagesOptions
    type DiscardedAttempt
    ERROR_CODES
    type EventError
    type FilePart
    type FinishReason
    type GetMessagesOptions
    HOOK_NAMES
    Halt
    type HaltInfo
    type HaltOptions
    type HookName
    type InferSchema
    type InferToolInput
    type InferToolOutput
    type InputProcessor
    type Instructions
    type JSONValue
    type KeyOptions
    type LanguageModel
    type LanguageModelV4
    type ListMessagesOptions
    type ListMessagesWithoutVectorOptions
    type ListThreadsOptions
    type ListenerOptions
    type MastraDBMessage
    type Message
    type MessageContent
    type MessageFilter
    type MessageHit
    type MessageLimits
    MessageList
    type MessageOrigin
    type MessagePart
    type MessageStore
    MillraceError
    type MillraceErrorCode
    type ModelMessage
    type ModelRequest
    type ModelSettings
    type ModelUsage
    type NeedsApproval
    type OutputProcessor
    type OutputResult
    type Owner
    type Page
    type PageOptions
    type ParseUIMessagesOptions
    type PipelineResponse
    type Placed
    type PrepareStep
    type ProcessDeliveryArgs
    type ProcessDeliveryResult
    type ProcessExecutionArgs
    type ProcessExecutionResult
    type ProcessInputArgs
    type ProcessInputMessages
    type ProcessInputResult
    type ProcessInputStepArgs
    type ProcessInputStepResult
    type ProcessInputStepReturn
    type ProcessModelErrorArgs
    type ProcessModelErrorResult
    type ProcessOutputResultArgs
    type ProcessOutputStepArgs
    type ProcessOutputStepResult
    type ProcessOutputStreamArgs
    type ProcessOutputStreamResult
    type ProcessToolCallArgs
    type ProcessToolCallResult
    type ProcessToolResultArgs
    type ProcessToolResultResult
    type ProcessToolResultsArgs
    type ProcessToolResultsResult
    type Processor
    type ProcessorAction
    type ProcessorArgs
    type ProcessorChangeEvent
    type ProcessorEntry
    type ProcessorEvent
    type ProcessorList
    type ProcessorMessageResult
    type ProcessorOverride
    ProcessorPipeline
    type ProcessorPipelineOptions
    type ProcessorProvider
    type ProcessorRecord
    type PromptMessage
    type PromptOptions
    type ProviderMetadata
    type ReasoningFilePart
    type ReasoningPart
    type Rejection
    RequestContext
    type RequestContextValues
    type Resource
    type ResourceStore
    type ResumedRun
    type RunDataParts
    type RunErrorEvent
    type RunEvent
    type RunFinishEvent
    type RunLimits
    type RunOptions
    type RunResult
    type RunStartEvent
    type RunState
    type RunStatus
    type RunStore
    type RunStream
    type RunWarning
    type SaveMessagesOptions
    type SaveResourceOptions
    type SaveThreadOptions
    type SaveVectorsOptions
    type Schema
    type SchemaResult
    type SearchMessagesOptions
    type SearchStore
    type SearchVectorsOptions
    type SetKeyOptions
    type SingleToolApproval
    type SourceDocumentPart
    type SourceUrlPart
    type SpanAttribute
    type StandardSchema
    type SteeringMessagePart
    type StepFinishChunk
    type StepFinishEvent
    type StepRequest
    type StepResponse
    type StepResult
    type StepSettings
    type StepStartPart
    type StopCondition
    type Store
    type StoreCapabilities
    type StoreLimits
    type StoredMessage
    type StoredRun
    type StructuredOutputOptions
    Suspend
    type SuspendArgs
    type SuspendedRun
    type Suspension
    type SuspensionInfo
    type SystemMessage
    type TelemetryOptions
    type TextPart
    type Thread
    type ThreadChanges
    type ThreadKey
    type ThreadStore
    type Timeout
    type Tool
    type ToolApproval
    type ToolApprovalConfiguration
    type ToolApprovalPayload
    type ToolApprovalResponse
    type ToolApprovalStatus
    type ToolCall
    type ToolCallDecision
    type ToolCallInfo
    type ToolCallOf
    type ToolChoice
    type ToolContentItem
    type ToolExecutionOptions
    type ToolFinishEvent
    type ToolInvocation
    type ToolModelOutput
    type ToolOutputPayload
    type ToolPart
    type ToolResult
    type ToolResultOf
    type ToolSet
    type TracingContext
    TripWire
    type TripWireOptions
    type UIDataChunk
    type UIMessage
    type UIMessageChunk
    type UIMessageStreamOptions
    type UIMessageStreamResponseOptions
    type Usage
    type UsageReport
    type Vector
    type WrapModelCallArgs
    callOptions
    fromDataUrl
    fromUIMessage
    hasToolCall
    isStepCount
    isToolPart
    newestTurn
    parallel
    parseUIMessages
    resolveModel
    textOfParts
    toDataUrl
    toJsonSchema
    toUIMessage
    toWaitingMessage
    tool
    toolNameOf
    userMessage
    validate
    when
    whileModelRuns"
  `)
})

test('@millrace/core/storage', () => {
  expect(namesOf('packages/core/src/storage/index.ts', storage)).toMatchInlineSnapshot(`
    "type AddToCounterOptions
    BM25
    type Counter
    type CounterStore
    type DeleteMessagesOptions
    type FilterColumns
    type GetMessagesOptions
    InMemoryRunStore
    InMemoryStore
    type KeyColumns
    type KeyOptions
    type ListMessagesOptions
    type ListMessagesWithoutVectorOptions
    type ListThreadsOptions
    MAX_ID_BYTES
    type MessageColumns
    type MessageFilter
    type MessageHit
    type MessageLimits
    type MessageStore
    type Owner
    type Page
    type PageOptions
    type Resource
    type ResourceStore
    type RunColumns
    type RunLimits
    type RunState
    type RunStore
    type SaveMessagesColumns
    type SaveMessagesOptions
    type SaveResourceOptions
    type SaveThreadOptions
    type SaveVectorsOptions
    type SearchMessagesOptions
    type SearchStore
    type SearchVectorsOptions
    type SetKeyOptions
    type Store
    type StoreCapabilities
    type StoreLimits
    type StoredMessage
    type StoredRun
    type SuspendedRun
    type Thread
    type ThreadChangeColumns
    type ThreadChanges
    type ThreadColumns
    type ThreadKey
    type ThreadStore
    type Vector
    busy
    checkCount
    checkDimensions
    checkId
    closed
    conflict
    failed
    fromColumns
    fromCursor
    fromRunColumns
    full
    inThreadOrder
    indexTerms
    invalidInput
    messageTooLarge
    ownerKey
    parseAddToCounter
    parseDeleteMessages
    parseGetMessages
    parseKey
    parseListMessages
    parseListMessagesWithoutVector
    parseListRuns
    parseListThreads
    parseResourceKey
    parseRunKey
    parseSaveMessages
    parseSaveResource
    parseSaveRun
    parseSaveThread
    parseSaveVectors
    parseSearchMessages
    parseSearchVectors
    parseSetKey
    parseThreadChanges
    parseThreadKey
    queryTerms
    runExists
    runTooLarge
    schemaNewer
    schemaOutdated
    searchableText
    toCursor
    toPage
    tooManyRuns
    unavailable
    unsupported"
  `)
})

test('@millrace/interop/codebolt', () => {
  expect(namesOf('packages/interop/src/codebolt/index.ts', codebolt)).toMatchInlineSnapshot(`
    "type AdapterOptions
    type ChatContent
    type ChatMessage
    type ChatRequestBody
    type ChatTool
    type ChatToolCall
    type ChatToolChoice
    type ContextAdapterOptions
    type ControlFlow
    type FlatUserMessage
    type LLMAgentStep
    type LLMCompletion
    type LLMRequest
    type LLMResponse
    type MaybePromise
    type MessageModifier
    type ModifiedMessages
    type ModifierContext
    type ModifierMetrics
    type ModifierToolCall
    type PostInferenceProcessor
    type PostToolCallProcessor
    type PreInferenceProcessor
    type PreToolCallProcessor
    type ProcessedMessage
    type PromptModifier
    type ResponseModifier
    type ToolInjectionModifier
    type ToolMessage
    type ToolParameterModifier
    type ToolValidationModifier
    type ValidationResult
    llmStep
    messageModifier
    postInference
    postToolCall
    preInference
    preToolCall
    promptModifier
    responseModifier
    toolInjection
    toolParameters
    toolValidation"
  `)
})

test('@millrace/interop/oasis', () => {
  expect(namesOf('packages/interop/src/oasis/index.ts', oasis)).toMatchInlineSnapshot(`
    "type AdapterOptions
    type ChatRequest
    type ChatResponse
    type ContextAdapterOptions
    type MaybePromise
    type ModifierContext
    type ModifierMetrics
    type OasisAttachment
    type OasisGenerationParams
    type OasisMessage
    type OasisResponseSchema
    type OasisTool
    type OasisToolCall
    type OasisToolResult
    type PostProcessor
    type PostToolProcessor
    type PreProcessor
    postLLM
    postTool
    preLLM"
  `)
})

test('@millrace/memory', () => {
  expect(namesOf('packages/memory/src/index.ts', memory)).toMatchInlineSnapshot(`
    "type BackfillOptions
    type BackfillProgress
    type CloneThreadOptions
    type CompactionOptions
    type EmbeddingModel
    type FindThread
    type HistoryWindowOptions
    type LegacyMessage
    Memory
    type MemoryOptions
    type MemoryProcessor
    type MemoryProcessorOptions
    MessageHistoryProcessor
    type MessageHistoryProcessorOptions
    type MessageInput
    type MessagePersistenceOptions
    MessagePersistenceProcessor
    type MessagePersistenceProcessorOptions
    type QueryOptions
    type SelectMessagesOptions
    type SemanticRecallOptions
    SemanticRecallProcessor
    type SemanticRecallProcessorOptions
    TURN_MARK
    type ThreadIds
    type ThreadPlaceOptions
    type ThreadSeed
    type ThreadTitleOptions
    type TurnMark
    type WorkingMemory
    type WorkingMemoryOptions
    WorkingMemoryProcessor
    type WorkingMemoryProcessorOptions
    backfill
    fromMemoryProcessor"
  `)
})

test('@millrace/sqlite-dialect', () => {
  expect(namesOf('packages/sqlite-dialect/src/index.ts', dialect)).toMatchInlineSnapshot(`
    "type Row
    type SQLiteConnection
    SQLiteDialectStore
    type SQLiteDialectStoreOptions
    type SQLiteValue
    type Statement
    type WriteOptions
    createFile
    storageError"
  `)
})

test('@millrace/store-libsql', () => {
  expect(namesOf('packages/store-libsql/src/index.ts', libsql)).toMatchInlineSnapshot(`
    "LibSQLStore
    type LibSQLStoreOptions"
  `)
})

test('@millrace/store-postgres', () => {
  expect(namesOf('packages/store-postgres/src/index.ts', postgres)).toMatchInlineSnapshot(`
    "type PostgresClient
    type PostgresConnectionOptions
    type PostgresInProcess
    type PostgresPool
    PostgresStore
    type PostgresStoreOptions
    type QueryResult"
  `)
})

test('@millrace/store-sqlite', () => {
  expect(namesOf('packages/store-sqlite/src/index.ts', sqlite)).toMatchInlineSnapshot(`
    "type BetterSQLite3Database
    SQLiteStore
    type SQLiteStoreOptions"
  `)
})

test('@millrace/testing', () => {
  expect(namesOf('packages/testing/src/index.ts', testing)).toMatchInlineSnapshot(`
    "type APIErrorFields
    type ChunkLike
    type FileOptions
    type FinishFields
    type Gate
    type HangOptions
    type Pause
    type PausePart
    type ProcessorTestOptions
    type ReasoningOptions
    type Script
    ScriptError
    type ScriptPart
    ScriptedModel
    type ScriptedModelOptions
    type SourceFields
    type StorageProcessesOptions
    type StorageTestOptions
    type StreamOutcome
    type StreamRecord
    type TextOptions
    type TokenCounts
    type ToolCallOptions
    type ToolResultOptions
    type Turn
    type TurnContent
    type TurnFunction
    type TurnWriter
    apiError
    beforeResponse
    collect
    cut
    delay
    errorPart
    fail
    file
    finish
    gate
    hang
    rateLimited
    raw
    reasoning
    refuse
    source
    testProcessor
    testStorage
    testStorageInProcesses
    text
    textOf
    tokens
    toolCall
    toolResult
    wait"
  `)
})

test('@millrace/testing/matchers', () => {
  expect(namesOf('packages/testing/src/matchers.ts', matchers)).toMatchInlineSnapshot(`
    "type ChunkTypesOptions
    type ExpectedTrip
    type PromptedOptions
    matchers"
  `)
})

/** All public names of an entry point, a line each. Those that exist at run time must be the ones found there. */
function namesOf(file: string, module: object): string {
  const names = publicNames(join(root, file))
  expect(names.filter((name) => !name.startsWith('type '))).toEqual(Object.keys(module).sort())
  return names.join('\n')
}

import { join } from 'node:path'
import * as agentFiles from '@millrace/context/agent-files'
import * as coreInstructions from '@millrace/context/core-instructions'
import * as directoryContext from '@millrace/context/directory-context'
import * as editorContext from '@millrace/context/editor-context'
import * as environmentContext from '@millrace/context/environment-context'
import * as fileMentions from '@millrace/context/file-mentions'
import * as historyWindow from '@millrace/context/history-window'
import * as memoryImports from '@millrace/context/memory-imports'
import * as promptArguments from '@millrace/context/prompt-arguments'
import * as shellCommands from '@millrace/context/shell-commands'
import * as skills from '@millrace/context/skills'
import * as summarization from '@millrace/context/summarization'
import * as toolOutputLimit from '@millrace/context/tool-output-limit'
import * as transcriptRecorder from '@millrace/context/transcript-recorder'
import * as workspace from '@millrace/context/workspace'
import * as core from '@millrace/core'
import * as mcp from '@millrace/core/mcp'
import * as recording from '@millrace/core/recording'
import * as storage from '@millrace/core/storage'
import * as dbos from '@millrace/dbos'
import * as contentGuard from '@millrace/guards/content-guard'
import * as guard from '@millrace/guards/guard'
import * as judge from '@millrace/guards/judge'
import * as keywordGuard from '@millrace/guards/keyword-guard'
import * as moderation from '@millrace/guards/moderation'
import * as promptInjection from '@millrace/guards/prompt-injection'
import * as regexFilter from '@millrace/guards/regex-filter'
import * as scanner from '@millrace/guards/scanner'
import * as secrets from '@millrace/guards/secrets'
import * as systemPromptScrubber from '@millrace/guards/system-prompt-scrubber'
import * as unicodeNormalizer from '@millrace/guards/unicode-normalizer'
import * as aiSdk from '@millrace/interop/ai-sdk'
import * as codebolt from '@millrace/interop/codebolt'
import * as langchain from '@millrace/interop/langchain'
import * as mastra from '@millrace/interop/mastra'
import * as oasis from '@millrace/interop/oasis'
import * as openaiAgents from '@millrace/interop/openai-agents'
import * as memory from '@millrace/memory'
import * as pii from '@millrace/pii'
import * as server from '@millrace/server'
import * as dialect from '@millrace/sqlite-dialect'
import * as approvalGate from '@millrace/steering/approval-gate'
import * as auditLog from '@millrace/steering/audit-log'
import * as batchParts from '@millrace/steering/batch-parts'
import * as costGuard from '@millrace/steering/cost-guard'
import * as languageDetector from '@millrace/steering/language-detector'
import * as largeMessageSummarizer from '@millrace/steering/large-message-summarizer'
import * as loopDetector from '@millrace/steering/loop-detector'
import * as maxToolCallsGuard from '@millrace/steering/max-tool-calls-guard'
import * as modelFallback from '@millrace/steering/model-fallback'
import * as modelRouter from '@millrace/steering/model-router'
import * as rateLimit from '@millrace/steering/rate-limit'
import * as responseCache from '@millrace/steering/response-cache'
import * as structuredOutput from '@millrace/steering/structured-output'
import * as todoList from '@millrace/steering/todo-list'
import * as toolAllowList from '@millrace/steering/tool-allow-list'
import * as toolCallFilter from '@millrace/steering/tool-call-filter'
import * as toolSearch from '@millrace/steering/tool-search'
import * as libsql from '@millrace/store-libsql'
import * as postgres from '@millrace/store-postgres'
import * as sqlite from '@millrace/store-sqlite'
import * as studio from '@millrace/studio'
import * as testing from '@millrace/testing'
import * as matchers from '@millrace/testing/matchers'
import * as tokens from '@millrace/tokens'
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
    type AgentProgress
    type AgentProgressCall
    type AgentProgressStep
    type AgentPrompt
    type AgentSuspensionPayload
    type AgentTool
    type AgentToolOptions
    type AgentToolOutput
    type AnswerInQuestion
    type AppendToStreamOptions
    type BackgroundErrorEvent
    type BlobKey
    type BlobStore
    type Chunk
    type ChunkOf
    type ChunkType
    type ChunkWriter
    type ClaimRunOptions
    type CloseOptions
    type Condition
    type ConditionArgs
    type ControlArgs
    type CopyVectorsOptions
    type CoreMessage
    type Counter
    type CounterStore
    type CustomPart
    type DataChunk
    type DataPart
    type DeleteMessagesOptions
    type DeleteVectorsOptions
    type DiscardedAttempt
    ERROR_CODES
    type EventError
    type FilePart
    type FinishReason
    type FoundRun
    type GetBlobsOptions
    type GetMessagesOptions
    HOOK_NAMES
    Halt
    type HaltInfo
    type HaltOptions
    type HistoryRuleChanges
    type HistoryRuleName
    type HistoryRules
    type HookName
    type Incomplete
    type InferSchema
    type InferToolInput
    type InferToolOutput
    type InputProcessor
    type Instructions
    type InterruptedCall
    type InterruptedCallAnswer
    type Interruption
    type JSONValue
    type KeyOptions
    type KnownProvider
    type LanguageModel
    type LanguageModelV4
    type LeaseOptions
    type ListMessagesOptions
    type ListMessagesWithoutVectorOptions
    type ListThreadsOptions
    type ListenerOptions
    type MastraDBMessage
    type Message
    type MessageBlob
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
    type ModelLimits
    type ModelMessage
    type ModelRequest
    type ModelSettings
    type ModelStartEvent
    type ModelUsage
    type NeedsApproval
    type OptionNames
    type OutputEntry
    type OutputEvent
    type OutputProcessor
    type OutputResult
    type Owner
    type Page
    type PageOptions
    type ParseUIMessagesOptions
    PerRun
    type PipelineAnswer
    type PipelineAnswerEnd
    type PipelineAnswerOptions
    type PipelineResponse
    PipelineSession
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
    type ProcessToolStepArgs
    type ProcessToolStepResult
    type Processor
    type ProcessorAction
    type ProcessorArgs
    type ProcessorChangeEvent
    type ProcessorDecisionEvent
    type ProcessorEntry
    type ProcessorEvent
    type ProcessorList
    type ProcessorMessageResult
    type ProcessorOverride
    ProcessorPipeline
    type ProcessorPipelineOptions
    type ProcessorProvider
    type ProcessorRecord
    type PromptChange
    type PromptMessage
    type PromptOptions
    type ProviderHistoryOptions
    type ProviderMetadata
    type ReadStreamOptions
    type ReasoningFilePart
    type ReasoningPart
    type Rejection
    RequestContext
    type RequestContextValues
    type Resource
    type ResourceStore
    type ResumedRun
    type RunCall
    type RunChanges
    type RunClaim
    type RunDataParts
    type RunErrorEvent
    type RunEvent
    type RunFilter
    type RunFinishEvent
    type RunInput
    type RunLease
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
    type SaveRunOptions
    type SaveThreadOptions
    type SaveVectorsOptions
    type Schema
    type SchemaResult
    type SearchMessagesOptions
    type SearchStore
    type SearchThreadsOptions
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
    type StreamKey
    type StreamLimits
    type StreamPart
    type StreamStore
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
    type ThreadHit
    type ThreadKey
    type ThreadStore
    type ThreadUnwrittenPayload
    type Timeout
    type Tool
    type ToolApproval
    type ToolApprovalConfiguration
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
    type ToolPart
    type ToolResult
    type ToolResultOf
    type ToolSet
    type ToolStartEvent
    type TracingContext
    type TranscriptCall
    type TranscriptLine
    type TranscriptLinesOptions
    TripWire
    type TripWireOptions
    type UIDataChunk
    type UIMessage
    type UIMessageChunk
    type UIMessageStreamOptions
    type UIMessageStreamResponseOptions
    type Usage
    type UsageReport
    type UserMessageMetadata
    type Vector
    type VectorMatch
    type VectorQuery
    type VectorSource
    type VectorStore
    type WaitingCall
    type WaitingCallsPayload
    type WarmUpArgs
    type WrapModelCallArgs
    callOptions
    fromDataUrl
    fromUIMessage
    hasToolCall
    isContextOverflow
    isRecord
    isStepCount
    isToolPart
    modelLimits
    nearestName
    newestTurn
    parallel
    parseJson
    parseUIMessages
    pickOptions
    promptLimit
    refuseMisspelled
    refuseSuspend
    requireCount
    requireFraction
    requireOneOf
    requireOptions
    requireTime
    resolveModel
    textOfParts
    toDataUrl
    toJsonSchema
    toStreamPart
    toUIMessage
    toWaitingMessage
    tool
    toolNameOf
    transcriptLines
    userMessage
    validate
    when
    whileModelRuns"
  `)
})

test('@millrace/core/mcp', () => {
  expect(namesOf('packages/core/src/mcp/index.ts', mcp)).toMatchInlineSnapshot(`
    "type McpClient
    type McpMessage
    McpTools
    type McpToolsOptions
    type McpTransport
    withCancellation"
  `)
})

test('@millrace/core/storage', () => {
  expect(namesOf('packages/core/src/storage/index.ts', storage)).toMatchInlineSnapshot(`
    "type AddToCounterOptions
    type AppendToStreamColumns
    type AppendToStreamOptions
    BM25
    type BestMessage
    type BlobKey
    type BlobStore
    type ClaimRunColumns
    type ClaimRunOptions
    type CopyVectorsOptions
    type Counter
    type CounterStore
    type DeleteMessagesOptions
    type DeleteVectorsOptions
    type FilterColumns
    type FoundRun
    type GetBlobsOptions
    type GetMessagesOptions
    type HeldRunColumns
    InMemoryRunStore
    InMemoryStore
    InMemoryVectorStore
    type InterruptedCall
    type Interruption
    type KeyColumns
    type KeyOptions
    type LeaseColumns
    type LeaseOptions
    type ListMessagesOptions
    type ListMessagesWithoutVectorOptions
    type ListThreadsOptions
    MAX_ID_BYTES
    type MessageBlob
    type MessageColumns
    type MessageFilter
    type MessageHit
    type MessageLimits
    type MessageStore
    type Owner
    type Page
    type PageOptions
    RUN_FILTER
    RUN_MEMORY
    type RankedThread
    type ReadStreamOptions
    type Resource
    type ResourceStore
    type RunCall
    type RunCallColumns
    type RunChanges
    type RunClaim
    type RunColumns
    type RunFilter
    type RunKey
    type RunLease
    type RunLimits
    type RunState
    type RunStore
    STORE_LIMITS
    type SaveMessagesColumns
    type SaveMessagesOptions
    type SaveResourceOptions
    type SaveRunOptions
    type SaveThreadOptions
    type SaveVectorsOptions
    type SearchMessagesOptions
    type SearchStore
    type SearchThreadsOptions
    type SearchVectorsOptions
    type SetKeyOptions
    type Store
    type StoreCapabilities
    type StoreLimits
    type StoredMessage
    type StoredRun
    type StreamKey
    type StreamKeyColumns
    type StreamLimits
    type StreamPart
    type StreamStore
    type SuspendedRun
    type Thread
    type ThreadChangeColumns
    type ThreadChanges
    type ThreadColumns
    type ThreadColumnsToSearch
    type ThreadHit
    type ThreadKey
    type ThreadSearch
    type ThreadStore
    type UpdateRunColumns
    type Vector
    type VectorMatch
    type VectorQuery
    type VectorSource
    type VectorStore
    blobTooLarge
    busy
    checkCount
    checkDimensions
    checkId
    closed
    conflict
    failed
    fromColumns
    fromCursor
    fromRunCallColumns
    fromRunColumns
    full
    inBlobOrder
    inThreadOrder
    indexTerms
    indexTermsBeginning
    invalidInput
    leaseLost
    messageTooLarge
    ownerKey
    parseAddToCounter
    parseAppendToStream
    parseClaimRun
    parseCopyVectors
    parseDeleteMessages
    parseDeleteVectors
    parseGetBlobs
    parseGetMessages
    parseKey
    parseLeaseOptions
    parseListMessages
    parseListMessagesWithoutVector
    parseListRuns
    parseListThreads
    parseReadStream
    parseResourceKey
    parseRunKey
    parseRunLease
    parseSaveMessages
    parseSaveResource
    parseSaveRun
    parseSaveThread
    parseSaveVectors
    parseSearchMessages
    parseSearchThreads
    parseSearchVectors
    parseSetKey
    parseStreamKey
    parseThreadChanges
    parseThreadKey
    parseUpdateRun
    queryTerms
    rankThreads
    retryWrite
    runExists
    runTooLarge
    schemaNewer
    schemaOutdated
    searchableText
    streamMoved
    streamTooLarge
    toCursor
    toInterruptedRun
    toPage
    tooManyRuns
    unavailable
    unsupported"
  `)
})

test('@millrace/interop/ai-sdk', () => {
  expect(namesOf('packages/interop/src/ai-sdk/index.ts', aiSdk)).toMatchInlineSnapshot(`
    "type GuardModelOptions
    GuardRejection
    GuardSession
    type GuardToolsOptions
    type ModelMiddleware
    guardModel
    guardTools
    modelMiddleware"
  `)
})

test('@millrace/interop/langchain', () => {
  expect(namesOf('packages/interop/src/langchain/index.ts', langchain)).toMatchInlineSnapshot(`
    "type GuardChatModelOptions
    GuardRejection
    type LangChainMiddlewareOptions
    type MillraceMiddleware
    type MillraceMiddlewareOptions
    type PublishedMiddleware
    guardChatModel
    langchainMiddleware
    millraceMiddleware"
  `)
})

test('@millrace/interop/mastra', () => {
  expect(namesOf('packages/interop/src/mastra/index.ts', mastra)).toMatchInlineSnapshot(`
    "type MastraGuard
    type MastraGuardsOptions
    type MastraProcessorOptions
    mastraGuards
    mastraProcessor"
  `)
})

test('@millrace/interop/openai-agents', () => {
  expect(namesOf('packages/interop/src/openai-agents/index.ts', openaiAgents)).toMatchInlineSnapshot(`
    "type AgentGuardrails
    type GuardModelOptions
    GuardRejection
    GuardSession
    type GuardToolsOptions
    type GuardedAgentsModel
    type GuardrailOptions
    type GuardrailProcessorOptions
    type ReviewOptions
    type ToolGuardrailProcessorOptions
    type ToolGuardrails
    type TripInfo
    agentGuardrails
    guardModel
    guardModelProvider
    guardSessionInput
    guardTools
    inputGuardrail
    outputGuardrail
    toolGuardrails
    toolInputGuardrail
    toolOutputGuardrail"
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
    type BackfillPlace
    type BackfillProgress
    type CloneThreadOptions
    type EmbeddingModel
    type ExportSource
    type FilesOptions
    type FindThread
    type FoundThread
    type HistoryWindowOptions
    type ImportCounts
    type ImportOptions
    type LegacyMessage
    type ListRule
    type ListRules
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
    type NewObservation
    type Observation
    type ObservationSource
    type ObservationsOptions
    type ObserveInput
    type Observer
    type QueryOptions
    type ReflectInput
    type Reflector
    type RetentionOptions
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
    PostgresVectorStore
    type PostgresVectorStoreOptions
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
    type Death
    type FileOptions
    type FinishFields
    type Gate
    type HangOptions
    MortalStore
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
    type VectorStoreTestOptions
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
    testVectorStore
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
test('@millrace/context/agent-files', () => {
  expect(namesOf('packages/context/src/agent-files/index.ts', agentFiles)).toMatchInlineSnapshot(`
    "AgentFiles
    type AgentFilesOptions
    type ContextEvent
    type ContextOptions"
  `)
})

test('@millrace/context/core-instructions', () => {
  expect(namesOf('packages/context/src/core-instructions/index.ts', coreInstructions)).toMatchInlineSnapshot(`
    "type ContextEvent
    type ContextOptions
    CoreInstructions
    type CoreInstructionsOptions
    type InstructionSection"
  `)
})

test('@millrace/context/directory-context', () => {
  expect(namesOf('packages/context/src/directory-context/index.ts', directoryContext)).toMatchInlineSnapshot(`
    "type ContextEvent
    type ContextOptions
    DirectoryContext
    type DirectoryContextOptions"
  `)
})

test('@millrace/context/editor-context', () => {
  expect(namesOf('packages/context/src/editor-context/index.ts', editorContext)).toMatchInlineSnapshot(`
    "type ContextEvent
    type ContextOptions
    EditorContext
    type EditorContextOptions
    type EditorState"
  `)
})

test('@millrace/context/environment-context', () => {
  expect(
    namesOf('packages/context/src/environment-context/index.ts', environmentContext),
  ).toMatchInlineSnapshot(`
    "type ContextEvent
    type ContextOptions
    EnvironmentContext
    type EnvironmentContextOptions
    type EnvironmentField"
  `)
})

test('@millrace/context/file-mentions', () => {
  expect(namesOf('packages/context/src/file-mentions/index.ts', fileMentions)).toMatchInlineSnapshot(`
    "type ContextEvent
    type ContextOptions
    FileMentions
    type FileMentionsOptions"
  `)
})

test('@millrace/context/memory-imports', () => {
  expect(namesOf('packages/context/src/memory-imports/index.ts', memoryImports)).toMatchInlineSnapshot(`
    "type ContextEvent
    type ContextOptions
    type MemoryImportArgs
    MemoryImports
    type MemoryImportsOptions
    memoryFolder"
  `)
})

test('@millrace/context/prompt-arguments', () => {
  expect(namesOf('packages/context/src/prompt-arguments/index.ts', promptArguments)).toMatchInlineSnapshot(`
    "type ContextEvent
    type ContextOptions
    type PromptArgumentValues
    PromptArguments
    type PromptArgumentsOptions"
  `)
})

test('@millrace/context/shell-commands', () => {
  expect(namesOf('packages/context/src/shell-commands/index.ts', shellCommands)).toMatchInlineSnapshot(`
    "type ArgumentRule
    type CommandRule
    type ContextEvent
    type ContextOptions
    ShellCommands
    type ShellCommandsOptions"
  `)
})

test('@millrace/context/skills', () => {
  expect(namesOf('packages/context/src/skills/index.ts', skills)).toMatchInlineSnapshot(`
    "type ContextEvent
    type ContextOptions
    Skills
    type SkillsOptions"
  `)
})

test('@millrace/context/history-window', () => {
  expect(namesOf('packages/context/src/history-window/index.ts', historyWindow)).toMatchInlineSnapshot(`
    "HistoryWindow
    type HistoryWindowOptions"
  `)
})

test('@millrace/context/summarization', () => {
  expect(namesOf('packages/context/src/summarization/index.ts', summarization)).toMatchInlineSnapshot(`
    "Summarization
    type SummarizationEvent
    type SummarizationOptions"
  `)
})

test('@millrace/context/tool-output-limit', () => {
  expect(namesOf('packages/context/src/tool-output-limit/index.ts', toolOutputLimit)).toMatchInlineSnapshot(`
    "InMemoryToolOutputs
    type ReadToolOutputInput
    type ReadToolOutputOutput
    type StoredPart
    type ToolOutputCutEvent
    type ToolOutputKey
    ToolOutputLimit
    type ToolOutputLimitOptions
    type ToolOutputStore"
  `)
})

test('@millrace/context/transcript-recorder', () => {
  expect(
    namesOf('packages/context/src/transcript-recorder/index.ts', transcriptRecorder),
  ).toMatchInlineSnapshot(`
    "type LineSink
    type ReplayedCall
    type ReplayedRun
    type TranscriptEntry
    TranscriptRecorder
    type TranscriptRecorderOptions
    replay"
  `)
})

test('@millrace/context/workspace', () => {
  expect(namesOf('packages/context/src/workspace/index.ts', workspace)).toMatchInlineSnapshot(`
    "type FolderEntry
    type FolderListing
    type ListOptions
    type Refusal
    type RefusalReason
    Workspace
    type WorkspaceFile
    type WorkspaceOptions
    isRefusal
    refusalSentence"
  `)
})

test('@millrace/guards/content-guard', () => {
  expect(namesOf('packages/guards/src/content-guard/index.ts', contentGuard)).toMatchInlineSnapshot(`
    "ContentGuard
    type ContentGuardOptions
    type LengthFinding
    type LengthUnit"
  `)
})

test('@millrace/guards/guard', () => {
  expect(namesOf('packages/guards/src/guard/index.ts', guard)).toMatchInlineSnapshot(`
    "CHUNK_FIELDS
    type Control
    EVENT_FIELDS
    type Entity
    type EntityFinder
    type FieldSurface
    type Finding
    GUARD_OPTIONS
    type GuardOptions
    GuardedText
    type OpenScan
    RESULT_FIELDS
    type Redaction
    type Replacement
    SLICE
    SPAN_FIELDS
    STEP_FIELDS
    SURFACES
    SURFACE_NAMES
    type Strategy
    type Surface
    TextGuard
    type TextGuardOptions
    type TextScanner
    checkGuardOptions
    checkResponse
    endRun
    mask
    pushInSlices
    replacementOf
    rewriteJson
    slicesOf
    yieldToEventLoop"
  `)
})

test('@millrace/guards/judge', () => {
  expect(namesOf('packages/guards/src/judge/index.ts', judge)).toMatchInlineSnapshot(`
    "type Check
    JudgeGuard
    type JudgeGuardOptions
    type JudgeOptions
    type Judgement
    type JudgementEvent
    type OnFailure
    type Verdict
    WindowGuard
    type WindowGuardOptions
    type WindowOptions
    judge
    withDeadline"
  `)
})

test('@millrace/guards/keyword-guard', () => {
  expect(namesOf('packages/guards/src/keyword-guard/index.ts', keywordGuard)).toMatchInlineSnapshot(`
    "KeywordGuard
    type KeywordGuardOptions
    type RegexRule"
  `)
})

test('@millrace/guards/moderation', () => {
  expect(namesOf('packages/guards/src/moderation/index.ts', moderation)).toMatchInlineSnapshot(`
    "type CategoryScores
    MODERATION_CATEGORIES
    type ModelModerationOptions
    type ModerationCategory
    ModerationProcessor
    type ModerationProcessorOptions
    type ModerationTier
    type OpenAIModerationOptions
    type TierJudgement
    modelModeration
    openAIModeration
    profanitySieve"
  `)
})

test('@millrace/guards/prompt-injection', () => {
  expect(namesOf('packages/guards/src/prompt-injection/index.ts', promptInjection)).toMatchInlineSnapshot(`
    "type ClassScore
    type Evidence
    INJECTION_SURFACES
    type InjectionClassifier
    type InjectionFinding
    type InjectionPattern
    type InjectionPreset
    type InjectionScore
    type InjectionStrategy
    type InjectionSurface
    type PipelineClassifierOptions
    PromptInjectionDetector
    type PromptInjectionDetectorOptions
    Spotlight
    type SpotlightMethod
    type SpotlightOptions
    THRESHOLDS
    type TextClassification
    pipelineClassifier"
  `)
})

test('@millrace/guards/regex-filter', () => {
  expect(namesOf('packages/guards/src/regex-filter/index.ts', regexFilter)).toMatchInlineSnapshot(`
    "RegexFilter
    type RegexFilterOptions
    type RegexRule"
  `)
})

test('@millrace/guards/scanner', () => {
  expect(namesOf('packages/guards/src/scanner/index.ts', scanner)).toMatchInlineSnapshot(`
    "CONTEXT_WINDOW
    type Detection
    type FunctionRecognizer
    type MatchKind
    type PatternNode
    type PatternRecognizer
    RECOGNIZER
    type Recognizer
    type Rest
    type ScanSink
    Scanner
    type ScannerOptions
    type Score
    type TextScan"
  `)
})

test('@millrace/guards/secrets', () => {
  expect(namesOf('packages/guards/src/secrets/index.ts', secrets)).toMatchInlineSnapshot(`
    "type Redaction
    SecretDetector
    type SecretDetectorOptions
    secretRecognizers"
  `)
})

test('@millrace/guards/system-prompt-scrubber', () => {
  expect(
    namesOf('packages/guards/src/system-prompt-scrubber/index.ts', systemPromptScrubber),
  ).toMatchInlineSnapshot(`
    "type LeakSurface
    SystemPromptScrubber
    type SystemPromptScrubberOptions"
  `)
})

test('@millrace/guards/unicode-normalizer', () => {
  expect(
    namesOf('packages/guards/src/unicode-normalizer/index.ts', unicodeNormalizer),
  ).toMatchInlineSnapshot(`
    "UnicodeNormalizer
    type UnicodeNormalizerOptions"
  `)
})

test('@millrace/pii', () => {
  expect(namesOf('packages/pii/src/index.ts', pii)).toMatchInlineSnapshot(`
    "type Entity
    type EntityFinder
    PIIDetector
    type PIIDetectorOptions
    type PIIRegion
    type PIISelection
    type PIIType
    PII_REGIONS
    PII_TYPES
    type Redaction
    piiRecognizers"
  `)
})

test('@millrace/steering/approval-gate', () => {
  expect(namesOf('packages/steering/src/approval-gate/index.ts', approvalGate)).toMatchInlineSnapshot(`
    "ApprovalGate
    type ApprovalGateOptions
    type ApprovalRule
    type CallRule
    type ConsideredCall
    type GatedTools
    type NeedsApproval
    isDangerous"
  `)
})

test('@millrace/steering/audit-log', () => {
  expect(namesOf('packages/steering/src/audit-log/index.ts', auditLog)).toMatchInlineSnapshot(`
    "AuditLog
    type AuditLogLossEvent
    type AuditLogOptions
    type AuditRecord
    type AuditSink
    type RotationOptions"
  `)
})

test('@millrace/steering/batch-parts', () => {
  expect(namesOf('packages/steering/src/batch-parts/index.ts', batchParts)).toMatchInlineSnapshot(`
    "BatchParts
    type BatchPartsOptions"
  `)
})

test('@millrace/steering/cost-guard', () => {
  expect(namesOf('packages/steering/src/cost-guard/index.ts', costGuard)).toMatchInlineSnapshot(`
    "type BudgetScope
    CostGuard
    type CostGuardEvent
    type CostGuardOptions
    type CostGuardWarningEvent
    type CostLimit
    type CostUnit
    type LimitReached
    type LimitStrategy
    type Price
    type Prices
    requestTokens"
  `)
})

test('@millrace/steering/language-detector', () => {
  expect(
    namesOf('packages/steering/src/language-detector/index.ts', languageDetector),
  ).toMatchInlineSnapshot(`
    "type DetectedLanguage
    LanguageDetector
    type LanguageDetectorEvent
    type LanguageDetectorOptions
    detectLanguage"
  `)
})

test('@millrace/steering/large-message-summarizer', () => {
  expect(
    namesOf('packages/steering/src/large-message-summarizer/index.ts', largeMessageSummarizer),
  ).toMatchInlineSnapshot(`
    "LargeMessageSummarizer
    type LargeMessageSummarizerEvent
    type LargeMessageSummarizerOptions"
  `)
})

test('@millrace/steering/loop-detector', () => {
  expect(namesOf('packages/steering/src/loop-detector/index.ts', loopDetector)).toMatchInlineSnapshot(`
    "LoopDetector
    type LoopDetectorEvent
    type LoopDetectorOptions
    type Repetition"
  `)
})

test('@millrace/steering/max-tool-calls-guard', () => {
  expect(
    namesOf('packages/steering/src/max-tool-calls-guard/index.ts', maxToolCallsGuard),
  ).toMatchInlineSnapshot(`
    "MaxToolCallsGuard
    type MaxToolCallsGuardEvent
    type MaxToolCallsGuardOptions"
  `)
})

test('@millrace/steering/model-fallback', () => {
  expect(namesOf('packages/steering/src/model-fallback/index.ts', modelFallback)).toMatchInlineSnapshot(`
    "type FailureReason
    type ModelFailure
    ModelFallback
    type ModelFallbackOptions"
  `)
})

test('@millrace/steering/model-router', () => {
  expect(namesOf('packages/steering/src/model-router/index.ts', modelRouter)).toMatchInlineSnapshot(`
    "type ModelRoute
    ModelRouter
    type ModelRouterOptions"
  `)
})

test('@millrace/steering/rate-limit', () => {
  expect(namesOf('packages/steering/src/rate-limit/index.ts', rateLimit)).toMatchInlineSnapshot(`
    "type BudgetScope
    type LimitReached
    type LimitStrategy
    RateLimit
    type RateLimitEvent
    type RateLimitOptions
    type RateLimitRule"
  `)
})

test('@millrace/steering/response-cache', () => {
  expect(namesOf('packages/steering/src/response-cache/index.ts', responseCache)).toMatchInlineSnapshot(`
    "ResponseCache
    type ResponseCacheEvent
    type ResponseCacheOptions"
  `)
})

test('@millrace/steering/structured-output', () => {
  expect(
    namesOf('packages/steering/src/structured-output/index.ts', structuredOutput),
  ).toMatchInlineSnapshot(`
    "StructuredOutput
    type StructuredOutputEvent
    type StructuredOutputOptions"
  `)
})

test('@millrace/steering/tool-allow-list', () => {
  expect(namesOf('packages/steering/src/tool-allow-list/index.ts', toolAllowList)).toMatchInlineSnapshot(`
    "type AllowedTools
    type InputRule
    ToolAllowList
    type ToolAllowListOptions"
  `)
})

test('@millrace/steering/tool-call-filter', () => {
  expect(namesOf('packages/steering/src/tool-call-filter/index.ts', toolCallFilter)).toMatchInlineSnapshot(`
    "type FilteredCall
    ToolCallFilterProcessor
    type ToolCallFilterProcessorOptions"
  `)
})

test('@millrace/steering/todo-list', () => {
  expect(namesOf('packages/steering/src/todo-list/index.ts', todoList)).toMatchInlineSnapshot(`
    "type Todo
    TodoList
    type TodoListEvent
    type TodoListOptions
    type TodoStatus
    type TodosData"
  `)
})

test('@millrace/steering/tool-search', () => {
  expect(namesOf('packages/steering/src/tool-search/index.ts', toolSearch)).toMatchInlineSnapshot(`
    "type FoundTool
    ToolSearch
    type ToolSearchOptions
    type ToolSearchOutput"
  `)
})

test('@millrace/tokens', () => {
  expect(namesOf('packages/tokens/src/index.ts', tokens)).toMatchInlineSnapshot(`
    "type CountText
    type Definitions
    type Encoding
    type EncodingName
    MessageTokens
    type TokenFinding
    TokenLimiterProcessor
    type TokenLimiterProcessorOptions
    countTokens
    definitionsOf
    encodingOf
    loadEncoding
    tokensOf
    warmUpEncoding"
  `)
})

function namesOf(file: string, module: object): string {
  const names = publicNames(join(root, file))
  expect(names.filter((name) => !name.startsWith('type '))).toEqual(Object.keys(module).sort())
  return names.join('\n')
}

test('@millrace/core/recording', () => {
  expect(namesOf('packages/core/src/agent/recording.ts', recording)).toMatchInlineSnapshot(`
    "type AgentCall
    type AgentDescription
    type AgentOpener
    type Checkpoint
    type OpenRun
    RUN_OPTIONS
    type RecordedCall
    type RecordedPoint
    type RecordedRunOptions
    type RecordedState
    type RecordedTrace
    type RunRecorder
    activeTrace
    cancelledRun
    describeAgent
    openRecordedRun
    readAnswers
    waitingCallsOf"
  `)
})

test('@millrace/dbos', () => {
  expect(namesOf('packages/dbos/src/index.ts', dbos)).toMatchInlineSnapshot(`
    "type DurableAgent
    type DurableOptions
    type DurableRun
    type DurableRunFilter
    type DurableRunStatus
    type EncryptedSerializerOptions
    type QueueOptions
    type RunOwner
    type StartOptions
    type SuspendedDurableRun
    type SuspensionInfo
    agentStep
    durable
    encryptedSerializer"
  `)
})

test('@millrace/studio', () => {
  expect(namesOf('packages/studio/src/index.ts', studio)).toMatchInlineSnapshot(`
    "type Price
    type PriceList
    type Studio
    type StudioOptions
    studio"
  `)
})

test('@millrace/server', () => {
  expect(namesOf('packages/server/src/index.ts', server)).toMatchInlineSnapshot(`
    "type ApprovalRequest
    type Authenticate
    type Caller
    type Handler
    type HandlerLimits
    type HandlerOptions
    type ServerConfig
    createHandler
    defineConfig"
  `)
})

/**
 * The protocol between the server of Studio and its page: JSON over HTTP, and server-sent events. This file has types only.
 *
 * Every request to `/api` has the header `authorization: Bearer <token>`. The token is in the fragment of the printed link,
 * `http://127.0.0.1:4983/runs/<id>#token=<token>`. The page stores it in the `localStorage` of its origin, and removes it from
 * the address bar. It reads event streams with `fetch`, because `EventSource` cannot send headers. The routes and files of the
 * page itself need no token and have no data.
 *
 * Names that end in `At` are milliseconds since 1970, names that end in `Ms` are durations. Unknown values are left out. Texts
 * are truncated at {@link RunLimits.maxText}; then {@link Text} has `cut`. A text may have any content, also markup and control
 * characters: display it as text.
 */

/** The routes, by name. `:name` is a path parameter, encoded with `encodeURIComponent`. */
export const ROUTES = {
  /** {@link Info} */
  info: { method: 'GET', path: '/api/info' },
  /** {@link RunsQuery} → {@link RunsPage} */
  runs: { method: 'GET', path: '/api/runs' },
  /** {@link RunQuery} → {@link RunDetail} */
  run: { method: 'GET', path: '/api/runs/:runId' },
  /** {@link ChunksQuery} → {@link ChunksPage} */
  chunks: { method: 'GET', path: '/api/runs/:runId/chunks' },
  /** {@link ExportQuery} → a file */
  export: { method: 'GET', path: '/api/runs/:runId/export' },
  /** A file that `export` wrote as JSON → {@link RunStarted}: adds the run to the list. */
  import: { method: 'POST', path: '/api/import' },
  /** {@link ReplayRequest} → {@link ReplayStarted} */
  replay: { method: 'POST', path: '/api/runs/:runId/replay' },
  /** Deletes the records of a run → {@link Deleted} */
  delete: { method: 'DELETE', path: '/api/runs/:runId' },
  /** {@link SuspendedPage} */
  suspended: { method: 'GET', path: '/api/suspended' },
  /** {@link AnswerRequest} → {@link RunStarted} */
  answer: { method: 'POST', path: '/api/suspended/:runId/answer' },
  /** Releases a suspended run → {@link Released} */
  release: { method: 'DELETE', path: '/api/suspended/:runId' },
  /** {@link ChatRequest} → events of {@link ChatEvents} */
  chat: { method: 'POST', path: '/api/agents/:agent/chat' },
  /** Events of {@link LiveEvents}, until the client disconnects */
  live: { method: 'GET', path: '/api/events' },
  /** {@link RunQuery} → events of {@link RunEvents}, until the run has ended */
  runEvents: { method: 'GET', path: '/api/runs/:runId/events' },
  /** {@link GuardList} */
  guards: { method: 'GET', path: '/api/bench/guards' },
  /** {@link JudgeRequest} → {@link JudgeResult} */
  judge: { method: 'POST', path: '/api/bench/judge' },
  /** {@link TableRequest} → events of {@link TableEvents} */
  table: { method: 'POST', path: '/api/bench/table' },
} as const satisfies Record<string, Route>

export interface Route {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
}

/** The body of every response with a status of 400 or above. */
export interface ErrorBody {
  error: {
    /** For programs. */
    code: StudioErrorCode
    /** For people: what happened, with which value, and what to do about it. */
    message: string
  }
}

export type StudioErrorCode =
  /** 400: a parameter or the body is not valid. */
  | 'REQUEST_INVALID'
  /** 401: the token is missing or wrong. */
  | 'TOKEN_INVALID'
  /** 403: the request comes from another origin, or has another host name. */
  | 'ORIGIN_REFUSED'
  /** 404 */
  | 'NOT_FOUND'
  /** 409: the run was resumed already, was released, has expired, or is in progress. */
  | 'CONFLICT'
  /** 409: this needs the process of the agents, and the server reads a file. */
  | 'NO_PROCESS'
  /** 413 */
  | 'BODY_TOO_LARGE'
  /** 422: Millrace refused the guard's options or the run. It has Millrace's message. */
  | 'REFUSED'
  /** 500 */
  | 'FAILED'

// ——— information ———

export interface Info {
  /** The version of the package. */
  version: string
  /**
   * `process`: the server runs in the process of the agents, so all routes work. `file`: it reads a file with records;
   * `answer`, `replay` and `chat` fail with `NO_PROCESS`.
   */
  mode: 'process' | 'file'
  /** The file name without its folder; missing if runs are recorded in memory. */
  file?: string
  agents: AgentInfo[]
  /** Values of {@link ReplayRequest.model}. */
  models: string[]
  /** Values of {@link ReplayRequest.processors}. */
  processorSets: ProcessorSet[]
  limits: RunLimits
}

export interface AgentInfo {
  name: string
}

export interface ProcessorSet {
  name: string
  /** The ids of its processors, in order. */
  processors: string[]
}

interface RunLimits {
  /** Maximum length of a recorded text, in characters. */
  maxText: number
  /** Maximum size of a request's body, in bytes. */
  maxBodyBytes: number
  /** Maximum number of rows of a file with texts. */
  maxTableRows: number
}

/** A text, possibly truncated. */
export interface Text {
  text: string
  /** The text was truncated. */
  cut?: true
}

// ——— runs ———

/**
 * The state of a run. `running`: it has not ended. `failed`: it rejected. `interrupted`: its process died. The others are
 * statuses of a result.
 */
export type RunState =
  | 'running'
  | 'completed'
  | 'limit'
  | 'tripwire'
  | 'halted'
  | 'suspended'
  | 'aborted'
  | 'failed'
  | 'interrupted'

export interface RunsQuery {
  /** Default: 50; maximum: 200. */
  limit?: number
  /** `next` of the previous page. */
  cursor?: string
  agent?: string
  /** One or more {@link RunState}, separated by commas. */
  state?: string
  threadId?: string
  resourceId?: string
  /** The id of a processor: runs in which it acted. */
  processor?: string
  /** Runs whose input, answer or id contains this text, ignoring case. */
  search?: string
}

/** Newest first. */
export interface RunsPage {
  runs: RunSummary[]
  /** Missing on the last page. */
  next?: string
}

export interface RunSummary {
  id: string
  agentName: string
  threadId?: string
  resourceId?: string
  state: RunState
  startedAt: number
  /** Missing until the run has ended. */
  durationMs?: number
  /** The first 200 characters of the user's message and of the answer. Found values are hidden. */
  input?: string
  answer?: string
  models: string[]
  stepCount: number
  toolCallCount: number
  usage: Tokens
  cost?: Cost
  timeToFirstChunkMs?: number
  /** Processors that did more than pass, in order, each with its strongest outcome. */
  acted: Acted[]
  /** The number of found values, by kind. */
  findings: KindCount[]
  /** The number of retracted attempts at steps. */
  retractions: number
  /** The number of attempts at the run, if there was more than one: after a crash or a suspension. */
  attempt?: number
  /** The run that called this run's agent as a tool. */
  parent?: RunLink
  /** The suspended or interrupted run that this one resumed, and the one that resumed it. */
  resumedFrom?: string
  resumedBy?: string
  /** The run that this one replays. */
  replayOf?: string
  /** The run was imported. */
  imported?: boolean
}

export interface Acted {
  processorId: string
  outcome: Outcome
}

interface KindCount {
  /** Such as `email`. */
  kind: string
  count: number
}

interface RunLink {
  runId: string
  toolCallId?: string
}

export interface Tokens {
  inputTokens?: number
  outputTokens?: number
  totalTokens?: number
  cacheReadTokens?: number
  cacheWriteTokens?: number
  reasoningTokens?: number
}

/** Computed from the option `prices` of Studio. */
export interface Cost {
  amount: number
  /** Such as `USD`. */
  currency: string
  /** Calls of models without a price are not included. */
  partial?: boolean
}

export interface RunQuery {
  /** `1` reveals the values that guards found. Default: they are hidden everywhere. */
  reveal?: '1'
}

/** A run with all its records, except its chunks. */
export interface RunDetail extends RunSummary {
  /** Whether found values are revealed. */
  revealed: boolean
  /** The input of the run, before any processor. */
  messages: MessageView[]
  /** The processors before the first step: `processInput`. */
  before: ProcessorNode[]
  steps: StepView[]
  /** The processors after the last step: `processOutputResult`, `processDelivery`. */
  after: ProcessorNode[]
  /** What the reader saw, in order. */
  reader: ReaderEntry[]
  /** The text of the result. */
  text?: Text
  /** The structured answer, as JSON. */
  object?: Text
  /** Why the run ended, if it did not complete. */
  end?: RunEnd
  /** The runs of agents that this run called as tools. */
  nested: RunSummary[]
  /** All attempts at this run, oldest first: an attempt continues after a crash or a suspension. */
  attempts: RunSummary[]
  /** Replays of this run. */
  replays: RunSummary[]
  warnings: string[]
  /** The run has more events than are recorded: the last ones were dropped. */
  truncated?: boolean
}

/** Why a run did not complete. */
export interface RunEnd {
  reason: string
  processorId?: string
  hook?: string
  /** The code of a Millrace error. */
  code?: string
  /** What a suspended run waits for, as JSON. */
  payload?: Text
}

/** A message and its parts. */
export interface MessageView {
  role: 'system' | 'user' | 'assistant' | 'tool'
  parts: PartView[]
}

export type PartView =
  | { type: 'text' | 'reasoning'; text: Text }
  /** `input`, `output`: as JSON. */
  | { type: 'tool'; toolCallId: string; toolName: string; input?: Text; output?: Text; error?: Text }
  /** The content is not recorded. */
  | { type: 'file'; mediaType: string; filename?: string }
  /** Any other part, as JSON. */
  | { type: 'other'; name: string; value: Text }

// ——— the pipeline of a step ———

export interface StepView {
  /** Counted from 0. */
  stepNumber: number
  /** The agent of the step, if the turn was handed off to it. */
  agentName?: string
  state: 'running' | 'done'
  startedAt: number
  durationMs?: number
  finishReason?: string
  usage: Tokens
  cost?: Cost
  timeToFirstChunkMs?: number
  /** The text of the step, after all processors. */
  text?: Text
  reasoning?: Text
  /** Processors, model calls and tools, in the order of execution. */
  pipeline: PipelineNode[]
  toolCalls: ToolCallView[]
  /** Rejected attempts at this step, which were repeated. */
  discarded: DiscardedView[]
}

export type PipelineNode = ProcessorNode | ModelNode | ToolNode

/**
 * What a processor did in one hook. `passed`: it changed nothing. `held`: it held text back for a time, and changed nothing.
 * `blocked`: it ended the run or denied a call. `halted`: it answered in place of the model. `retried`: it had the step
 * repeated. `skipped`: it failed, and the run continued without it.
 */
export type Outcome =
  | 'passed'
  | 'held'
  | 'changed'
  | 'blocked'
  | 'halted'
  | 'suspended'
  | 'retried'
  | 'skipped'
  | 'failed'

export interface ProcessorNode {
  kind: 'processor'
  /** Unique in the run. */
  id: string
  processorId: string
  hook: string
  outcome: Outcome
  /** The tool call, if the hook handles calls one by one. */
  toolCallId?: string
  /** Milliseconds after the start of the run. */
  atMs: number
  /** Total time of all `calls` of the hook, waiting included. */
  durationMs: number
  calls: number
  changes: ChangeView[]
  findings: FindingView[]
  /** Models that the processor called itself. */
  models: { modelId: string; calls: number; usage: Tokens; cost?: Cost }[]
  /** There were more changes than are recorded. */
  truncated?: boolean
}

/** A model call with its retries. */
export interface ModelNode {
  kind: 'model'
  id: string
  provider: string
  modelId: string
  atMs: number
  /** Missing until the call has ended. */
  durationMs?: number
  timeToFirstChunkMs?: number
  messageCount: number
  tools: string[]
  /** The prompt, after all processors. `kept` is the number of leading messages that are equal to those of the previous call. */
  prompt?: { kept: number; messages: MessageView[] }
}

/** The execution of a tool call: see `toolCalls`. */
export interface ToolNode {
  kind: 'tool'
  id: string
  toolCallId: string
  atMs: number
}

/** A finding: the kind of a value and its surface, never the value. */
export interface FindingView {
  /** Such as `email`, `prompt-injection`. */
  kind: string
  /** From 0 to 1. */
  score?: number
  /** The surface of the text, such as `input` or `tool-result`. */
  surface?: string
  /** `guard`: reported by the guard. `recognised`: detected by Studio in the removed text. */
  source: 'guard' | 'recognised'
}

/** A change of a text, or a text that was refused. */
export interface ChangeView {
  /** The place, for display: such as `text of message 2` or `input of weather`. */
  place: string
  messageId?: string
  partIndex?: number
  toolCallId?: string
  /** A string unchanged; any other value as JSON. */
  before: Text | undefined
  after: Text | undefined
  /** The difference, in order: the `same` and `removed` parts are `before`, the `same` and `added` parts are `after`. */
  difference: DifferencePart[]
}

export interface DifferencePart {
  type: 'same' | 'removed' | 'added'
  /** If `hidden`, one `•` for each character, at most 24. */
  text: string
  /** A found value that is not revealed. */
  hidden?: boolean
  /** The kind of the value, such as `email`, if it is known. */
  kind?: string
}

export interface ToolCallView {
  toolCallId: string
  toolName: string
  /**
   * `waiting`: for an approval or a client tool. `denied`: by a person or a processor. `interrupted`: it is not known whether
   * the call was executed.
   */
  state: 'requested' | 'running' | 'waiting' | 'done' | 'error' | 'denied' | 'interrupted'
  /** As JSON. */
  input?: Text
  output?: Text
  error?: Text
  atMs?: number
  durationMs?: number
  /** The number of repeated executions after errors. */
  retries: number
  approval?: { state: 'asked' | 'approved' | 'denied'; reason?: string }
  /** If the tool is an agent: its run. */
  runId?: string
}

interface DiscardedView {
  reason: string
  processorId?: string
  usage: Tokens
  /** The text that was shown and retracted. */
  text?: Text
}

// ——— what the reader saw ———

/** An event on the reader's screen. The deltas of one part are one entry. */
export interface ReaderEntry {
  /** Increases by 1. An entry with a known number replaces it: its text has grown. */
  seq: number
  atMs: number
  stepNumber?: number
  event:
    | { type: 'text' | 'reasoning'; text: Text; chunks: number; retracted?: boolean }
    | { type: 'tool-call'; toolCallId: string; toolName: string; input: Text; retracted?: boolean }
    | {
        type: 'tool-result' | 'tool-error' | 'tool-denied'
        toolCallId: string
        toolName: string
        value: Text
      }
    /** The step was retracted, with its shown text. */
    | { type: 'retracted'; reason?: string; processorId?: string; retry: boolean }
    /** The shown text was replaced. */
    | { type: 'replaced'; text: Text }
    | { type: 'data'; name: string; value: Text }
    | { type: 'file'; mediaType: string }
    | { type: 'source'; title: string }
    | { type: 'blocked'; reason: string; processorId?: string }
    | { type: 'suspended'; processorId?: string }
    | { type: 'halted'; reason?: string; processorId?: string }
    | { type: 'aborted' | 'finished' }
    | { type: 'error'; message: string }
}

export interface ChunksQuery extends RunQuery {
  /** The index of the first chunk. Default: 0. */
  from?: number
  /** Default: 500; maximum: 2,000. */
  limit?: number
}

/** The chunks as the reader got them. */
export interface ChunksPage {
  chunks: ChunkView[]
  /** The number of chunks so far. Some may not be recorded. */
  total: number
}

export interface ChunkView {
  seq: number
  atMs: number
  type: string
  stepNumber?: number
  /** The delta, or the other fields of the chunk as JSON. */
  value: Text
}

export interface ExportQuery extends RunQuery {
  /** `html`: a page without scripts. `json`: a file for `import`. */
  format: 'html' | 'json'
}

export interface Deleted {
  deleted: boolean
}

// ——— actions ———

export interface RunStarted {
  runId: string
}

/** The changes of a replay; missing fields keep the original. */
export interface ReplayRequest {
  /** Replaces the last user message. */
  input?: string
  /** One of {@link Info.models}. */
  model?: string
  /** The name of one of {@link Info.processorSets}: replaces the agent's processors. */
  processors?: string
  /** Default: the agent's. */
  instructions?: string
  /**
   * `recorded`: tool calls return their recorded outputs, and calls without a record are denied. `execute`: tools are
   * executed, with their side effects. Default: `recorded`.
   */
  tools?: 'recorded' | 'execute'
}

/** The two runs, for a comparison. The replay has no thread, so it does not change the memory. */
export interface ReplayStarted {
  runId: string
  originalId: string
}

/** Oldest first. */
export interface SuspendedPage {
  runs: SuspendedView[]
}

export interface SuspendedView {
  runId: string
  agentName: string
  threadId?: string
  resourceId?: string
  createdAt: number
  expiresAt: number
  processorId?: string
  waitsFor: Waiting
  /** The process of the run died: resume it without data. */
  interrupted?: { attempts: number; calls: WaitingCall[] }
  /** Whether Studio has recorded the run. */
  recorded: boolean
}

export type Waiting =
  /** Answered with `calls`. */
  | { type: 'calls'; calls: WaitingCall[] }
  /** Answered with `data`: JSON for the processor or tool that asks. */
  | { type: 'data'; payload: Text }
  /** Answered with `continue`. */
  | { type: 'nothing' }

export interface WaitingCall {
  toolCallId: string
  toolName: string
  /** As JSON. */
  input: Text
  /** What a suspended run waits for. */
  waitsFor?: 'approval' | 'output' | 'answer' | 'outcome'
  /** What the tool asks, as JSON. */
  payload?: Text
  reason?: string
  /** The agent that made the call, if it is a tool of the run's agent. */
  agentName?: string
  /** Of an interrupted run. */
  state?: 'started' | 'finished'
}

export type AnswerRequest =
  /** An answer to each call, as `resume` of the agent takes it. */
  { type: 'calls'; answers: Record<string, unknown> } | { type: 'data'; data: unknown } | { type: 'continue' }

export interface Released {
  released: boolean
}

export interface ChatRequest {
  text: string
  /** Default: a new thread, if the agent has a memory. */
  threadId?: string
  resourceId?: string
  /** As in {@link ReplayRequest}. */
  model?: string
  processors?: string
}

// ——— events ———

/** The events of `live`, by name. An idle stream sends comments. */
export interface LiveEvents {
  /** A run started or changed. At most ten times a second for each run. */
  run: RunSummary
  /** A run was deleted. */
  deleted: RunStarted
  /** The number of suspended runs. */
  suspended: { count: number }
}

/**
 * The events of one run: first `run` with the whole run, then the changed parts, at most ten times a second. A part replaces
 * the earlier one.
 */
export interface RunEvents {
  run: RunDetail
  summary: RunSummary
  before: ProcessorNode[]
  step: StepView
  after: ProcessorNode[]
  reader: ReaderEntry[]
  /** The last event, with the whole run. */
  end: RunDetail
}

/** The events of a turn of a chat. */
export interface ChatEvents {
  /** The first event. */
  started: RunStarted & { threadId?: string }
  reader: ReaderEntry[]
  /** The last event. */
  end: RunSummary
}

// ——— the bench ———

export interface GuardList {
  guards: GuardInfo[]
}

export interface GuardInfo {
  /** The value of {@link GuardChoice.guard}, such as `pii`. */
  name: string
  /** For display, such as `PII`. */
  title: string
  description: string
  /** Such as `PIIDetector`, from `@millrace/pii`. */
  exportName: string
  importFrom: string
  /** A JSON Schema of an object with properties of type `string`, `number`, `boolean`, `enum`, or arrays of `enum` or `string`. */
  options: JSONSchemaObject
  /** The strategies for findings. */
  strategies: string[]
  /** One of `strategies`. */
  defaultStrategy: string
  /** Whether findings have positions. Other guards judge the text as a whole. */
  hasSpans: boolean
}

interface JSONSchemaObject {
  type: 'object'
  properties: Record<string, JSONSchemaProperty>
}

export interface JSONSchemaProperty {
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  title?: string
  description?: string
  default?: unknown
  enum?: string[]
  minimum?: number
  maximum?: number
  items?: { type: 'string'; enum?: string[] }
}

/** A guard with its options, without a strategy: the result has all of them. */
export interface GuardChoice {
  guard: string
  options?: Record<string, unknown>
}

/** The surface on which the guard sees the text. */
export type BenchSurface = 'input' | 'tool-result' | 'answer'

export interface JudgeRequest {
  text: string
  guards: GuardChoice[]
  /** Default: `input`. */
  surface?: BenchSurface
  /** Whether the text is also streamed in several chunk sizes. Default: true. */
  splits?: boolean
}

export interface JudgeResult {
  /** In the order of the request. */
  guards: GuardResult[]
  /** A program with these guards and options. */
  code: string
}

export interface GuardResult {
  guard: string
  /** The options are invalid, or the guard failed. Then there are no findings. */
  error?: string
  durationMs: number
  findings: BenchFinding[]
  /** The output under each strategy. */
  outputs: StrategyOutput[]
  splits?: SplitResult
}

export interface BenchFinding {
  type: string
  /** In UTF-16 units of the text. */
  start: number
  end: number
  /** From 0 to 1. */
  score: number
  /** What detected it: the recognizer, or the layers of the injection detector. */
  layers: string[]
  /** The encodings of the passage, outermost first. */
  encodings?: string[]
}

export interface StrategyOutput {
  strategy: string
  /** `passed`: no finding. `removed`: the whole message is removed. */
  outcome: 'passed' | 'changed' | 'blocked' | 'halted' | 'removed' | 'reported'
  /** The output; missing if there is none. */
  text?: string
  /** Why the text was blocked, or the answer that replaces it. */
  reason?: string
  /** The difference of the text and the output. */
  difference: DifferencePart[]
}

/** The text as a streamed answer, in several chunk sizes. */
export interface SplitResult {
  pieces: {
    /** Characters per chunk; 0 for one chunk. */
    size: number
    chunks: number
    /** The output. */
    text?: string
    outcome: StrategyOutput['outcome']
    /** The maximum of characters that were held back. */
    maxHeld: number
  }[]
  /** Whether the output is the same for all sizes. */
  same: boolean
}

/** A file with texts. */
export interface TableRequest {
  /** The content of the file. `jsonl`: each line is a string, or an object with the field. `text`: each line is a text. */
  content: string
  format: 'jsonl' | 'csv' | 'text'
  /** The field or column with the text. Default: `text`, else the first. */
  textField?: string
  /** The field or column with the label, whether a finding is expected: `true`, `1`, `attack`, `yes` … or not. */
  labelField?: string
  guards: GuardChoice[]
  surface?: BenchSurface
}

/** The events of a table. The page marks and counts false alarms. */
export interface TableEvents {
  /** The first event. */
  start: { total: number; columns: string[]; textField: string; labelField?: string }
  /** The next rows, in order. */
  rows: TableRow[]
  /** The last event. */
  end: { code: string; durationMs: number }
  /** Ends the stream. */
  error: ErrorBody['error']
}

export interface TableRow {
  /** The line in the file, from 1. */
  line: number
  text: Text
  label?: boolean
  /** In the order of the request. */
  guards: { findings: BenchFinding[]; error?: string }[]
}

/**
 * What the server of Studio and its page say to each other: JSON over HTTP, and server-sent events. Types alone: nothing of
 * this runs.
 *
 * Every request to `/api` has `authorization: Bearer <token>`. The token is in the fragment of the link that is printed,
 * `http://127.0.0.1:4983/runs/<id>#token=<token>`: a page takes it from there, keeps it in the `localStorage` of its origin
 * and removes it from the address. Streams of events are read with `fetch`, since `EventSource` sends no such header. The
 * paths of the page itself, and its files, need no token and hold no data.
 *
 * Times are milliseconds since 1970 where they end in `At`, durations end in `Ms`. What is not known is left out. Texts are cut at
 * {@link RunLimits.maxText}, and {@link Text} says so. A text may hold anything, also markup and control characters: show
 * it as text.
 */

/** The routes, by name. `:name` in a path stands for one part, encoded by `encodeURIComponent`. */
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
  /** A file of `export` in JSON → {@link RunStarted}: the run is listed from then on. */
  import: { method: 'POST', path: '/api/import' },
  /** {@link ReplayRequest} → {@link ReplayStarted} */
  replay: { method: 'POST', path: '/api/runs/:runId/replay' },
  /** Deletes what is recorded of a run → {@link Deleted} */
  delete: { method: 'DELETE', path: '/api/runs/:runId' },
  /** {@link SuspendedPage} */
  suspended: { method: 'GET', path: '/api/suspended' },
  /** {@link AnswerRequest} → {@link RunStarted} */
  answer: { method: 'POST', path: '/api/suspended/:runId/answer' },
  /** Gives a suspended run up → {@link Released} */
  release: { method: 'DELETE', path: '/api/suspended/:runId' },
  /** {@link ChatRequest} → events of {@link ChatEvents} */
  chat: { method: 'POST', path: '/api/agents/:agent/chat' },
  /** Events of {@link LiveEvents}, until the reader leaves */
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

/** The body of every response with a status from 400 on. */
export interface ErrorBody {
  error: {
    /** For programs. */
    code: StudioErrorCode
    /** For people: what happened, with which value, and what to do. */
    message: string
  }
}

export type StudioErrorCode =
  /** 400: a parameter or body is not as described here. */
  | 'REQUEST_INVALID'
  /** 401: the token is missing or is not that of this server. */
  | 'TOKEN_INVALID'
  /** 403: the request comes from another page, or by a name that is not this machine's. */
  | 'ORIGIN_REFUSED'
  /** 404 */
  | 'NOT_FOUND'
  /** 409: answered before, released, expired, or still under way. */
  | 'CONFLICT'
  /** 409: only a running process can do this, and none is attached. */
  | 'NO_PROCESS'
  /** 413 */
  | 'BODY_TOO_LARGE'
  /** 422: the guard's options, or the run, do not work. The message is that of Millrace. */
  | 'REFUSED'
  /** 500 */
  | 'FAILED'

// ——— what there is ———

export interface Info {
  /** Of the package. */
  version: string
  /**
   * `process`: the server runs in the process of the agents, and everything works. `file`: it reads what was recorded;
   * `answer`, `replay` and `chat` answer with `NO_PROCESS`.
   */
  mode: 'process' | 'file'
  /** The name of the file, without its folder; missing where runs are recorded in memory. */
  file?: string
  agents: AgentInfo[]
  /** Names for {@link ReplayRequest.model}. */
  models: string[]
  /** For {@link ReplayRequest.processors}. */
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
  /** Characters that are kept of a text. */
  maxText: number
  /** Bytes of a request's body. */
  maxBodyBytes: number
  /** Rows of a table of texts. */
  maxTableRows: number
}

/** A text, as far as it is kept. */
export interface Text {
  text: string
  /** There was more. */
  cut?: true
}

// ——— runs ———

/**
 * How a run ended; `running`: it has not. `failed`: it rejected. `interrupted`: its process died. The others are the
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
  /** Default: 50; at most 200. */
  limit?: number
  /** `next` of the page before. */
  cursor?: string
  agent?: string
  /** Several, separated by commas. */
  state?: string
  threadId?: string
  resourceId?: string
  /** Runs in which this processor did something, by its id. */
  processor?: string
  /** Runs whose input, answer or id have these characters, in any case. */
  search?: string
}

/** The newest first. */
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
  /** Missing while it runs. */
  durationMs?: number
  /** The first 200 characters of what the user said and of the answer. Values that were found are hidden. */
  input?: string
  answer?: string
  models: string[]
  stepCount: number
  toolCallCount: number
  usage: Tokens
  cost?: Cost
  timeToFirstChunkMs?: number
  /** Processors that did more than let everything pass, with the strongest thing each did, in order. */
  acted: Acted[]
  /** How many values were found, by kind. */
  findings: KindCount[]
  /** Attempts at a step that were taken back. */
  retractions: number
  /** How many times the run has been worked on, where that is more than once: after a crash, or since it was suspended. */
  attempt?: number
  /** The run that had called this one's agent as a tool. */
  parent?: RunLink
  /** The suspended or interrupted run that this one resumed, and the one that resumed it. */
  resumedFrom?: string
  resumedBy?: string
  /** The run that this one replays. */
  replayOf?: string
  /** It was read from a file. */
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

/** By the prices that Studio was given. */
export interface Cost {
  amount: number
  /** Such as `USD`. */
  currency: string
  /** Some of the calls are of models without a price, and are not counted. */
  partial?: boolean
}

export interface RunQuery {
  /** `1` shows the values that guards found, wherever they stand; else they are hidden. */
  reveal?: '1'
}

/** A run with everything that is kept of it, but its chunks. */
export interface RunDetail extends RunSummary {
  /** Whether found values are shown. */
  revealed: boolean
  /** What the run was given, before any processor. */
  messages: MessageView[]
  /** What processors did before the first step: `processInput`. */
  before: ProcessorNode[]
  steps: StepView[]
  /** What processors did after the last step: `processOutputResult`, `processDelivery`. */
  after: ProcessorNode[]
  /** What its reader saw, in order. */
  reader: ReaderEntry[]
  /** The answer as it stands in the result. */
  text?: Text
  /** The structured answer, as JSON. */
  object?: Text
  /** Why the run ended, where it did not complete. */
  end?: RunEnd
  /** Runs of agents that were called as tools. */
  nested: RunSummary[]
  /** This run and the ones it continues or that continue it, the oldest first: attempts after a crash, and answers to suspensions. */
  attempts: RunSummary[]
  /** Replays of this run. */
  replays: RunSummary[]
  warnings: string[]
  /** Records were dropped, since the run had more than are kept. */
  truncated?: boolean
}

/** Why a run ended as it did. */
export interface RunEnd {
  reason: string
  processorId?: string
  hook?: string
  /** The code of a Millrace error. */
  code?: string
  /** What a suspended run waits for, as JSON. */
  payload?: Text
}

/** A message, part by part. */
export interface MessageView {
  role: 'system' | 'user' | 'assistant' | 'tool'
  parts: PartView[]
}

export type PartView =
  | { type: 'text' | 'reasoning'; text: Text }
  /** `input`, `output`: as JSON. */
  | { type: 'tool'; toolCallId: string; toolName: string; input?: Text; output?: Text; error?: Text }
  /** The content is not kept. */
  | { type: 'file'; mediaType: string; filename?: string }
  /** Anything else, as JSON. */
  | { type: 'other'; name: string; value: Text }

// ——— the pipeline of a step ———

export interface StepView {
  /** Counted from 0. */
  stepNumber: number
  /** The agent that wrote the step, where the turn was handed off to it. */
  agentName?: string
  state: 'running' | 'done'
  startedAt: number
  durationMs?: number
  finishReason?: string
  usage: Tokens
  cost?: Cost
  timeToFirstChunkMs?: number
  /** What the model said, as processors left it. */
  text?: Text
  reasoning?: Text
  /** In the order in which it happened: processors, calls of the model, tools. */
  pipeline: PipelineNode[]
  toolCalls: ToolCallView[]
  /** Attempts at this step that were rejected, and run again. */
  discarded: DiscardedView[]
}

export type PipelineNode = ProcessorNode | ModelNode | ToolNode

/**
 * What a processor did in one hook. `passed`: nothing. `held`: nothing but to hold text back for a time. `blocked`: it ended the run
 * or refused a call. `halted`: it answered in the model's place. `retried`: it had the step run again. `skipped`: it
 * failed, and the run went on without it.
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
  /** The call it is about, where the hook sees calls one by one. */
  toolCallId?: string
  /** Milliseconds after the start of the run. */
  atMs: number
  /** Inside the hook, waiting included, of all `calls` together. */
  durationMs: number
  calls: number
  changes: ChangeView[]
  findings: FindingView[]
  /** Models that the processor called itself. */
  models: { modelId: string; calls: number; usage: Tokens; cost?: Cost }[]
  /** There were more changes than are kept. */
  truncated?: boolean
}

/** A call of the model, retries of the call included. */
export interface ModelNode {
  kind: 'model'
  id: string
  provider: string
  modelId: string
  atMs: number
  /** Missing while it answers. */
  durationMs?: number
  timeToFirstChunkMs?: number
  messageCount: number
  tools: string[]
  /** What the model was asked, as processors left it; of messages that the call before it had too, only their number. */
  prompt?: { kept: number; messages: MessageView[] }
}

/** A tool was executed: see `toolCalls`. */
export interface ToolNode {
  kind: 'tool'
  id: string
  toolCallId: string
  atMs: number
}

/** A finding: what kind of value stood where. Never the value. */
export interface FindingView {
  /** Such as `email`, `prompt-injection`. */
  kind: string
  /** From 0 to 1. */
  score?: number
  /** Where the text came in, such as `input` or `tool-result`. */
  surface?: string
  /** `guard`: the guard said so itself. `recognised`: Studio knows the value again in what was removed. */
  source: 'guard' | 'recognised'
}

/** One change of one text, or what a processor refused. */
export interface ChangeView {
  /** Where, for people: such as `text of message 2` or `input of weather`. */
  place: string
  messageId?: string
  partIndex?: number
  toolCallId?: string
  /** As text, else as JSON. */
  before: Text | undefined
  after: Text | undefined
  /** The difference, in order: `same` and `removed` together are `before`, `same` and `added` are `after`. */
  difference: DifferencePart[]
}

export interface DifferencePart {
  type: 'same' | 'removed' | 'added'
  /** Where it is `hidden`, one `•` for each character, at most 24. */
  text: string
  /** A value that a guard found, and not revealed. */
  hidden?: boolean
  /** What it is, such as `email`, where that is known. */
  kind?: string
}

export interface ToolCallView {
  toolCallId: string
  toolName: string
  /**
   * `waiting`: for an approval, or for the client. `denied`: a person or a processor refused it. `interrupted`: whether it was
   * executed is not known.
   */
  state: 'requested' | 'running' | 'waiting' | 'done' | 'error' | 'denied' | 'interrupted'
  /** As JSON. */
  input?: Text
  output?: Text
  error?: Text
  atMs?: number
  durationMs?: number
  /** How often it was executed again after an error. */
  retries: number
  approval?: { state: 'asked' | 'approved' | 'denied'; reason?: string }
  /** The run of the agent that it is. */
  runId?: string
}

interface DiscardedView {
  reason: string
  processorId?: string
  usage: Tokens
  /** What the reader had seen of it, and was taken back. */
  text?: Text
}

// ——— what the reader saw ———

/** What happened on the reader's screen. Deltas of one part are one entry. */
export interface ReaderEntry {
  /** Grows by 1. An entry with a number that is known takes its place: its text has grown. */
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
    /** The step was taken back: what it had shown is gone. */
    | { type: 'retracted'; reason?: string; processorId?: string; retry: boolean }
    /** Text that was shown has changed. */
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
  /** The number of the first, from 0. Default: 0. */
  from?: number
  /** Default: 500; at most 2,000. */
  limit?: number
}

/** The chunks as its reader got them. */
export interface ChunksPage {
  chunks: ChunkView[]
  /** How many the run has so far. Not all of them may be kept. */
  total: number
}

export interface ChunkView {
  seq: number
  atMs: number
  type: string
  stepNumber?: number
  /** The delta, or the rest of the chunk as JSON. */
  value: Text
}

export interface ExportQuery extends RunQuery {
  /** `html`: one page without scripts. `json`: what `import` takes. */
  format: 'html' | 'json'
}

export interface Deleted {
  deleted: boolean
}

// ——— acting ———

export interface RunStarted {
  runId: string
}

/** With another input, model or set of processors; what is missing stays as it was. */
export interface ReplayRequest {
  /** In place of the last message of the user. */
  input?: string
  /** A name of {@link Info.models}. */
  model?: string
  /** A name of {@link Info.processorSets}: in place of the agent's own. */
  processors?: string
  /** Default: the agent's. */
  instructions?: string
  /**
   * `recorded`: calls are answered as they were in the run, and a call that it did not make is denied. `execute`: tools are
   * executed, with all they do. Default: `recorded`.
   */
  tools?: 'recorded' | 'execute'
}

/** Both are read by `run`, and shown side by side. The replay has no thread, so memories stay as they are. */
export interface ReplayStarted {
  runId: string
  originalId: string
}

/** The oldest first. */
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
  /** Its process died: it is resumed without an answer. */
  interrupted?: { attempts: number; calls: WaitingCall[] }
  /** Whether Studio has recorded the run, and `run` finds it. */
  recorded: boolean
}

export type Waiting =
  /** Answered with `approve` or `deny`. */
  | { type: 'approval'; calls: WaitingCall[] }
  /** Answered with `output` for a call. */
  | { type: 'tool-output'; calls: WaitingCall[] }
  /** Answered with `retry`, `output` or `error` for each call. */
  | { type: 'interrupted-calls'; calls: WaitingCall[] }
  /** Answered with `data`, as JSON: what a processor or tool asks. */
  | { type: 'data'; payload: Text }
  /** Answered with `continue`. */
  | { type: 'nothing' }

export interface WaitingCall {
  toolCallId: string
  toolName: string
  /** As JSON. */
  input: Text
  reason?: string
  state?: 'started' | 'finished'
}

export type AnswerRequest =
  | { type: 'approve'; reason?: string }
  | { type: 'deny'; reason?: string }
  /** Of some calls only, by their id, where several wait. */
  | { type: 'decide'; decisions: Record<string, { approved: boolean; reason?: string }> }
  | { type: 'output'; outputs: Record<string, unknown> }
  | { type: 'calls'; answers: Record<string, { retry: true } | { output: unknown } | { error: string }> }
  | { type: 'data'; data: unknown }
  | { type: 'continue' }

export interface Released {
  released: boolean
}

export interface ChatRequest {
  text: string
  /** Default: a new thread, if the agent has a memory. */
  threadId?: string
  resourceId?: string
  /** As for {@link ReplayRequest}. */
  model?: string
  processors?: string
}

// ——— events ———

/** The events of `live`, by name. Comments come in between while nothing happens. */
export interface LiveEvents {
  /** A run began or changed. At most ten times a second for each run. */
  run: RunSummary
  /** A run is not recorded any more. */
  deleted: RunStarted
  /** How many runs wait. */
  suspended: { count: number }
}

/**
 * The events of one run: first `run`, with all of it; then what changes, at most ten times a second. What has a place
 * already takes it anew.
 */
export interface RunEvents {
  run: RunDetail
  summary: RunSummary
  before: ProcessorNode[]
  step: StepView
  after: ProcessorNode[]
  reader: ReaderEntry[]
  /** The last event, with all of it. */
  end: RunDetail
}

/** The events of a chat's turn. */
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
  /** For {@link GuardChoice.guard}, such as `pii`. */
  name: string
  /** For people, such as `PII`. */
  title: string
  description: string
  /** Such as `PIIDetector`, from `@millrace/pii`. */
  exportName: string
  importFrom: string
  /** A JSON Schema of an object: properties of `string`, `number`, `boolean`, `enum`, and arrays of `enum` or `string`. Each has `title`, `description`, `default` where there is one. */
  options: JSONSchemaObject
  /** What may happen to a finding. */
  strategies: string[]
  /** One of `strategies`. */
  defaultStrategy: string
  /** Says where in the text it found something. Others judge a text as a whole. */
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

/** A guard with its options. The strategy is not among them: all are shown. */
export interface GuardChoice {
  guard: string
  options?: Record<string, unknown>
}

/** Where the text is said to come in. */
export type BenchSurface = 'input' | 'tool-result' | 'answer'

export interface JudgeRequest {
  text: string
  guards: GuardChoice[]
  /** Default: `input`. */
  surface?: BenchSurface
  /** Whether the text is also streamed in pieces, and what then differs is shown. Default: true. */
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
  /** The options do not work, or the guard failed; then there is nothing else. */
  error?: string
  durationMs: number
  findings: BenchFinding[]
  /** What would go out, under each strategy. */
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
  /** What found it: the recogniser, or the layers of the injection detector. */
  layers: string[]
  /** How the passage was encoded, from the outside in. */
  encodings?: string[]
}

export interface StrategyOutput {
  strategy: string
  /** `passed`: nothing was found. `removed`: the whole message is left out. */
  outcome: 'passed' | 'changed' | 'blocked' | 'halted' | 'removed' | 'reported'
  /** What goes on: missing where nothing does. */
  text?: string
  /** Why it was blocked, or what is answered instead. */
  reason?: string
  /** Between the text and what goes on. */
  difference: DifferencePart[]
}

/** The text as an answer that is streamed in pieces of one size after the other. */
export interface SplitResult {
  pieces: {
    /** Characters of a piece; 0 for the whole text at once. */
    size: number
    chunks: number
    /** What the reader got. */
    text?: string
    outcome: StrategyOutput['outcome']
    /** Most characters that were held back at a time. */
    maxHeld: number
  }[]
  /** Whether all of them give the same. */
  same: boolean
}

/** A file of texts. */
export interface TableRequest {
  /** The content of the file. `jsonl`: a string, or an object with the field, in each line. `text`: a text in each line. */
  content: string
  format: 'jsonl' | 'csv' | 'text'
  /** Field or column of the text. Default: `text`, else the first. */
  textField?: string
  /** Field or column that says whether something is to be found: `true`, `1`, `attack`, `yes` … or not. */
  labelField?: string
  guards: GuardChoice[]
  surface?: BenchSurface
}

/** The events of a table. False alarms are marked, and counted, by the page. */
export interface TableEvents {
  /** The first event. */
  start: { total: number; columns: string[]; textField: string; labelField?: string }
  /** Some more, in order. */
  rows: TableRow[]
  /** The last event. */
  end: { code: string; durationMs: number }
  /** In place of all further events. */
  error: ErrorBody['error']
}

export interface TableRow {
  /** Counted from 1, as in the file. */
  line: number
  text: Text
  label?: boolean
  /** In the order of the request. */
  guards: { findings: BenchFinding[]; error?: string }[]
}

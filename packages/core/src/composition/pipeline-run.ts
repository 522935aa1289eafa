import type { LanguageModelV4 } from '@ai-sdk/provider'
import { emitBackgroundError } from '../events/background-error.ts'
import * as hookKit from '../loop/hook-kit.ts'
import { useHookKit } from '../loop/hooks-on-demand.ts'
import { type OptionNames, requireOptions } from '../option-names.ts'
import type { WorkSource } from '../processors/gate.ts'
import { RequestContext } from '../request-context.ts'
import type { BackgroundErrorEvent, Listeners } from '../results/agent-events.ts'
import type { Chunk, DataChunk } from '../results/chunk.ts'
import { Outlet } from '../run/outlet.ts'
import { Run } from '../run/run.ts'
import type { RunSettings } from '../run/run-settings.ts'
import type { CounterStore } from '../storage/counter-store.ts'
import type { MessageList } from '../transcript/message-list.ts'
import type { PipelineSession } from './pipeline-session.ts'
import { PlacedMessageList } from './placed-message-list.ts'

/** What an agent would provide to its processors. */
export interface ProcessorPipelineOptions
  extends Partial<Pick<RunSettings, 'model' | 'tools' | 'modelSettings' | 'contextWindow'>> {
  // biome-ignore lint/suspicious/noExplicitAny: a context of any values is a context
  requestContext?: RequestContext<any>
  /** Cancels the processors. Every method then rejects with its reason. */
  abortSignal?: AbortSignal
  /** Counters for processors. Default: each processor counts by itself. */
  counters?: CounterStore
  /** Keeps the processors' `state` for later pipelines. Default: it is lost with the pipeline. */
  session?: PipelineSession
  /** Receives what processors write with `writer` outside of `processOutputStream`, which has it among its chunks. */
  onData?: (chunk: DataChunk) => void
}

const PIPELINE_OPTIONS: OptionNames<ProcessorPipelineOptions> = {
  model: 'optional',
  tools: 'optional',
  // Settings of a request may be of another program, with names of its own.
  modelSettings: 'open',
  contextWindow: 'optional',
  requestContext: 'optional',
  abortSignal: 'optional',
  counters: 'optional',
  session: 'optional',
  onData: 'optional',
}

/** Creates a run like an agent's, for the pipeline. */
export function createRun(options: ProcessorPipelineOptions): {
  run: Run
  sink: ChunkSink
  /** Resolves when background work is done, to its failures. */
  settle: () => Promise<readonly BackgroundErrorEvent[]>
  /** Removes the listener from the signal, which may live much longer than the run. */
  detach: () => void
} {
  const {
    requestContext = new RequestContext(),
    abortSignal,
    onData,
    counters,
    session,
    ...settings
  } = requireOptions('ProcessorPipeline', options, PIPELINE_OPTIONS)
  const sink = new ChunkSink(onData)
  const failed: BackgroundErrorEvent[] = []
  const listener = (event: unknown): void => void failed.push(event as BackgroundErrorEvent)
  const listeners: Listeners = new Set([{ name: 'background-error', listener }])
  const background = new Map<Promise<unknown>, WorkSource>()
  const run = new PipelineRun({
    settings: { ...DEFAULTS, ...settings },
    requestContext,
    outlet: sink,
    listeners,
    background,
    counters,
    states: session?.states,
    onBackgroundError: emitBackgroundError,
  })
  useHookKit(hookKit)
  const abort = (): void => run.stop(abortSignal?.reason)
  if (abortSignal?.aborted) abort()
  abortSignal?.addEventListener('abort', abort, { once: true })
  const settle = async (): Promise<readonly BackgroundErrorEvent[]> => {
    while (background.size > 0) await Promise.all(background.keys())
    const { deliveryTo } = await import('../events/delivery.ts')
    await deliveryTo(listeners).settled()
    return failed
  }
  const detach = (): void => abortSignal?.removeEventListener('abort', abort)
  return { run, sink, settle, detach }
}

class PipelineRun extends Run {
  override readonly messageList: MessageList = new PlacedMessageList()
}

/** Buffers the chunks that a stream's hooks emit until the pipeline reads them. */
export class ChunkSink extends Outlet {
  readonly #onData: ((chunk: DataChunk) => void) | undefined
  #chunks: Chunk[] | undefined
  #reader: ((chunk: Chunk) => Promise<void> | undefined) | undefined

  constructor(onData: ((chunk: DataChunk) => void) | undefined) {
    super({ discards: true, onLeave: () => {} })
    this.#onData = onData
  }

  override write(chunk: Chunk): Promise<void> | undefined {
    // Tool calls are passed to the reader after they are decided.
    if (this.#reader) return isOwnCall(chunk) ? undefined : this.#reader(chunk)
    if (this.#chunks) this.#chunks.push(chunk)
    else this.report(chunk)
    return undefined
  }

  /** Passes data to `onData`. */
  report(chunk: Chunk): void {
    if (chunk.type.startsWith('data-')) this.#onData?.(chunk as DataChunk)
  }

  /** Sets a reader that receives chunks from now on. */
  set reader(reader: (chunk: Chunk) => Promise<void> | undefined) {
    this.#reader = reader
  }

  /** Starts or stops buffering chunks. */
  set open(open: boolean) {
    this.#chunks = open ? [] : undefined
  }

  take(): readonly Chunk[] {
    const chunks = this.#chunks ?? []
    if (chunks.length > 0) this.#chunks = []
    return chunks
  }
}

function isOwnCall(chunk: Chunk): boolean {
  return chunk.type === 'tool-call' && !chunk.providerExecuted
}

const NO_MODEL: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'none',
  modelId: 'none',
  supportedUrls: {},
  doGenerate: noModel,
  doStream: noModel,
}

function noModel(): Promise<never> {
  return Promise.reject(
    new Error('The pipeline has no model. Pass one: new ProcessorPipeline(list, { model }).'),
  )
}

const DEFAULTS: RunSettings = {
  agentName: 'pipeline',
  model: NO_MODEL,
  tools: {},
  toolApproval: undefined,
  activeTools: undefined,
  toolChoice: undefined,
  modelSettings: {},
  providerOptions: undefined,
  structuredOutput: undefined,
  stopWhen: [],
  maxSteps: 1,
  maxProcessorRetries: 0,
  toolConcurrency: 1,
  providerHistory: false,
  contextWindow: undefined,
  recordContent: false,
  emit: 'live',
  stepTimeout: undefined,
  chunkTimeout: undefined,
  toolTimeout: undefined,
  toolTimeouts: {},
  settingsFrom: 'request',
}

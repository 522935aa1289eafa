import type { LanguageModelV4 } from '@ai-sdk/provider'
import { emitBackgroundError } from '../events/background-error.ts'
import * as hookKit from '../loop/hook-kit.ts'
import { useHookKit } from '../loop/hooks-on-demand.ts'
import type { WorkSource } from '../processors/gate.ts'
import { RequestContext } from '../request-context.ts'
import type { BackgroundErrorEvent, Listeners } from '../results/agent-events.ts'
import type { Chunk, DataChunk } from '../results/chunk.ts'
import { Outlet } from '../run/outlet.ts'
import { Run } from '../run/run.ts'
import type { RunSettings } from '../run/run-settings.ts'
import type { CounterStore } from '../storage/counter-store.ts'
import type { PipelineSession } from './pipeline-session.ts'

/** What an agent would tell its processors about itself and the request. */
export interface ProcessorPipelineOptions
  extends Partial<Pick<RunSettings, 'model' | 'tools' | 'modelSettings' | 'contextWindow'>> {
  // biome-ignore lint/suspicious/noExplicitAny: a context of any values is a context
  requestContext?: RequestContext<any>
  /** Cancels what the processors wait for; every method then rejects with its reason. */
  abortSignal?: AbortSignal
  /** Where processors count. Default: each by itself. */
  counters?: CounterStore
  /** Keeps the processors' `state` from one pipeline to the next. Default: it ends with the pipeline. */
  session?: PipelineSession
  /** Gets what processors write with their `writer` outside of `processOutputStream`, where it is among the chunks. */
  onData?: (chunk: DataChunk) => void
}

/** A run as an agent has it, read by the pipeline alone. */
export function createRun(options: ProcessorPipelineOptions): {
  run: Run
  sink: ChunkSink
  /** Resolves when work in the background is done, with what of it has failed. */
  settle: () => Promise<readonly BackgroundErrorEvent[]>
  /** Stops listening to the signal: it may outlive the run by far. */
  detach: () => void
} {
  const {
    requestContext = new RequestContext(),
    abortSignal,
    onData,
    counters,
    session,
    ...settings
  } = options
  const sink = new ChunkSink(onData)
  const failed: BackgroundErrorEvent[] = []
  const listener = (event: unknown): void => void failed.push(event as BackgroundErrorEvent)
  const listeners: Listeners = new Set([{ name: 'background-error', listener }])
  const background = new Map<Promise<unknown>, WorkSource>()
  const run = new Run({
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

/** Keeps what a stream's hooks emit until the pipeline takes it. */
export class ChunkSink extends Outlet {
  readonly #onData: ((chunk: DataChunk) => void) | undefined
  #chunks: Chunk[] | undefined
  #reader: ((chunk: Chunk) => Promise<void> | undefined) | undefined

  constructor(onData: ((chunk: DataChunk) => void) | undefined) {
    super({ discards: true, onLeave: () => {} })
    this.#onData = onData
  }

  override write(chunk: Chunk): Promise<void> | undefined {
    // Calls go to a reader once they are decided.
    if (this.#reader) {
      if (this.#onData && chunk.type.startsWith('data-')) this.#onData(chunk as DataChunk)
      return isOwnCall(chunk) ? undefined : this.#reader(chunk)
    }
    if (this.#chunks) this.#chunks.push(chunk)
    else if (chunk.type.startsWith('data-')) this.#onData?.(chunk as DataChunk)
    return undefined
  }

  /** Hands chunks to a reader from now on. */
  set reader(reader: (chunk: Chunk) => Promise<void> | undefined) {
    this.#reader = reader
  }

  /** Begins to keep chunks, or stops. */
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
    new Error('The pipeline has no model. Give it one: new ProcessorPipeline(list, { model }).'),
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
}

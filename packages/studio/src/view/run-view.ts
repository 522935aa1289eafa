import type { FoundRow, HiddenValue } from '../record/record-store.ts'
import type { RecordedEvent, RecordedResult } from '../record/recorded-event.ts'
import type { RunDetail, RunEnd, RunSummary, StepView, Text } from '../wire.ts'
import { costOf, type PriceList } from './cost.ts'
import { ValueMask } from './hidden-values.ts'
import { messageView } from './message-view.ts'
import { type PipelineContext, PipelineView } from './pipeline-view.ts'
import { ReaderView } from './reader-view.ts'
import { Shown } from './text.ts'
import { tokensOf } from './tokens.ts'
import { ToolCallsView } from './tool-calls-view.ts'

/** A step, collected from its events. */
interface StepRecord {
  stepNumber: number
  startedAt: number
  endedAt?: number
  pipeline: PipelineView
  finish?: Extract<RecordedEvent, { name: 'step-finish' }>
  models: string[]
}

export interface DetailOptions {
  row: FoundRow
  hidden: readonly HiddenValue[]
  revealed: boolean
  prices: PriceList | undefined
}

/** The fields of a run's detail that come from other runs. */
export type Related = Pick<RunDetail, 'nested' | 'attempts' | 'replays'>

/** A run, built from its events. Events must be added in order. */
export class RunView {
  readonly reader = new ReaderView()
  readonly #steps = new Map<number, StepRecord>()
  readonly #before = new PipelineView('before')
  readonly #after = new PipelineView('after')
  readonly #calls = new ToolCallsView()
  readonly #skipped = new Set<string>()
  readonly #warnings: string[] = []
  #start: Extract<RecordedEvent, { name: 'run-start' }> | undefined
  #result: RecordedResult | undefined
  #error: Extract<RecordedEvent, { name: 'run-error' }>['error'] | undefined
  #stepNumber = 0

  add(event: RecordedEvent): void {
    switch (event.name) {
      case 'run-start':
        this.#start = event
        this.reader.begin(event.at)
        return
      case 'model-start': {
        const step = this.#stepOf(event.stepNumber, event.at)
        step.pipeline.addModel(event)
        step.models.push(`${event.provider}/${event.modelId}`)
        this.#stepNumber = event.stepNumber
        return
      }
      case 'output':
        for (const entry of event.entries) {
          const { at, chunk } = entry
          if (chunk.type === 'step-start') this.#stepNumber = chunk.stepNumber
          this.reader.add(entry)
          this.#calls.addOutput(chunk, this.#stepNumber)
          if (this.#steps.has(this.#stepNumber))
            this.#stepOf(this.#stepNumber, at).pipeline.recordOutput(at, chunk.type)
        }
        return
      case 'processor-change':
        this.#pipelineOf(event).addChange(event)
        return
      case 'processor-decision':
        this.#pipelineOf(event).addDecision(event)
        return
      case 'tool-start':
        this.#stepOf(event.stepNumber, event.at).pipeline.addTool(event.toolCallId, event.at)
        this.#calls.start(event)
        return
      case 'tool-finish':
        this.#calls.finish(event)
        return
      case 'step-finish': {
        const step = this.#stepOf(event.stepNumber, event.at - event.durationMs)
        step.finish = event
        step.endedAt = event.at
        step.pipeline.end(event.at)
        return
      }
      case 'run-finish':
        this.#result = event.result
        this.#calls.end(event.result)
        this.#addWarnings(event.result.warnings)
        this.#end(event.at)
        return
      case 'run-error':
        this.#error = event.error
        this.#end(event.at)
        return
      case 'background-error':
        this.#warnings.push(`Background work of '${event.processorId}' failed: ${event.error.message}`)
        return
      default:
        return
    }
  }

  /** Whether the run has ended. */
  get isOver(): boolean {
    return this.#result !== undefined || this.#error !== undefined
  }

  detail(options: DetailOptions, related: Related): RunDetail {
    const { row, revealed } = options
    const context = this.#contextOf(options)
    const { shown } = context
    const { input } = this.#start ?? {}
    const { text, object } = this.#result ?? {}
    const end = this.#endOf(shown)
    return {
      ...summaryOf(options),
      revealed,
      messages: input
        ? [
            ...input.systemMessages.map(({ content }) => ({
              role: 'system' as const,
              parts: [{ type: 'text' as const, text: shown.text(content) }],
            })),
            ...input.messages.map((message) => messageView(message, shown)),
          ]
        : [],
      before: this.#before.processorNodes(context),
      steps: this.steps(options),
      after: this.#after.processorNodes(context),
      reader: this.reader.entries(shown),
      ...(text && { text: shown.text(text) }),
      ...(object !== undefined && { object: shown.json(object) }),
      ...(end && { end }),
      ...related,
      warnings: this.#warnings.map((warning) => shown.words(warning)),
      ...(row.facts.truncated && { truncated: true }),
    }
  }

  steps(options: DetailOptions): StepView[] {
    const context = this.#contextOf(options)
    return [...this.#steps.values()]
      .sort((a, b) => a.stepNumber - b.stepNumber)
      .map((step) => this.#stepView(step, context))
  }

  before(options: DetailOptions): RunDetail['before'] {
    return this.#before.processorNodes(this.#contextOf(options))
  }

  after(options: DetailOptions): RunDetail['after'] {
    return this.#after.processorNodes(this.#contextOf(options))
  }

  shown(options: Pick<DetailOptions, 'hidden' | 'revealed'>): Shown {
    return new Shown(options.revealed ? undefined : new ValueMask(options.hidden))
  }

  #contextOf({ row, hidden, revealed, prices }: DetailOptions): PipelineContext {
    const mask = new ValueMask(hidden)
    return {
      shown: new Shown(revealed ? undefined : mask),
      mask,
      revealed,
      startedAt: row.startedAt,
      prices,
      skipped: this.#skipped,
    }
  }

  #stepView(step: StepRecord, context: PipelineContext): StepView {
    const { shown, startedAt, prices } = context
    const { stepNumber, finish, pipeline } = step
    const result = this.#result?.steps.find((one) => one.stepNumber === stepNumber)
    const usage = finish ? tokensOf(finish.usage) : {}
    const model = step.models.at(-1)
    const cost = model === undefined ? undefined : costOf({ [model]: usage }, prices)
    const first = this.reader.firstAt(stepNumber)
    const texts = this.#textsOf(result, shown)
    const retracted = this.reader.retractedTexts(stepNumber)
    const discarded = result?.discarded ?? []
    return {
      stepNumber,
      ...(result?.agentName !== undefined && { agentName: result.agentName }),
      state: finish || this.isOver ? 'done' : 'running',
      startedAt: step.startedAt,
      ...(step.endedAt !== undefined && { durationMs: step.endedAt - step.startedAt }),
      ...(finish && { finishReason: finish.finishReason }),
      usage,
      ...(cost && { cost }),
      ...(first !== undefined && { timeToFirstChunkMs: Math.max(0, first - step.startedAt) }),
      ...texts,
      pipeline: pipeline.nodes(context),
      toolCalls: this.#calls.ofStep(stepNumber, { shown, startedAt }),
      discarded: discarded.map(({ reason, processorId, usage: used }, index) => ({
        reason: shown.words(reason),
        ...(processorId !== undefined && { processorId }),
        usage: tokensOf(used),
        ...(retracted[index] && { text: shown.text(retracted[index]) }),
      })),
    }
  }

  #textsOf(
    result: RecordedResult['steps'][number] | undefined,
    shown: Shown,
  ): { text?: Text; reasoning?: Text } {
    return {
      ...(result?.text && { text: shown.text(result.text) }),
      ...(result?.reasoningText && { reasoning: shown.text(result.reasoningText) }),
    }
  }

  #endOf(shown: Shown): RunEnd | undefined {
    if (this.#error) {
      const { code, message } = this.#error
      return { reason: shown.words(message), ...(code !== undefined && { code }) }
    }
    const { rejection, halt, suspension, abortReason, status } = this.#result ?? {}
    const why = rejection ?? halt ?? suspension
    const place = {
      ...(why?.processorId !== undefined && { processorId: why.processorId }),
      ...(why?.hook !== undefined && { hook: why.hook }),
    }
    if (rejection) return { reason: shown.words(rejection.reason), ...place }
    if (halt)
      return { reason: shown.words(halt.reason ?? 'A processor answered in place of the model.'), ...place }
    if (suspension)
      return { reason: 'The run is suspended.', ...place, payload: shown.json(suspension.payload) }
    if (abortReason !== undefined) return { reason: shown.words(abortReason) }
    return status === 'limit' ? { reason: 'The maximum of steps was reached.' } : undefined
  }

  #end(at: number): void {
    this.#before.end(at)
    this.#after.end(at)
    for (const step of this.#steps.values()) {
      step.endedAt ??= at
      step.pipeline.end(at)
    }
  }

  #addWarnings(warnings: readonly unknown[]): void {
    for (const warning of warnings as RunWarningRecord[]) {
      if (warning.type === 'processor-skipped') {
        this.#skipped.add(`${warning.processorId} ${warning.hook}`)
        this.#warnings.push(
          `The processor '${warning.processorId}' failed in ${warning.hook} and was skipped.`,
        )
      } else if (warning.type === 'input-left-out') {
        this.#warnings.push(`${warning.messages} messages of the input were ignored.`)
      } else this.#warnings.push(`The model warns: ${JSON.stringify(warning.warning)}`)
    }
  }

  #pipelineOf({
    hook,
    stepNumber,
    at,
  }: Extract<RecordedEvent, { name: 'processor-change' | 'processor-decision' }>): PipelineView {
    if (stepNumber !== undefined) return this.#stepOf(stepNumber, at).pipeline
    return hook === 'processInput' ? this.#before : this.#after
  }

  #stepOf(stepNumber: number, at: number): StepRecord {
    let step = this.#steps.get(stepNumber)
    if (!step) {
      step = { stepNumber, startedAt: at, pipeline: new PipelineView(`step-${stepNumber}`), models: [] }
      this.#steps.set(stepNumber, step)
    }
    return step
  }
}

type RunWarningRecord =
  | { type: 'model'; warning: unknown }
  | { type: 'processor-skipped'; processorId: string; hook: string }
  | { type: 'input-left-out'; messages: number }

/** The summary of a run, for lists. */
export function summaryOf({ row, hidden, revealed, prices }: DetailOptions): RunSummary {
  const { facts } = row
  const shown = new Shown(revealed ? undefined : new ValueMask(hidden))
  const cost = costOf(facts.usageByModel, prices)
  const counts = Map.groupBy(hidden, ({ kind }) => kind)
  return {
    id: row.id,
    agentName: row.agentName,
    ...(row.threadId !== undefined && { threadId: shown.words(row.threadId) }),
    ...(row.resourceId !== undefined && { resourceId: shown.words(row.resourceId) }),
    state: row.state,
    startedAt: row.startedAt,
    ...(row.endedAt !== undefined && { durationMs: row.endedAt - row.startedAt }),
    ...(facts.input !== undefined && { input: shown.words(facts.input) }),
    ...(facts.answer !== undefined && { answer: shown.words(facts.answer) }),
    models: facts.models,
    stepCount: facts.stepCount,
    toolCallCount: facts.toolCallCount,
    usage: facts.usage,
    ...(cost && { cost }),
    ...(facts.timeToFirstChunkMs !== undefined && { timeToFirstChunkMs: facts.timeToFirstChunkMs }),
    acted: facts.acted,
    findings: [...counts].map(([kind, { length: count }]) => ({ kind, count })),
    retractions: facts.retractions,
    ...(facts.attempt !== undefined && { attempt: facts.attempt }),
    ...(row.parent && { parent: row.parent }),
    ...(row.resumedFrom !== undefined && { resumedFrom: row.resumedFrom }),
    ...(row.resumedBy !== undefined && { resumedBy: row.resumedBy }),
    ...(row.replayOf !== undefined && { replayOf: row.replayOf }),
    ...(row.imported && { imported: true }),
  }
}

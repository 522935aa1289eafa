import type { HookName, ProcessorAction } from '@millrace/core'
import type { RecordedEvent } from '../record/recorded-event.ts'
import type {
  ChangeView,
  FindingView,
  ModelNode,
  Outcome,
  PipelineNode,
  ProcessorNode,
  ToolNode,
} from '../wire.ts'
import { costOf, type PriceList } from './cost.ts'
import { differenceOf } from './difference.ts'
import type { ValueMask } from './hidden-values.ts'
import { promptMessageView } from './message-view.ts'
import { outcomeOf } from './outcome.ts'
import type { Shown } from './text.ts'
import { tokensOf } from './tokens.ts'

type Change = Extract<RecordedEvent, { name: 'processor-change' }>
type Decision = Extract<RecordedEvent, { name: 'processor-decision' }>
type ModelStart = Extract<RecordedEvent, { name: 'model-start' }>

/** Hooks that run around the model call, and whose decision is emitted at the end of the step. */
const WRAPPING_HOOKS: readonly HookName[] = ['wrapModelCall', 'processOutputStream']

interface ProcessorEntry {
  kind: 'processor'
  id: string
  decision: Decision | undefined
  changes: Change[]
  place: {
    processorId: string
    hook: HookName
    toolCallId: string | undefined
    at: number
    action: ProcessorAction
  }
}

interface ModelEntry {
  kind: 'model'
  id: string
  start: ModelStart
  endedAt: number | undefined
  firstAt: number | undefined
}

interface ToolEntry {
  kind: 'tool'
  id: string
  toolCallId: string
  at: number
}

type Entry = ProcessorEntry | ModelEntry | ToolEntry

/** The context for displaying a pipeline. */
export interface PipelineContext {
  shown: Shown
  mask: ValueMask
  revealed: boolean
  startedAt: number
  prices: PriceList | undefined
  /** Processors that failed and were skipped, as `id hook`. */
  skipped: ReadonlySet<string>
}

/** The events of one step, or of those before or after all steps, in order. */
export class PipelineView {
  readonly #name: string
  readonly #entries: Entry[] = []
  /** Changes whose decision has not arrived yet. */
  #pending: Change[] = []
  #count = 0

  constructor(name: string) {
    this.#name = name
  }

  addModel(start: ModelStart): void {
    this.#endModel(start.at)
    this.#entries.push({ kind: 'model', id: this.#newId(), start, endedAt: undefined, firstAt: undefined })
  }

  /** A chunk was emitted: the first ends the wait for the model, `response-end` ends the model call. */
  recordOutput(at: number, type: string): void {
    const model = this.#entries.findLast((entry) => entry.kind === 'model')
    if (!model) return
    if (type === 'step-start' || type === 'start' || type.startsWith('data-')) return
    model.firstAt ??= at
    if (type === 'tool-call' || type === 'text-end' || type === 'step-finish') model.endedAt ??= at
  }

  addTool(toolCallId: string, at: number): void {
    this.#endModel(at)
    this.#entries.push({ kind: 'tool', id: this.#newId(), toolCallId, at })
  }

  addChange(change: Change): void {
    this.#pending.push(change)
  }

  addDecision(decision: Decision): void {
    const { processorId, hook, toolCallId, at, action } = decision
    const isOf = (change: Change): boolean =>
      change.processorId === processorId &&
      change.hook === hook &&
      (toolCallId === undefined || change.toolCallId === undefined || change.toolCallId === toolCallId)
    const changes = this.#pending.filter(isOf)
    this.#pending = this.#pending.filter((change) => !isOf(change))
    const place = { processorId, hook, toolCallId, at: at - decision.durationMs, action }
    this.#insert({ kind: 'processor', id: this.#newId(), decision, changes, place })
  }

  /** Ends the step. Changes without a decision become nodes of their own. */
  end(at: number): void {
    this.#endModel(at)
    const groups = Map.groupBy(this.#pending, ({ processorId, hook }) => `${processorId} ${hook}`)
    this.#pending = []
    for (const changes of groups.values()) {
      const [first] = changes
      if (!first) continue
      const { processorId, hook, toolCallId, action } = first
      const place = { processorId, hook, toolCallId, at: first.at, action }
      this.#insert({ kind: 'processor', id: this.#newId(), decision: undefined, changes, place })
    }
  }

  nodes(context: PipelineContext): PipelineNode[] {
    return this.#entries.map((entry) => {
      switch (entry.kind) {
        case 'processor':
          return processorNode(entry, context)
        case 'model':
          return modelNode(entry, context)
        default:
          return toolNode(entry, context)
      }
    })
  }

  /** Only the processor nodes. */
  processorNodes(context: PipelineContext): ProcessorNode[] {
    return this.#entries
      .filter((entry) => entry.kind === 'processor')
      .map((entry) => processorNode(entry, context))
  }

  #endModel(at: number): void {
    const model = this.#entries.findLast((entry) => entry.kind === 'model')
    if (model) model.endedAt ??= at
  }

  #newId(): string {
    return `${this.#name}-${this.#count++}`
  }

  #insert(entry: ProcessorEntry): void {
    const { hook } = entry.place
    if (!WRAPPING_HOOKS.includes(hook)) {
      this.#entries.push(entry)
      return
    }
    const model = this.#entries.findLastIndex(({ kind }) => kind === 'model')
    if (model === -1) {
      this.#entries.push(entry)
      return
    }
    let place = hook === 'wrapModelCall' ? model : model + 1
    // In the order of their events.
    while (isOfHook(this.#entries[place], hook)) place++
    this.#entries.splice(place, 0, entry)
  }
}

function isOfHook(entry: Entry | undefined, hook: HookName): boolean {
  return entry?.kind === 'processor' && entry.place.hook === hook
}

function processorNode(
  { id, decision, changes, place }: ProcessorEntry,
  context: PipelineContext,
): ProcessorNode {
  const { shown, startedAt, prices } = context
  const { processorId, hook, toolCallId, at } = place
  const views = changes.filter(
    (change) => !change.truncated || change.before !== undefined || change.after !== undefined,
  )
  const models = decision?.modelUsage ?? []
  return {
    kind: 'processor',
    id,
    processorId: shown.words(processorId),
    hook,
    outcome: outcomeIn(place, decision, context),
    ...(toolCallId !== undefined && { toolCallId }),
    atMs: at - startedAt,
    durationMs: decision?.durationMs ?? 0,
    calls: decision?.calls ?? 1,
    changes: views.map((change) => changeView(change, context)),
    findings: findingsIn(changes, context),
    models: models.map(({ provider, modelId, calls, usage }) => {
      const tokens = tokensOf(usage)
      const cost = costOf({ [`${provider}/${modelId}`]: tokens }, prices)
      return { modelId, calls, usage: tokens, ...(cost && { cost }) }
    }),
    ...((decision?.truncated || views.length < changes.length) && { truncated: true }),
  }
}

function outcomeIn(
  { processorId, hook, action }: ProcessorEntry['place'],
  decision: Decision | undefined,
  { skipped }: PipelineContext,
): Outcome {
  if (action === 'failed' && skipped.has(`${processorId} ${hook}`)) return 'skipped'
  return action === 'passed' && decision?.held ? 'held' : outcomeOf(action)
}

function changeView(change: Change, { shown, mask, revealed }: PipelineContext): ChangeView {
  const { before, after, messageId, partIndex, toolCallId } = change
  return {
    place: placeOf(change),
    ...(messageId !== undefined && { messageId }),
    ...(partIndex !== undefined && { partIndex }),
    ...(toolCallId !== undefined && { toolCallId }),
    before:
      before === undefined ? undefined : { ...shown.text(before), ...(change.truncated && { cut: true }) },
    after: after === undefined ? undefined : { ...shown.text(after), ...(change.truncated && { cut: true }) },
    difference: mask.hideParts(differenceOf(before, after), { revealed }),
  }
}

function placeOf({ messageId, partIndex, partId, toolCallId, key, hook }: Change): string {
  if (key !== undefined) return toolCallId === undefined ? key : `${key} of a tool call`
  if (partId !== undefined) return 'streamed text'
  if (messageId !== undefined)
    return partIndex === undefined ? 'a message' : `part ${partIndex + 1} of a message`
  if (toolCallId !== undefined) return 'a tool call'
  return WHOLE[hook]
}

/** The names of what a hook handles, for changes that do not name a part of it. */
const WHOLE: Readonly<Record<Change['hook'], string>> = {
  processInput: 'the new messages',
  processInputStep: 'the messages of the step',
  wrapModelCall: 'the model call',
  processModelError: 'the model error',
  processOutputStream: 'streamed text',
  processOutputStep: 'the answer of the step',
  processToolCall: 'a tool call',
  processExecution: 'a tool call',
  processToolResult: 'a tool result',
  processToolStep: 'the tool results of the step',
  processOutputResult: 'the answer',
  processDelivery: 'what the reader gets',
}

/** The kinds of removed values, one entry per value. */
function findingsIn(changes: readonly Change[], { mask }: PipelineContext): FindingView[] {
  return changes.flatMap(({ before, after }) =>
    mask
      .hideParts(differenceOf(before, after), { revealed: false })
      .filter(({ type, hidden, kind }) => hidden && type === 'removed' && kind !== undefined)
      .map(({ kind = '' }): FindingView => ({ kind, source: 'recognised' })),
  )
}

function modelNode(
  { id, start, endedAt, firstAt }: ModelEntry,
  { shown, startedAt }: PipelineContext,
): ModelNode {
  const { provider, modelId, at, messageCount, tools, prompt } = start
  return {
    kind: 'model',
    id,
    provider,
    modelId,
    atMs: at - startedAt,
    ...(endedAt !== undefined && { durationMs: endedAt - at }),
    ...(firstAt !== undefined && { timeToFirstChunkMs: firstAt - at }),
    messageCount,
    tools: tools.map((name) => shown.words(name)),
    ...(prompt && {
      prompt: {
        kept: prompt.kept,
        messages: prompt.messages.map((message) => promptMessageView(message, shown)),
      },
    }),
  }
}

function toolNode({ id, toolCallId, at }: ToolEntry, { startedAt }: PipelineContext): ToolNode {
  return { kind: 'tool', id, toolCallId, atMs: at - startedAt }
}

import { type Chunk, isRecord, type Message, textOfParts } from '@millrace/core'
import { outcomeOf, strongerOutcome } from '../view/outcome.ts'
import { addTokens, tokensOf } from '../view/tokens.ts'
import type { Acted, Tokens } from '../wire.ts'
import type { RecordedEvent } from './recorded-event.ts'
import type { RunFacts, RunRow } from './run-row.ts'

const NONE: readonly ChildLink[] = []

/** Length of a text in the list of runs, in characters. */
const PREVIEW = 200

/** A run whose agent was called as a tool by another run. */
export interface ChildLink {
  runId: string
  toolCallId: string
}

/** Adds an event to the summary of its run. Returns the child runs in the event. */
export function foldFacts(row: RunRow, event: RecordedEvent): readonly ChildLink[] {
  const { facts } = row
  switch (event.name) {
    case 'run-start':
      if (event.resumedFrom !== undefined) row.resumedFrom = event.resumedFrom
      if (event.attempt > 1) facts.attempt = event.attempt
      if (event.input) facts.input = previewOf(lastUserText(event.input.messages))
      return NONE
    case 'model-start': {
      if (!facts.models.includes(event.modelId)) facts.models.push(event.modelId)
      facts.lastModel = `${event.provider}/${event.modelId}`
      return NONE
    }
    case 'step-finish':
      facts.stepCount = Math.max(facts.stepCount, event.stepNumber + 1)
      facts.toolCallCount += event.toolCalls.length
      facts.usage = addTokens(facts.usage, tokensOf(event.usage))
      countUsage(facts, tokensOf(event.usage))
      return NONE
    case 'processor':
      recordActed(facts, { processorId: event.processorId, outcome: outcomeOf(event.action) })
      for (const { provider, modelId, usage } of event.modelUsage ?? []) {
        const model = `${provider}/${modelId}`
        facts.usageByModel[model] = addTokens(facts.usageByModel[model] ?? {}, tokensOf(usage))
      }
      return NONE
    case 'processor-change':
      facts.changes++
      return NONE
    case 'output':
      for (const { at, chunk } of event.entries) {
        if (facts.timeToFirstChunkMs === undefined && isShown(chunk)) {
          facts.timeToFirstChunkMs = Math.max(0, at - row.startedAt)
        }
        if (chunk.type === 'step-discarded') facts.retractions++
      }
      return childrenOf(event.entries)
    case 'run-finish': {
      const { result } = event
      row.state = result.status
      row.endedAt = event.at
      facts.usage = tokensOf(result.usage)
      for (const { usage } of result.steps.flatMap((step) => step.discarded))
        countUsage(facts, tokensOf(usage))
      facts.stepCount = Math.max(facts.stepCount, result.steps.length)
      if (result.text !== '') facts.answer = previewOf(result.text)
      return NONE
    }
    case 'run-error':
      row.state = 'failed'
      row.endedAt = event.at
      return NONE
    default:
      return NONE
  }
}

/** Counts usage by model, for prices: it belongs to the model that was called last. */
function countUsage(facts: RunFacts, usage: Tokens): void {
  const model = facts.lastModel
  if (model !== undefined) facts.usageByModel[model] = addTokens(facts.usageByModel[model] ?? {}, usage)
}

function recordActed(facts: RunFacts, { processorId, outcome }: Acted): void {
  if (outcome === 'passed') return
  const known = facts.acted.find((acted) => acted.processorId === processorId)
  if (known) known.outcome = strongerOutcome(known.outcome, outcome)
  else facts.acted.push({ processorId, outcome })
}

/** Whether the chunk is visible to a reader, for the time to first chunk. */
function isShown({ type }: Chunk): boolean {
  return (
    type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-input-start' || type === 'tool-call'
  )
}

function childrenOf(entries: readonly { chunk: Chunk }[]): readonly ChildLink[] {
  return entries.flatMap(({ chunk }) => {
    if (chunk.type !== 'tool-result' || !isRecord(chunk.output)) return []
    const { type, runId } = chunk.output
    if (type !== 'agent-progress' || typeof runId !== 'string' || runId === '') return []
    return [{ runId, toolCallId: chunk.toolCallId }]
  })
}

function lastUserText(messages: readonly Message[]): string {
  const message = messages.findLast(({ role }) => role === 'user')
  return message ? textOfParts(message.content.parts) : ''
}

function previewOf(text: string): string {
  return text.slice(0, PREVIEW).toWellFormed()
}

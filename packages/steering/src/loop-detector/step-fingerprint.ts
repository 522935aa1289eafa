import type { StepResult } from '@millrace/core'

/**
 * What a step did, as texts that are equal where it did the same: one for a step, however its calls are ordered; or one
 * for each of its calls, where they are all the same. A step without calls is what it said.
 */
export function fingerprintOf(step: StepResult, { compareResults }: { compareResults: boolean }): string[] {
  const { toolCalls, toolResults, text } = step
  if (toolCalls.length === 0) return [`said ${text.trim().replace(/\s+/g, ' ').toLowerCase()}`]
  const results = new Map(compareResults ? toolResults.map((result) => [result.toolCallId, result]) : [])
  const calls = toolCalls.map(({ toolCallId, toolName, input }) => {
    const result = results.get(toolCallId)
    try {
      return `${toolName} ${canonical(input)} ${result ? outcomeOf(result) : ''}`
    } catch {
      // What cannot be written down, such as an output that contains itself, is never the same again.
      return toolCallId
    }
  })
  const distinct = [...new Set(calls)].sort()
  return distinct.length === 1 ? calls : [distinct.join('\n')]
}

function outcomeOf(result: StepResult['toolResults'][number]): string {
  switch (result.status) {
    case 'success':
      return `success ${canonical(result.output)}`
    case 'error':
      return `error ${result.error}`
    case 'denied':
      return `denied ${result.reason ?? ''}`
    default:
      return result satisfies never
  }
}

/** JSON with the keys of objects in alphabetical order: models do not always write them in the same. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => plain(item)) ?? 'undefined'
}

/** Schemas may turn input into more than JSON. */
function plain(item: unknown): unknown {
  if (typeof item === 'bigint') return `${item}n`
  if (item instanceof Map || item instanceof Set) return [...item]
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item
  return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
}

import type { StepResult } from '@millrace/core'

/**
 * Texts that identify what a step did: one for the step, in whatever order its calls are; or one for each call, if all
 * calls are equal. A step without calls is identified by its text.
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
      // Inputs that cannot be serialized, such as circular ones, are never equal.
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

/** JSON with sorted keys: models do not always write them in the same order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => plain(item)) ?? 'undefined'
}

/** Schemas may transform input into values that are not JSON. */
function plain(item: unknown): unknown {
  if (typeof item === 'bigint') return `${item}n`
  if (item instanceof Map || item instanceof Set) return [...item]
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item
  return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
}

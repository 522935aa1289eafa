import type { LiveEvents, RunSummary, RunsPage } from '../../src/wire.ts'
import type { RunsFilter } from './queries.ts'
import type { StreamEvent } from './request.ts'

export type RunChange = Exclude<StreamEvent<LiveEvents>, { name: 'suspended' }>

/**
 * Applies changes to the pages; returns the same pages if nothing changes. A known run is replaced in its place, or removed
 * if it no longer matches the filter. A new run goes to the first page. Of several changes of a run, the last one counts.
 * The cost is linear in runs and changes.
 */
export function withChanges(
  pages: RunsPage[],
  changes: readonly RunChange[],
  filter: RunsFilter,
): RunsPage[] {
  const left = new Map<string, RunSummary | undefined>()
  for (const { name, data } of changes) {
    if (name === 'deleted') left.set(data.runId, undefined)
    else left.set(data.id, passesFilter(data, filter) ? data : undefined)
  }
  const changed = pages.map((page) => {
    if (!page.runs.some(({ id }) => left.has(id))) return page
    const runs = page.runs.flatMap((run) => {
      if (!left.has(run.id)) return [run]
      const now = left.get(run.id)
      left.delete(run.id)
      return now ? [now] : []
    })
    return { ...page, runs }
  })
  const added = [...left.values()].filter((run) => run !== undefined)
  const [first, ...rest] = changed
  if (first && added.length > 0) return [{ ...first, runs: newestFirst([...added, ...first.runs]) }, ...rest]
  return changed.some((page, index) => page !== pages[index]) ? changed : pages
}

function passesFilter(
  run: RunSummary,
  { agent, state, threadId, resourceId, processor, search }: RunsFilter,
): boolean {
  if (agent && run.agentName !== agent) return false
  if (state && !state.split(',').includes(run.state)) return false
  if (threadId && run.threadId !== threadId) return false
  if (resourceId && run.resourceId !== resourceId) return false
  if (processor && !run.acted.some(({ processorId }) => processorId === processor)) return false
  if (!search) return true
  const wanted = search.toLowerCase()
  return [run.id, run.input, run.answer].some((text) => text?.toLowerCase().includes(wanted))
}

function newestFirst(runs: RunSummary[]): RunSummary[] {
  return runs.sort((one, other) => other.startedAt - one.startedAt)
}

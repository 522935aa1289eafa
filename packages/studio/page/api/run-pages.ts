import type { RunSummary, RunsPage } from '../../src/wire.ts'
import type { RunsFilter } from './queries.ts'

/** The pages with a run as it is now: in its place, or in front where it is new and the filter lets it through. */
export function withRun(pages: RunsPage[], run: RunSummary, filter: RunsFilter): RunsPage[] {
  const index = pages.findIndex(({ runs }) => runs.some(({ id }) => id === run.id))
  const isWanted = passesFilter(run, filter)
  if (index >= 0) {
    return isWanted
      ? replacePage(pages, index, (runs) => runs.map((each) => (each.id === run.id ? run : each)))
      : withoutRun(pages, run.id)
  }
  if (!isWanted || pages.length === 0) return pages
  return replacePage(pages, 0, (runs) => insertByStart(runs, run))
}

export function withoutRun(pages: RunsPage[], runId: string): RunsPage[] {
  const index = pages.findIndex(({ runs }) => runs.some(({ id }) => id === runId))
  return index < 0 ? pages : replacePage(pages, index, (runs) => runs.filter(({ id }) => id !== runId))
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

/** Keeps the newest first: a run that is heard of late goes behind those that began after it. */
function insertByStart(runs: readonly RunSummary[], run: RunSummary): RunSummary[] {
  const at = runs.findIndex(({ startedAt }) => startedAt <= run.startedAt)
  return at < 0 ? [...runs, run] : [...runs.slice(0, at), run, ...runs.slice(at)]
}

function replacePage(
  pages: readonly RunsPage[],
  index: number,
  change: (runs: readonly RunSummary[]) => RunSummary[],
): RunsPage[] {
  return pages.map((page, at) => (at === index ? { ...page, runs: change(page.runs) } : page))
}

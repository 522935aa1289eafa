import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ROUTES, type RunDetail, type RunEvents } from '../../src/wire.ts'
import { KEYS, revealed } from './queries.ts'
import { requestEvents } from './request.ts'
import { applyRunEvent } from './run-events.ts'

/** Updates a running run until it has ended or the page is closed. */
export function useLiveRun(run: RunDetail | undefined, isRevealed: boolean): void {
  const queries = useQueryClient()
  const runId = run?.id
  const isRunning = run?.state === 'running'
  useEffect(() => {
    if (runId === undefined || !isRunning) return
    const leave = new AbortController()
    const key = KEYS.run(runId, isRevealed)
    const follow = async () => {
      const events = requestEvents<RunEvents>(ROUTES.runEvents, {
        params: { runId },
        query: revealed(isRevealed),
        signal: leave.signal,
      })
      for await (const event of events) {
        queries.setQueryData<RunDetail>(key, (known) => applyRunEvent(known, event))
      }
    }
    // The connection was lost: refetch the run, and follow it again if it still runs.
    follow().catch(() => leave.signal.aborted || void queries.invalidateQueries({ queryKey: key }))
    return () => leave.abort()
  }, [queries, runId, isRunning, isRevealed])
}

import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type LiveEvents, ROUTES, type RunsPage } from '../../src/wire.ts'
import { KEYS, type RunsFilter } from './queries.ts'
import { RequestFailed, requestEvents } from './request.ts'
import { type RunChange, withChanges } from './run-pages.ts'

export type Connection = 'connecting' | 'live' | 'lost' | 'refused'

/** Milliseconds before a reconnect. */
const RECONNECT_DELAY = 1_500
/** Milliseconds between updates of the lists, so that many events cause one render. */
const BATCH = 100

/** Updates the lists of runs with the server's events. Returns the state of the connection. */
export function useLive(): { connection: Connection; waiting: number } {
  const queries = useQueryClient()
  const [connection, setConnection] = useState<Connection>('connecting')
  const [waiting, setWaiting] = useState(0)

  useEffect(() => {
    const leave = new AbortController()
    const { signal } = leave
    let changes: RunChange[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const apply = () => {
      timer = undefined
      applyChanges(queries, changes)
      changes = []
    }
    const listen = async () => {
      for await (const event of requestEvents<LiveEvents>(ROUTES.live, { signal })) {
        setConnection('live')
        if (event.name === 'suspended') {
          setWaiting(event.data.count)
          void queries.invalidateQueries({ queryKey: KEYS.suspended })
        } else {
          changes.push(event)
          timer ??= setTimeout(apply, BATCH)
        }
      }
    }
    const keepListening = async () => {
      for (let attempt = 0; !signal.aborted; attempt++) {
        try {
          if (attempt > 0) void queries.invalidateQueries()
          await listen()
        } catch (error) {
          if (error instanceof RequestFailed && error.status < 500) {
            if (!signal.aborted) setConnection('refused')
            return
          }
        }
        if (signal.aborted) return
        setConnection('lost')
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_DELAY))
      }
    }
    void keepListening()
    return () => {
      leave.abort()
      clearTimeout(timer)
    }
  }, [queries])

  return { connection, waiting }
}

/** Applies changes to every cached list. */
function applyChanges(queries: QueryClient, changes: readonly RunChange[]): void {
  for (const [key, data] of queries.getQueriesData<InfiniteData<RunsPage>>({ queryKey: KEYS.runs })) {
    if (!data) continue
    const pages = withChanges(data.pages, changes, (key[1] ?? {}) as RunsFilter)
    if (pages !== data.pages) queries.setQueryData(key, { ...data, pages })
  }
}

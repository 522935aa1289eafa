import { useCallback, useEffect, useRef, useState } from 'react'
import { ROUTES, type TableEvents, type TableRequest, type TableRow } from '../../src/wire.ts'
import { requestEvents } from '../api/request.ts'
import { messageOf } from '../parts/empty.tsx'

export interface TableState {
  start?: TableEvents['start']
  rows: readonly TableRow[]
  end?: TableEvents['end']
  error?: string
}

/** Sends a file with texts, and receives the rows as they are checked. */
export function useTable(): {
  state: TableState | undefined
  run: (request: TableRequest) => void
  stop: () => void
} {
  const [state, setState] = useState<TableState>()
  const leave = useRef<AbortController>(undefined)
  const stop = useCallback(() => leave.current?.abort(), [])
  useEffect(() => stop, [stop])
  const run = useCallback(
    (body: TableRequest) => {
      stop()
      const controller = new AbortController()
      leave.current = controller
      const read = async () => {
        let known: TableState = { rows: [] }
        setState(known)
        for await (const event of requestEvents<TableEvents>(ROUTES.table, {
          body,
          signal: controller.signal,
        })) {
          if (event.name === 'start') known = { ...known, start: event.data }
          else if (event.name === 'rows') known = { ...known, rows: [...known.rows, ...event.data] }
          else if (event.name === 'end') known = { ...known, end: event.data }
          else known = { ...known, error: event.data.message }
          setState(known)
        }
      }
      read().catch((error: unknown) => {
        if (!controller.signal.aborted) setState((known) => ({ rows: [], ...known, error: messageOf(error) }))
      })
    },
    [stop],
  )
  return { state, run, stop }
}

import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import type { RunsFilter } from '../api/queries.ts'

const FIELDS = ['search', 'state', 'agent', 'processor', 'threadId', 'resourceId'] as const

/** The filter of the list, stored in the URL. */
export function useFilter(): {
  filter: RunsFilter
  isFiltered: boolean
  change: (filter: RunsFilter) => void
} {
  const [parameters, setParameters] = useSearchParams()
  const text = parameters.toString()
  const filter = useMemo(() => {
    const found = new URLSearchParams(text)
    return Object.fromEntries(
      FIELDS.flatMap((field) => (found.get(field) ? [[field, found.get(field)]] : [])),
    )
  }, [text]) as RunsFilter
  const change = useCallback(
    (next: RunsFilter) => {
      const entries = FIELDS.flatMap((field) => (next[field] ? [[field, next[field]]] : []))
      setParameters(new URLSearchParams(entries as [string, string][]), { replace: true })
    },
    [setParameters],
  )
  return { filter, isFiltered: Object.keys(filter).length > 0, change }
}

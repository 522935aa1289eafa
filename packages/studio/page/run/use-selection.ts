import { useCallback } from 'react'
import { useSearchParams } from 'wouter'

export type View = 'pipeline' | 'reader' | 'chunks' | 'given'
const VIEWS: readonly View[] = ['pipeline', 'reader', 'chunks', 'given']

/** The selected view and node of a run, stored in the URL. */
export function useSelection(): {
  view: View
  node: string | undefined
  showView: (view: View) => void
  showNode: (node: string | undefined) => void
} {
  const [parameters, setParameters] = useSearchParams()
  const set = useCallback(
    (name: string, value: string | undefined) =>
      setParameters(
        (known) => {
          const next = new URLSearchParams(known)
          if (value === undefined) next.delete(name)
          else next.set(name, value)
          return next
        },
        { replace: true },
      ),
    [setParameters],
  )
  return {
    view: VIEWS.find((view) => view === parameters.get('view')) ?? 'pipeline',
    node: parameters.get('node') ?? undefined,
    showView: useCallback((view) => set('view', view === 'pipeline' ? undefined : view), [set]),
    showNode: useCallback((node) => set('node', node), [set]),
  }
}

import { useCallback, useState, useSyncExternalStore } from 'react'

export interface Route {
  threadId: string
  /** Whether the thread is in the URL. A new thread is not, until its first message. */
  isNamed: boolean
  open: (threadId: string) => void
  begin: () => void
  /** Adds the thread to the URL. */
  name: () => void
}

const CHANGED = 'routechange'

/** The open thread: `/c/<id>` in the URL, or a new one. */
export function useRoute(): Route {
  const path = useSyncExternalStore(subscribe, () => location.pathname)
  const [draft, setDraft] = useState(() => crypto.randomUUID() as string)
  const named = /^\/c\/([^/]+)$/.exec(path)?.[1]
  const threadId = named === undefined ? draft : decodeURIComponent(named)
  const begin = useCallback(() => {
    setDraft(crypto.randomUUID())
    go('/')
  }, [])
  const name = useCallback(() => go(`/c/${encodeURIComponent(draft)}`, 'replace'), [draft])
  return { threadId, isNamed: named !== undefined, open, begin, name }
}

function open(threadId: string): void {
  go(`/c/${encodeURIComponent(threadId)}`)
}

function go(path: string, way: 'push' | 'replace' = 'push'): void {
  if (way === 'push') history.pushState(null, '', path)
  else history.replaceState(null, '', path)
  dispatchEvent(new Event(CHANGED))
}

function subscribe(onChange: () => void): () => void {
  for (const event of ['popstate', CHANGED]) addEventListener(event, onChange)
  return () => {
    for (const event of ['popstate', CHANGED]) removeEventListener(event, onChange)
  }
}

import { useCallback, useState, useSyncExternalStore } from 'react'

export interface Route {
  threadId: string
  /** The thread is in the address; otherwise it begins with its first message. */
  isNamed: boolean
  open: (threadId: string) => void
  begin: () => void
  /** Puts a thread that has begun into the address. */
  name: () => void
}

const CHANGED = 'routechange'

/** Which thread is open: `/c/<id>` in the address, or a new one. */
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

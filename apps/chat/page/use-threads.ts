import { useCallback, useEffect, useState } from 'react'
import { deleteThread, listThreads, renameThread, type Thread } from './api.ts'
import { tellTabs, useTabNews } from './tabs.ts'

export interface Threads {
  list: readonly Thread[]
  /** Why the threads could not be loaded. */
  error: string | undefined
  refresh: () => Promise<void>
  rename: (id: string, title: string) => Promise<void>
  remove: (id: string) => Promise<void>
}

/** The interval in milliseconds and the number of reloads for a title, which is generated after the answer. */
const TITLE_WAIT = 500
const TITLE_TRIES = 6

export function useThreads(): Threads {
  const [list, setList] = useState<readonly Thread[]>([])
  const [error, setError] = useState<string>()
  const refresh = useCallback(async () => {
    try {
      setList(await listThreads())
      setError(undefined)
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : String(cause))
    }
  }, [])
  useEffect(() => void refresh(), [refresh])
  useTabNews(() => void refresh())

  const [tries, setTries] = useState(0)
  const isUntitled = list.some(({ title }) => title === undefined)
  useEffect(() => {
    if (!isUntitled) return setTries(0)
    if (tries >= TITLE_TRIES) return
    const timer = setTimeout(() => void refresh().then(() => setTries(tries + 1)), TITLE_WAIT)
    return () => clearTimeout(timer)
  }, [isUntitled, tries, refresh])

  const change = async (action: Promise<void>) => {
    await action
    tellTabs({ type: 'threads' })
    await refresh()
  }
  return {
    list,
    error,
    refresh,
    rename: (id, title) => change(renameThread(id, title)),
    remove: (id) => change(deleteThread(id)),
  }
}

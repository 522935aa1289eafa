import type { RecordStore } from '../record/record-store.ts'

/** Timeout of the request to the process, in milliseconds. */
const TIMEOUT = 2_000

/** The link to the page of the process that records into the file, if it runs and answers. */
export async function runningLink(store: RecordStore): Promise<string | undefined> {
  for (const { link } of store.processes()) {
    if (link !== undefined && (await answers(link))) return link
  }
  return undefined
}

/** The file may come from another machine, or another process may use the port now: the token decides. */
async function answers(link: string): Promise<boolean> {
  const url = new URL(link)
  if (url.hostname !== '127.0.0.1') return false
  const token = new URLSearchParams(url.hash.slice(1)).get('token')
  try {
    const response = await fetch(new URL('/api/info', url), {
      headers: { authorization: `Bearer ${token}` },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT),
    })
    return response.ok
  } catch {
    return false
  }
}

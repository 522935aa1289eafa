import { z } from 'zod'

const WAIT = 10_000

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) })

interface Server {
  baseURL: string
  /** The URL for display. */
  shown: string
  apiKey?: string
}

/**
 * The first chat model that an OpenAI-compatible server lists: local servers list their loaded models.
 *
 * @throws Error with the remedy
 */
export async function firstListedModel(server: Server): Promise<string> {
  const list = modelList.safeParse(await fetchList(server))
  const id = list.data?.data.find((model) => !/embed/i.test(model.id))?.id
  if (id === undefined)
    throw new Error(`The server at ${server.shown} lists no model. Set MODEL to one it has.`)
  return id
}

async function fetchList({ baseURL, shown, apiKey }: Server): Promise<unknown> {
  const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : {}
  let response: Response
  try {
    response = await fetch(`${baseURL}/models`, { headers, signal: AbortSignal.timeout(WAIT) })
  } catch (cause) {
    throw new Error(`No server answers at ${shown}. Start it, or check OPENAI_BASE_URL.`, { cause })
  }
  if (response.status === 401 || response.status === 403)
    throw new Error(`The server at ${shown} refused the key. Check OPENAI_API_KEY.`)
  return response.json().catch(() => undefined)
}

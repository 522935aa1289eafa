import { MillraceError } from '@millrace/core'
import type { MastraMessageList } from './mastra-types.ts'

type Hook = (args: Record<string, unknown>) => unknown

/** The part of Mastra's `Processor` that is called. */
export interface PublishedProcessor {
  readonly id: string
  processInput?: Hook
  processInputStep?: Hook
  processLLMRequest?: Hook
  processLLMResponse?: Hook
  processAPIError?: Hook
  processOutputStream?: Hook
  processOutputStep?: Hook
  processToolResult?: Hook
  processOutputResult?: Hook
  computeStateSignal?: Hook
  __registerMastra?(mastra: unknown): void
}

/** What the adapter uses of `@mastra/core`. */
export interface Loaded {
  MessageList: new () => MastraMessageList & { addSystem(messages: unknown): unknown }
  TripWire: new (
    reason: string,
    options?: unknown,
  ) => Error & { options?: { retry?: boolean; metadata?: unknown } }
  RequestContext: new (entries: Iterable<readonly [string, unknown]>) => object
}

let loaded: Loaded | undefined

/** @throws MillraceError `CONFIG_INVALID` if `@mastra/core` cannot be loaded */
export async function loadMastra(): Promise<Loaded> {
  if (loaded) return loaded
  try {
    const [agent, context] = await Promise.all([
      import('@mastra/core/agent') as Promise<unknown>,
      import('@mastra/core/request-context') as Promise<unknown>,
    ])
    loaded = { ...(agent as Loaded), ...(context as Pick<Loaded, 'RequestContext'>) }
    return loaded
  } catch (cause) {
    throw new MillraceError(
      'CONFIG_INVALID',
      "The package '@mastra/core' could not be loaded, but mastraProcessor() needs it. Install the version that the processors are written for.",
      { cause },
    )
  }
}

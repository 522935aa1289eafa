import { MillraceError } from '@millrace/core'
import type { AgentsRunContext, AgentsUsage } from './agents-types.ts'

/** What the adapters use of `@openai/agents`. */
interface Loaded {
  Usage: new () => AgentsUsage & { add(usage: AgentsUsage): void }
  RunContext: new (context: unknown) => AgentsRunContext
  Agent: new (options: { name: string }) => object
}

let loaded: Loaded | undefined

/** @throws MillraceError `CONFIG_INVALID` if `@openai/agents` cannot be loaded */
export async function loadAgents(): Promise<Loaded> {
  if (loaded) return loaded
  try {
    loaded = (await import('@openai/agents')) as Loaded
    return loaded
  } catch (cause) {
    throw new MillraceError(
      'CONFIG_INVALID',
      "The package '@openai/agents' could not be loaded, but its adapters need it. Install it.",
      { cause },
    )
  }
}

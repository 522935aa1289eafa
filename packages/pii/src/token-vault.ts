import type { RequestContext } from '@millrace/core'

/** How many resources or threads are remembered, the latest. */
const MAX_SCOPES = 1_000
/** How many values of one, the latest. */
const MAX_VALUES = 10_000

/**
 * The originals of placeholders, in memory and nowhere else. Each resource has its own; without one each thread, without
 * either each run. A placeholder of somebody else means nothing.
 */
export class TokenVault {
  readonly #scopes = new Map<string, Map<string, string>>()
  /** Of runs with neither, so that they are found again when the run is resumed. */
  readonly #anonymous = new Map<string, Map<string, string>>()
  /** Of runs with neither that are under way: those are not forgotten. */
  readonly #runs = new WeakMap<object, Map<string, string>>()

  /** The originals that a run may see, by placeholder. `state` is the run's, which is stored: it gets a name only. */
  of(state: Record<string, unknown>, requestContext: RequestContext): TokenScope {
    const { resourceId, threadId } = requestContext
    if (resourceId !== undefined || threadId !== undefined) {
      const key = JSON.stringify(resourceId === undefined ? { threadId } : { resourceId })
      return new TokenScope(latest(this.#scopes, key))
    }
    let known = this.#runs.get(state)
    if (!known) {
      state.vault ??= crypto.randomUUID()
      known = latest(this.#anonymous, String(state.vault))
      this.#runs.set(state, known)
    }
    return new TokenScope(known)
  }
}

/** The originals under this key, which now stand last: the first are the first to be forgotten. */
function latest(scopes: Map<string, Map<string, string>>, key: string): Map<string, string> {
  const known = scopes.get(key) ?? new Map<string, string>()
  scopes.delete(key)
  scopes.set(key, known)
  forgetOldest(scopes, MAX_SCOPES)
  return known
}

/** What one resource, thread or run has been given placeholders for. */
export class TokenScope {
  readonly #originals: Map<string, string>

  constructor(originals: Map<string, string>) {
    this.#originals = originals
  }

  remember(placeholder: string, original: string): void {
    this.#originals.set(placeholder, original)
    forgetOldest(this.#originals, MAX_VALUES)
  }

  /** The original, or the placeholder itself where it is unknown here. */
  original(placeholder: string): string {
    return this.#originals.get(placeholder) ?? placeholder
  }
}

function forgetOldest(map: Map<string, unknown>, limit: number): void {
  if (map.size <= limit) return
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}

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
  readonly #runs = new WeakMap<object, Map<string, string>>()

  /** The originals that a run may see, by placeholder. */
  of(run: object, requestContext: RequestContext): TokenScope {
    const { resourceId, threadId } = requestContext
    if (resourceId === undefined && threadId === undefined) {
      const known = this.#runs.get(run) ?? new Map<string, string>()
      this.#runs.set(run, known)
      return new TokenScope(known)
    }
    const key = JSON.stringify(resourceId === undefined ? { threadId } : { resourceId })
    const known = this.#scopes.get(key) ?? new Map<string, string>()
    // The latest stand last.
    this.#scopes.delete(key)
    this.#scopes.set(key, known)
    forgetOldest(this.#scopes, MAX_SCOPES)
    return new TokenScope(known)
  }
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

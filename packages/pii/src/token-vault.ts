import { PerRun, type RequestContext } from '@millrace/core'
import type { OriginalsCipher } from './sealed-originals.ts'

/** The maximum number of resources or threads in memory; the oldest are dropped. */
const MAX_SCOPES = 1_000
/** The maximum number of values per resource or thread; the oldest are dropped. */
const MAX_VALUES = 10_000

/** The form of a placeholder, as `keyedHash` creates it. */
export const PLACEHOLDER: RegExp = /\[[A-Z][A-Z0-9_-]{0,62}_[0-9a-f]{12}\]/

/**
 * The originals of placeholders, in memory. They are separate for each resource; without a resource for each thread,
 * without either for each run. A placeholder of another resource is not restored.
 *
 * With a key, the originals that a run needs are also stored in its state, encrypted, for another process that
 * continues the run.
 */
export class TokenVault {
  readonly #key: string | Uint8Array | undefined
  readonly #scopes = new Map<string, Map<string, string>>()
  /** Originals of runs without resource and thread, to find them when the run is resumed. */
  readonly #anonymous = new Map<string, Map<string, string>>()
  /** Originals of such runs that are in progress: they are not dropped. */
  readonly #runs = new PerRun<Map<string, string>>()
  readonly #sealed = new PerRun<SealedOriginals>()
  #cipher: OriginalsCipher | undefined

  constructor(key: string | Uint8Array | undefined) {
    this.#key = key
  }

  /** Must be awaited before a scope is used. The first call loads the encryption. */
  async load(): Promise<void> {
    if (this.#key === undefined || this.#cipher) return
    const { originalsCipher } = await import('./sealed-originals.ts')
    this.#cipher ??= originalsCipher(this.#key)
  }

  /** The originals that a run may see. `state` is the run's state, which is stored. */
  of(state: Record<string, unknown>, requestContext: RequestContext): TokenScope {
    return new TokenScope(this.#originalsOf(state, requestContext), this.#sealedIn(state))
  }

  #originalsOf(state: Record<string, unknown>, requestContext: RequestContext): Map<string, string> {
    const { resourceId, threadId } = requestContext
    if (resourceId !== undefined || threadId !== undefined) {
      const key = JSON.stringify(resourceId === undefined ? { threadId } : { resourceId })
      return latest(this.#scopes, key)
    }
    let known = this.#runs.get(state)
    if (!known) {
      state.vault ??= crypto.randomUUID()
      known = latest(this.#anonymous, String(state.vault))
      this.#runs.set(state, known)
    }
    return known
  }

  #sealedIn(state: Record<string, unknown>): SealedOriginals | undefined {
    if (!this.#cipher) return undefined
    let sealed = this.#sealed.get(state)
    if (!sealed) {
      sealed = new SealedOriginals(state, this.#cipher)
      this.#sealed.set(state, sealed)
    }
    return sealed
  }
}

/** The originals under this key, moved to the end: the first entries are dropped first. */
function latest(scopes: Map<string, Map<string, string>>, key: string): Map<string, string> {
  const known = scopes.get(key) ?? new Map<string, string>()
  scopes.delete(key)
  scopes.set(key, known)
  forgetOldest(scopes, MAX_SCOPES)
  return known
}

/** The placeholders of one resource, thread or run. */
export class TokenScope {
  readonly #originals: Map<string, string>
  readonly #sealed: SealedOriginals | undefined

  constructor(originals: Map<string, string>, sealed: SealedOriginals | undefined) {
    this.#originals = originals
    this.#sealed = sealed
  }

  remember(placeholder: string, original: string): void {
    this.#originals.set(placeholder, original)
    forgetOldest(this.#originals, MAX_VALUES)
    this.#sealed?.add(placeholder, original)
  }

  /** Stores the originals of these placeholders in the state of the run, as far as they are known here. */
  keep(placeholders: Iterable<string>): void {
    if (!this.#sealed) return
    for (const placeholder of placeholders) {
      const original = this.#originals.get(placeholder)
      if (original !== undefined) this.#sealed.add(placeholder, original)
    }
  }

  /** The original, or the placeholder itself if it is unknown here. */
  original(placeholder: string): string {
    const known = this.#originals.get(placeholder)
    if (known !== undefined) return known
    const opened = this.#sealed?.open(placeholder)
    if (opened === undefined) return placeholder
    this.remember(placeholder, opened)
    return opened
  }
}

/**
 * Encrypted originals in the state of a run. Each is a separate field, named by its placeholder, so that only new ones
 * have to be written.
 */
class SealedOriginals {
  readonly #state: Record<string, unknown>
  readonly #cipher: OriginalsCipher
  #count: number

  constructor(state: Record<string, unknown>, cipher: OriginalsCipher) {
    this.#state = state
    this.#cipher = cipher
    this.#count = Object.keys(state).filter(isPlaceholder).length
  }

  add(placeholder: string, original: string): void {
    if (Object.hasOwn(this.#state, placeholder)) return
    this.#state[placeholder] = this.#cipher.seal(placeholder, original)
    if (++this.#count > MAX_VALUES) this.#forgetOldest()
  }

  open(placeholder: string): string | undefined {
    const sealed = Object.hasOwn(this.#state, placeholder) ? this.#state[placeholder] : undefined
    return typeof sealed === 'string' ? this.#cipher.open(placeholder, sealed) : undefined
  }

  #forgetOldest(): void {
    for (const key of Object.keys(this.#state)) {
      if (!isPlaceholder(key)) continue
      delete this.#state[key]
      this.#count--
      return
    }
  }
}

function isPlaceholder(key: string): boolean {
  return key.startsWith('[')
}

function forgetOldest(map: Map<string, unknown>, limit: number): void {
  if (map.size <= limit) return
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}

/** The values a {@link RequestContext} holds unless the caller says more. */
export type RequestContextValues = Record<string, unknown>

/**
 * What belongs to one request and not to the agent: the tenant, the user's plan, a locale. It reaches every hook,
 * tool and option function of the run, and carries the ids of the thread and resource the run belongs to. What hooks and
 * tools set in it stays set for its owner: make one for each request.
 *
 * @example
 * const requestContext = new RequestContext({ plan: 'free' as 'free' | 'paid' })
 * await agent.generate('Hello', { requestContext, threadId: 'thread-1' })
 */
export class RequestContext<VALUES extends object = RequestContextValues> {
  /** The conversation this run belongs to, if any. */
  readonly threadId: string | undefined
  /** Who owns the conversation (a user, a tenant), if known. */
  readonly resourceId: string | undefined
  /** The agents that run for this request, each within the one before; the last is the one whose run has this context. */
  readonly agentPath: readonly string[]
  readonly #values: Map<keyof VALUES, unknown>

  constructor(
    values?: VALUES | Map<keyof VALUES, unknown>,
    ids: { threadId?: string; resourceId?: string; agentPath?: readonly string[] } = {},
  ) {
    this.#values =
      values instanceof Map ? values : new Map(Object.entries(values ?? {}) as [keyof VALUES, unknown][])
    this.threadId = ids.threadId
    this.resourceId = ids.resourceId
    this.agentPath = ids.agentPath ?? []
  }

  get<KEY extends keyof VALUES>(key: KEY): VALUES[KEY] | undefined {
    return this.#values.get(key) as VALUES[KEY] | undefined
  }

  set<KEY extends keyof VALUES>(key: KEY, value: VALUES[KEY]): this {
    this.#values.set(key, value)
    return this
  }

  has(key: keyof VALUES): boolean {
    return this.#values.has(key)
  }

  /** A context for one run: the same values, shared, with the ids of that run. */
  withIds(ids: {
    threadId?: string | undefined
    resourceId?: string | undefined
    /** The agent whose run it is, where it begins one. */
    agentName?: string | undefined
  }): RequestContext<VALUES> {
    const { agentPath } = this
    const threadId = ids.threadId ?? this.threadId
    const resourceId = ids.resourceId ?? this.resourceId
    return new RequestContext(this.#values, {
      ...(threadId !== undefined && { threadId }),
      ...(resourceId !== undefined && { resourceId }),
      agentPath: ids.agentName === undefined ? agentPath : [...agentPath, ids.agentName],
    })
  }
}

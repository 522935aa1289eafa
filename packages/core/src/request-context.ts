import { type OptionNames, requireOptions } from './option-names.ts'

/** The default type of values in a {@link RequestContext}. */
export type RequestContextValues = Record<string, unknown>

const IDS: OptionNames<{ threadId?: string; resourceId?: string; agentPath?: readonly string[] }> = {
  threadId: 'optional',
  resourceId: 'optional',
  agentPath: 'optional',
}

/**
 * Data of a request, such as the tenant, the user's plan or a locale. It is passed to every hook, tool and option
 * function of the run, and has the ids of the run's thread and resource. Values that hooks and tools set stay set, so
 * create one for each request.
 *
 * @example
 * const requestContext = new RequestContext({ plan: 'free' as 'free' | 'paid' })
 * await agent.generate('Hello', { requestContext, threadId: 'thread-1' })
 */
export class RequestContext<VALUES extends object = RequestContextValues> {
  /** The conversation of this run, if any. */
  readonly threadId: string | undefined
  /** The owner of the conversation (a user, a tenant), if known. */
  readonly resourceId: string | undefined
  /** The nested agents of this request, from the outermost. The last one runs the run with this context. */
  readonly agentPath: readonly string[]
  readonly #values: Map<keyof VALUES, unknown>

  constructor(
    values?: VALUES | Map<keyof VALUES, unknown>,
    ids: { threadId?: string; resourceId?: string; agentPath?: readonly string[] } = {},
  ) {
    this.#values =
      values instanceof Map ? values : new Map(Object.entries(values ?? {}) as [keyof VALUES, unknown][])
    const { threadId, resourceId, agentPath = [] } = requireOptions('RequestContext', ids, IDS)
    this.threadId = threadId
    this.resourceId = resourceId
    this.agentPath = agentPath
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

  /** A context for one run: shares the values, and has the ids of the run. */
  withIds(ids: {
    threadId?: string | undefined
    resourceId?: string | undefined
    /** The agent of the run, if it starts one. */
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

/** What is kept for a resource beside its threads. */
export interface Resource {
  id: string
  /** Free for the application. JSON. */
  metadata: Record<string, unknown>
  /** What processors keep for the resource, by processor: a working memory. JSON. */
  state: Record<string, unknown>
  /** Grows with every change: see `ifVersion`. */
  version: number
  createdAt: Date
  updatedAt: Date
}

export interface SaveResourceOptions {
  resourceId: string
  /** Replaces the metadata there is. */
  metadata?: Record<string, unknown> | undefined
  /** Replaces the state there is. */
  state?: Record<string, unknown> | undefined
  /** Saves only if the resource has this version still; 0 means only if nothing was saved for it. */
  ifVersion?: number | undefined
}

export interface ResourceStore {
  /** `undefined` if nothing was saved with `saveResource`; threads alone make none. */
  getResource(key: { resourceId: string }): Promise<Resource | undefined>
  /**
   * Creates what is kept for the resource, or changes what is given of it.
   *
   * @throws MillraceError `STORAGE_CONFLICT` if it has another version than `ifVersion`
   */
  saveResource(options: SaveResourceOptions): Promise<Resource>
  /** Removes all there is of a resource: threads, messages, vectors, runs, counters, keys and what is kept for it. */
  deleteResource(key: { resourceId: string }): Promise<void>
}

/** Data of a resource, in addition to its threads. */
export interface Resource {
  id: string
  /** For the application. JSON. */
  metadata: Record<string, unknown>
  /** State of processors for the resource, by processor, such as a working memory. JSON. */
  state: Record<string, unknown>
  /** Increases with each change: see `ifVersion`. */
  version: number
  createdAt: Date
  updatedAt: Date
}

export interface SaveResourceOptions {
  resourceId: string
  /** Replaces the metadata. */
  metadata?: Record<string, unknown> | undefined
  /** Replaces the state. */
  state?: Record<string, unknown> | undefined
  /** Saves only if the resource still has this version; 0 means only if it does not exist. */
  ifVersion?: number | undefined
}

export interface ResourceStore {
  /** `undefined` if it was not saved with `saveResource`; threads alone do not create it. */
  getResource(key: { resourceId: string }): Promise<Resource | undefined>
  /**
   * Creates the resource, or changes the given fields.
   *
   * @throws MillraceError `STORAGE_CONFLICT` if its version differs from `ifVersion`
   */
  saveResource(options: SaveResourceOptions): Promise<Resource>
  /** Removes all data of a resource: threads, messages, vectors, runs, counters, keys and the resource itself. */
  deleteResource(key: { resourceId: string }): Promise<void>
}

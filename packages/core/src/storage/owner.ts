/** Whose data is meant. Without `resourceId`: data that belongs to no resource. */
export interface Owner {
  resourceId?: string | undefined
}

export interface PageOptions {
  /** How many items at most. Default: 100. */
  limit?: number | undefined
  /** `nextCursor` of the page before. It marks a place in the order: what is added meanwhile moves nothing. */
  cursor?: string | undefined
}

export interface Page<ITEM> {
  items: ITEM[]
  /** There is more: give it to the next call. */
  nextCursor?: string
}

/** Whose something is, as stores are asked for it. */
export function ownerOf({ resourceId }: { resourceId?: string | undefined }): { resourceId?: string } {
  return resourceId === undefined ? {} : { resourceId }
}

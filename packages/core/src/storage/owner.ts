import type { OptionNames } from '../option-names.ts'

/** The owner of data. Without `resourceId`: data that belongs to no resource. */
export interface Owner {
  resourceId?: string | undefined
}

export interface PageOptions {
  /** Maximum number of items. Default: 100. */
  limit?: number | undefined
  /**
   * `nextCursor` of the previous page. It marks a position in the order, so items that are added meanwhile do not
   * shift the pages.
   */
  cursor?: string | undefined
}

export interface Page<ITEM> {
  items: ITEM[]
  /** Cursor of the next page. Absent on the last page. */
  nextCursor?: string
}

/** The owner, without an undefined `resourceId`. */
export function ownerOf({ resourceId }: { resourceId?: string | undefined }): { resourceId?: string } {
  return resourceId === undefined ? {} : { resourceId }
}

export const PAGE: OptionNames<PageOptions> = { limit: 'optional', cursor: 'optional' }

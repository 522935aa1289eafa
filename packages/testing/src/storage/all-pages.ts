import type { Page } from '@millrace/core'
import { assert } from './assert.ts'

/** Reads a list to its end, page by page. */
export async function allPages<ITEM>(
  read: (cursor: string | undefined) => Promise<Page<ITEM>>,
): Promise<ITEM[]> {
  const items: ITEM[] = []
  let cursor: string | undefined
  do {
    const page: Page<ITEM> = await read(cursor)
    assert.ok(page.items.length > 0 || page.nextCursor === undefined, 'an empty page must have no nextCursor')
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return items
}

import { tool } from '@millrace/core'
import { growthOf, QUADRATIC } from '@millrace/testing/growth'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ToolIndex } from '../../src/tool-search/tool-index.ts'

test.each(['invoice ', 'a', '中', '\ud800', '_', 'Aa'])('answers a query of %j in linear time', (unit) => {
  const send = tool({ description: 'Sends an invoice', inputSchema: z.object({}), execute: () => 1 })
  const index = new ToolIndex({ send_invoice: send })
  expect(growthOf((length) => index.search(unit.repeat(length), 5))).toBeLessThan(QUADRATIC)
})

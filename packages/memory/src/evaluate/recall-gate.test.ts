// The gate of recall on labelled conversations, which are no part of this repository:
// MILLRACE_RECALL_DATA=<folder> vitest run packages/memory/src/evaluate
import { InMemoryStore } from '@millrace/core/storage'
import { expect, test } from 'vitest'
import { readConversations } from './conversations.ts'
import { scoreRecall } from './score-recall.ts'

const folder = process.env.MILLRACE_RECALL_DATA

test.runIf(folder)('recall does not regress on the conversations it was developed on', async () => {
  const conversations = readConversations(folder as string)
  const { all, categories } = await scoreRecall('in-memory', new InMemoryStore(), { conversations })
  expect(all.turns[5]).toBeGreaterThanOrEqual(0.75)
  expect(all.turns[10]).toBeGreaterThanOrEqual(0.81)
  expect(categories['multi-hop']?.turns[10]).toBeGreaterThanOrEqual(0.49)
})

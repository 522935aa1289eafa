import { Agent, tool } from '@millrace/core'
import { SQLiteStore } from '@millrace/store-sqlite'
import { ScriptedModel, toolCall } from '@millrace/testing'
import Database from 'better-sqlite3'
import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { Memory } from '../src/index.ts'
import { lines } from './texts.ts'

const place = { threadId: 'thread-1', resourceId: 'user-1' }
const weather = tool({ inputSchema: z.object({}), execute: () => 'Rain' })
let statements: string[]
let storage: SQLiteStore

beforeEach(async () => {
  statements = []
  const database = new Database(':memory:', { verbose: (sql) => statements.push(String(sql)) })
  storage = new SQLiteStore({ database })
  await storage.migrate()
})

test.each([
  { persist: 'turn', reads: 1, transactions: 1 },
  { persist: 'step', reads: 2, transactions: 3 },
] as const)('a turn saved by $persist costs the same for any length of the thread', async (cost) => {
  const { persist, reads, transactions } = cost
  const memory = new Memory({ storage, persist })
  const model = new ScriptedModel((_, index) =>
    index % 2 === 0 ? [toolCall('weather', {}, { id: `call-${index}` })] : 'It rains.',
  )
  const agent = new Agent({ model, memory, tools: { weather } })
  const kindsByTurn: string[] = []
  for (let turn = 0; turn < 30; turn++) {
    statements.length = 0
    const result = await agent.generate(`Question ${turn}`, place)
    expect(result.warnings).toEqual([])
    kindsByTurn.push(statements.map((sql) => /\w+/.exec(sql)?.[0]).join(' '))
  }
  const [, second = '', ...later] = kindsByTurn
  // What is read before the last transaction says how much a turn that is done again will remove.
  const [read = '', ...saved] = second.split(/ ?BEGIN /)
  expect(read.split(' ').filter((kind) => kind === 'WITH' || kind === 'SELECT')).toHaveLength(reads)
  expect(saved).toHaveLength(transactions)
  for (const kinds of saved) expect(kinds).toMatch(/^(?:(?!BEGIN|COMMIT)\w+ )*COMMIT$/)
  expect(second.split(' ').length).toBeLessThanOrEqual(13 * transactions)
  for (const kinds of later) expect(kinds).toBe(second)
  expect(lines(await memory.getMessages({ ...place, last: 2 }))).toEqual([
    'user: Question 29',
    'assistant: It rains.',
  ])
})

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

test('a turn reads its history in one statement and is saved in one transaction, for any length of the thread', async () => {
  const memory = new Memory({ storage })
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
  // What is read before the transaction says how much a turn that is done again will remove.
  expect(second).toMatch(/^(?:SELECT|WITH) (?:SELECT )*BEGIN (?:(?!BEGIN|COMMIT)\w+ )*COMMIT$/)
  expect(second.split(' ').length).toBeLessThanOrEqual(13)
  for (const kinds of later) expect(kinds).toBe(second)
  expect(lines(await memory.getMessages({ ...place, last: 2 }))).toEqual([
    'user: Question 29',
    'assistant: It rains.',
  ])
})

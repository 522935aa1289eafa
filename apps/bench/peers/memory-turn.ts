// A turn of a conversation that is stored in a libSQL file: with a memory, and with messages read and saved by hand.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '@libsql/client'
import { Agent as MastraAgent } from '@mastra/core/agent'
import { LibSQLStore as MastraStore } from '@mastra/libsql'
import { Memory as MastraMemory } from '@mastra/memory'
import type { Message } from '../../../packages/core/dist/index.js'
import { Agent, userMessage } from '../../../packages/core/dist/index.js'
import { Memory } from '../../../packages/memory/dist/index.js'
import { LibSQLStore } from '../../../packages/store-libsql/dist/index.js'
import { StreamModel, textAnswer } from '../src/stream-model.ts'
import { LAST_CHUNKS, read } from './peer.ts'

/** Number of messages in the prompt. */
const SHOWN = 10
/** Messages in the thread before the first measured turn, two per turn. */
const BEFORE = 200

const place = { threadId: 'talk', resourceId: 'ada' }
const answer = new StreamModel(textAnswer(LAST_CHUNKS))

/** Executes turns. */
export interface TurnKeeper {
  name: string
  turn: () => Promise<void>
  /** The number of stored messages of the thread. */
  count: () => Promise<number>
  close: () => Promise<void>
}

/** Opens each with its own file, which has a conversation. */
export async function openTurnKeepers(): Promise<{ keepers: TurnKeeper[]; remove: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-peers-'))
  const urlOf = (name: string): string => `file:${join(folder, `${name}.db`)}`
  const keepers = [await byHand(urlOf('hand')), withMillrace(urlOf('millrace')), withMastra(urlOf('mastra'))]
  for (const { turn } of keepers) for (let count = 0; count < BEFORE; count += 2) await turn()
  return {
    keepers,
    async remove() {
      for (const { close } of keepers) await close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** One table with an index, read before the agent is called and written after it. */
async function byHand(url: string): Promise<TurnKeeper> {
  const database = createClient({ url })
  await database.execute('PRAGMA journal_mode = WAL')
  await database.execute('PRAGMA synchronous = NORMAL')
  await database.executeMultiple(`
    CREATE TABLE messages (key INTEGER PRIMARY KEY, thread TEXT, id TEXT, role TEXT, content TEXT, created_at INTEGER);
    CREATE INDEX messages_by_thread ON messages (thread, key);`)
  const agent = new Agent({ model: answer })
  return {
    name: 'Millrace, messages by hand',
    async turn() {
      const { rows } = await database.execute({
        sql: 'SELECT id, role, content, created_at FROM messages WHERE thread = ? ORDER BY key DESC LIMIT ?',
        args: [place.threadId, SHOWN],
      })
      const history = rows.reverse().map(
        ({ id, role, content, created_at }): Message => ({
          id: String(id),
          role: role as Message['role'],
          content: JSON.parse(String(content)),
          createdAt: new Date(Number(created_at)),
        }),
      )
      const question = userMessage('Hi')
      const run = agent.stream([...history, question], { trusted: true })
      await read(run.fullStream, { isText, chunks: LAST_CHUNKS })
      const { messages } = await run.result
      await save(database, [question, ...messages.filter(({ role }) => role === 'assistant').slice(-1)])
    },
    count: () => countOf(database, 'messages'),
    close: async () => database.close(),
  }
}

async function save(database: Client, messages: readonly Message[]): Promise<void> {
  await database.batch(
    messages.map(({ id, role, content, createdAt }) => ({
      sql: 'INSERT INTO messages (thread, id, role, content, created_at) VALUES (?, ?, ?, ?, ?)',
      args: [place.threadId, id, role, JSON.stringify(content), createdAt.getTime()],
    })),
    'write',
  )
}

function withMillrace(url: string): TurnKeeper {
  const storage = new LibSQLStore({ url })
  const memory = new Memory({ storage, lastMessages: SHOWN })
  const agent = new Agent({ model: answer, memory })
  return {
    name: 'Millrace, Memory on libSQL',
    async turn() {
      const run = agent.stream('Hi', place)
      await read(run.fullStream, { isText, chunks: LAST_CHUNKS })
      await run.result
    },
    count: async () => (await storage.getThread(place))?.messageCount ?? 0,
    close: () => storage.close(),
  }
}

function withMastra(url: string): TurnKeeper {
  const storage = new MastraStore({ id: 'bench', url })
  const memory = new MastraMemory({ storage, options: { lastMessages: SHOWN } })
  const agent = new MastraAgent({
    id: 'bench',
    name: 'bench',
    instructions: 'Answer.',
    model: answer,
    memory,
  })
  return {
    name: 'Mastra, Memory on libSQL',
    async turn() {
      const { threadId: thread, resourceId: resource } = place
      const output = await agent.stream('Hi', { memory: { thread, resource } })
      await read(output.fullStream, { isText, chunks: LAST_CHUNKS })
    },
    async count() {
      const database = createClient({ url })
      const count = await countOf(database, 'mastra_messages')
      database.close()
      return count
    },
    close: () => storage.close(),
  }
}

async function countOf(database: Client, table: string): Promise<number> {
  const { rows } = await database.execute(`SELECT count(*) AS count FROM ${table}`)
  return Number(rows[0]?.count)
}

function isText({ type }: { type: string }): boolean {
  return type === 'text-delta'
}

// A process that never ends a turn: its tool says that it runs, and goes on forever. Arguments: a file for the store.
import { Agent, tool } from '@millrace/core'
import { SQLiteStore } from '@millrace/store-sqlite'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'
import { Memory } from '../src/index.ts'

const [path = ''] = process.argv.slice(2)
const look = tool({ inputSchema: z.object({}), execute: () => 'Rain' })
const wait = tool({
  inputSchema: z.object({}),
  execute: () => {
    process.stdout.write('waiting')
    return new Promise((resolve) => setTimeout(resolve, 600_000))
  },
})
const agent = new Agent({
  model: new ScriptedModel([['Let me look. ', toolCall('look', {})], [toolCall('wait', {})]]),
  memory: new Memory({ storage: new SQLiteStore({ path }), persist: 'step' }),
  tools: { look, wait },
})
await agent.generate('Umbrella?', { threadId: 'thread-1', resourceId: 'user-1' })

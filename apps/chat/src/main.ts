import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SQLiteStore } from '@millrace/store-sqlite'
import { buildPage } from './build-page.ts'
import { startChatServer } from './chat-server.ts'
import { scriptedModel } from './scripted-model.ts'

/** Milliseconds between two words, about the speed of models. */
const PACE = 40

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '3210' },
    database: { type: 'string', default: 'millrace-chat.db' },
  },
})

await buildPage()
const server = await startChatServer({
  model: scriptedModel({ pace: (signal) => wait(PACE, undefined, signal && { signal }) }),
  storage: new SQLiteStore({ path: values.database }),
  port: Number(values.port),
})
console.log(`Open ${server.url}   Ctrl-C stops the server. Conversations are stored in ${values.database}.`)

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await server.close({ timeoutMs: 2_000 })
  })
}

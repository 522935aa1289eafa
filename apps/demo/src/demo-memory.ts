import { Memory } from '@millrace/memory'
import { SQLiteStore } from '@millrace/store-sqlite'

/** Where the demo keeps what was said, in the working folder. */
export const DEMO_FILE = 'millrace-demo.db'

export const DEFAULT_THREAD = 'demo'

/** What the demo remembers: the last messages of a conversation, and what of others bears on what is said. */
export function demoMemory(path: string): Memory {
  return new Memory({ storage: new SQLiteStore({ path }), lastMessages: 20, semanticRecall: true })
}

export function newThreadId(): string {
  return `demo-${crypto.randomUUID().slice(0, 8)}`
}

import { Memory } from '@millrace/memory'
import { SQLiteStore } from '@millrace/store-sqlite'

/** The database of the demo, in the working folder. */
export const DEMO_FILE = 'millrace-demo.db'

export const DEFAULT_THREAD = 'demo'

/** The demo's memory: the last messages of a thread, and recalled messages of other threads. */
export function demoMemory(path: string): Memory {
  return new Memory({ storage: new SQLiteStore({ path }), lastMessages: 20, semanticRecall: true })
}

export function newThreadId(): string {
  return `demo-${crypto.randomUUID().slice(0, 8)}`
}

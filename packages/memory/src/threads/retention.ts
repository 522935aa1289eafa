import {
  MillraceError,
  type ProcessOutputResultArgs,
  type Processor,
  requireCount,
  type Store,
  type ThreadKey,
} from '@millrace/core'
import { newestMessages } from '../message-history/read-messages.ts'

/** How much of a thread is kept. With both, what either keeps no longer is deleted. */
export interface RetentionOptions {
  /** How many days messages are kept. */
  days?: number | undefined
  /** How many turns are kept, the last ones: each from a user's message on. */
  turns?: number | undefined
}

const DAY = 86_400_000

/** How many messages are read and deleted at once. */
const PAGE = 200

/** @throws MillraceError `CONFIG_INVALID` */
export function checkRetention({ days, turns }: RetentionOptions): void {
  if (days === undefined && turns === undefined) {
    throw new MillraceError('CONFIG_INVALID', 'retention says nothing. Give it { days }, { turns } or both.')
  }
  if (days !== undefined && !(Number.isFinite(days) && days > 0)) {
    throw new MillraceError('CONFIG_INVALID', `retention.days is ${days}. Use a number above 0.`)
  }
  if (turns !== undefined) requireCount('retention.turns', turns, 1)
}

/** Ids of the messages of a thread that are kept no longer, in pages. */
export async function* expiredMessages(
  storage: Store,
  key: ThreadKey,
  { days, turns }: RetentionOptions,
): AsyncGenerator<string[]> {
  const thread = await storage.getThread(key)
  if (!thread) return
  if (days !== undefined) yield* olderThan(storage, key, Date.now() - days * DAY)
  // Turns have a message at least.
  if (turns !== undefined && thread.messageCount > turns) yield* beforeTurns(storage, key, turns)
}

/** From the oldest on, up to the first that is kept. */
async function* olderThan(storage: Store, key: ThreadKey, time: number): AsyncGenerator<string[]> {
  for (;;) {
    // What was found before has been deleted.
    const { items } = await storage.listMessages({ ...key, limit: PAGE })
    const kept = items.findIndex(({ message }) => message.createdAt.getTime() >= time)
    const old = (kept < 0 ? items : items.slice(0, kept)).map(({ message }) => message.id)
    if (old.length > 0) yield old
    if (old.length < PAGE) return
  }
}

async function* beforeTurns(storage: Store, key: ThreadKey, turns: number): AsyncGenerator<string[]> {
  let left = turns
  let old: string[] = []
  for await (const { message } of newestMessages(storage, key, {})) {
    if (left <= 0) old.push(message.id)
    else if (message.role === 'user') left--
    if (old.length === PAGE) {
      yield old
      old = []
    }
  }
  if (old.length > 0) yield old
}

/** Applies the retention to the thread of each run when its turn is stored, in the background. */
export function retentionProcessor({
  apply,
  onError,
}: {
  apply: (args: ProcessOutputResultArgs) => Promise<unknown>
  onError: 'fail' | 'skip'
}): Processor {
  return {
    id: 'retention',
    onError,
    processOutputResult(args) {
      if (!args.result.objectError) args.waitUntil(apply(args))
    },
  }
}

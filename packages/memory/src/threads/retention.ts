import {
  MillraceError,
  type OptionNames,
  type ProcessOutputResultArgs,
  type Processor,
  requireCount,
  type Store,
  type ThreadKey,
} from '@millrace/core'
import { newestMessages } from '../message-history/read-messages.ts'

/** How much of a thread is kept. With both limits, a message is deleted if it exceeds either. */
export interface RetentionOptions {
  /** How many days messages are kept. */
  days?: number | undefined
  /** How many of the last turns are kept. A turn begins with a user message. */
  turns?: number | undefined
}

export const RETENTION_OPTIONS: OptionNames<RetentionOptions> = { days: 'optional', turns: 'optional' }

const DAY = 86_400_000

/** Number of messages read and deleted per query. */
const PAGE = 200

/** @throws MillraceError `CONFIG_INVALID` */
export function checkRetention({ days, turns }: RetentionOptions): void {
  if (days === undefined && turns === undefined) {
    throw new MillraceError(
      'CONFIG_INVALID',
      'retention is empty. Set retention.days, retention.turns or both.',
    )
  }
  if (days !== undefined && !(Number.isFinite(days) && days > 0)) {
    throw new MillraceError('CONFIG_INVALID', `retention.days is ${days}. Use a number greater than 0.`)
  }
  if (turns !== undefined) requireCount('retention.turns', turns, 1)
}

/** Ids of the expired messages of a thread, in pages. */
export async function* expiredMessages(
  storage: Store,
  key: ThreadKey,
  { days, turns }: RetentionOptions,
): AsyncGenerator<string[]> {
  const thread = await storage.getThread(key)
  if (!thread) return
  if (days !== undefined) yield* olderThan(storage, key, Date.now() - days * DAY)
  // A turn has at least one message.
  if (turns !== undefined && thread.messageCount > turns) yield* beforeTurns(storage, key, turns)
}

/** Starts with the oldest and stops at the first message that is kept. */
async function* olderThan(storage: Store, key: ThreadKey, time: number): AsyncGenerator<string[]> {
  for (;;) {
    // The previous page has been deleted, so the first page is always the next one.
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

/** Applies the retention to the thread of each run after its turn is saved, in the background. */
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

import type {
  ListMessagesOptions,
  ListThreadsOptions,
  OptionNames,
  SearchThreadsOptions,
  ThreadChanges,
  ThreadKey,
} from '@millrace/core'
import { SELECT_MESSAGES_OPTIONS, type SelectMessagesOptions } from './message-history/select-messages.ts'
import { THREAD_IDS, type ThreadIds } from './thread-place.ts'
import type { CloneThreadOptions } from './threads/clone-thread.ts'

// The options of Memory's methods.

/** How to return files that are stored as blobs. */
export interface FilesOptions {
  /**
   * `inline`: as data URLs. `reference`: files are not read; their URLs work only inside the store. Default:
   * `inline`.
   */
  files?: 'inline' | 'reference' | undefined
}

export const REMEMBER_OPTIONS: OptionNames<ThreadIds & { last?: number }> = {
  ...THREAD_IDS,
  last: 'optional',
}

export const GET_MESSAGES_OPTIONS: OptionNames<ThreadIds & SelectMessagesOptions & FilesOptions> = {
  ...THREAD_IDS,
  ...SELECT_MESSAGES_OPTIONS,
  files: 'optional',
}

export const LIST_MESSAGES_OPTIONS: OptionNames<
  ThreadIds & Pick<ListMessagesOptions, 'limit' | 'cursor' | 'order'> & FilesOptions
> = { ...THREAD_IDS, limit: 'optional', cursor: 'optional', order: 'optional', files: 'optional' }

export const LIST_THREADS_OPTIONS: OptionNames<ListThreadsOptions> = {
  resourceId: 'optional',
  orderBy: 'optional',
  limit: 'optional',
  cursor: 'optional',
}

export const SEARCH_THREADS_OPTIONS: OptionNames<SearchThreadsOptions> = {
  resourceId: 'optional',
  query: 'optional',
  metadata: 'optional',
  limit: 'optional',
}

export const THREAD_OPTIONS: OptionNames<ThreadIds & ThreadChanges> = {
  ...THREAD_IDS,
  title: 'optional',
  metadata: 'optional',
}

export const CLONE_THREAD_OPTIONS: OptionNames<Omit<CloneThreadOptions, keyof ThreadKey> & ThreadIds> = {
  ...THREAD_OPTIONS,
  newThreadId: 'optional',
  last: 'optional',
  upTo: 'optional',
}

export const RESOURCE: OptionNames<{ resourceId: string }> = { resourceId: 'required' }

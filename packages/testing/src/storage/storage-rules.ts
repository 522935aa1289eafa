import { blobs } from './blobs.ts'
import { concurrency } from './concurrency.ts'
import { content } from './content.ts'
import { counters } from './counters.ts'
import { crashRules } from './crashes.ts'
import { deletion } from './deletion.ts'
import { idempotence } from './idempotence.ts'
import { keys } from './keys.ts'
import { leases } from './leases.ts'
import { lifetime } from './lifetime.ts'
import { messages } from './messages.ts'
import { migrations } from './migrations.ts'
import { order } from './order.ts'
import { paging } from './paging.ts'
import { randomOperations } from './random-operations.ts'
import { resources } from './resources.ts'
import { runs } from './runs.ts'
import { search } from './search.ts'
import type { StorageRules } from './storage-rule.ts'
import { streams } from './streams.ts'
import { tenants } from './tenants.ts'
import { threadSearch } from './thread-search.ts'
import { threads } from './threads.ts'
import { transactions } from './transactions.ts'
import { vectors } from './vectors.ts'

/** All rules of stores, by behavior. */
export const STORAGE_RULES: Readonly<Record<string, StorageRules>> = {
  threads,
  messages,
  blobs,
  order,
  paging,
  idempotence,
  resources,
  tenants,
  search,
  'search for threads': threadSearch,
  vectors,
  runs,
  leases,
  crashes: crashRules,
  streams,
  counters,
  keys,
  transactions,
  concurrency,
  content,
  lifetime,
  deletion,
  migrations,
  'random operations': randomOperations,
}

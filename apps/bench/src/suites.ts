import type { Suite } from './figure.ts'
import { coldStartSuite } from './suites/cold-start.ts'
import { contextSuite } from './suites/context.ts'
import { contextWindowSuite } from './suites/context-window.ts'
import { costsSuite } from './suites/costs.ts'
import { dbosSuite } from './suites/dbos.ts'
import { firstMessageSuite } from './suites/first-message.ts'
import { guardsSuite } from './suites/guards.ts'
import { heapSuite } from './suites/heap.ts'
import { installSuite } from './suites/install.ts'
import { interopSuite } from './suites/interop.ts'
import { loopSuite } from './suites/loop.ts'
import { recallSuite } from './suites/recall.ts'
import { storageSuite } from './suites/storage.ts'
import { tokensSuite } from './suites/tokens.ts'

/** All suites, in the order of execution. */
export const suites: readonly Suite[] = [
  loopSuite,
  heapSuite,
  coldStartSuite,
  firstMessageSuite,
  installSuite,
  guardsSuite,
  tokensSuite,
  storageSuite,
  recallSuite,
  contextSuite,
  contextWindowSuite,
  interopSuite,
  dbosSuite,
  costsSuite,
]

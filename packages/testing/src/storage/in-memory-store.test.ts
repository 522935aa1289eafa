import { InMemoryStore } from '@millrace/core/storage'
import { testStorage } from './test-storage.ts'

testStorage('InMemoryStore', { create: () => new InMemoryStore() })

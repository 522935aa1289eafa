import { InMemoryStore } from '@millrace/core/storage'
import { testStorage } from '@millrace/testing'

testStorage('InMemoryStore', { create: () => new InMemoryStore() })

import { InMemoryStore } from '@millrace/core/storage'
import { testStorage } from '@millrace/testing'

class Forgetful extends InMemoryStore {
  override async getKey(): Promise<undefined> {
    return undefined
  }
}

testStorage('Forgetful', { create: () => new Forgetful() })
